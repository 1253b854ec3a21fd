"""The configuration: `[tool.resplint]` of `pyproject.toml`, or `resplint.toml` with the same keys at the top.

A scan begins with the nearest one from its root upwards, up to the repository's root. Those of folders below the root
hold for findings below them; configurations are not merged, unless one extends another.
Every mistake is a `UserError` of one line: file, line, key, what is expected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from resplint.config.keys import KEYS
from resplint.config.values import ClientFactory, Reader, Reporter, sentence, unknown_key
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Precision, Status
from resplint.contracts.forbidding import Forbidden
from resplint.discovery.gitignore import enclosing_repository
from resplint.files.globs import pattern_list
from resplint.files.near_paths import hint_at
from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular, shown
from resplint.files.toml_text import TomlError, key_lines, line_of_key, parse_toml
from resplint.knowledge.load import load_book

FILE_NAMES = ("resplint.toml", "pyproject.toml")
"""Where a configuration may stand, the stronger first."""

BASELINE_NAME = "resplint-baseline.jsonl"
"""What the baseline is called unless somebody says otherwise; it is used wherever a scan finds it."""

ALL_RULES = "all"
"""The selector that stands for every rule."""

DEFAULT_RULES = "default"
"""The selector that stands for the rules that are on unless somebody says otherwise, the user's own among them."""

_SIZE_LIMIT = 1_000_000
_TABLE = ("tool", "resplint")
_SPECIAL, _ESCAPED = re.compile(r"[\\*?\[]"), r"\\\g<0>"
_OWN_RULES = ("forbid", "forbid-from")
_OF_THE_SCAN = ("baseline", "fail_on", "jobs")
"""What only the configuration with which a scan begins can say."""


