"""Lock files of npm, Yarn and pnpm. Those that are not JSON are machine-written, so they are searched, not parsed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

import msgspec

from resplint.versions.json_text import object_lines, parse_json
from resplint.versions.records import BrokenManifestError, Group, decoded

_SECTIONS: dict[str, Group] = {
    "dependencies": "main",
    "optionalDependencies": "extra",
    "peerDependencies": "extra",
    "devDependencies": "dev",
}
_YARN_VERSION = re.compile(r'  version:? "?([^"\s]+)"?')
_YARN_RESOLUTION = re.compile(r'  resolution: "?((?:@[^@"]+|[^@"]+))@npm:')
_PNPM_LINE = re.compile(r"""( *)(?:'([^']*)'|"([^"]*)"|([^\s'"#][^:#]*)):(?: +(.*))?""")
_PNPM_PACKAGE = re.compile(r"/?(?!\d)((?:@[^@/]+/)?[^@/]+)[@/](\d.*)")
_NUMBER = re.compile(r"\d+\.\d+\.\d+[\w.-]*?(?=$|[_(+])", re.ASCII)


class LockedPackage(msgspec.Struct, frozen=True):
    """One package of a lock file under its own name, which an alias does not change; `ranges` are what it answers."""

    name: str
    version: str
    line: int
    group: Group = "main"
    ranges: tuple[str, ...] = ()


class NpmLock(msgspec.Struct, frozen=True):
    """A lock file, as far as it says who uses what.

    `installed` has what stands in which place (`apps/a/node_modules/x`), `importers` what each workspace uses under
    which name, `entries` what answers a range. `workspaces` are the folders that it covers (with the names that they
    ask for, where it lists them), None if it does not say. `aliases` are the names under which a package is installed
    that are not its own.
    """

    installed: dict[str, LockedPackage] = {}
    aliases: dict[str, frozenset[str]] = {}
    importers: dict[str, dict[str, LockedPackage]] = {}
    entries: dict[str, tuple[LockedPackage, ...]] = {}
    workspaces: dict[str, frozenset[str]] | None = None
    problems: tuple[tuple[int, str], ...] = ()

    def installed_for(self, folder: str, name: str) -> LockedPackage | None:
        """The package that code of a folder gets under a name: the nearest one upwards."""
        while True:
            if found := self.installed.get(posixpath.join(folder, "node_modules", name)):
                return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)


def parse_package_lock(data: bytes) -> NpmLock:
    """`package-lock.json` and `npm-shrinkwrap.json` of every version. Raises `BrokenManifestError`."""
    document, text = parse_json(data)
    lines = object_lines(text)
    packages = document.get("packages")
    if not isinstance(packages, dict):
        packages = {f"node_modules/{name}": each for name, each in _table(document, "dependencies").items()}
        workspaces = None
    else:
        workspaces = {
            place: frozenset(name for section in _SECTIONS for name in _table(each, section))
            for place, each in packages.items()
            if isinstance(each, dict) and "node_modules/" not in f"{place}/"
        }
    installed: dict[str, LockedPackage] = {}
    aliases: dict[str, set[str]] = {}
    for place, each in packages.items():
        _, inside, name = place.rpartition("node_modules/")
        if (
            inside
            and isinstance(each, dict)
            and (locked := _installed(name, each, lines.get(place, lines.get(name, 0))))
        ):
            installed[place] = locked
            if locked.name != name:
                aliases.setdefault(locked.name, set()).add(name)
    return NpmLock(installed, {name: frozenset(each) for name, each in aliases.items()}, workspaces=workspaces)


def _installed(name: str, entry: Mapping[str, object], line: int) -> LockedPackage | None:
    version, own = entry.get("version"), entry.get("name")
    if not isinstance(version, str):
        return None
    if alias := re.fullmatch(r"npm:(@?[^@]+)@(.+)", version):
        own, version = alias[1], alias[2]
    group: Group = "dev" if entry.get("dev") is True else "main"
    return LockedPackage(own if isinstance(own, str) else name, _number(version), line, group)


