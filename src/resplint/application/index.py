"""Which settings hold for a source file: those of the nearest folder above it that has any."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from resplint.application.beans import Bean, Property, parse_beans
from resplint.application.placeholders import filled, whole_placeholder
from resplint.application.properties import parse_properties
from resplint.application.records import BeanSetting, BrokenSettingsError, Entry, Setting, canonical
from resplint.application.resources import MAX_RESOURCES, resources
from resplint.contracts.findings import Notification, NotificationKind, Place
from resplint.files.project_files import content_below, names_below
from resplint.files.regular_files import UnreadableFileError, shown
from resplint.files.source import Undecodable, decode

FILE_LIMIT = 1_000_000
"""Largest file of settings that is read, in bytes."""
LANGUAGE = "settings"
"""Language of these files to whoever decodes them."""
_MAX_MODULES = 30

_NAME = re.compile(r"(?:application|bootstrap)(?:-(?P<profile>[\w.\-]+))?\.(?P<form>properties|ya?ml)")
_OWN = re.compile(r"(?P<profile>)[\w.\-]*redis[\w.\-]*\.(?P<form>properties)", re.IGNORECASE)
"""Files of the project's own that `@PropertySource` names; those above win over them."""
_MICROPROFILE = re.compile(r"microprofile-config(?:-(?P<profile>[\w.\-]+))?\.(?P<form>properties)")
_FOLDERS = (
    "src/main/resources/META-INF", "resources/META-INF", "src/main/resources", "resources", "",
    "src/main/resources/config", "resources/config", "config",
)  # fmt: skip
"""Where the files of a module may stand, seen from each folder above a source file; what stands later here wins."""
_TEST = re.compile(r"(?:^|[-_.,])(?:unit|integration)?-?_?(?:tests?|testing|it)(?:$|[-_.,])")
_MAIN = "/src/main/"
_LINE = re.compile(rb"(?m)^[^\n]*$")


_T = TypeVar("_T")


def _settings_of(data: bytes, form: str) -> list[Entry]:
    """The entries of a file of settings."""
    text = data.decode("utf-8", "replace")
    if form == "properties":
        return parse_properties(text)
    from resplint.application.yaml_files import parse_yaml_settings  # noqa: PLC0415 - slow to load

    return parse_yaml_settings(text)


