"""JavaScript becomes facts: what a user of the model finds in them for small pieces of code."""

from __future__ import annotations

import msgspec
import pytest
import test_lowering as base
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lowering import _packed, _well_formed

from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.languages import lower
from resplint.languages.javascript_imports import module_key, named_modules, without_comment_runs

SOUP = (
    "function class extends static get set async await yield new this super if else for of in while do switch case "
    "default try catch finally throw return break continue const let var import export from as require module.exports "
    "exports.x prototype => ? ?. ?? || && = == === !== ??= ||= += ++ ! typeof instanceof void delete ... . , ; : ( ) [ "
    "] { } < > / `${ } ` ${x} '' 'a' \"b\" /r/g 0 1n 0x1 1e3 x y #p client redis null undefined true // /*c*/ é 🎉 @ "
    "\\ \n"
)
TOKENS = SOUP.split(" ")


class View(base.View):
    """Facts of one piece of JavaScript."""

    def __init__(self, code: str, path: str = "src/module.js", language: str = "javascript") -> None:
        self.data = code.encode()
        lowered = lower(path, language, self.data)
        assert lowered.facts is not None, lowered.reason
        self.facts: FileFacts = lowered.facts

    def shown(self, expr: int) -> str:
        """An expression in a short notation that needs no source, for those that no node stands for."""
        if expr == NONE:
            return ""
        match self.facts.exprs[expr]:
            case facts.Literal(value=value):
                return repr(value)
            case facts.Name(name=name):
                return name
            case facts.Member(object=inner, name=name):
                return f"{self.shown(inner)}.{name}"
            case facts.Index(object=inner, key=key):
                return f"{self.shown(inner)}[{self.shown(key)}]"
            case facts.Operation(operator=operator, operands=operands):
                return f"({operator} {' '.join(map(self.shown, operands))})"
            case facts.Choice(options=options, condition=condition):
                test = f" if {self.shown(condition)}" if condition != NONE else ""
                return f"<{'|'.join(map(self.shown, options))}{test}>"
            case facts.Call(callee=callee, arguments=arguments, awaited=awaited):
                given = ", ".join(each.name + self.shown(each.value) for each in arguments)
                return f"{'await ' if awaited else ''}{self.shown(callee)}({given})"
            case facts.Function(scope=scope):
                return f"function {self.name_of(scope)}"
            case facts.Template(parts=parts):
                return "".join(each if isinstance(each, str) else f"{{{self.shown(each)}}}" for each in parts)
            case facts.Collection(kind=kind, items=items, keys=keys):
                names = [self.shown(key) + ": " if key != NONE else "..." for key in keys] or [""] * len(items)
                return f"{kind}[{', '.join(name + self.shown(item) for name, item in zip(names, items, strict=True))}]"
        return "?"

    def of(self, name: str) -> str:
        """What the only binding of a name is bound to, in the short notation."""
        (found,) = (binding for binding in self.facts.bindings if binding.name == name)
        return self.shown(found.value)

    def bound(self) -> list[tuple[str, str, str]]:
        """Name, scope and value (with its path) of every binding."""
        return [
            (each.name, self.name_of(each.scope), ".".join([self.shown(each.value), *map(str, each.path)]))
            for each in self.facts.bindings
        ]

    def written(self) -> list[tuple[str, str]]:
        return [(self.shown(each.target), self.shown(each.value)) for each in self.facts.writes]

    def imported(self) -> list[tuple[str, str, str]]:
        return [(each.module, each.name, each.alias) for each in self.facts.imports]

    def returned(self) -> list[str]:
        return [self.shown(each.value) for each in self.facts.jumps if each.kind == "return"]


# -- blocks ----------------------------------------------------------------------------------------------------------


def test_branches_of_one_statement_share_a_group_and_need_no_braces() -> None:
    view = View("if (a) {\n  b();\n} else if (c > 1)\n  d();\nelse\n  e();\nif (f) g();\n")
    assert view.blocks() == [("if", "a", 1), ("if", "c > 1", 1), ("else", "", 1), ("if", "f", 7)]
    assert view.around("e()") == ["else", "body"]
    assert view.around("g()") == ["if", "body"]