def parse_yarn_lock(data: bytes) -> NpmLock:
    """`yarn.lock`, the classic one and that of Yarn 2 and later. Raises `BrokenManifestError`."""
    entries: dict[str, list[LockedPackage]] = {}
    workspaces: dict[str, frozenset[str]] = {}
    header, start, version, own, berry = "", 0, "", "", False
    for number, line in enumerate([*decoded(data).splitlines(), "end:"], 1):
        if line.startswith("<<<<<<< "):
            raise BrokenManifestError("has an unresolved merge conflict", number)
        if line[:1] not in (" ", "", "#"):
            _close_yarn(entries, workspaces, header, LockedPackage(own, version, start))
            header, start, version, own = line, number, "", ""
            berry = berry or line.startswith("__metadata:")
        elif match := _YARN_VERSION.fullmatch(line):
            version = version or match[1]
        elif match := _YARN_RESOLUTION.match(line):
            own = match[1]
    found = {name: tuple(each) for name, each in entries.items()}
    return NpmLock(entries=found, workspaces=workspaces if berry else None)


def _close_yarn(
    entries: dict[str, list[LockedPackage]], workspaces: dict[str, frozenset[str]], header: str, entry: LockedPackage
) -> None:
    ranges: dict[str, list[str]] = {}
    for descriptor in header.rstrip().removesuffix(":").replace('"', "").split(", "):
        cut = descriptor.find("@", 1)
        name, wanted = descriptor[:cut], descriptor[cut + 1 :]
        if cut < 0:
            continue
        if wanted.startswith("workspace:"):
            folder = posixpath.normpath(wanted.removeprefix("workspace:"))
            workspaces["" if folder == "." else folder] = frozenset()
            continue
        # "redis3@npm:redis@^3" is an alias, "redis@npm:^3" and "redis@patch:redis@npm…" are not.
        if alias := re.fullmatch(r"npm:(@?[^@\s]+)@(.+)", wanted):
            name, wanted = entry.name or alias[1], alias[2]
        ranges.setdefault(name, []).append(wanted.removeprefix("npm:"))
    number = _number(entry.version)
    for name, wanted_by in ranges.items():
        if number:
            found = LockedPackage(name, number, entry.line, ranges=tuple(wanted_by))
            entries.setdefault(name, []).append(found)


def parse_pnpm_lock(data: bytes) -> NpmLock:
    """`pnpm-lock.yaml`, versions 5 to 9: what each workspace uses. Raises `BrokenManifestError`."""
    importers: dict[str, dict[str, LockedPackage]] = {}
    keys: list[tuple[int, str]] = []
    for number, line in enumerate(decoded(data).splitlines(), 1):
        if line.startswith("<<<<<<< "):
            raise BrokenManifestError("has an unresolved merge conflict", number)
        match = _PNPM_LINE.fullmatch(line[:1_000])
        if match is None:
            continue
        indent = len(match[1])
        while keys and keys[-1][0] >= indent:
            keys.pop()
        keys.append((indent, match[2] or match[3] or (match[4] or "").strip()))
        if indent == 0 and keys[0][1] in ("packages", "snapshots"):
            break
        if match[5] and len(keys) <= 5:
            _add_pnpm(importers, [key for _, key in keys], match[5].strip().strip("'\""), number)
    return NpmLock(importers=importers)


def _add_pnpm(importers: dict[str, dict[str, LockedPackage]], keys: list[str], value: str, line: int) -> None:
    # A project without workspaces has the sections at the top.
    folder = "."
    if keys[0] == "importers" and len(keys) > 2:
        folder, keys = keys[1], keys[2:]
    # "name: version" until version 5, "name:" with "version: …" below it since.
    if keys[0] not in _SECTIONS or len(keys) not in (2, 3) or (len(keys) == 3 and keys[2] != "version"):
        return
    name = keys[1]
    package = _PNPM_PACKAGE.fullmatch(value)
    own, version = (package[1], package[2]) if package else (name, value)
    place = "" if folder == "." else posixpath.normpath(folder)
    found = LockedPackage(own, _number(version), line, _SECTIONS[keys[0]])
    importers.setdefault(place, {}).setdefault(name, found)


def _number(version: str) -> str:
    """The plain version: without pnpm's marks for peers; "" for links and addresses."""
    match = _NUMBER.match(version)
    return match[0] if match else ""


def _table(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}