class Config(msgspec.Struct, frozen=True):
    """A valid configuration.

    `rules` maps the code of every known rule to its slug, also of the user's own, which are in `forbid`; `select`,
    `ignore` and the values of `per_path_ignores` hold codes, slugs, prefixes of codes, "default" or "all"; `level`
    maps a code to its level, None meaning off. `max_file_size` is in bytes, `file_timeout`, `scan_timeout` and
    `rule_timeout` are in seconds; `fail_on` None means never; `jobs` 0 means as many as there are processors. `file`
    is the absolute path it was read from ("" if none), `prefix` the path ("services/api/" or "") from its folder to
    the scan root, where patterns of the file start; `explicit` tells that the user named it, so that no other one
    counts. `nested` holds those of folders below the scan root, by their path, as far as they are known, and
    `overrides` what the command line said.
    """

    rules: Mapping[str, str]
    select: tuple[str, ...] = (DEFAULT_RULES,)
    ignore: tuple[str, ...] = ()
    level: Mapping[str, Level | None] = {}
    exclude: tuple[str, ...] = ()
    per_path_ignores: Mapping[str, tuple[str, ...]] = {}
    client_versions: Mapping[str, str] = {}
    server: Mapping[str, str] = {}
    client_factories: Mapping[str, ClientFactory] = {}
    forbid: tuple[Forbidden, ...] = ()
    forbid_from: tuple[str, ...] = ()
    include_tests: bool = False
    include_minified: bool = False
    max_file_size: int = 1_000_000
    file_timeout: float = 5
    scan_timeout: float = 600
    rule_timeout: float = 300
    fail_on: Level | None = Level.WARNING
    min_precision: Precision = Precision.MEDIUM
    jobs: int = 0
    baseline: str | None = None
    extends: str | None = None
    file: str = ""
    prefix: str = ""
    explicit: bool = False
    nested: Mapping[str, Config] = {}
    overrides: Mapping[str, Any] = {}

    def at(self, path: str) -> Config:
        """The configuration that holds for findings at a path relative to the scan root: the nearest one above it."""
        folder = path if self.nested else ""
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self.nested:
                return self.nested[folder]
        return self

    @property
    def own_rules(self) -> tuple[Forbidden, ...]:
        """The user's own rules that hold anywhere, each once for all places where it says the same."""
        return tuple(dict.fromkeys(rule for each in self._everywhere for rule in each.forbid))

    @property
    def _everywhere(self) -> tuple[Config, ...]:
        return (self, *(self.nested[place] for place in sorted(self.nested)))

    def rule_enabled(self, code: str) -> bool:
        """Whether the rule runs anywhere."""
        if not self.nested:
            return self._enabled(code)
        return any(each._knows(code) and each._enabled(code) for each in self._everywhere)

    def _knows(self, code: str) -> bool:
        """Whether the rule is resplint's, or one of the user's own that holds here."""
        return is_ours(code) or any(rule.code == code for rule in self.forbid)

    def _enabled(self, code: str) -> bool:
        """Whether the rule runs here: the most specific of `select` and `ignore` decides, `ignore` on a tie."""
        if code in self.level and self.level[code] is None:
            return False
        return self._specificity(self.select, code) > self._specificity(self.ignore, code)

    def forbidden(self, code: str) -> tuple[Forbidden, ...]:
        """The user's own rule with a code, none if it is one of resplint's; several if its patterns of paths start at
        several folders.
        """
        return tuple(rule for rule in self.own_rules if rule.code == code)

    def forbids(self, rule: Forbidden, path: str) -> bool:
        """Whether one of the user's own rules holds at a path relative to the scan root."""
        return rule in self.at(path).forbid

    def level_for(self, code: str, default: Level) -> Level:
        """The level that the configuration gives to a rule, or `default`."""
        return self.level.get(code) or default

    def ignored_at(self, path: str) -> frozenset[str]:
        """Codes of the rules that are switched off for a path relative to the scan root: by `per-path-ignores`, or as
        they only run elsewhere.
        """
        here = self.at(path)
        codes: set[str] = set()
        if self.nested:
            codes = {code for code in self.rules if not (here._knows(code) and here._enabled(code))}
        for pattern, ignored in here.per_path_ignores.items():
            if pattern_list((pattern,)).covers(here.prefix + path):
                codes.update(code for code in self.rules if here._specificity(ignored, code))
        return frozenset(codes)

    def with_overrides(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        exclude: Sequence[str] = (),
        include_tests: bool | None = None,
        max_file_size: int | None = None,
        file_timeout: int | None = None,
        fail_on: str | None = None,
        min_precision: str | None = None,
        jobs: int | None = None,
        baseline: str | None = None,
    ) -> Config:
        """This configuration changed by command line flags; an absent or empty flag changes nothing.

        `select` replaces both lists of the file, `ignore` and `exclude` add to theirs. Raises `UserError`
        naming the flag.
        """
        given: dict[str, object] = {
            "select": list(select) or None,
            "ignore": list(ignore) or None,
            "exclude": list(exclude) or None,
            "include-tests": include_tests,
            "max-file-size": max_file_size,
            "file-timeout": file_timeout,
            "fail-on": fail_on,
            "min-precision": min_precision,
            "jobs": jobs,
            "baseline": baseline,
        }
        table = {key: value for key, value in given.items() if value is not None}
        changes = _read(table, Reader(_flag_error), self.rules)
        changes["overrides"] = {**self.overrides, **{key.replace("-", "_"): value for key, value in table.items()}}
        base_ignore = () if select else self.ignore
        changes["ignore"] = (*base_ignore, *changes.get("ignore", ()))
        changes["exclude"] = (*self.exclude, *changes.get("exclude", ()))
        if "baseline" in changes:
            changes["baseline"] = os.path.abspath(changes["baseline"])
        return msgspec.structs.replace(self, **changes)

    def _specificity(self, chosen: Sequence[str], code: str) -> int:
        """How closely the best of the selectors fits: 0 not at all, else the length of what fits."""
        best = 0
        for selector in chosen:
            if selector == ALL_RULES or (selector == DEFAULT_RULES and _is_default(code)):
                best = max(best, 1)
            elif selector == self.rules.get(code):
                best = max(best, len(code))
            elif code.startswith(selector):
                best = max(best, len(selector))
        return best


def _is_default(code: str) -> bool:
    page = load_book().get(code)
    return page is None or page.status is Status.DEFAULT


def load(
    root: str | os.PathLike[str],
    explicit: str | None,
    rules: Mapping[str, str],
    *,
    nearest_to: str | os.PathLike[str] | None = None,
) -> Config:
    """The configuration for a scan of the folder `root`: from the file `explicit`, or else the nearest one, from the
    folder `nearest_to` (by default `root`, else below it) upwards.

    `rules` maps the code of each rule to its slug. Without a file, the defaults. Raises `UserError`.
    """
    start = os.path.realpath(root)
    if explicit is not None:
        file = os.path.abspath(explicit)
        table, lines = _table_of(file, explicit, required=True)
    else:
        file, table, lines = _nearest(os.path.realpath(nearest_to or start))
    accepted = _accepted(os.path.realpath(nearest_to or start))
    if not file:
        return Config(rules=dict(rules), baseline=accepted)
    values = _extended(file, table, lines, rules)
    rules = {**rules, **{rule.code: rule.name for rule in values.get("forbid", ())}}
    if accepted is not None:
        values.setdefault("baseline", accepted)
    if explicit is None:
        _rebase(values, _prefix(os.path.join(start, FILE_NAMES[0]), os.path.dirname(file)))
    named = explicit is not None
    return Config(rules=dict(rules), file=file, prefix=_prefix(file, start), explicit=named, **values)