def test_the_blocks_of_a_try_statement_share_a_group() -> None:
    view = View("try {\n  a();\n} catch ({ code }) {\n  b();\n} finally {\n  c();\n}\n")
    assert view.blocks() == [("try", "", 1), ("except", "", 1), ("finally", "", 1)]
    assert [(each.name, each.kind, each.value) for each in view.facts.bindings] == [("code", "except", NONE)]


@pytest.mark.parametrize(
    ("statement", "kind", "head"),
    [
        ("for (const x of xs()) a(x);", "for", "xs()"),
        ("for await (const x of xs()) { a(x); }", "for", "xs()"),
        ("for (const x in xs()) a(x);", "for", "xs()"),
        ("while (test()) a(x);", "while", "test()"),
        ("do { a(x); } while (test());", "while", "test()"),
        ("for (let i = 0; i < n; i++) a(x);", "while", "(< i n)"),
    ],
)
def test_loops(statement: str, kind: str, head: str) -> None:
    view = View(statement)
    (block,) = (each for each in view.facts.blocks if each.kind != "body")
    assert (block.kind, view.shown(block.head)) == (kind, head)
    assert view.around("a(x)") == [kind, "body"]


def test_what_runs_at_every_turn_of_a_loop() -> None:
    view = View("for (let i = first(); test(i); i = next(i)) a();\nwhile (ask()) b();\n")
    assert view.around("first()") == ["body"]
    assert [view.around(code)[0] for code in ("test(i)", "next(i)", "a()", "ask()", "b()")] == ["while"] * 5


def test_a_loop_without_a_condition_goes_on_for_ever() -> None:
    view = View("for (;;) a();")
    (block,) = (each for each in view.facts.blocks if each.kind == "while")
    assert view.shown(block.head) == "True"


def test_cases_of_a_switch_are_branches() -> None:
    view = View("switch (command()) {\n  case 'get':\n  case 'mget': a(); break;\n  default: b();\n}\n")
    assert view.around("command()") == ["body"]
    assert view.around("a()") == view.around("b()") == ["if", "body"]
    assert [each[0] for each in view.blocks()] == ["if", "if"]


@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("client ??= connect();", "(is client None)"),
        ("client ||= connect();", "(not client)"),
        ("client || (client = connect());", "(not client)"),
        ("a || client || (client = connect());", "(not client)"),
        ("ready && (client = connect());", "<ready>"),
        ("client ? 0 : (client = connect());", ""),
    ],
)
def test_what_is_assigned_inside_an_operator_is_assigned_under_a_condition(code: str, head: str) -> None:
    view = View("let client;\n" + code)
    block = view.facts.blocks[view.expr("connect()").block]
    assert block.kind in ("if", "else")
    assert view.shown(block.head) == head
    assert ("client", "module", "connect()") in view.bound()


# -- scopes ----------------------------------------------------------------------------------------------------------


def test_scopes_are_nested_as_in_the_source() -> None:
    view = View(
        "class A extends mixin(B) { f() { function g() {} return () => x; } }\n"
        "const C = class D {};\nconst h = function own() {};\nfunction* i() { yield 1; yield* x; }\nasync () => {};\n"
    )
    assert [(each.kind, each.name, view.name_of(each.parent)) for each in view.facts.scopes[1:]] == [
        ("class", "A", "module"),
        ("function", "f", "A"),
        ("function", "g", "f"),
        ("function", "", "f"),
        ("class", "D", "module"),
        ("function", "own", "module"),
        ("function", "i", "module"),
        ("function", "", "module"),
    ]
    assert [view.shown(each) for each in view.scope("A").bases] == ["mixin(B)"]
    assert view.of("C") == "function D"
    assert view.scope("i").is_generator
    assert not view.scope("f").is_generator
    assert view.facts.scopes[-1].is_async
    assert [(each.kind, view.shown(each.value)) for each in view.facts.jumps if each.kind == "yield"] == [
        ("yield", "1"),
        ("yield", "x"),
    ]


