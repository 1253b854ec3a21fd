"""Gradle scripts: coordinates, plugins, variables and references in them, read without running anything.

Texts are kept as they are written, names in them (`$jedisVersion`, `${versions.jedis}`) not yet filled in; a bare name
is kept as `${name}`.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Literal

import msgspec

from resplint.versions.gradle_tokens import END, Token, tokens
from resplint.versions.records import BrokenManifestError, decoded

Use = Literal["dependency", "platform", "constraint", "build", "note"]
"""What a coordinate is for: needed, an imported list of versions, only bounded, needed by the build itself, or just
written down for use elsewhere."""

_COORDINATE = re.compile(r"[^\s:/'\"]{1,300}:[^\s:/]{1,300}(?::[^\s/]{0,300})?")
_SIMPLE = re.compile(r"[\w.-]{1,200}")
_LISTS = frozenset({"platform", "enforcedPlatform", "mavenBom"})
_BOUNDS = frozenset({"constraints", "dependencyManagement", "resolutionStrategy"})
_BUILD = frozenset({"buildscript", "pluginManagement"})
_RICH = frozenset({"strictly", "require", "prefer"})
_CLOSES = {")": "(", "]": "[", "}": "{"}
_PAIR_LIMIT = 12
_TOKEN_LIMIT = 100_000
_LONGEST_NAME = 300


class Coordinate(msgspec.Struct, frozen=True):
    """`group:artifact:version`, the last part may be missing, or a reference to one."""

    text: str
    line: int
    use: Use
    development: bool = False
    reference: bool = False


class GradleScript(msgspec.Struct, frozen=True):
    """What one script says. `plugins` are identifier, version and line; `variables` value and line by name; `projects`
    the paths of other projects that it depends on; `applied` the scripts that it takes in."""

    coordinates: tuple[Coordinate, ...] = ()
    plugins: tuple[tuple[str, str, int], ...] = ()
    plugin_references: tuple[tuple[str, int], ...] = ()
    variables: dict[str, tuple[str, int]] = {}
    projects: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()


def parse_gradle(data: bytes) -> GradleScript:
    """A script of Gradle, or a source file with constants for one. Raises `BrokenManifestError`."""
    return _Reader(decoded(data)).read()


class _Frame(msgspec.Struct):
    """An open bracket: the word in front of it, and the name that entries in it are known under."""

    mark: str
    label: str
    prefix: str = ""


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = list(islice(tokens(text), _TOKEN_LIMIT + 1))
        if len(self._tokens) > _TOKEN_LIMIT:
            raise BrokenManifestError("is too long for a script of Gradle", self._tokens[-1].line)
        self._frames: list[_Frame] = []
        self._labels: Counter[str] = Counter()
        self._marks: Counter[str] = Counter()
        self._closed = ""
        self._coordinates: list[Coordinate] = []
        self._plugins: list[tuple[str, str, int]] = []
        self._plugin_references: list[tuple[str, int]] = []
        self._variables: dict[str, tuple[str, int]] = {}
        self._projects: dict[str, None] = {}
        self._applied: dict[str, None] = {}

    def read(self) -> GradleScript:
        for place, token in enumerate(self._tokens):
            if token.kind == "mark":
                self._mark(place, token)
            elif token.kind == "text":
                self._text(place, token)
            else:
                self._word(place, token)
        return GradleScript(
            tuple(self._coordinates),
            tuple(self._plugins),
            tuple(self._plugin_references),
            self._variables,
            tuple(self._projects),
            tuple(self._applied),
        )

    def _at(self, place: int) -> Token:
        return self._tokens[place] if 0 <= place < len(self._tokens) else END

    def _is(self, place: int, *marks: str) -> bool:
        token = self._at(place)
        return token.kind == "mark" and token.text in marks

    # -- brackets ---------------------------------------------------------------------------------------------------

    def _mark(self, place: int, token: Token) -> None:
        if token.text in "([{":
            self._open(place, token)
        elif token.text in ")]}":
            self._close(_CLOSES[token.text])
        elif token.text == "=":
            self._assignment(place)
        elif token.text == ":" and self._frames and self._frames[-1].mark == "[":
            self._entry(self._at(place - 1), place + 1)

    def _open(self, place: int, token: Token) -> None:
        before = self._at(place - 1)
        label = before.text if before.kind in ("word", "text") else self._closed if before.text == ")" else ""
        label = label.rpartition(".")[2][:60]
        prefix = self._frames[-1].prefix if self._frames else ""
        if token.text == "{" and self._at(place - 2).text in ("object", "class", "interface"):
            prefix = _joined(prefix, before.text)
        elif token.text == "[" and self._is(place - 1, "=", ":"):
            prefix = _joined(prefix, self._name_before(place - 1))
        elif token.text == "(" and label in ("mapOf", "mutableMapOf") and self._is(place - 2, "="):
            prefix = _joined(prefix, self._name_before(place - 2))
        self._frames.append(_Frame(token.text, label, prefix))
        self._labels[label] += 1
        self._marks[token.text] += 1

    def _close(self, mark: str) -> None:
        # Brackets that do not match come from what is no token here; the outer block is the surer one.
        while self._marks[mark]:
            frame = self._frames.pop()
            self._labels[frame.label] -= 1
            self._marks[frame.mark] -= 1
            if frame.mark == mark:
                self._closed = frame.label
                return

    # -- variables --------------------------------------------------------------------------------------------------

    def _assignment(self, place: int) -> None:
        if self._frames and self._frames[-1].mark == "(":
            return
        name = self._name_before(place)
        value, _ = self._value(place + 1)
        if name and value:
            self._define(name, value, self._at(place + 1).line)

    def _name_before(self, place: int) -> str:
        """The name that an `=` or `:` at `place` gives a value to."""
        before = self._at(place - 1)
        if self._is(place - 1, "+"):
            before = self._at(place - 2)
        if self._is(place - 1, "]") and self._at(place - 2).kind == "text" and self._is(place - 3, "["):
            owner = self._at(place - 4)
            return f"{owner.text}.{self._at(place - 2).text}" if owner.kind == "word" else ""
        if before.kind == "word" and self._is(place - 2, ":") and self._at(place - 3).kind == "word":
            return self._at(place - 3).text  # val name: Type =
        return before.text if before.kind in ("word", "text") else ""

    def _entry(self, key: Token, place: int) -> None:
        value, _ = self._value(place)
        if key.kind in ("word", "text") and value:
            self._define(key.text, value, key.line)

    def _define(self, name: str, value: str, line: int) -> None:
        prefix = self._frames[-1].prefix if self._frames else ""
        self._variables.setdefault(_joined(prefix, name), (value, line))

    def _value(self, place: int) -> tuple[str, int]:
        """The text, name or sum of both that starts at `place`, and the place behind it; "" for anything else."""
        pieces: list[str] = []
        while len(pieces) < _PAIR_LIMIT:
            token = self._at(place)
            place += 1
            if token.kind == "text":
                pieces.append(token.text)
            elif token.kind == "word":
                if self._is(place, "(", "[") and self._at(place + 1).kind == "text" and self._is(place + 2, ")", "]"):
                    pieces.append(f'${{{token.text}["{self._at(place + 1).text}"]}}')
                    place += 3
                else:
                    pieces.append(f"${{{token.text}}}")
                    place += 2 if self._is(place, "(") and self._is(place + 1, ")") else 0
            else:
                return "", place
            if not self._is(place, "+"):
                break
            place += 1
        return "".join(pieces), place

    # -- what is needed ---------------------------------------------------------------------------------------------

    def _text(self, place: int, token: Token) -> None:
        if self._labels["version"] and (self._at(place - 1).text in _RICH or self._label() in _RICH):
            self._enrich(token.text)
        elif self._is(place + 1, ",") and self._at(place + 2).kind == "text" and _SIMPLE.fullmatch(token.text):
            self._parts(place, token)
        elif ":" in token.text:
            value, _ = self._value(place)
            if not self._is(place - 1, "+") and _COORDINATE.fullmatch(value):
                self._add(value, token.line, place)

    def _label(self) -> str:
        return self._frames[-1].label if self._frames else ""

    def _parts(self, place: int, token: Token) -> None:
        """`implementation("group", "artifact", "version")`."""
        if not self._labels["dependencies"] or not self._is(place - 1, "("):
            return
        value = self._value(place + 4)[0] if self._is(place + 3, ",") else ""
        self._add(f"{token.text}:{self._at(place + 2).text}:{value}", token.line, place)

    def _enrich(self, version: str) -> None:
        if self._coordinates and self._coordinates[-1].text.count(":") == 1:
            last = self._coordinates[-1]
            self._coordinates[-1] = msgspec.structs.replace(last, text=f"{last.text}:{version}")

    def _add(self, text: str, line: int, place: int, reference: bool = False) -> None:
        words = {frame.label for frame in islice(reversed(self._frames), _PAIR_LIMIT) if frame.mark == "("}
        if self._at(place - 1).kind == "word":
            words.add(self._at(place - 1).text)
        development = any(each.startswith("test") or "Test" in each for each in words)
        use: Use = "note"
        if words & _LISTS:
            use = "platform"
        elif "classpath" in words or any(self._labels[each] for each in _BUILD):
            use = "build"
        elif any(self._labels[each] for each in _BOUNDS):
            use = "constraint"
        elif self._labels["dependencies"]:
            use = "dependency"
        self._coordinates.append(Coordinate(text, line, use, development, reference))

    # -- words ------------------------------------------------------------------------------------------------------

    def _word(self, place: int, token: Token) -> None:
        word = token.text
        if word == "group" and self._is(place + 1, ":", "="):
            self._pairs(place, token)
        elif word in ("id", "plugin"):
            self._plugin(place, token)
        elif word == "alias" and self._is(place + 1, "(") and self._at(place + 2).kind == "word":
            self._plugin_references.append((self._at(place + 2).text, token.line))
        elif word == "apply":
            self._apply(place)
        elif word == "by" and self._at(place + 1).text == "extra" and self._is(place + 2, "(", "{"):
            typed = self._is(place - 2, ":")  # val name: Type by extra(…)
            self._entry(self._at(place - 3 if typed else place - 1), place + 3)
        elif word == "to" and self._frames and self._label() in ("mapOf", "mutableMapOf"):
            self._entry(self._at(place - 1), place + 1)
        elif word.rpartition(".")[2] == "set" and self._is(place + 1, "(") and self._is(place + 3, ","):
            self._entry(self._at(place + 2), place + 4)
        elif self._labels["dependencies"] or self._labels["dependencyManagement"]:
            self._reference(place, token)

    def _pairs(self, place: int, token: Token) -> None:
        """`group: 'g', name: 'a', version: 'v'`."""
        pairs: dict[str, str] = {}
        current = place
        while len(pairs) < _PAIR_LIMIT and self._at(current).kind == "word" and self._is(current + 1, ":", "="):
            pairs[self._at(current).text], behind = self._value(current + 2)
            if not self._is(behind, ","):
                break
            current = behind + 1
        if pairs.get("group") and pairs.get("name"):
            self._add(f"{pairs['group']}:{pairs['name']}:{pairs.get('version', '')}", token.line, place)

    def _plugin(self, place: int, token: Token) -> None:
        place += 2 if self._is(place + 1, "(") else 1
        name = self._at(place)
        place += 2 if self._is(place + 1, ")") else 1
        if name.kind != "text" or self._at(place).text != "version":
            return
        version, _ = self._value(place + (2 if self._is(place + 1, "(") else 1))
        if version:
            self._plugins.append((name.text, version, token.line))

    def _apply(self, place: int) -> None:
        place += 2 if self._is(place + 1, "(") else 1
        if self._at(place).text == "from" and self._is(place + 1, ":", "="):
            value, _ = self._value(place + 2)
            if value:
                self._applied[value] = None

    def _reference(self, place: int, token: Token) -> None:
        word = token.text
        if word == "project" and self._is(place + 1, "("):
            path = self._at(place + 4 if self._at(place + 2).text == "path" else place + 2)
            if path.kind == "text":
                self._projects[path.text] = None
        elif word.startswith("projects."):
            self._projects[word] = None
        elif word.endswith("findLibrary") and self._at(place + 2).kind == "text":
            self._add(f"{word.rpartition('.')[0] or 'libs'}.{self._at(place + 2).text}", token.line, place, True)
        elif self._is(place + 1, "[") and self._at(place + 2).kind == "text":
            self._add(f"{word}.{self._at(place + 2).text}", token.line, place, True)
        elif "." in word or self._stands_alone(place):
            self._add(word, token.line, place, True)

    def _stands_alone(self, place: int) -> bool:
        """Whether a word is an argument, not what is called or named."""
        behind = self._at(place + 1)
        return (self._at(place - 1).kind == "word" or self._is(place - 1, "(", ",")) and not (
            behind.kind == "text" or self._is(place + 1, "(", "{", ":", "=")
        )


def _joined(prefix: str, name: str) -> str:
    if len(prefix) + len(name) > _LONGEST_NAME:
        return ""
    return f"{prefix}.{name}" if prefix and name else prefix or variable_name(name)


def variable_name(path: str) -> str:
    """A variable by the name under which it is kept: without the words that say where it is kept."""
    return re.sub(r"^(?:(?:rootProject|project|parent|ext|extra|this|properties)\.)+", "", path)