class SettingsIndex:
    """The settings below one root, read when first needed.

    `sources` are the paths of the source files, which tell where the modules are. `read` gives the bytes of a path
    relative to the root, or None if that fails, and `list_names` the names in a folder; by default both read the disk.
    Once `is_over` says so, no more files are read.
    """

    def __init__(
        self,
        root: str,
        sources: Iterable[str] = (),
        read: Callable[[str], bytes | None] | None = None,
        list_names: Callable[[str], Sequence[str]] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_over = is_over
        self._root = os.path.realpath(root)
        self._sources = sources
        self._read = read or self._from_disk
        self._list_names = list_names or self._names_on_disk
        self._tables: dict[str, dict[str, list[Setting]]] = {}
        self._all: dict[str, list[Setting]] = {}
        self._nearest: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._notifications: dict[str, Notification] = {}
        self._texts: dict[str, bytes] = {}
        self._lines: dict[str, list[tuple[int, bytes]]] = {}
        self._beans: dict[str, tuple[BeanSetting, ...]] = {}
        self._properties: dict[str, dict[str, list[Setting]]] = {}

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What could not be read so far, sorted."""
        return tuple(sorted(self._notifications.values(), key=Notification.sort_key))

    def text(self, path: str) -> bytes | None:
        """The bytes of a file of settings that was read."""
        return self._texts.get(path)

    def get(self, path: str, key: str) -> list[Setting]:
        """What the settings say about a key for a source file: one entry for each profile that says something."""
        found: list[Setting] = []
        for folder in self._modules(path):
            found += self._table(folder).get(canonical(key), ())
        return found

    def every(self, path: str) -> list[Setting]:
        """All that the settings of a source file's module say, those of test environments among them, and its files of
        properties, whatever their name is, about keys that those say nothing of.
        """
        own = self._own_properties(self._with_properties(path))
        found = [one for folder in self._modules(path) for one in self._everything(folder)]
        said = {canonical(one.key) for one in found}
        return found + [one for key, each in own.items() if key not in said for one in each]

    def beans(self, path: str, suffix: str) -> list[BeanSetting]:
        """What files with a suffix say about the objects that a framework makes for a source file's module."""
        folder = posixpath.dirname(path)
        while folder and not self._described(folder, suffix):
            folder = posixpath.dirname(folder)
        if found := self._described(folder, suffix):
            return list(found)
        return [one for root in self._roots() for one in self._described(root, suffix)]

    def property_texts(self, path: str, key: str, named: frozenset[str]) -> list[str]:
        """What files of properties say about a key for a source file: those of the names in `named`; where there are
        none, all of them about a key of several parts.
        """
        folder = self._with_properties(path)
        found = [one for one in self._own_properties(folder).get(canonical(key), ()) if one.key == key]
        near = [one for one in found if posixpath.basename(one.place.path).removesuffix(".properties") in named]
        return [one.text for one in near or (found if "." in key else ()) if one.text]

    def _with_properties(self, path: str) -> str:
        """The nearest folder above a source file that has files of properties; the topmost one if none does."""
        folder = posixpath.dirname(path)
        while folder and not self._own_properties(folder):
            folder = posixpath.dirname(folder)
        return folder

    # -- where -------------------------------------------------------------------------------------------------------

    def _modules(self, path: str) -> tuple[str, ...]:
        """Folders whose settings hold for a source file: the nearest one above it that has any; if there is none, as
        for a library beside the application, the modules of the project that have some.
        """
        start = posixpath.dirname(path)
        if start not in self._nearest:
            folder = start
            while folder and not self._files(folder):
                folder = posixpath.dirname(folder)
            if folder or self._files(""):
                self._nearest[start] = (folder,)
            else:
                self._nearest[start] = tuple(one for one in self._roots() if self._files(one))
        return self._nearest[start]

    def _roots(self) -> list[str]:
        """Folders of the project's modules."""
        return sorted({one.split(_MAIN, 1)[0] for one in self._sources if _MAIN in one})[:_MAX_MODULES]

    def _files(self, folder: str) -> list[tuple[str, str, str]]:
        """(path, profile, form) of the files of one module, the strongest last."""
        own: list[tuple[str, str, str]] = []
        found: list[tuple[str, str, str]] = []
        for inner in _FOLDERS:
            place = posixpath.join(folder, inner) if inner else folder
            patterns = (_MICROPROFILE,) if inner.endswith("META-INF") else (_NAME, _OWN)
            names = [
                (name, one, match) for name in self._in(place) for one in patterns if (match := one.fullmatch(name))
            ]
            # A properties file wins over YAML beside it, and `application` over `bootstrap`.
            for name, one, match in sorted(names, key=lambda it: (it[2]["form"] == "properties", it[0][0] == "a")):
                (own if one is _OWN else found).append(
                    (posixpath.join(place, name), match["profile"] or "", match["form"])
                )
        return own + found

    def _in(self, folder: str) -> tuple[str, ...]:
        if folder not in self._names:
            self._names[folder] = tuple(sorted(self._list_names(folder)))
        return self._names[folder]

    # -- what --------------------------------------------------------------------------------------------------------

    def _table(self, folder: str) -> dict[str, list[Setting]]:
        """Canonical key -> what each profile says; files of tests are left out."""
        if folder not in self._tables:
            found = self._everything(folder)
            if folder not in self._all:
                return {}
            table = self._tables[folder] = {}
            for one in found:
                if not _TEST.search(one.profile):
                    table.setdefault(canonical(one.key), []).append(one)
        return self._tables[folder]

    def _everything(self, folder: str) -> list[Setting]:
        """What each profile says about each key, sorted; placeholders are filled from what is not for tests."""
        if folder in self._all:
            return self._all[folder]
        if self._is_over():
            return []
        latest: dict[tuple[str, str], tuple[Entry, str]] = {}
        for path, profile, form in self._files(folder):
            for entry in self._entries(path, form):
                chosen = ",".join(filter(None, (profile, entry.profile)))
                latest[canonical(entry.key), chosen] = (entry, path)
        said = sorted(latest.items(), key=lambda item: item[0])
        texts = {key: entry.text for (key, profile), (entry, _) in reversed(said) if not _TEST.search(profile)}
        found = self._all[folder] = []
        for (_, profile), (entry, path) in said:
            text = filled(entry.text, lambda name: texts.get(canonical(name)))
            place = self._place(path, entry.line)
            found.append(Setting(entry.key, text, entry.line, place, profile, "${" in entry.text))
        return found

    def _entries(self, path: str, form: str) -> list[Entry]:
        return self._parsed(path, partial(_settings_of, form=form)) or []

    def _parsed(self, path: str, parse: Callable[[bytes], _T]) -> _T | None:
        """What a parser makes of a file; None, and a remark, where that fails."""
        try:
            data = self._read(path)
            if data is None:
                raise UnreadableFileError("cannot be read")
            decoded = decode(data, LANGUAGE)
            if isinstance(decoded, Undecodable):
                raise UnreadableFileError(f"is no text ({decoded.reason})")
            self._texts[path] = data
            self._lines[path] = [(one.start(), one.group()) for one in _LINE.finditer(decoded.data)]
            return parse(decoded.data)
        except UnreadableFileError as error:
            self._remark(path, 0, str(error))
        except BrokenSettingsError as error:
            self._remark(path, min(error.line, max(1, len(self._lines[path]) - 1)), str(error))
        return None

    # -- beans ---------------------------------------------------------------------------------------------------------

    def _described(self, folder: str, suffix: str) -> tuple[BeanSetting, ...]:
        """What the XML files of the module in one folder say."""
        if folder not in self._beans:
            if self._is_over():
                return ()
            found: list[tuple[str, Bean]] = []
            for path in self._resources(folder, f".{suffix}"):
                if self._mentions(path, b"<beans"):
                    found += [(path, one) for one in self._parsed(path, parse_beans) or ()]
            self._beans[folder] = tuple(self._set(folder, found))
        return self._beans[folder]

    def _resources(self, folder: str, suffix: str) -> list[str]:
        """Paths of the files with a suffix that a module takes along, as many as are read."""
        found = resources(folder, suffix, self._in)
        for path in found[MAX_RESOURCES : MAX_RESOURCES + 1]:
            self._remark(path, 0, f"the module has more than {MAX_RESOURCES} such files")
        return found[:MAX_RESOURCES]

    def _mentions(self, path: str, text: bytes) -> bool:
        """Whether a file that may be another one's matter has a text; what cannot be read has none."""
        try:
            return text in (self._read(path) or b"")
        except UnreadableFileError:
            return False

    def _set(self, folder: str, beans: list[tuple[str, Bean]]) -> Iterator[BeanSetting]:
        by_name = {name: one for _, one in beans for name in one.names}
        users: dict[str, list[str]] = {}
        for _, one in beans:
            for name in one.takes:
                users.setdefault(name, []).append(one.class_name)
        for path, one in beans:
            parent = by_name.get(one.parent)
            class_name = one.class_name or (parent.class_name if parent is not None else "")
            taking = [user for name in one.names for user in users.get(name, ())]
            taking += [one.around] if one.around else []
            for each in one.properties if class_name else ():
                for text, origin in self._filled(folder, each):
                    place, profile = self._place(path, each.line), origin.profile if origin is not None else ""
                    yield BeanSetting(
                        each.name, text, each.line, place, profile, "${" in each.text,
                        class_name, tuple(taking), origin,
                    )  # fmt: skip

    def _filled(self, folder: str, given: Property) -> list[tuple[str | None, Setting | None]]:
        """The texts that a property of a bean may have, each with the setting that its placeholder is filled from."""
        name, default = whole_placeholder(given.text)
        if not name:
            return [(given.text if "{" not in given.text else None, None)]
        found = self._own_properties(folder).get(canonical(name)) or self._table(folder).get(canonical(name), [])
        return [(one.text, one) for one in found] or [(default, None)]

    def _own_properties(self, folder: str) -> dict[str, list[Setting]]:
        """Canonical key -> what each properties file of the module in one folder says, whatever its name is."""
        if folder not in self._properties:
            if self._is_over():
                return {}
            table: dict[str, list[Setting]] = {}
            for path in self._resources(folder, ".properties"):
                for one in self._entries(path, "properties"):
                    text = None if "${" in one.text else one.text
                    setting = Setting(one.key, text, one.line, self._place(path, one.line), one.profile)
                    table.setdefault(canonical(one.key), []).append(setting)
            self._properties[folder] = table
        return self._properties[folder]

    def _remark(self, path: str, line: int, problem: str) -> None:
        message = f"Settings not read: {shown(problem)}; correct it, so that timeouts and pool sizes in it are known."
        self._notifications.setdefault(path, Notification(NotificationKind.MANIFEST, message, path, line))

    def _place(self, path: str, line: int) -> Place:
        """The text of one line, without its indentation."""
        lines = self._lines[path]
        if not 1 <= line <= len(lines):
            return Place(path, 0, 0)
        start, content = lines[line - 1]
        return Place(path, start + len(content) - len(content.lstrip()), start + len(content.rstrip()))

    # -- the disk ----------------------------------------------------------------------------------------------------

    def _from_disk(self, path: str) -> bytes:
        return content_below(self._root, path, FILE_LIMIT)

    def _names_on_disk(self, folder: str) -> list[str]:
        return names_below(self._root, folder)