def test_what_functions_know_their_object_by() -> None:
    view = View(
        "class A { constructor() {} f() {} static g() {} get h() {} set h(v) {} async *#i() {} j = () => {}; }\n"
        "function k() {}\nconst o = { l() {} };\n"
    )
    told = {each.name: (each.belongs, each.receiver) for each in view.facts.scopes if each.kind == "function"}
    assert told == {
        "constructor": ("object", "this"),
        "f": ("object", "this"),
        "g": ("class", ""),
        "h": ("object", "this"),
        "set h": ("object", "this"),
        "i": ("object", "this"),
        "k": ("", "this"),
        "": ("", "this"),  # the method of the object literal; the arrow function has the receiver of its class
    }
    assert [each.name for each in view.facts.scopes if each.is_constructor] == ["constructor"]
    assert [each.name for each in view.facts.scopes if each.is_accessor] == ["h"]
    assert view.scope("A").receiver == "this"
    assert view.scope("i").is_async
    assert view.scope("i").is_generator


def test_fields_of_a_class() -> None:
    view = View("class A { x = make(); #y; static z = 1; 'q' = 2; [w] = 3; static { this.v = 4; A.u = 5; } }\n")
    assert view.bound() == [("x", "A", "make()"), ("y", "A", ""), ("z", "A", "1"), ("q", "A", "2")]
    assert view.written() == [("this.v", "4"), ("A.u", "5")]
    assert view.facts.blocks[view.expr("make()").block].scope == 1


def test_private_names_are_members_like_others() -> None:
    assert View("class A { f() { this.#client.get(k); } }").shown(0) == "this.client.get(k)"


def test_parameters_of_all_kinds() -> None:
    view = View("function f(a, b = 1, { c, d: [e] }, [g], ...rest) {}\n")
    assert [(each.name, each.kind, view.shown(each.default)) for each in view.scope("f").parameters] == [
        ("a", "", ""),
        ("b", "", "1"),
        ("#2", "", ""),
        ("#3", "", ""),
        ("rest", "*", ""),
    ]
    assert view.bound() == [("c", "f", "#2.c"), ("e", "f", "#2.d.0"), ("g", "f", "#3.0")]


def test_a_default_in_a_pattern_is_a_second_value_and_evaluated_in_the_function() -> None:
    view = View("function f({ client = make() } = {}, other = build()) {}\n")
    assert view.bound() == [("client", "f", "#0.client"), ("client", "f", "make()")]
    for code in ("make()", "build()"):
        assert view.around(code) == ["if", "body"]
        assert view.name_of(view.facts.blocks[view.expr(code).block].scope) == "f"


def test_parameters_and_value_of_arrow_functions() -> None:
    view = View("const f = x => load(x), g = async ({ y }) => ({ y }), h = () => { a(); };\n")
    assert [[each.name for each in scope.parameters] for scope in view.facts.scopes[1:]] == [["x"], ["#0"], []]
    assert view.returned() == ["load(x)", "map['y': y]"]


def test_methods_of_object_literals() -> None:
    view = View("const o = { get(k) { f(); }, put: function () {}, async *[a]() {}, get p() {}, set p(v) {} };\n")
    value = view.value("o")
    assert isinstance(value, facts.Collection)
    assert [view.shown(key) for key in value.keys] == ["'get'", "'put'", "a", "'p'"]
    assert all(isinstance(view.facts.exprs[item], facts.Function) for item in value.items)
    # Their names are no names of the scope around them.
    assert {each.name for each in view.facts.scopes} == {""}


