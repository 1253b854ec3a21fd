"""Python becomes facts: what a user of the model finds in them for small pieces of code."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.languages import lower

SOUP = (
    "def class if elif else for while try except finally with as import from return yield await async lambda "
    "global nonlocal raise del not and or in is None True match case pass break continue : ; , . .. ... ( ) [ ] "
    "{ } = == := + - * ** / // % @ -> ~ | & ! \\ ` $ ? x y client redis get _ 1 0x 1e5 1_0 1j '' 'a' \"b\" b'c' "
    "f'{x}' f'{' rb'\\' ''' \"\"\" # #c é 日 🎉 \t"
)
TOKENS = SOUP.split(" ")


class View:
    """Facts of one piece of code, with what tests ask of them."""

    def __init__(self, code: str | bytes) -> None:
        self.data = code if isinstance(code, bytes) else code.encode()
        lowered = lower("package/module.py", "python", self.data)
        assert lowered.facts is not None, lowered.reason
        self.facts: FileFacts = lowered.facts

    def code(self, expr: int | facts.Expr) -> str:
        """Source of an expression."""
        record = self.facts.exprs[expr] if isinstance(expr, int) else expr
        return self.data[record.start : record.end].decode()

    def expr(self, code: str) -> facts.Expr:
        """The one expression with this source."""
        (found,) = {record for record in self.facts.exprs if self.code(record) == code}
        return found

    def call(self, code: str) -> facts.Call:
        found = self.expr(code)
        assert isinstance(found, facts.Call)
        return found

    def around(self, code: str) -> list[str]:
        """Kinds of the blocks around an expression, the innermost first, up to the body of its scope."""
        kinds = []
        block = self.facts.blocks[self.expr(code).block]
        while block.kind not in ("body", "comprehension"):
            kinds.append(block.kind)
            block = self.facts.blocks[block.parent]
        return [*kinds, block.kind]

    def blocks(self) -> list[tuple[str, str, int]]:
        """Kind, source of the head, and group by its line, of all blocks but the bodies of scopes."""
        return [
            (block.kind, self.code(block.head) if block.head != NONE else "", self.facts.line(block.group))
            for block in self.facts.blocks
            if block.kind != "body"
        ]

    def scope(self, name: str) -> facts.Scope:
        (found,) = (scope for scope in self.facts.scopes if scope.name == name and scope.kind != "module")
        return found

    def name_of(self, scope: int) -> str:
        record = self.facts.scopes[scope]
        return record.name or record.kind

    def bindings(self) -> list[tuple[str, str, str, tuple[int, ...]]]:
        """Name, scope, source of the value, and path of every binding."""
        return [
            (
                each.name,
                self.name_of(each.scope),
                self.code(each.value) if each.value != NONE else "",
                each.path,
            )
            for each in self.facts.bindings
        ]

    def value(self, name: str) -> facts.Expr:
        """What the only binding of a name is bound to."""
        (found,) = (binding for binding in self.facts.bindings if binding.name == name)
        return self.facts.exprs[found.value]

    def parts(self, name: str) -> list[str]:
        """Text and (in braces) holes of what a name is bound to."""
        value = self.value(name)
        assert isinstance(value, facts.Template)
        return [part if isinstance(part, str) else f"{{{self.code(part)}}}" for part in value.parts]


# -- blocks --------------------------------------------------------------------------------------------------


def test_the_blocks_of_a_try_statement_share_a_group() -> None:
    view = View(
        """\
try:
    a()
except (KeyError, redis.RedisError) as error:
    b()
except OSError:
    c()
except:
    d()
else:
    e()
finally:
    f()
