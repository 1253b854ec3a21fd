"""TypeScript becomes facts: what it adds to JavaScript."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from test_lowering import _packed, _well_formed
from test_lowering_javascript import View as JavaScriptView

from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.discovery.discover import discover
from resplint.languages import EXTENSIONS
from resplint.languages.typescript_repairs import repaired


class View(JavaScriptView):
    """Facts of one piece of TypeScript."""

    def __init__(self, code: str, path: str = "src/module.ts") -> None:
        super().__init__(code, path, "typescript")

    def annotated(self) -> list[tuple[str, str]]:
        """Name and declared type of every binding."""
        return [(each.name, self.shown(each.annotation)) for each in self.facts.bindings]


# -- types -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Redis", "Redis"),
        ("ioredis.Redis", "ioredis.Redis"),
        ("a.b.Client", "a.b.Client"),
        ("Promise<Redis>", "Promise[Redis]"),
        ("Map<string, redis.Client>", "Map[tuple[string, redis.Client]]"),
        ("Redis[]", "Array[Redis]"),
        ("readonly (Redis)[]", "Array[Redis]"),
        ("[Redis, number]", "tuple[Redis, number]"),
        ("Redis | null", "Redis"),
        ("undefined | Redis | null", "Redis"),
        ("Redis | Cluster | null", "(| Redis Cluster None)"),
        ("A & B", "(& A B)"),
        ("ReturnType<typeof createClient>", "ReturnType[createClient]"),
        ("typeof import('redis').client", "require:redis.client"),
        ("Options['socket']", "Options['socket']"),
        ("'a' | 'b'", "(| 'a' 'b')"),
        ("() => Redis", "?[tuple[]]"),
        ("(client: Redis, rest) => void", "?[tuple[Redis, ?]]"),
        ("{ a: Redis }", "?"),
    ],
)
def test_types_are_expressions(written: str, shown: str) -> None:
    view = View(f"let x: {written};\nfunction f(y?: {written}): {written} {{}}\n")
    assert view.annotated() == [("x", shown)]
    assert view.shown(view.scope("f").returns) == shown
    assert [view.shown(each.annotation) for each in view.scope("f").parameters] == [shown]


def test_a_type_with_a_name_is_bound() -> None:
    view = View("export type Client = ReturnType<typeof createClient> | null;\n")
    assert view.bound() == [
        ("Client", "module", "ReturnType[createClient]"),
        ("exports.Client", "module", "Client"),
    ]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("a as Redis", "a"),
        ("<Redis>a", "a"),
        ("a!", "a"),
        ("a satisfies Redis", "a"),
        ("(a as unknown as Redis)!.get<string>(b!)", "a.get(b)"),
        ("{ a: 1 } as const", "map['a': 1]"),
        ("new Map<string, Redis>(a)", "Map(a)"),
        ("make<Redis>", "make"),
    ],
)
def test_what_only_the_compiler_sees_is_no_part_of_the_value(code: str, shown: str) -> None:
    assert View(f"const x = {code};\n").of("x") == shown


def test_assignments_through_casts() -> None:
    view = View("let a: any; (a as X) = b; this.c! += 1; (<any>this).d = e;\n")
    assert view.bound()[1:] == [("a", "module", "b"), ("", "module", "a")]
    assert view.written() == [("this.c", "1"), ("this.d", "e")]


def test_a_declaration_without_a_value_has_its_type_alone() -> None:
    view = View("let a: Redis, b;\ndeclare const c: Pool;\nlet d!: Redis;\n")
    assert [(each.name, view.shown(each.value), view.shown(each.annotation)) for each in view.facts.bindings] == [
        ("a", "", "Redis"),
        ("b", "None", ""),
        ("c", "", "Pool"),
        ("d", "", "Redis"),
    ]


# -- classes ---------------------------------------------------------------------------------------------------------

SERVICE = """\
@Injectable()
export class Cache<T> extends Base<T> implements OnInit, app.Store<T> {
  @Inject(TOKEN) private readonly pool: Pool;
  protected ttl?: number = 60;
  declare other: X;
  constructor(@InjectRedis('a') private readonly redis: Redis, public size = 5, key: string) {
    super();
  }
  @Get(':id')
  // with a comment between
  @Roles('admin')
  async find(@Param('id') id: string): Promise<T | null> { return this.redis.get(id) as T; }
  find(id: number): void;
  static create(): Cache<any> { return null; }
}
"""


def test_a_service_with_decorators() -> None:
    view = View(SERVICE)
    cache, find = view.scope("Cache"), view.scope("find")
    assert [view.shown(each) for each in cache.decorators] == ["Injectable()"]
    assert [view.shown(each) for each in cache.bases] == ["Base", "OnInit", "app.Store[T]"]
    assert [view.shown(each) for each in find.decorators] == ["Get(':id')", "Roles('admin')"]
    assert view.shown(find.returns) == "Promise[T]"
    (parameter,) = find.parameters
    assert [view.shown(each) for each in parameter.decorators] == ["Param('id')"]
    assert (view.scope("create").belongs, view.scope("create").receiver) == ("class", "")


def test_fields_of_a_service() -> None:
    view = View(SERVICE)
    fields = [each for each in view.facts.bindings if view.name_of(each.scope) == "Cache"]
    assert [
        (each.name, view.shown(each.value), view.shown(each.annotation), [view.shown(one) for one in each.decorators])
        for each in fields
    ] == [
        ("pool", "", "Pool", ["Inject(TOKEN)"]),
        ("ttl", "60", "number", []),
        ("other", "", "X", []),
        ("redis", "", "Redis", ["InjectRedis('a')"]),
        ("size", "", "", []),
    ]


def test_parameters_that_are_fields_are_set_by_the_constructor() -> None:
    view = View(SERVICE)
    constructor = view.scope("constructor")
    assert [(each.name, view.shown(each.annotation)) for each in constructor.parameters] == [
        ("redis", "Redis"),
        ("size", ""),
        ("key", "string"),
    ]
    assert [view.shown(each) for each in constructor.parameters[0].decorators] == ["InjectRedis('a')"]
    assert view.written() == [("this.redis", "redis"), ("this.size", "size")]
    assert {view.name_of(view.facts.blocks[each.block].scope) for each in view.facts.writes} == {"constructor"}


def test_abstract_classes_and_interfaces_tell_types() -> None:
    view = View(
        "abstract class A { abstract client(): Redis; abstract name: string; f() {} }\n"
        "interface B extends C<D>, E { readonly pool: Pool; size?: number; get(k: X): Promise<string>; new(): B }\n"
    )
    assert [
        (each.kind, each.name, view.name_of(each.parent), view.shown(each.returns)) for each in view.facts.scopes[1:]
    ] == [
        ("class", "A", "module", ""),
        ("function", "client", "A", "Redis"),
        ("function", "f", "A", ""),
        ("class", "B", "module", ""),
        ("function", "get", "B", "Promise[string]"),
    ]
    assert [view.shown(each) for each in view.scope("B").bases] == ["C[D]", "E"]
    assert view.annotated() == [("name", "string"), ("pool", "Pool"), ("size", "number")]


def test_enums_are_classes_with_members() -> None:
    view = View("export const enum Key { User, Cart = 'cart', 'last-seen' = 3 }\n")
    assert view.scope("Key").kind == "class"
    assert view.bound() == [
        ("exports.Key", "module", "Key"),
        ("User", "Key", ""),
        ("Cart", "Key", "'cart'"),
        ("last-seen", "Key", "3"),
    ]


def test_overloads_are_one_function() -> None:
    view = View("export function f(a: string): void;\nexport function f(a: any) { return a; }\n")
    assert [each.name for each in view.facts.scopes] == ["", "f"]


def test_parameters_that_are_taken_apart_know_the_types_of_their_parts() -> None:
    view = View("function f(this: App, { client, ttl = 60 }: { client: Redis; ttl?: number }, ...rest: string[]) {}\n")
    assert [(each.name, each.kind) for each in view.scope("f").parameters] == [("#0", ""), ("rest", "*")]
    assert [(each.name, each.path, view.shown(each.annotation)) for each in view.facts.bindings] == [
        ("client", ("client",), "Redis"),
        ("ttl", ("ttl",), "number"),
        ("ttl", (), ""),
    ]


def test_defaults_of_parameters_run_in_the_function_and_types_are_looked_up_outside() -> None:
    view = View("function f(redis: redis.Client = make()) {}\n")
    assert view.name_of(view.facts.blocks[view.expr("make()").block].scope) == "f"
    assert view.name_of(view.facts.blocks[view.expr("redis.Client").block].scope) == "module"


# -- modules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import type { Redis as R } from 'ioredis'", [("ioredis", "Redis", "R")]),
        ("import { type A, b } from './m'", [("./m", "A", "A"), ("./m", "b", "b")]),
        ("import type X from 'x'", [("x", "default", "X")]),
        ("import x = require('x')", [("x", "", "x")]),
        ("export type { T } from './t'", [("./t", "T", "exports.T")]),
        ("export type * from './t'", [("./t", "*", "*")]),
        ("export type * as t from './t'", [("./t", "", "exports.t")]),
    ],
)  # fmt: skip
def test_imports(statement: str, imported: list[tuple[str, str, str]]) -> None:
    assert View(statement + ";\n").imported() == imported


def test_exports() -> None:
    view = View(
        "export interface A {}\nexport abstract class B {}\nexport const c: C = d();\nexport declare const e: E;\n"
        "export default interface F {}\nexport = G;\nimport H = I.j;\n"
    )
    assert view.bound() == [
        ("exports.A", "module", "A"),
        ("exports.B", "module", "B"),
        ("c", "module", "d()"),
        ("exports.c", "module", "c"),
        ("e", "module", ""),
        ("exports.e", "module", "e"),
        ("exports.default", "module", "F"),
        ("exports", "module", "G"),
        ("H", "module", "I.j"),
    ]


def test_namespaces_are_transparent() -> None:
    view = View("namespace A.B { export const c = f(); function g() {} }\ndeclare global { var h: X; }\n")
    assert ("c", "module", "f()") in view.bound()
    assert view.name_of(view.scope("g").parent) == "module"
    assert ("h", "X") in view.annotated()


# -- what the grammar does not know ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "types",
    ["<Row[]>", "<{ id: string; n: number }[]>", "<Map<string, A<B>>>", "<\n  Row | null\n>", "<(a: A) => B>", "<'x'>"],
)
def test_a_tag_may_have_types(types: str) -> None:
    code = f"const rows = await db.$query{types}`SELECT ${{id}} FROM t`;\nafter();\n"
    view = View(code)
    assert view.facts.partial == ""
    assert view.of("rows") == View(code.replace(types, "")).of("rows")
    assert "after()" in [view.code(each) for each in view.facts.exprs if isinstance(each, facts.Call)]
    assert len(repaired(code.encode())) == len(code)


@pytest.mark.parametrize(
    "code",
    [
        "const x = a < b && c >`t`",
        "const x = `<b>`",
        "const x = `a ${b} <i>` + `</i>`",
        "const x = '=>`' + a<b",
        "// a>`",
        "const type = 1, x = type * 2",
    ],
)
def test_what_is_no_gap_stays_as_it_is(code: str) -> None:
    assert repaired(code.encode()) == code.encode()


# -- dialects --------------------------------------------------------------------------------------------------------


def test_markup_is_read_in_its_own_files_only() -> None:
    code = "const A = ({ x }: Props) => <B<T> y={f(x)}>{g(x)}</B>;\nconst h = <T,>(a: T) => a as T;\n"
    view = View(code, "src/Module.TSX")
    assert view.facts.partial == ""
    assert {view.code(each) for each in view.facts.exprs if isinstance(each, facts.Call)} == {"f(x)", "g(x)"}
    assert View("const x = <T>a;\n", "m.mts").of("x") == "a"


def test_declaration_files_are_no_source(tmp_path: Path) -> None:
    for name in ("a.ts", "b.d.ts", "c.tsx", "d.mts", "e.d.mts", "f.cts"):
        (tmp_path / name).write_text("export const x = 1;\n")
    found = discover([tmp_path], tmp_path, extensions=EXTENSIONS)
    assert [(each.path, each.language) for each in found.files] == [
        (name, "typescript") for name in ("a.ts", "c.tsx", "d.mts", "f.cts")
    ]


def test_facts_of_a_service_are_well_formed_and_survive_packing() -> None:
    found = View(SERVICE).facts
    assert found.partial == ""
    _well_formed(found, len(SERVICE.encode()))
    assert msgspec.msgpack.decode(_packed(found), type=FileFacts) == found
    assert all(each.annotation == NONE or each.annotation < len(found.exprs) for each in found.bindings)


@pytest.mark.parametrize(("code", "awaited"), [
    ("await read<Order>('order')", [True]), ("await read('order')", [True]), ("read<Order>('order')", [False]),
])  # fmt: skip
def test_a_call_with_type_arguments_is_awaited_like_any_other(code: str, awaited: list[bool]) -> None:
    found = View(f"async function load() {{ return {code}; }}").facts.exprs
    assert [each.awaited for each in found if isinstance(each, facts.Call)] == awaited


@pytest.mark.parametrize(
    "code",
    ["type X = 'a'" + " | 'b'" * 20_000, "let x: " + "A<" * 20_000 + "B" + ">" * 20_000, "x = " + "<T>" * 20_000 + "a"],
    ids=["unions", "generics", "casts"],
)
def test_depth_is_no_danger(code: str) -> None:
    lines = "\n".join(f"// a line of words, number {number}" for number in range(80))
    code = f"{lines}\n{code};\n"
    _well_formed(View(code).facts, len(code))


def test_comments_behind_a_signature_do_not_slow_the_grammar() -> None:
    code = "function f()\n" + "// text of a comment\n" * 20_000 + "{ g(); }\n"
    assert View(code).facts.partial == ""