def test_decorators() -> None:
    view = View("@A(1) class B { @C x = 1; @D.e() f() {} }\nexport @G class H {}\n@I export class J {}\n")
    assert [view.shown(each) for each in view.scope("B").decorators] == ["A(1)"]
    assert [view.shown(each) for each in view.facts.bindings[0].decorators] == ["C"]
    assert [view.shown(each) for each in view.scope("f").decorators] == ["D.e()"]
    assert [view.shown(each) for each in view.scope("J").decorators] == ["I"]


def test_classes_of_prototypes() -> None:
    view = View(
        """\
module.exports = function (session) {
  function Store(client) { this.client = client; }
  util.inherits(Store, session.Store);
  Store.prototype.get = Store.prototype.GET = function (key) { return this.client.get(key); };
  Store.prototype.prefix = 'sess:';
  return Store;
};
var Queue = function () {};
Queue.prototype = { push(x) {}, pop: function () {} };
Queue.prototype.constructor = Queue;
"""
    )
    store, queue = view.scope("Store"), view.scope("Queue")
    assert [store.kind, queue.kind] == ["class", "class"]
    assert [view.shown(each) for each in store.bases] == ["session.Store"]
    methods = [(each.name, view.name_of(each.parent), each.belongs) for each in view.facts.scopes if each.belongs]
    assert methods == [
        ("constructor", "Store", "object"),
        ("get", "Store", "object"),
        ("constructor", "Queue", "object"),
        ("push", "Queue", "object"),
        ("pop", "Queue", "object"),
    ]
    assert view.written() == [("this.client", "client")]
    assert [each for each in view.bound() if each[1] == "Store"] == [
        ("GET", "Store", "function get"),
        ("prefix", "Store", "'sess:'"),
    ]
    assert view.of("Queue") == "function Queue"


# -- bindings --------------------------------------------------------------------------------------------------------


def test_destructuring_says_which_part_goes_where() -> None:
    view = View("const { a: { b }, c = 1, 'd': e, [f]: g, ...h } = value, [i, , [j], ...k] = list;\n")
    assert view.bound() == [
        ("b", "module", "value.a.b"),
        ("c", "module", "value.c"),
        ("c", "module", "1"),
        ("e", "module", "value.d"),
        ("g", "module", ""),
        ("h", "module", ""),
        ("i", "module", "list.0"),
        ("j", "module", "list.2.0"),
        ("k", "module", ""),
    ]


def test_an_assignment_belongs_to_the_scope_that_declares_the_name() -> None:
    view = View(
        """\
let client, other;
function connect(other) {
  client = create();
  other = 1;
  unknown = 2;
  let count = 0;
  class A { f() { count = 3; return () => { ({ client, count } = g()); }; } }
}
"""
    )
    assert view.bound() == [
        ("client", "module", "None"),
        ("other", "module", "None"),
        ("client", "module", "create()"),
        ("other", "connect", "1"),
        ("unknown", "module", "2"),
        ("count", "connect", "0"),
        ("count", "connect", "3"),
        ("client", "module", "g().client"),
        ("count", "connect", "g().count"),
    ]
    assert {view.facts.blocks[each.block].scope for each in view.facts.bindings if each.name == "client"} == {0, 1, 4}


def test_members_and_elements_are_written() -> None:
    view = View("a.b = c; d['e'] = f; this.g = h = i; [j.k, l[0]] = m; n?.o.p;\n")
    assert view.written() == [("a.b", "c"), ("d.e", "f"), ("this.g", "i"), ("l[0]", "m"), ("j.k", "m")]
    assert view.of("h") == "i"


def test_augmented_assignments() -> None:
    view = View("let a = 0; a += 2; a++; --a; this.b += c; this.d++;\n")
    assert [(each.kind, each.operator, view.shown(each.value)) for each in view.facts.bindings] == [
        ("assign", "", "0"),
        ("augment", "+=", "2"),
        ("augment", "+=", "1"),
        ("augment", "-=", "1"),
    ]
    assert [(each.kind, each.operator, view.shown(each.value)) for each in view.facts.writes] == [
        ("augment", "+=", "c"),
        ("augment", "+=", "1"),
    ]