g()
"""
    )
    assert view.blocks() == [
        ("try", "", 1),
        ("except", "(KeyError, redis.RedisError)", 1),
        ("except", "OSError", 1),
        ("except", "", 1),
        ("else", "", 1),
        ("finally", "", 1),
    ]
    assert [view.around(f"{name}()")[0] for name in "abcdefg"] == [
        "try", "except", "except", "except", "else", "finally", "body",
    ]  # fmt: skip


def test_exception_groups_are_handlers_too() -> None:
    view = View("try:\n    a()\nexcept* OSError as group:\n    b()\n")
    assert view.blocks() == [("try", "", 1), ("except", "OSError", 1)]


def test_nested_try_statements_have_groups_of_their_own() -> None:
    view = View(
        "try:\n    try:\n        a()\n    except E:\n        b()\n"
        "except F:\n    try:\n        c()\n    finally:\n        d()\n"
    )
    assert view.blocks() == [
        ("try", "", 1),
        ("try", "", 2),
        ("except", "E", 2),
        ("except", "F", 1),
        ("try", "", 7),
        ("finally", "", 7),
    ]
    assert view.around("b()") == ["except", "try", "body"]
    assert view.around("d()") == ["finally", "except", "body"]


def test_branches_of_one_statement_share_a_group_and_know_their_conditions() -> None:
    view = View("if a:\n    b()\nelif c > 1:\n    d()\nelse:\n    e()\nif f:\n    g()\n")
    assert view.blocks() == [("if", "a", 1), ("if", "c > 1", 1), ("else", "", 1), ("if", "f", 7)]


def test_the_condition_of_a_while_runs_at_every_turn_and_the_iterable_of_a_for_once() -> None:
    view = View("while ask():\n    a()\nfor item in listing():\n    b()\nelse:\n    c()\n")
    assert view.around("ask()") == ["while", "body"]
    assert view.around("a()") == ["while", "body"]
    assert view.around("listing()") == ["body"]
    assert view.around("b()") == ["for", "body"]
    assert view.around("c()") == ["else", "body"]
    assert view.blocks() == [("while", "ask()", 1), ("for", "listing()", 3), ("else", "", 3)]


def test_conditions_run_outside_of_their_branches() -> None:
    view = View("if a():\n    pass\nelif b():\n    pass\n")
    assert view.around("a()") == ["body"]
    assert view.around("b()") == ["body"]


def test_cases_of_a_match_are_branches() -> None:
    view = View("match command():\n    case 'get':\n        a()\n    case _:\n        b()\n")
    assert view.around("command()") == ["body"]
    assert view.around("a()") == ["if", "body"]
    assert view.around("b()") == ["if", "body"]


@pytest.mark.parametrize("statement", ["if x: a()", "for x in y: a()", "while x: a()", "with x: a()"])
def test_bodies_on_the_line_of_their_statement(statement: str) -> None:
    assert View(statement + "\n").around("a()") == [statement.partition(" ")[0], "body"]


# -- scopes --------------------------------------------------------------------------------------------------


def test_scopes_are_nested_as_in_the_source() -> None:
    view = View(
        "class A(B, mixins.C, metaclass=M):\n    def f(self):\n"
        "        def g():\n            pass\n        return lambda x: x\n"
    )
    kinds = [
        (scope.kind, scope.name, view.name_of(scope.parent) if scope.parent != NONE else "")
        for scope in view.facts.scopes
    ]
    assert kinds == [
        ("module", "", ""),
        ("class", "A", "module"),
        ("function", "f", "A"),
        ("function", "g", "f"),
        ("function", "", "f"),
    ]
    assert [view.code(base) for base in view.scope("A").bases] == ["B", "mixins.C"]


def test_decorators_annotations_and_kinds_of_functions() -> None:
    view = View(
        """\
@app.get("/", name="x")
@cache
async def handler(request: Request) -> Response:
    yield await load(request)


@dataclass
class Item:
    pass