def load_nested(root: str, place: str, names: Collection[str] | None, base: Config) -> Config | None:
    """The configuration in a folder below the scan root, which is at `place` ("services/api") and has files of certain
    `names` (None: not known), completed by what the command line said; None if there is none. Raises `UserError`.

    It may name rules of the user's own that `base`, with which the scan began, has or knows; its own hold below it.
    """
    folder = os.path.join(root, *place.split("/")) if place else root
    for name in FILE_NAMES:
        file = os.path.join(folder, name)
        if (name not in names) if names is not None else not os.path.lexists(file):
            continue
        table, lines = _table_of(file, file, required=name != "pyproject.toml")
        if not lines:
            continue
        if base.file and os.path.realpath(base.file) == os.path.realpath(file):
            return base if place else None
        ours = {code: name for code, name in base.rules.items() if is_ours(code)}
        values = _extended(file, table, lines, ours, others=base.rules)
        _rebase(values, base.prefix + (f"{place}/" if place else ""))
        values = {field: value for field, value in values.items() if field not in _OF_THE_SCAN}
        rules = {**base.rules, **_names(values)}
        return Config(rules=rules, file=file, prefix=base.prefix, **values).with_overrides(**_said(base))
    if not place and base.file and is_inside(os.path.realpath(os.path.dirname(base.file)), root):
        # The scan begins with that of a folder further down, which is none of the others' concern.
        return Config(rules=base.rules).with_overrides(**_said(base))
    return None


def with_nested(config: Config, nested: Mapping[str, Config]) -> Config:
    """The configuration with those of folders below the scan root. What makes a client is known everywhere, wherever
    somebody says it. Raises `UserError` if two of the user's own rules have the same code or name.
    """
    if not nested:
        return config
    factories = {name: one for place in sorted(nested) for name, one in nested[place].client_factories.items()}
    factories.update(config.client_factories)
    rules = dict(config.rules)
    for place in sorted(nested):
        rules.update({rule.code: rule.name for rule in nested[place].forbid})
    config = msgspec.structs.replace(config, nested=nested, client_factories=factories, rules=rules)
    _demand_one_meaning(config)
    return config


def _demand_one_meaning(config: Config) -> None:
    """Raise `UserError` where a code or name stands for two rules: reports, comments and baselines name rules by it."""
    known: dict[str, tuple[Forbidden, str]] = {}
    for each in config._everywhere:
        for rule in each.forbid:
            plain = msgspec.structs.replace(rule, path=(), path_not=())
            for key in (rule.code, rule.name):
                first, file = known.setdefault(key, (plain, each.file))
                if first != plain:
                    raise UserError(
                        f"{shown(each.file)}: forbid: {key!r} is another rule in {shown(file)}; give one of them a "
                        "code and a name of its own, or share the rule with extends or forbid-from.",
                        file=each.file,
                    )


def is_ours(code: str) -> bool:
    """Whether a rule is one of resplint's, which no rule of a user's own can be called."""
    return code.startswith("RL")


def _said(base: Config) -> dict[str, Any]:
    """What the command line said about findings."""
    return {field: value for field, value in base.overrides.items() if field not in _OF_THE_SCAN}