def test_loop_variables_are_bound_inside_the_loop_to_what_is_iterated() -> None:
    view = View("for (const [k, { v }] of rows()) {}\nlet x;\nfor (x of xs) {}\n")
    assert [(each.name, each.kind, view.shown(each.value), each.path) for each in view.facts.bindings] == [
        ("k", "for", "rows()", (0,)),
        ("v", "for", "rows()", (1, "v")),
        ("x", "assign", "None", ()),
        ("x", "for", "xs", ()),
    ]
    assert {view.facts.blocks[each.block].kind for each in view.facts.bindings if each.kind == "for"} == {"for"}


def test_an_assignment_has_a_value() -> None:
    view = View("while ((item = queue.pop()) != null) use(item, n++);\nf(a = b += 1);\n")
    assert view.shown(view.facts.blocks[1].head) == "(is not <queue.pop()> None)"
    assert view.shown(view.call("f(a = b += 1)").arguments[0].value) == "<(+ b 1)>"


# -- expressions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("f(a, ...b)", "f(a, *b)"),
        ("new Redis.Cluster([a], { b })", "Redis.Cluster(list[a], map['b': b])"),
        ("new Redis", "Redis()"),
        ("a?.b?.[c]?.(d)", "a.b[c](d)"),
        ("tag`a${b}`", "tag(a{b})"),
        ("(a, b)", "b"),
        ("((/* x */ a))", "a"),
        ("a ? b : c", "<b|c if a>"),
        ("a ?? b ?? c", "<a|b|c>"),
        ("a || b || c", "(or a b c)"),
        ("a && !b", "(and a (not b))"),
        ("a === b", "(== a b)"),
        ("a !== 'b'", "(!= a 'b')"),
        ("a == null", "(is a None)"),
        ("undefined !== a", "(is not None a)"),
        ("typeof a === 'x'", "(== (typeof a) 'x')"),
        ("a instanceof B", "(instanceof a B)"),
        ("a + b + 'c' - 1", "(- (+ a b 'c') 1)"),
        ("2 ** 3 ** 4", "(** 2 (** 3 4))"),
        ("void 0", "None"),
        ("-1", "(- 1)"),
        ("{ ...a, b, 'c-d': 1, [e]: 2, 3: f }", "map[...a, 'b': b, 'c-d': 1, e: 2, '3': f]"),
        ("[1, , ...a]", "list[1, a]"),
        ("/re/g", "?"),
        ("async x => await x.y()", "function function"),
        ("import.meta.url", "?.url"),
        ("function () {}.name", "function function.name"),
        ("super.x", "super.x"),
    ],
)
def test_expressions(code: str, shown: str) -> None:
    assert View(f"x = ({code});\n").of("x") == shown


def test_calls_that_are_awaited_where_they_stand() -> None:
    view = View(
        "async () => { const x = await (a(b())); await (c()); const d = e(); await d; return (await g()).h; }\n"
    )
    awaited = {view.code(call): call.awaited for call in view.facts.exprs if isinstance(call, facts.Call)}
    assert awaited == {"a(b())": True, "b()": False, "c()": True, "e()": False, "g()": True}


def test_a_call_of_the_base_class() -> None:
    view = View("class A extends B { constructor(x) { super(x); super.f(); } }\n")
    calls = [view.shown(number) for number, each in enumerate(view.facts.exprs) if isinstance(each, facts.Call)]
    assert sorted(calls) == ["super.constructor(x)", "super.f()"]


def test_calls_and_functions_inside_of_markup() -> None:
    view = View("const a = <A b={f()} {...c} onClick={() => g()}>{xs.map(x => <B>{h(x)}</B>)}</A>;\n")
    assert view.of("a") == "?"
    assert {view.code(each) for each in view.facts.exprs if isinstance(each, facts.Call)} >= {"f()", "g()", "h(x)"}
    assert len(view.facts.scopes) == 3