"""
    )
    handler = view.scope("handler")
    assert [view.code(mark) for mark in handler.decorators] == ['app.get("/", name="x")', "cache"]
    assert view.code(handler.returns) == "Response"
    assert handler.is_async
    assert handler.is_generator
    assert [view.code(mark) for mark in view.scope("Item").decorators] == ["dataclass"]
    assert view.data[handler.start :].startswith(b"async def handler")


@pytest.mark.parametrize(
    ("quoted", "names"),
    [
        ('"Redis"', ["Redis"]),
        ('"aioredis.Redis[bytes] | None"', ["aioredis", "bytes"]),
        ('Optional["Redis"]', ["Optional", "Redis"]),
        ('"Redis" | None', ["Redis"]),
        ('Union["Redis[bytes]", "list[\'Pool\']"]', ["Union", "Redis", "bytes", "list", "Pool"]),
        ('Annotated["Redis", "main"]', ["Annotated", "Redis"]),
        ('Literal["Redis"]', ["Literal"]),
        ("\"Literal['Redis']\"", ["Literal"]),
        ('"no type ("', []),
        ('"' + "a[" * 40 + "b" + "]" * 40 + '"', ["a"] * 10),
        ('f"{Redis}"', ["Redis"]),
    ],
)
def test_types_in_quotes_are_what_they_spell(quoted: str, names: list[str]) -> None:
    view = View(f"def get(one: {quoted}) -> {quoted}: ...\nother: {quoted}\n")
    assert Counter(each.name for each in view.facts.exprs if isinstance(each, facts.Name)) == Counter(3 * names)


def test_a_generator_is_the_function_that_yields_and_no_other() -> None:
    view = View("def outer():\n    def inner():\n        x = yield 1\n        yield from x\n    return inner\n")
    assert view.scope("inner").is_generator
    assert not view.scope("outer").is_generator


def test_parameters_of_all_kinds() -> None:
    view = View("def f(a, b: int = 1, /, c=2, *args: str, d, e: float = 3, **kw: bool): pass\n")
    assert [
        (each.name, each.kind, *(view.code(part) if part != NONE else "" for part in (each.annotation, each.default)))
        for each in view.scope("f").parameters
    ] == [
        ("a", "", "", ""),
        ("b", "", "int", "1"),
        ("c", "", "", "2"),
        ("args", "*", "str", ""),
        ("d", "kw", "", ""),
        ("e", "kw", "float", "3"),
        ("kw", "**", "bool", ""),
    ]


@pytest.mark.parametrize(
    ("signature", "kinds"),
    [
        ("(a, *, b)", [("a", ""), ("b", "kw")]),
        ("(*, b=1)", [("b", "kw")]),
        ("(a, /)", [("a", "")]),
        ("(self, *a, **k)", [("self", ""), ("a", "*"), ("k", "**")]),
        ("()", []),
    ],
)
def test_parameters_before_and_after_a_star(signature: str, kinds: list[tuple[str, str]]) -> None:
    view = View(f"def f{signature}: pass\n")
    assert [(each.name, each.kind) for each in view.scope("f").parameters] == kinds


def test_parameters_and_value_of_a_lambda() -> None:
    view = View("make = lambda host, port=6379, *, db: Redis(host, port)\n")
    function = view.value("make")
    assert isinstance(function, facts.Function)
    scope = view.facts.scopes[function.scope]
    assert [(each.name, each.kind) for each in scope.parameters] == [("host", ""), ("port", ""), ("db", "kw")]
    (jump,) = view.facts.jumps
    assert (jump.kind, view.code(jump.value)) == ("return", "Redis(host, port)")
    assert view.facts.blocks[jump.block].scope == function.scope


def test_defaults_and_decorators_belong_to_the_scope_outside() -> None:
    view = View("@mark(a())\ndef f(x=b()):\n    c()\n")
    for call, scope in (("a()", "module"), ("b()", "module"), ("c()", "f")):
        assert view.name_of(view.facts.blocks[view.expr(call).block].scope) == scope


@pytest.mark.parametrize("brackets", ["[]", "()", "{}"])
def test_a_comprehension_is_a_scope_whose_first_iterable_is_evaluated_outside(brackets: str) -> None:
    view = View(f"x = {brackets[0]}f(i, j) for i in rows() if test(i) for j in cells(i){brackets[1]}\n")
    assert view.around("f(i, j)") == ["comprehension"]
    assert view.around("test(i)") == ["comprehension"]
    assert view.around("cells(i)") == ["comprehension"]
    assert view.around("rows()") == ["body"]
    value = view.value("x")
    assert isinstance(value, facts.Collection)
    assert value.generated
    assert [each[:3] for each in view.bindings()] == [
        ("x", "module", view.code(value)),
        ("i", "comprehension", "rows()"),
        ("j", "comprehension", "cells(i)"),
    ]


def test_a_map_comprehension_has_key_and_value() -> None:
    view = View("x = {key(k): value(v) for k, v in rows}\n")
    value = view.value("x")
    assert isinstance(value, facts.Collection)
    assert (value.kind, value.generated) == ("map", True)
    assert [view.code(part) for part in (*value.keys, *value.items)] == ["key(k)", "value(v)"]


def test_a_generator_as_the_only_argument() -> None:
    view = View("total = sum(size(x) for x in rows)\n")
    (argument,) = view.call("sum(size(x) for x in rows)").arguments
    assert argument.name == ""
    assert isinstance(view.facts.exprs[argument.value], facts.Collection)


# -- bindings ------------------------------------------------------------------------------------------------


def test_global_and_nonlocal_names_are_bound_where_they_belong() -> None:
    view = View(
        """\
client = None


def connect():
    global client, other
    client = Redis()
    count = 0

    def again():
        nonlocal count
        count = 1
        client = 2
    import other
