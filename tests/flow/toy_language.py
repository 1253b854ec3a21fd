"""Brook, a language of the tests: packages of several files, one namespace for functions and variables, no classes.

    package shop.baskets
    import clear.redis.connect
    let cache = connect("localhost", 6379)
    fun read(client, name)
      give client.get(name)
    end
    let first = fn(client) read(client, "first")

Its adapter is `lower`, its facts are `WORDS`, and it has one client library, `LIBRARY`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import msgspec

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.knowledge.records.role_records import Roles, Words

LANGUAGE = "brook"
WORDS = Words(
    runtime=LANGUAGE, resolver="package", star_names="package", implicit_package=True, owned_roots=False,
    arity_checked=False, separate_method_names=False, list_adders=("push",), element_callbacks=("each",),
)  # fmt: skip
LIBRARY = {
    "library": {
        "name": "clear-redis", "languages": [LANGUAGE], "ecosystem": "springs", "distributions": ["clear-redis"],
        "imports": ["clear.redis"], "versions": ["1.0.0"],
    },
    "type": [{"name": "clear.redis.Client", "kind": "client"}],
    "constructor": [{"names": ["clear.redis.connect"], "makes": "clear.redis.Client"}],
}  # fmt: skip
_TOKEN = re.compile(r'\s*(?:(?P<text>"[^"]*")|(?P<number>\d+)|(?P<name>\w+)|(?P<mark>[().,\[\]]))')


def catalogue(known: Catalogue) -> Catalogue:
    """What is known of all languages, and of this one."""
    library = msgspec.convert(LIBRARY, ClientLibrary)
    return Catalogue(
        {**known.libraries, library.library.name: library}, known.commands,
        {**known.roles, LANGUAGE: Roles(words=WORDS)}, known.foreign, {},
    )  # fmt: skip


def lower(path: str, text: str) -> facts.FileFacts:
    """The facts of a file."""
    return _Lowering(path, text).facts()


@dataclass
class _Lowering:
    path: str
    text: str
    exprs: list[facts.Expr] = field(default_factory=list)
    scopes: list[facts.Scope] = field(default_factory=list)
    blocks: list[facts.Block] = field(default_factory=list)
    bindings: list[facts.Binding] = field(default_factory=list)
    imports: list[facts.Import] = field(default_factory=list)
    jumps: list[facts.Jump] = field(default_factory=list)
    package: str = ""
    block: int = 0
    at: int = 0

    def facts(self) -> facts.FileFacts:
        self._open("module", "", (), 0, len(self.text))
        starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        for start in starts:
            line = self.text[start:].partition("\n")[0]
            self._statement(line, start)
        return facts.FileFacts(
            self.path, LANGUAGE, tuple(starts), tuple(self.exprs), tuple(self.scopes), tuple(self.blocks),
            tuple(self.bindings), (), tuple(self.imports), tuple(self.jumps), (), package=self.package,
        )  # fmt: skip

    def _statement(self, line: str, start: int) -> None:
        word, _, rest = line.strip().partition(" ")
        begin = start + len(line) - len(line.lstrip())
        if word == "package":
            self.package = rest
        elif word == "import":
            module, _, name = rest.rpartition(".")
            self.imports.append(facts.Import(module, name, name, 0, 0, 0, begin))
        elif word == "fun":
            name, _, parameters = rest.rstrip(")").partition("(")
            end = self.text.index("\nend", start)
            self.block = self._open("function", name, _names(parameters), begin, end)
        elif word == "end":
            self.block = 0
        elif word == "let":
            name, _, _ = rest.partition(" = ")
            value = self._parse(start + line.index("=") + 1)
            place = begin + len("let ")
            scope = self.blocks[self.block].scope
            self.bindings.append(facts.Binding(name, scope, self.block, value, "assign", place, place + len(name)))
        elif word == "give":
            self.jumps.append(facts.Jump("return", self._parse(begin + len(word)), self.block, begin))
        elif word:
            self._parse(begin)

    def _open(self, kind: facts.ScopeKind, name: str, parameters: tuple[str, ...], start: int, end: int) -> int:
        """A new scope, with the block that is its body."""
        number = len(self.blocks)
        around = self.blocks[self.block].scope if self.blocks else NONE
        self.blocks.append(
            facts.Block("body", self.block if self.scopes else NONE, len(self.scopes), start, end, NONE, start, start)
        )
        taken = tuple(facts.Parameter(one, NONE, NONE, "") for one in parameters)
        self.scopes.append(
            facts.Scope(kind, name, around, number, self.block if around != NONE else NONE, start, end, taken)
        )
        return number

    # -- expressions ---------------------------------------------------------------------------------------------------

    def _parse(self, at: int) -> int:
        self.at = at
        return self._expression()

    def _next(self, *marks: str) -> re.Match[str] | None:
        found = _TOKEN.match(self.text, self.at)
        if found is None or (marks and found["mark"] not in marks):
            return None
        self.at = found.end()
        return found

    def _add(self, expr: facts.Expr) -> int:
        self.exprs.append(expr)
        return len(self.exprs) - 1

    def _expression(self) -> int:
        token = self._next()
        assert token is not None, self.text[self.at :]
        start = token.end() - len(token[0].strip())
        if token["text"]:
            current = self._add(facts.Literal(start, self.at, self.block, "str", token["text"][1:-1]))
        elif token["number"]:
            current = self._add(facts.Literal(start, self.at, self.block, "int", int(token["number"])))
        elif token["mark"] == "[":
            items = self._list("]")
            current = self._add(facts.Collection(start, self.at, self.block, "list", tuple(items)))
        elif token["name"] == "fn":
            current = self._function(start)
        else:
            current = self._add(facts.Name(start, self.at, self.block, token["name"]))
        while (mark := self._next(".", "(")) is not None:
            if mark["mark"] == "(":
                given = tuple(facts.Argument("", one) for one in self._list(")"))
                current = self._add(facts.Call(start, self.at, self.block, current, given))
            else:
                name = self._next()
                assert name is not None
                current = self._add(facts.Member(start, self.at, self.block, current, name["name"]))
        return current

    def _list(self, close: str) -> list[int]:
        found: list[int] = []
        while self._next(close) is None:
            found.append(self._expression())
            self._next(",")
        return found

    def _function(self, start: int) -> int:
        """`fn(a, b) expression`"""
        end = self.text.index(")", self.at)
        parameters = _names(self.text[self.at + 1 : end])
        self.at = end + 1
        around, scope = self.block, len(self.scopes)
        self.block = self._open("function", "", parameters, start, self.text.find("\n", start))
        value = self._expression()
        self.jumps.append(facts.Jump("return", value, self.block, self.exprs[value].start))
        self.block = around
        return self._add(facts.Function(start, self.at, around, scope))


def _names(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(",") if one.strip())