@pytest.mark.parametrize(
    ("code", "type_", "value"),
    [
        ("'a\\n\\x41\\u00e9\\u{1F389}\\0'", "str", "a\nAé🎉\0"),
        ('"\\uD83C\\uDF89 \\q \\\n"', "str", "🎉 q "),
        ("'\\ud83c'", "str", "?"),
        ("`a\\tb`", "str", "a\tb"),
        ("''", "str", ""),
        ("1_000", "int", 1000),
        ("0xFF", "int", 255),
        ("0b11", "int", 3),
        ("0o17", "int", 15),
        ("017", "int", 15),
        ("10n", "int", 10),
        ("1e3", "int", 1000),
        ("5.0", "int", 5),
        (".5", "float", 0.5),
        ("1e400", "float", float("inf")),
        ("9007199254740993000000", "int", float("inf")),
        ("true", "bool", True),
        ("null", "none", None),
        ("undefined", "none", None),
    ],
)
def test_literals(code: str, type_: str, value: object) -> None:
    literal = View(f"x = {code};\n").value("x")
    assert isinstance(literal, facts.Literal)
    assert (literal.type, literal.value) == (type_, value if value != "?" else literal.value)
    assert type(literal.value) is type(value)


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("`user:${id}`", ["user:", "{id}"]),
        ("`${a}${b}`", ["{a}", "{b}"]),
        ("`\\${a}${b + 1}\\n`", ["${a}", "{b + 1}", "\n"]),
        ("`a${`b${c}`}`", ["a", "{`b${c}`}"]),
    ],
)
def test_text_with_holes(code: str, parts: list[str]) -> None:
    assert View(f"x = {code};\n").parts("x") == parts


# -- modules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import Redis from 'ioredis'", [("ioredis", "default", "Redis")]),
        ("import { a as b, c } from './m'", [("./m", "a", "b"), ("./m", "c", "c")]),
        ("import R, * as ns from 'x'", [("x", "default", "R"), ("x", "", "ns")]),
        ("import { default as R } from 'x'", [("x", "default", "R")]),
        ("import 'x'", []),
        ("const r = require('x')", [("x", "", "r")]),
        ("const { a, b: c } = require('x')", [("x", "a", "a"), ("x", "b", "c")]),
        ("const f = require('x').f", [("x", "f", "f")]),
        ("const R = (await import('x')).default", [("x", "default", "R")]),
        ("const { default: R } = await import(`x`)", [("x", "default", "R")]),
        ("let r; r = require('x')", [("x", "", "r")]),
        ("const c = require('x').createClient()", [("x", "", "require:x")]),
        ("f(require('x'), require('x'))", [("x", "", "require:x")]),
        ("const { a: { b } } = require('x')", [("x", "", "require:x")]),
        ("require(name)", []),
        ("export * from './m'", [("./m", "*", "*")]),
        ("export * as ns from './m'", [("./m", "", "exports.ns")]),
        ("export { a, b as c } from './m'", [("./m", "a", "exports.a"), ("./m", "b", "exports.c")]),
    ],
)  # fmt: skip
def test_imports(statement: str, imported: list[tuple[str, str, str]]) -> None:
    assert sorted(View(statement + ";\n").imported()) == sorted(imported)


def test_a_module_that_is_loaded_without_a_name_gets_one() -> None:
    view = View("function f() { const r = require('a'); return require('b')(r); }\n")
    assert [(each.alias, view.name_of(each.scope)) for each in view.facts.imports] == [
        ("r", "f"),
        ("require:b", "module"),
    ]
    assert view.returned() == ["require:b(r)"]
    assert "require('a')" not in [view.code(each) for each in view.facts.exprs]