"""
    )
    assert [each[:3] for each in view.bindings()] == [
        ("client", "module", "None"),
        ("client", "module", "Redis()"),
        ("count", "connect", "0"),
        ("count", "connect", "1"),
        ("client", "again", "2"),
    ]
    (imported,) = view.facts.imports
    assert view.name_of(imported.scope) == "module"


def test_nonlocal_reaches_the_function_that_binds_the_name() -> None:
    view = View("def a():\n    x = 1\n    def b():\n        def c():\n            nonlocal x\n            x = 2\n")
    assert [each[:3] for each in view.bindings()] == [("x", "a", "1"), ("x", "a", "2")]


def test_destructuring_says_which_part_goes_where() -> None:
    view = View("(a, (b, c)), [d, e] = f, self.g, h[0] = value\n")
    names = {name: path for name, _, _, path in view.bindings()}
    assert names == {"a": (0, 0), "b": (0, 1, 0), "c": (0, 1, 1), "d": (1, 0), "e": (1, 1), "f": (0,)}
    assert {value for _, _, value, _ in view.bindings()} == {"value"}
    assert {(view.code(write.target), write.path) for write in view.facts.writes} == {
        ("self.g", (1,)),
        ("h[0]", (2,)),
    }


def test_a_starred_target_is_bound() -> None:
    assert [each[0] for each in View("first, *rest = values\n").bindings()] == ["first", "rest"]


def test_every_target_of_a_chained_assignment_gets_the_value() -> None:
    view = View("a = self.b = c = make()\n")
    assert [each[:3] for each in view.bindings()] == [("a", "module", "make()"), ("c", "module", "make()")]
    assert [view.code(write.value) for write in view.facts.writes] == ["make()"]


def test_annotated_and_augmented_assignments() -> None:
    view = View("a: Redis\nb: Redis = make()\nself.c: Pool = d\ne += 1\nself.f |= g\n")
    assert [
        (each.name, each.operator, *(view.code(part) if part != NONE else "" for part in (each.annotation, each.value)))
        for each in view.facts.bindings
    ] == [("a", "", "Redis", ""), ("b", "", "Redis", "make()"), ("e", "+=", "", "1")]
    assert [
        (view.code(each.target), each.operator, view.code(each.annotation) if each.annotation != NONE else "")
        for each in view.facts.writes
    ] == [("self.c", "", "Pool"), ("self.f", "|=", "")]


@pytest.mark.parametrize("keyword", ["with", "async with"])
def test_what_a_with_statement_binds(keyword: str) -> None:
    view = View(f"async def f():\n    {keyword} a() as b, c() as (d, e), g() as self.h, i():\n        j()\n")
    bound = {(each.name, each.kind, view.code(each.value), each.path) for each in view.facts.bindings}
    assert bound == {
        ("b", "with", "a()", ()),
        ("d", "with", "c()", (0,)),
        ("e", "with", "c()", (1,)),
        ("", "with", "i()", ()),
    }
    assert [(view.code(each.target), each.kind) for each in view.facts.writes] == [("self.h", "with")]
    assert view.around("j()") == ["with", "body"]
    assert view.around("a()") == ["body"]


def test_a_with_statement_in_parentheses() -> None:
    view = View("with (a() as b, c() as d,):\n    pass\n")
    assert [(each.name, view.code(each.value)) for each in view.facts.bindings] == [("b", "a()"), ("d", "c()")]


def test_loop_variables_are_bound_inside_the_loop_to_what_is_iterated() -> None:
    view = View("for key, (a, self.b) in items():\n    pass\n")
    assert [(each.name, each.kind, view.code(each.value), each.path) for each in view.facts.bindings] == [
        ("key", "for", "items()", (0,)),
        ("a", "for", "items()", (1, 0)),
    ]
    assert {view.facts.blocks[each.block].kind for each in view.facts.bindings} == {"for"}
    (write,) = view.facts.writes
    assert (view.code(write.target), write.kind, write.path) == ("self.b", "for", (1, 1))


def test_a_named_expression_is_bound_and_has_its_value() -> None:
    view = View("def f():\n    while (item := queue.pop()) is not None:\n        use(item)\n")
    (binding,) = view.facts.bindings
    assert (binding.name, binding.kind, view.code(binding.value)) == ("item", "walrus", "queue.pop()")
    assert view.name_of(binding.scope) == "f"
    choice = view.expr("item := queue.pop()")
    assert isinstance(choice, facts.Choice)
    assert [view.code(option) for option in choice.options] == ["queue.pop()"]


def test_a_named_expression_in_a_comprehension_is_bound_outside() -> None:
    view = View("def f(rows):\n    return [y := g(x) for x in rows], y\n")
    assert ("y", "f", "g(x)", ()) in view.bindings()


def test_the_name_of_a_caught_exception_is_bound() -> None:
    view = View("try:\n    pass\nexcept OSError as client:\n    pass\n")
    assert [(each.name, each.kind) for each in view.facts.bindings] == [("client", "except")]


def test_names_that_a_pattern_captures_are_bound() -> None:
    view = View("match x:\n    case Point(x=0) as client:\n        pass\n")
    assert [each.name for each in view.facts.bindings] == ["client"]


# -- expressions ---------------------------------------------------------------------------------------------


def test_arguments_of_a_call_in_their_order() -> None:
    view = View('f(a, *b, "c", d=1, **e, g=(h))\n')
    call = next(each for each in view.facts.exprs if isinstance(each, facts.Call))
    assert [(each.name, view.code(each.value)) for each in call.arguments] == [
        ("", "a"),
        ("*", "b"),
        ("", '"c"'),
        ("d", "1"),
        ("**", "e"),
        ("g", "h"),
    ]


def test_calls_that_are_awaited_where_they_stand() -> None:
    view = View("async def f():\n    x = await (a(b()))\n    c = d()\n    await c\n    return (await e())[0]\n")
    awaited = {view.code(call): call.awaited for call in view.facts.exprs if isinstance(call, facts.Call)}
    assert awaited == {"a(b())": True, "b()": False, "d()": False, "e()": True}


def test_members_elements_and_calls_in_a_chain() -> None:
    view = View('app.state["cache"].get("x").decode()\n')
    call = view.call('app.state["cache"].get("x").decode()')
    decode = view.facts.exprs[call.callee]
    assert isinstance(decode, facts.Member)
    get = view.facts.exprs[decode.object]
    assert isinstance(get, facts.Call)
    member = view.facts.exprs[get.callee]
    assert isinstance(member, facts.Member)
    element = view.facts.exprs[member.object]
    assert isinstance(element, facts.Index)
    assert (decode.name, member.name, view.code(element.object), view.code(element.key)) == (
        "decode", "get", "app.state", '"cache"',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("code", "type_", "value"),
    [
        ("'a'", "str", "a"),
        ("b'\\xff'", "bytes", "\xff"),
        ("'\\x41\\u00e9\\n\\\\'", "str", "A\xe9\n\\"),
        ("'\\N{EM DASH}'", "str", "\u2014"),
        ("r'\\d'", "str", "\\d"),
        ("Rb'\\d'", "bytes", "\\d"),
        ("u'ü'", "str", "ü"),
        ("'a' \"b\" '''c\nd'''", "str", "abc\nd"),
        ("('a'\n'b')", "str", "ab"),
        ("f'{{a}}'", "str", "{a}"),
        ("'{{a}}'", "str", "{{a}}"),
        ("''", "str", ""),
        ("'a\\\nb'", "str", "ab"),
        ("0x10", "int", 16),
        ("1_000", "int", 1000),
        ("1e3", "float", 1000.0),
        (".5", "float", 0.5),
        ("True", "bool", True),
        ("False", "bool", False),
        ("None", "none", None),
    ],
)
def test_literals(code: str, type_: str, value: object) -> None:
    literal = View(f"x = {code}\n").value("x")
    assert isinstance(literal, facts.Literal)
    assert (literal.type, literal.value) == (type_, value)
    assert type(literal.value) is type(value)


def test_a_number_beyond_64_bits_is_huge_but_harmless() -> None:
    literal = View(f"x = {2**70}\n").value("x")
    assert isinstance(literal, facts.Literal)
    assert isinstance(literal.value, float)
    assert literal.value > 2**63


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("f'user:{uid}'", ["user:", "{uid}"]),
        ("f'{a}{b}'", ["{a}", "{b}"]),
        ("f'{a!r:>10}|{b:{c}}'", ["{a}", "|", "{b}"]),
        ("f'{a=}'", ["{a}"]),
        ("f'\\t{{{a}}}'", ["\t{", "{a}", "}"]),
        ("rf'\\d{a}'", ["\\d", "{a}"]),
        ("'a' f'{b}' 'c' f'{d}e'", ["a", "{b}", "c", "{d}", "e"]),
        ("f'''{a}\n{b}'''", ["{a}", "\n", "{b}"]),
        ("f'{load(x)}'", ["{load(x)}"]),
        ("f'{x + 1}-{y[0]}'", ["{x + 1}", "-", "{y[0]}"]),
    ],
)
def test_text_with_holes(code: str, parts: list[str]) -> None:
    assert View(f"x = {code}\n").parts("x") == parts


def test_f_strings_in_f_strings() -> None:
    view = View("x = f'a{f\"b{c}\"}d'\n")
    assert view.parts("x") == ["a", '{f"b{c}"}', "d"]
    assert isinstance(view.expr('f"b{c}"'), facts.Template)


@pytest.mark.parametrize(
    ("code", "operator", "operands"),
    [
        ("a + b + c", "+", ["a", "b", "c"]),
        ("a % (b, c)", "%", ["a", "(b, c)"]),
        ("a or b or c", "or", ["a", "b", "c"]),
        ("a - b - c", "-", ["a", "b", "c"]),
        ("a * b + c", "+", ["a * b", "c"]),
        ("not a", "not", ["a"]),
        ("-a", "-", ["a"]),
        ("a < b < c", "<", ["a", "b", "c"]),
        ("a is not None", "is not", ["a", "None"]),
        ("a not in b", "not in", ["a", "b"]),
        ("2 ** 3 ** 4", "**", ["2", "3 ** 4"]),
    ],
)
def test_operations(code: str, operator: str, operands: list[str]) -> None:
    view = View(f"x = {code}\n")
    value = view.value("x")
    assert isinstance(value, facts.Operation)
    assert (value.operator, [view.code(each) for each in value.operands]) == (operator, operands)


def test_a_conditional_expression_has_two_outcomes() -> None:
    view = View("x = a if test else b\n")
    value = view.value("x")
    assert isinstance(value, facts.Choice)
    assert [view.code(option) for option in value.options] == ["a", "b"]


def test_collections() -> None:
    view = View("a = [1, *b]\nc = {1, 2}\nd = (1,)\ne = 1, 2\nf = {'k': v, **g}\nh = {}\n")
    shapes = {}
    for name in "acdefh":
        value = view.value(name)
        assert isinstance(value, facts.Collection)
        keys = [view.code(key) if key != NONE else "**" for key in value.keys]
        shapes[name] = (value.kind, keys, [view.code(item) for item in value.items])
    assert shapes == {
        "a": ("list", [], ["1", "b"]),
        "c": ("set", [], ["1", "2"]),
        "d": ("tuple", [], ["1"]),
        "e": ("tuple", [], ["1", "2"]),
        "f": ("map", ["'k'", "**"], ["v", "g"]),
        "h": ("map", [], []),
    }


def test_brackets_of_annotations_are_elements() -> None:
    view = View("def f(a: Optional[Redis], b: dict[str, redis.Redis], c: 'Redis | None'): pass\n")
    annotations = [view.facts.exprs[each.annotation] for each in view.scope("f").parameters]
    assert [type(each).__name__ for each in annotations] == ["Index", "Index", "Operation"]
    assert view.code(annotations[1].object) == "dict"  # type: ignore[union-attr]


# -- imports, jumps, comments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import redis", [("redis", "", "redis", 0)]),
        ("import redis as r", [("redis", "", "r", 0)]),
        ("import redis.asyncio", [("redis", "", "redis", 0)]),
        ("import redis.asyncio as r, os", [("redis.asyncio", "", "r", 0), ("os", "", "os", 0)]),
        ("from redis import Redis", [("redis", "Redis", "Redis", 0)]),
        ("from redis import Redis as R, asyncio", [("redis", "Redis", "R", 0), ("redis", "asyncio", "asyncio", 0)]),
        ("from redis import (A,\n    B as C,  # old\n)", [("redis", "A", "A", 0), ("redis", "B", "C", 0)]),
        ("from redis import *", [("redis", "*", "*", 0)]),
        ("from . import client", [("", "client", "client", 1)]),
        ("from .. import client as c", [("", "client", "c", 2)]),
        ("from .db import client", [("db", "client", "client", 1)]),
        ("from ...a.b import c", [("a.b", "c", "c", 3)]),
        ("from .db import *", [("db", "*", "*", 1)]),
        ("from . db import client", [("db", "client", "client", 1)]),
    ],
)  # fmt: skip
def test_imports(statement: str, imported: list[tuple[str, str, str, int]]) -> None:
    view = View(statement + "\n")
    assert [(each.module, each.name, each.alias, each.level) for each in view.facts.imports] == imported


def test_imports_know_their_scope_and_block() -> None:
    view = View("def f():\n    try:\n        import redis\n    except ImportError:\n        redis = None\n")
    (imported,) = view.facts.imports
    assert view.name_of(imported.scope) == "f"
    assert view.facts.blocks[imported.block].kind == "try"


def test_jumps_in_source_order() -> None:
    view = View(
        """\