def _extended(
    file: str,
    table: Mapping[str, object],
    lines: Mapping[tuple[str, ...], int],
    rules: Mapping[str, str],
    *,
    others: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The fields of `Config` that a file sets, and those that it extends, and so on, where it does not set them. Rules
    of the user's own add up: a file may name those that it inherits. `rules` are taken, `others` may be named as well.
    """
    values: dict[str, Any] = {}
    examples: list[str] = []
    for name, of_file, places in reversed(_chain(file, table, lines)):
        folder = os.path.dirname(name)
        own = _read(of_file, Reader(_report(name, places)), {**rules, **_names(values)}, folder, others or {})
        if "forbid_from" in own:
            examples += _examples([os.path.join(folder, each) for each in own["forbid_from"]], os.path.dirname(file))
        if "baseline" in own:
            own["baseline"] = os.path.join(folder, own["baseline"])
        if "forbid" in own:
            own["forbid"] = (*values.get("forbid", ()), *own["forbid"])
        values = {**values, **own}
    if examples:
        values["exclude"] = (*values.get("exclude", ()), *examples)
    return values


_Table = tuple[str, Mapping[str, object], Mapping[tuple[str, ...], int]]


def _chain(file: str, table: Mapping[str, object], lines: Mapping[tuple[str, ...], int]) -> list[_Table]:
    """A file and those that it extends, each with its table and the lines of its keys."""
    chain: list[_Table] = [(file, table, lines)]
    seen = {os.path.realpath(file)}
    while isinstance(target := table.get("extends"), str) and target:  # or what reads the table says what is wrong
        report = _report(file, lines)
        file = os.path.join(os.path.dirname(file), target)
        if os.path.realpath(file) in seen:
            raise report(("extends",), f"{shown(target)} extends this configuration in turn")
        seen.add(os.path.realpath(file))
        try:
            table, lines = _table_of(file, file, required=True)
        except UserError as error:
            if not os.path.lexists(file):
                raise report(("extends",), f"there is no file {shown(target)}") from error
            raise
        chain.append((file, table, lines))
    return chain


def _report(file: str, lines: Mapping[tuple[str, ...], int]) -> Reporter:
    return _file_error(file, _TABLE if os.path.basename(file) == "pyproject.toml" else (), lines)


def enclosing_project(folder: str | os.PathLike[str]) -> Path | None:
    """The folder of the project that `folder` is a part of: its repository, else where the nearest configuration
    stands; None if there is neither.
    """
    start = os.path.realpath(folder)
    found = enclosing_repository(start) or os.path.dirname(_nearest(start)[0])
    return Path(found) if found else None


def project_root(folder: str | os.PathLike[str]) -> Path:
    """The same, or `folder` itself, resolved."""
    return enclosing_project(folder) or Path(os.path.realpath(folder))


def _accepted(folder: str) -> str | None:
    """The baseline of the usual name in `folder` or the nearest one above it in the same repository."""
    top = enclosing_repository(folder)
    while True:
        file = os.path.join(folder, BASELINE_NAME)
        if os.path.isfile(file):
            return file
        parent = os.path.dirname(folder)
        if top is None or folder in (top, parent):
            return None
        folder = parent


def _nearest(folder: str) -> tuple[str, Mapping[str, object], Mapping[tuple[str, ...], int]]:
    """File, table and lines of keys of the nearest configuration; the file is "" if there is none."""
    top = enclosing_repository(folder)
    while True:
        for name in FILE_NAMES:
            file = os.path.join(folder, name)
            if os.path.lexists(file):
                table, lines = _table_of(file, file, required=name != "pyproject.toml")
                if lines:
                    return file, table, lines
        parent = os.path.dirname(folder)
        if folder in (top, parent):
            return "", {}, {}
        folder = parent


def _table_of(file: str, name: str, *, required: bool) -> tuple[Mapping[str, object], Mapping[tuple[str, ...], int]]:
    """The table of resplint in a file and the lines of all keys; both empty if it may be absent and is."""
    try:
        data = read_regular(file, _SIZE_LIMIT)
    except UnreadableFileError as error:
        raise UserError(f"{shown(name)}: {error}; {hint_at(name) or 'expected a TOML file.'}", file=file) from error
    in_project = os.path.basename(file) == "pyproject.toml"
    # Other people's broken or huge project files are no concern of ours.
    if in_project and not required and b"resplint" not in data:
        return {}, {}
    document, text = _parsed(data, file, name)
    lines = key_lines(text)
    if not in_project:
        return document, lines
    tool = document.get("tool")
    table = tool.get("resplint") if isinstance(tool, dict) else None
    if table is None:
        if required:
            raise UserError(f"{shown(name)}: tool.resplint: missing; expected a table [tool.resplint].", file=file)
        return {}, {}
    if not isinstance(table, dict):
        line = line_of_key(lines, _TABLE)
        message = f"{shown(name)}:{line}: tool.resplint: expected a table, not {shown(repr(table), 60)}."
        raise UserError(message, file=file, line=line)
    return table, lines


def _read(
    table: Mapping[str, object],
    reader: Reader,
    rules: Mapping[str, str],
    folder: str = "",
    others: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The fields of `Config` that a table sets; `folder` is what names of files are relative to. `rules` have their
    codes and names already; other keys may name them, what the table forbids, and `others`. Raises what the reader's
    reporter makes.
    """
    keys = {key.name: key for key in KEYS}
    for name in table:
        if name not in keys:
            raise unknown_key(reader, (name,), keys)
    values: dict[str, Any] = {}
    for name in _OWN_RULES:
        if name in table:
            values[keys[name].field] = keys[name].read(reader, (name,), table[name], rules)
    if "forbid_from" in values:
        further = _of_files(values["forbid_from"], folder, reader, {**rules, **_names(values)})
        values["forbid"] = (*values.get("forbid", ()), *further)
    named = {**(others or {}), **rules, **_names(values)}
    for name in table:
        if name not in _OWN_RULES:
            values[keys[name].field] = keys[name].read(reader, (name,), table[name], named)
    return values


def _names(values: Mapping[str, Any]) -> dict[str, str]:
    """The names of the user's own rules by their codes."""
    return {rule.code: rule.name for rule in values.get("forbid", ())}


def _of_files(names: Sequence[str], folder: str, reader: Reader, rules: Mapping[str, str]) -> tuple[Forbidden, ...]:
    from resplint.config.forbidding import read_files  # noqa: PLC0415 - most configurations have no such files

    return read_files(names, folder, lambda problem: reader.report((_OWN_RULES[-1],), problem), _rules_file, rules)


def load_rules(files: Sequence[str], rules: Mapping[str, str]) -> tuple[Forbidden, ...]:
    """The user's own rules in some files; `rules` are those that exist already, slug by code. Raises `UserError`."""
    from resplint.config.forbidding import read_files  # noqa: PLC0415

    return read_files(files, "", lambda problem: UserError(sentence(problem)), _rules_file, rules)


def _examples(names: Sequence[str], folder: str) -> list[str]:
    """Patterns, from `folder`, for those of the absolute `names` that are folders: code in them shows what the rules
    find.
    """
    inside = [os.path.relpath(name, folder).replace(os.sep, "/") for name in names if os.path.isdir(name)]
    below = [name for name in inside if name.split("/")[0] not in (".", "..")]
    return [f"/{_SPECIAL.sub(_ESCAPED, name)}/" for name in below]


def _rules_file(file: str, data: bytes) -> tuple[Mapping[str, object], Reader]:
    """The table of a file with rules, and what reads it."""
    document, text = _parsed(data, file, file)
    return document, Reader(_file_error(file, (), key_lines(text)))


def _parsed(data: bytes, file: str, name: str) -> tuple[Mapping[str, object], str]:
    try:
        return parse_toml(data)
    except TomlError as error:
        place = f":{error.line}:{error.column}" if error.line else ""
        message = f"{shown(name)}{place}: not valid TOML: {shown(str(error))}."
        raise UserError(message, file=file, line=error.line) from error


def _file_error(file: str, table: tuple[str, ...], lines: Mapping[tuple[str, ...], int]) -> Reporter:
    def report(path: tuple[str, ...], problem: str) -> UserError:
        full = (*table, *path)
        line = line_of_key(lines, full)
        place = f"{shown(file)}:{line}" if line else shown(file)
        key = ".".join(full).replace(".[", "[")
        return UserError(f"{place}: {shown(key)}: {sentence(problem)}", file=file, line=line)

    return report


def _flag_error(path: tuple[str, ...], problem: str) -> UserError:
    return UserError(f"--{shown('.'.join(path))}: {sentence(problem)}")


def _rebase(values: dict[str, Any], way: str) -> None:
    """Make patterns that start at a folder below the scan root, to which `way` ("services/api/") leads, start at the
    root.
    """
    if not way:
        return
    if "exclude" in values:
        values["exclude"] = tuple(_rebased(pattern, way) for pattern in values["exclude"])
    if "forbid" in values:
        values["forbid"] = tuple(_rule_rebased(rule, way) for rule in values["forbid"])
    if "per_path_ignores" in values:
        values["per_path_ignores"] = {_rebased(key, way): rules for key, rules in values["per_path_ignores"].items()}


def _rule_rebased(rule: Forbidden, way: str) -> Forbidden:
    paths, others = ([_rebased(pattern, way) for pattern in patterns] for patterns in (rule.path, rule.path_not))
    return msgspec.structs.replace(rule, path=tuple(paths), path_not=tuple(others))


def _rebased(pattern: str, way: str) -> str:
    negated = "!" if pattern.startswith("!") else ""
    body = pattern[len(negated) :]
    # As git has it: a slash anywhere but at the end ties a pattern to its folder.
    depth = "" if "/" in body.rstrip()[:-1] else "**/"
    folder = _SPECIAL.sub(_ESCAPED, way)
    return f"{negated}/{folder}{depth}{body.lstrip('/')}"


def _prefix(file: str, root: str) -> str:
    """The way from the configuration's folder down to the scan root; "" if the root is elsewhere."""
    folder = os.path.realpath(os.path.dirname(file))
    if root == folder or not is_inside(root, folder):
        return ""
    return os.path.relpath(root, folder).replace(os.sep, "/") + "/"