@pytest.mark.parametrize(
    ("code", "exported"),
    [
        ("export const a = f();", {"exports.a": "f()"}),
        ("export let a = 1, { b } = c;", {"exports.a": "a", "exports.b": "b"}),
        ("export function f() {}", {"exports.f": "f"}),
        ("export default class A {}", {"exports.default": "A"}),
        ("export default () => 1;", {"exports.default": "function default"}),
        ("export default class {}", {"exports.default": "function default"}),
        ("export default new A();", {"exports.default": "A()"}),
        ("export { a as b, c as default };", {"exports.b": "a", "exports.default": "c"}),
        ("module.exports = { a, b: c };", {"exports": "map['a': a, 'b': c]"}),
        ("exports = module.exports = a;", {"exports": "a"}),
        ("exports.a = exports.b = c;", {"exports.a": "c", "exports.b": "c"}),
        ("module.exports['a'] = b;", {"exports.a": "b"}),
        ("module.exports = require('./m');", {"exports": "require:./m"}),
    ],
)
def test_exports(code: str, exported: dict[str, str]) -> None:
    view = View(code)
    assert {name: value for name, _, value in view.bound() if name.startswith("exports")} == exported
    assert view.written() == []


def test_a_module_reads_what_it_exports() -> None:
    view = View("exports.client = make();\nfunction f() { return module.exports.client.get(exports.other); }\n")
    assert view.returned() == ["exports.client.get(exports.other)"]
    names = [each.name for each in view.facts.exprs if isinstance(each, facts.Name)]
    assert sorted(names) == ["exports", "exports.client", "make"]


@pytest.mark.parametrize(
    ("specifier", "importer", "key"),
    [
        ("./lib/redis.js", "app/x.ts", "app.lib.redis"),
        ("../redis", "app/lib/x.ts", "app.redis"),
        ("./redis.service", "src/a.ts", "src.redis.service"),
        ("./cache/index", "src/a.ts", "src.cache"),
        (".", "src/a.ts", "src"),
        ("..", "src/db/a.ts", "src"),
        ("./a", "b.js", "a"),
        ("../../../x", "a/b.js", "x"),
        ("@/utils/redis", "a.ts", "utils.redis"),
        ("~/utils/redis/index.js", "a.ts", "utils.redis"),
        ("#/x", "a.ts", "x"),
        ("/x/y", "a.ts", "x.y"),
        ("ioredis", "a.ts", "ioredis"),
        ("@nestjs/common", "a.ts", "@nestjs.common"),
        ("chart.js", "a.ts", "chart.js"),
        ("src/utils/redis.js", "a.ts", "src.utils.redis"),
    ],
)
def test_keys_of_modules(specifier: str, importer: str, key: str) -> None:
    assert module_key(specifier, importer) == key


def test_the_quick_look_at_imports() -> None:
    data = b"""
import Redis from 'ioredis';
import {
  a,
} from "./a";
import "./side";
export * from '../up';
const b = require( './b' ), c = await import(/* webpackChunkName: "c" */ `./c`);
import type { D } from './d.js';
import e = require('./e');
var f=function(){return require("./f")}
"""
    assert named_modules(data, "src/x/y.ts") == {
        "ioredis", "src.x.a", "src.x.side", "src.up", "src.x.b", "src.x.c", "src.x.d", "src.x.e", "src.x.f",
    }  # fmt: skip


# -- jumps, comments, robustness -------------------------------------------------------------------------------------


def test_jumps_in_source_order() -> None:
    view = View(
        "function f() { a: for (;;) { if (b) continue a; break a; }\n throw new E(c); return; return (d, e); }\n"
    )
    assert [(each.kind, view.shown(each.value)) for each in view.facts.jumps] == [
        ("continue", ""),
        ("break", ""),
        ("raise", "E(c)"),
        ("return", ""),
        ("return", "e"),
    ]


def test_only_comments_that_speak_to_resplint_are_kept() -> None:
    view = View("// é resplint: ignore\nx(); /* resplint: ignore[RL104] why */\n// other\n")
    assert [(each.line, each.text, each.own_line) for each in view.facts.comments] == [
        (1, "// é resplint: ignore", True),
        (2, "/* resplint: ignore[RL104] why */", False),
    ]