def f():
    for x in y:
        if a:
            continue
        if b:
            break
        yield c
    raise Error(d) from e
    return
    return g, h
"""
    )
    assert [(each.kind, view.code(each.value) if each.value != NONE else "") for each in view.facts.jumps] == [
        ("continue", ""),
        ("break", ""),
        ("yield", "c"),
        ("raise", "Error(d)"),
        ("return", ""),
        ("return", "g, h"),
    ]


def test_only_comments_that_speak_to_resplint_are_kept() -> None:
    view = View("# é resplint: ignore\nx = 1  # resplint: ignore[RL104] why\n# resp lint\ny = '# resplint: ignore'\n")
    assert [(each.line, each.text, each.own_line) for each in view.facts.comments] == [
        (1, "# é resplint: ignore", True),
        (2, "# resplint: ignore[RL104] why", False),
    ]


# -- positions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line_end",
    [
        "\n",
        "\r\n",
        "\r",
    ],
)
def test_offsets_are_bytes_of_the_normalised_text(line_end: str) -> None:
    text = line_end.join(["# ⏳ é", "名 = '日本🎉'", "été.получить(名, 'ключ')", ""])
    view = View(text)
    call = view.call("été.получить(名, 'ключ')")
    assert view.facts.line(call.start) == 3
    assert view.data[call.start : call.end].decode() == "été.получить(名, 'ключ')"
    assert [view.code(each.value) for each in call.arguments] == ["名", "'ключ'"]
    assert view.bindings() == [("名", "module", "'日本🎉'", ())]
    assert len(view.facts.line_starts) == 4


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbfx = f('\xc3\xa9')\n", "x = f('é')\n".encode("utf-16"), b"#coding:latin-1\nx = f('\xe9')\n"],
    ids=["mark", "utf-16", "latin-1"],
)
def test_offsets_do_not_depend_on_the_encoding(data: bytes) -> None:
    lowered = lower("m.py", "python", data)
    assert lowered.facts is not None
    call = next(each for each in lowered.facts.exprs if isinstance(each, facts.Call))
    line_start = lowered.facts.line_starts[lowered.facts.line(call.start) - 1]
    assert (call.start - line_start, call.end - line_start) == (4, 11)


# -- all facts -----------------------------------------------------------------------------------------------

EVERYTHING = '''\
"""Module."""
from __future__ import annotations
import redis, os.path as p
from .a import *

VERSION: int = 10**30
NAMES = ["a", b"\\xff", 1.5, -2, None, True, ..., f"{VERSION!r:>{NAMES}}"]

@decorated(1, *a, key="v", **kw)
class A(Base, metaclass=Meta):
    field: str = "é日🎉"
    @property
    async def f(self, a, /, b=1, *c, d: int = 2, **e) -> Redis[str]:
        global G
        async with a as (b, self.c), d:
            x = y = [i async for i in await g() if i]
        try:
            while (n := f()) < 3: yield n
        except (E, *F) as e:
            raise X from e
        else:
            self.x[0] += lambda z: (z, *c)
        finally:
            del x
        match x:
            case {"a": 1, **rest} | [1, *_] if x: pass
        return a if b else c or d and not e  # resplint: ignore[RL104] é
'''


def _well_formed(found: FileFacts, size: int) -> None:
    """Every index points into its table, every offset into the text, and parents come first."""
    for expr in found.exprs:
        assert 0 <= expr.start <= expr.end <= size
        assert 0 <= expr.block < len(found.blocks)
    for number, block in enumerate(found.blocks):
        assert NONE <= block.parent < number or (number == 0 and block.parent == NONE)
        assert 0 <= block.scope < len(found.scopes)
        assert NONE <= block.head < len(found.exprs)
        assert 0 <= block.start <= block.end <= size + 1
    for number, scope in enumerate(found.scopes):
        assert NONE <= scope.parent < number or (number == 0 and scope.parent == NONE)
        assert found.blocks[scope.block].scope == number
        used = [*scope.decorators, *scope.bases, scope.returns]
        used += [index for each in scope.parameters for index in (each.annotation, each.default)]
        assert all(NONE <= index < len(found.exprs) for index in used)
    for binding in found.bindings:
        assert NONE <= binding.value < len(found.exprs)
        assert 0 <= binding.scope < len(found.scopes)
        assert 0 <= binding.block < len(found.blocks)
        assert 0 <= binding.start <= binding.end <= size
    for write in found.writes:
        assert 0 <= write.target < len(found.exprs)
    for jump in found.jumps:
        assert NONE <= jump.value < len(found.exprs)
        assert 0 <= jump.block < len(found.blocks)
    for start, end in found.errors:
        assert 0 <= start <= end <= size


def _packed(found: FileFacts) -> bytes:
    return msgspec.msgpack.encode(found)


def test_facts_survive_packing_unchanged() -> None:
    found = View(EVERYTHING).facts
    assert msgspec.msgpack.decode(_packed(found), type=FileFacts) == found
    assert msgspec.json.decode(msgspec.json.encode(View("x = 'é'\ny = b'\\xff'\n").facts), type=FileFacts)
    kinds = {type(expr).__name__ for expr in found.exprs}
    assert kinds == {
        "Literal", "Template", "Name", "Member", "Call", "Index", "Operation", "Collection", "Choice", "Function",
        "Opaque",
    }  # fmt: skip


def test_facts_are_the_same_every_time() -> None:
    first = _packed(View(EVERYTHING).facts)
    lower("other.py", "python", b"x = [f(i) for i in y]\n(((")
    assert _packed(View(EVERYTHING).facts) == first


def test_facts_do_not_depend_on_what_stands_below() -> None:
    """Records of a file are those of the same code in front of other code, but for the ends of the module."""
    alone, longer = View(EVERYTHING).facts, View(EVERYTHING + "\n\nlast = other()\n").facts
    assert [each for each in longer.bindings if each.name != "last"][: len(alone.bindings)] != []
    assert [(each.name, each.start, each.path) for each in longer.bindings][:-1] == [
        (each.name, each.start, each.path) for each in alone.bindings
    ]
    assert longer.imports == alone.imports
    assert longer.scopes[1:] != ()


def test_facts_of_everything_are_well_formed() -> None:
    _well_formed(View(EVERYTHING).facts, len(EVERYTHING.encode()))


def test_large_tables_of_data_do_not_fill_the_facts() -> None:
    view = View("rows = [\n" + "    (1, 'a'),\n" * 50_000 + "]\n")
    assert len(view.facts.exprs) < 20_000


def test_a_file_without_text_says_why() -> None:
    lowered = lower("m.py", "python", b"x = 1\0")
    assert lowered.facts is None
    assert lowered.reason == "binary: NUL byte at offset 5"


def _indented(tokens: list[str], generator: random.Random) -> str:
    lines = []
    for start in range(0, len(tokens), 6):
        lines.append(" " * generator.choice([0, 0, 2, 4, 4, 8]) + " ".join(tokens[start : start + 6]))
    return "\n".join(lines)


def _scattered(text: str, generator: random.Random) -> str:
    at = generator.randrange(len(text))
    return text[:at] + text[at + generator.randrange(20) :]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=80), st.randoms(use_true_random=False))
def test_any_soup_of_tokens_becomes_well_formed_facts(tokens: list[str], generator: random.Random) -> None:
    _check(_indented(tokens, generator))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["cut", "token", "move"]), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_damaged_code_becomes_well_formed_facts(damages: list[str], generator: random.Random) -> None:
    hurt: dict[str, Callable[[str], str]] = {
        "cut": lambda text: _scattered(text, generator),
        "token": lambda text: text.replace(generator.choice("(:=,)' \n"), generator.choice(TOKENS), 1),
        "move": lambda text: text[len(text) // 2 :] + text[: len(text) // 3],
    }
    text = EVERYTHING
    for damage in damages:
        text = hurt[damage](text)
    _check(text)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_become_well_formed_facts_or_a_reason(data: bytes) -> None:
    lowered = lower("m.py", "python", data)
    if lowered.facts is None:
        assert lowered.reason
    else:
        _packed(lowered.facts)


def _check(text: str) -> None:
    lowered = lower("m.py", "python", text.encode())
    if lowered.facts is None:
        assert lowered.reason
        return
    _well_formed(lowered.facts, len(text.encode()))
    assert msgspec.msgpack.decode(_packed(lowered.facts), type=FileFacts) == lowered.facts
