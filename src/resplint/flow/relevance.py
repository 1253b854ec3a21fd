"""Which values lead to Redis: objects of client libraries, and whatever holds, makes or uses one.

Only these are asked for backwards (`flow/demand.py`): a collection, an object or a function that has nothing to do
with Redis is never followed. The property only ever comes to hold, so it is part of the least fixpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable

from resplint.bind.binder import Binder
from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    External,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Module,
    Ref,
    Value,
)
from resplint.knowledge.catalogue import Catalogue

Family = Hashable
"""Values of which all lead to Redis when one does: a function whatever it is bound to, the objects of a class, the
views of a collection.
"""
Action = Callable[[], None]
REDIS = "redis"
"""The family of what is an object of a client library, or names one."""


class Relevance:
    """The families that lead to Redis so far, and what waits for others to do so."""

    def __init__(self, binder: Binder, catalogue: Catalogue) -> None:
        self._binder = binder
        self._catalogue = catalogue
        self._relevant: set[Family | None] = {REDIS}
        self._waiting: dict[Family, list[Action]] = defaultdict(list)
        self.followed: set[Family | None] = {REDIS}
        """Families whose values flow wherever they can: those that lead to Redis, or whose callers are sought."""
        self._held_back: dict[Family, list[Action]] = defaultdict(list)
        self.near: set[Family | None] = {REDIS}
        """Families whose values have a client in a field of their own, or work with one themselves."""
        self._kept_out: dict[Family, list[Action]] = defaultdict(list)
        self._classes: set[tuple[int, int]] = set()
        self._sought: set[tuple[type, int, int]] = set()
        self._holders: set[tuple[int, int]] = set()

    def family(self, value: Value) -> Family | None:
        """What a value leads to Redis together with; None for data, which never does."""
        if isinstance(value, LibraryObject | LibraryMethod):
            return REDIS
        if isinstance(value, External):
            return REDIS if self._catalogue.leads_to_client(value.dotted) else None
        return _family(value)

    def holds(self, family: Family | None) -> bool:
        """Whether the values of a family are objects of a client library, or lead to one as far as is known yet."""
        return family in self._relevant

    def when(self, family: Family | None, action: Action) -> None:
        """Call `action` once the values of a family lead to Redis."""
        if family in self._relevant:
            action()
        elif family is not None:
            self._waiting[family].append(action)

    def holds_client(self, file: int, scope: int) -> None:
        """Objects of a class have a client in a field: so have those of classes that derive from it."""
        self._holders.add((file, scope))
        for key in ((file, scope), *self._binder.subclasses(file, scope)):
            self.comes_near((Instance, *key))
            self.comes_near((ClassValue, *key))

    def handles_client(self, file: int, scope: int) -> None:
        """A function works with a client itself."""
        self.comes_near((FunctionValue, file, scope))

    def comes_near(self, family: Family) -> None:
        """The values of a family have or use a client themselves."""
        if family not in self.near:
            self.near.add(family)
            for action in self._kept_out.pop(family, ()):
                action()

    def seek_callers(self, file: int, scope: int, owner: tuple[int, int] | None) -> None:
        """Somebody asks who calls a function: it is followed, and so are the objects that it is a method of; for a
        constructor only the class, as nobody calls it on an object.
        """
        self._follow((FunctionValue, file, scope))
        if owner is not None and FunctionValue(file, scope) in self._binder.constructors(*owner):
            self._seek_holders(owner, ClassValue)
        elif owner is not None:
            self.seek_holders(ClassValue(*owner))

    def seek_makers(self, file: int, scope: int) -> None:
        """Somebody asks what the calls that make objects of a class fill its fields with: the class is followed."""
        self._seek_holders((file, scope), ClassValue)

    def seek_holders(self, value: ClassValue | CollectionValue) -> None:
        """A function whose callers somebody asks for stands in a collection, or in objects of a class."""
        if isinstance(value, CollectionValue):
            self._follow((CollectionValue, *value.ref))
        else:
            self._seek_holders((value.file, value.scope), ClassValue)
            self._seek_holders((value.file, value.scope), Instance)

    def _seek_holders(self, owner: tuple[int, int], kind: type) -> None:
        if (kind, *owner) not in self._sought:
            self._sought.add((kind, *owner))
            self._follow_line(owner, kind)

    def _follow_line(self, owner: tuple[int, int], kind: type) -> None:
        for key in (owner, *self._binder.project_line(*owner), *self._binder.subclasses(*owner)):
            self._follow((kind, *key))

    def _follow(self, family: Family) -> None:
        if family not in self.followed:
            self.followed.add(family)
            for action in self._held_back.pop(family, ()):
                action()

    def when_followed(self, family: Family, action: Action) -> None:
        """Call `action` once the values of a family, which are not followed yet, are."""
        self._held_back[family].append(action)

    def when_near(self, family: Family, action: Action) -> None:
        """Call `action` once the values of a family, which do not yet, have or use a client themselves."""
        self._kept_out[family].append(action)

    def of_function(self, file: int, scope: int) -> None:
        """A function gives something that leads to Redis, or works with Redis."""
        self._hold((FunctionValue, file, scope))

    def of_class(self, file: int, scope: int) -> None:
        """Objects of a class lead to Redis: so do those that are known by a base of it only, and derived ones."""
        if (file, scope) in self._classes:
            return
        self._classes.add((file, scope))
        self._hold_class((file, scope))
        for base in self._binder.project_line(file, scope):
            self._hold_class(base)
        for sub in self._binder.subclasses(file, scope):
            self._hold_class(sub)

    def _hold_class(self, key: tuple[int, int]) -> None:
        self._hold((ClassValue, *key))
        self._hold((Instance, *key))

    def enter_subclasses(self) -> None:
        """Take in classes of files that were loaded since: they may derive from one that leads to Redis."""
        for key in tuple(self._classes):
            for sub in self._binder.subclasses(*key):
                self._hold_class(sub)
        for key in tuple(self._holders):
            self.holds_client(*key)
        for kind, file, scope in tuple(self._sought):
            self._follow_line((file, scope), kind)

    def of_collection(self, ref: Ref) -> None:
        """A collection holds something that leads to Redis."""
        self._hold((CollectionValue, *ref))

    def of_module(self, module: Module) -> None:
        """A module, or one of a package, hands out something that leads to Redis."""
        self._hold(module)

    def of_value(self, value: Value) -> None:
        """Something that leads to Redis is stored in a value."""
        family = _family(value)
        if isinstance(value, Instance | ClassValue):
            self.of_class(value.file, value.scope)
        elif family is not None:
            self._hold(family)

    def _hold(self, family: Family) -> None:
        if family in self._relevant:
            return
        self._relevant.add(family)
        self._follow(family)
        for action in self._waiting.pop(family, ()):
            action()


def _family(value: Value) -> Family | None:
    """What a value leads to Redis together with; None for data."""
    match value:
        case FunctionValue():
            return (FunctionValue, value.file, value.scope)
        case Instance() | ClassValue():
            return (type(value), value.file, value.scope)
        case CollectionValue():
            return (CollectionValue, *value.ref)
        case CollectionMethod():
            return (CollectionValue, *value.collection.ref)
        case Module():
            return value
    return None
