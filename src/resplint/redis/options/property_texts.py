"""What files of properties and settings say about a key that code looks up by itself:
``bundle.getString("redis.pool.max")``, ``environment.getProperty("redis.pool.max")``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, ExternalObject, Value
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.flow.settings_text import as_constant

PropertyTexts = Callable[[str, str, frozenset[str]], Sequence[str]]
"""What the files of properties beside a source file say about a key: those of some names, else any."""
SettingTexts = Callable[[str, str], Sequence[str | None]]
"""What the settings that hold for a source file say about a key, for each profile; None where that is not known."""
_SUFFIX = ".properties"


class LookedUp:
    """Answers from the files of properties that `texts` reads, and from `settings`."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self.texts: PropertyTexts = lambda path, key, named: ()
        """Set by the project."""
        self.settings: SettingTexts = lambda path, key: ()
        """Set by the project."""
        self._named: dict[int, frozenset[str]] = {}

    def known(self, value: Value) -> Sequence[Value]:
        """The constants that a value spells in the settings of the application, or the one in a file of properties,
        where there is one such text; else the value.
        """
        if not isinstance(value, ExternalObject) or value.ref is None:
            return (value,)
        roles, asked = self._ev.roles(value.ref[0]), value.dotted.replace("()", "")
        if asked not in roles.property_files and asked not in roles.setting_calls:
            return (value,)
        index, expr = self._ev.store.files[value.ref[0]], self._ev.store.expr(value.ref)
        if not isinstance(expr, facts.Call) or not expr.arguments:
            return (value,)
        keys = [one.value for one in self._ev.values(index.number, expr.arguments[0].value) if isinstance(one, Const)]
        if len(keys) != 1 or not isinstance(keys[0], str):
            return (value,)
        if asked in roles.setting_calls:
            said = dict.fromkeys(self.settings(index.facts.path, keys[0]))
            return tuple(value if one is None else as_constant(one, value.ref, True) for one in said) or (value,)
        texts = set(self.texts(index.facts.path, keys[0], self._names(index)))
        return (as_constant(texts.pop(), value.ref, True),) if len(texts) == 1 else (value,)

    def _names(self, index: FileIndex) -> frozenset[str]:
        """The names of files that code may spell: all its texts, without folders and the suffix."""
        if index.number not in self._named:
            texts = (one.value for one in index.facts.exprs if isinstance(one, facts.Literal))
            self._named[index.number] = frozenset(
                posixpath.basename(one).removesuffix(_SUFFIX) for one in texts if isinstance(one, str) and one
            )
        return self._named[index.number]