def test_long_runs_of_comments_are_blanked_out() -> None:
    data = b"f();\n" + b"// text\n" * 300 + b"// resplint: ignore\n" + b"g(); // text\n"
    quiet = without_comment_runs(data)
    assert len(quiet) == len(data)
    assert quiet.split() == [b"f();", b"//", b"resplint:", b"ignore", b"g();", b"//", b"text"]


EVERYTHING = """\
import D, { a as b } from 'c';
const { e, f: [g = 1], ...h } = require('i'), j = require('k').l;
@deco export default class A extends B {
  static #x = 1; @m() y;
  constructor({ z = f() } = {}) { super(z); this.#x ??= z; }
  async *gen() { yield* this.y; for await (const [k, v] of q) { await k?.[v]?.(`é${k}🎉`, ...v); } }
  static { this.w = /r/; }
}
function Old(c) { this.c = c || (this.c = null); }
Old.prototype.get = Old.prototype.GET = function (k) { return this.c.get(k); };
label: for (let i = 0, n = 10n; i < n; i++) {
  if (i === undefined) continue label; else if (!i) break; else throw new Error(i);
}
switch (b) {
  case 1:
  case 'x': try { x = y = () => ({ a, get b() { return 0x1f; }, 'c': 1.5 }); } catch { } finally { z++; }
  default:
}
module.exports.r = module.exports.s = async (u) => <T v={u}>{w(u)}</T>;
export * as t from './t'; // resplint: ignore[RL104]
"""


def test_facts_of_everything_are_well_formed_and_survive_packing() -> None:
    found = View(EVERYTHING).facts
    assert found.partial == ""
    _well_formed(found, len(EVERYTHING.encode()))
    assert msgspec.msgpack.decode(_packed(found), type=FileFacts) == found
    assert _packed(View(EVERYTHING).facts) == _packed(found)
    assert {type(expr).__name__ for expr in found.exprs} == {
        "Literal", "Template", "Name", "Member", "Call", "Index", "Operation", "Collection", "Choice", "Function",
        "Opaque",
    }  # fmt: skip


DEEP = {
    "arrays": lambda n: "x = " + "[" * n + "]" * n,
    "parentheses": lambda n: "x = " + "(" * n + "a" + ")" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "arrow functions": lambda n: "x = " + "() => " * n + "1",
    "templates": lambda n: "x = " + "`${" * n + "1" + "}`" * n,
    "members": lambda n: "x = a" + ".b" * n,
    "chained calls": lambda n: "x = a" + ".b()" * n,
    "sums": lambda n: "x = a" + "+b" * n,
    "assignments": lambda n: "a = " * n + "1",
    "guards": lambda n: "x = a" + "||(b=c)" * n,
    "patterns": lambda n: "const " + "{a:" * n + "b" + "}" * n + " = x",
    "branches": lambda n: "if (a) b();\n" + "else if (c) d();\n" * n,
    "prototypes": lambda n: "function A() {}\n" + "A.prototype.x = " * n + "1",
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_is_no_danger(name: str) -> None:
    lines = "\n".join(f"// a line of words, number {number}" for number in range(80))
    code = f"{lines}\n{DEEP[name](20_000)}\n"
    for path, language in (("m.js", "javascript"), ("m.ts", "typescript")):
        found = View(code, path, language).facts
        _well_formed(found, len(code))
        assert len(found.exprs) < 20_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_soup_of_tokens_becomes_well_formed_facts(tokens: list[str]) -> None:
    text = " ".join(tokens)
    for path, language in (("m.js", "javascript"), ("m.ts", "typescript"), ("m.tsx", "typescript")):
        lowered = lower(path, language, text.encode())
        if lowered.facts is not None:
            _well_formed(lowered.facts, len(text.encode()))
            assert msgspec.msgpack.decode(_packed(lowered.facts), type=FileFacts) == lowered.facts
