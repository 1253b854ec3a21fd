"""Java becomes facts: what a user of the model finds in them for small pieces of code."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.languages import lower, named_modules

SOUP = (
    "class interface enum record @interface extends implements permits void int String var final static abstract "
    "if else for while do try catch finally switch case default break continue return yield throw new this super "
    "instanceof synchronized package import null true false assert ; : , . ... ( ) [ ] { } < > = == != + ++ -- - * / "
    '& && | || ! ? -> :: @A x y client Pool get _ 1 0x 1e5 017 1L \'a\' \'" "a" "\\n" """ // /* */ # é 日 🎉 \t'
)
TOKENS = SOUP.split(" ")


class View:
    """Facts of one piece of code, with what tests ask of them."""

    def __init__(self, code: str) -> None:
        self.data = code.encode()
        lowered = lower("src/main/java/A.java", "java", self.data)
        assert lowered.facts is not None, lowered.reason
        self.facts: FileFacts = lowered.facts

    def code(self, expr: int) -> str:
        """Source of an expression."""
        record = self.facts.exprs[expr]
        return self.data[record.start : record.end].decode()

    def show(self, index: int) -> str:
        """An expression in a notation that is the same for all languages."""
        if index == NONE:
            return ""
        record, show = self.facts.exprs[index], self.show
        match record:
            case facts.Literal():
                return repr(record.value)
            case facts.Template():
                return "".join(part if isinstance(part, str) else f"{{{show(part)}}}" for part in record.parts)
            case facts.Name():
                return record.name
            case facts.Member():
                return f"{show(record.object)}.{record.name}"
            case facts.Call():
                given = [f"{each.name}={show(each.value)}".lstrip("=") for each in record.arguments]
                return f"{show(record.callee)}({', '.join(given)})"
            case facts.Index():
                return f"{show(record.object)}[{show(record.key)}]"
            case facts.Operation():
                first, *rest = map(show, record.operands)
                return f"({f' {record.operator} '.join([first, *rest]) if rest else f'{record.operator} {first}'})"
            case facts.Collection():
                return f"{record.kind}({', '.join(map(show, record.items))})"
            case facts.Choice():
                test = f" if {show(record.condition)}" if record.condition != NONE else ""
                return f"<{' | '.join(map(show, record.options))}{test}>"
            case facts.Function():
                return f"scope {record.scope}"
            case facts.Opaque():
                return "…"

    def calls(self) -> list[str]:
        """All call sites in source order."""
        found = [number for number, each in enumerate(self.facts.exprs) if isinstance(each, facts.Call)]
        found.sort(key=lambda number: (self.facts.exprs[number].start, -self.facts.exprs[number].end))
        return [self.show(number) for number in found]

    def around(self, code: str) -> list[str]:
        """Kinds of the blocks around an expression, the innermost first, up to the body of its scope."""
        number = next(number for number in range(len(self.facts.exprs)) if self.code(number) == code)
        kinds: list[str] = []
        block = self.facts.blocks[self.facts.exprs[number].block]
        while block.kind != "body":
            kinds.append(block.kind)
            block = self.facts.blocks[block.parent]
        return kinds

    def blocks(self) -> list[tuple[str, str, int]]:
        """Kind, head, and group by its line, of all blocks but the bodies of scopes."""
        return [
            (block.kind, self.show(block.head), self.facts.line(block.group))
            for block in self.facts.blocks
            if block.kind != "body"
        ]

    def scope(self, name: str) -> facts.Scope:
        (found,) = (scope for scope in self.facts.scopes[1:] if scope.name == name)
        return found

    def name_of(self, scope: int) -> str:
        record = self.facts.scopes[scope]
        return record.name or record.kind

    def bindings(self) -> list[tuple[str, str, str]]:
        """Name, scope and value of every binding."""
        return [(each.name, self.name_of(each.scope), self.show(each.value)) for each in self.facts.bindings]

    def binding(self, name: str) -> facts.Binding:
        (found,) = (binding for binding in self.facts.bindings if binding.name == name)
        return found

    def value(self, name: str) -> str:
        """What the only binding of a name is bound to."""
        return self.show(self.binding(name).value)

    def type_of(self, name: str) -> str:
        return self.show(self.binding(name).annotation)

    def writes(self) -> list[str]:
        return [
            f"{self.show(each.target)} {each.operator or '='} {self.show(each.value)}" for each in self.facts.writes
        ]

    def jumps(self) -> list[tuple[str, str]]:
        return [(each.kind, self.show(each.value)) for each in self.facts.jumps]

    def parameters(self, scope: facts.Scope) -> list[str]:
        return [f"{each.kind}{each.name}: {self.show(each.annotation)}" for each in scope.parameters]


def body(statements: str) -> View:
    """Statements in a method of a class without anything else."""
    return View(f"class A {{ void m() {{\n{statements}\n}} }}")


def value(expression: str) -> str:
    """The model's view of one expression."""
    return body(f"var probe = {expression};").value("probe")


# -- packages and imports -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import redis.clients.jedis.Jedis;", ("redis.clients.jedis", "Jedis", "Jedis")),
        ("import redis.clients.jedis.*;", ("redis.clients.jedis", "*", "*")),
        ("import static com.acme.Pools.shared;", ("com.acme.Pools", "shared", "shared")),
        ("import static com.acme.Pools.*;", ("com.acme.Pools", "*", "*")),
        ("import com.acme.Outer.Inner;", ("com.acme.Outer", "Inner", "Inner")),
        ("import com . acme .\n  Pool ;", ("com.acme", "Pool", "Pool")),
        ("import Pool;", ("", "Pool", "Pool")),
    ],
)
def test_imports(statement: str, imported: tuple[str, str, str]) -> None:
    (found,) = View(statement).facts.imports
    assert (found.module, found.name, found.alias) == imported
    assert (found.level, found.scope) == (0, 0)


@pytest.mark.parametrize(
    ("code", "package"),
    [
        ("package com.acme.cache;\nclass A {}", "com.acme.cache"),
        ("@NonNullApi package com . acme ;", "com.acme"),
        ("class A {}", ""),
    ],
)
def test_the_package_that_a_file_belongs_to(code: str, package: str) -> None:
    assert View(code).facts.package == package


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import com.acme.Pool;", {"com.acme.Pool"}),
        ("import static com.acme.Pool.shared;", {"com.acme.Pool", "com.acme.Pool.shared"}),
        ("import static com.acme.Pool.*;", {"com.acme.Pool"}),
        ("import com.acme.Outer.Inner;", {"com.acme.Outer", "com.acme.Outer.Inner"}),
        ("package com.acme; class A { Pool p; }", {"com.acme.A", "com.acme.Pool"}),
        ("package com.acme;\nimport org.x.*;\nPool p", {"com.acme.Pool", "org.x.Pool"}),
        ("class A { Pool p; }", {"A", "Pool"}),
        ("x = new com.acme.Pool();", {"com.acme.Pool"}),
        ("package com.acme; class Größe { Éa x; }", {"com.acme.Größe", "com.acme.Éa"}),
        ("no import here; important.Thing x;", set()),
    ],
)
def test_modules_that_a_file_may_name(code: str, named: set[str]) -> None:
    assert named_modules(code.encode(), "A.java", "java") >= named


def test_naming_modules_takes_no_time() -> None:
    code = b"package a.b;\n" + b"import static " * 20_000 + b"x " * 100_000 + b"A." * 50_000
    started = time.perf_counter()
    named_modules(code, "A.java", "java")
    assert time.perf_counter() - started < 2


# -- scopes ----------------------------------------------------------------------------------------------------


def test_a_class_and_its_bases() -> None:
    scope = View("@Service class Pool extends Base<String, byte[]> implements Closeable, com.acme.Api { }").scope(
        "Pool"
    )
    assert (scope.kind, scope.parent, scope.is_open, scope.receiver) == ("class", 0, True, "this")


@pytest.mark.parametrize(
    ("code", "bases"),
    [
        ("class A extends B { }", ["B"]),
        ("class A extends B<X, byte[]> implements C, d.E { }", ["B[tuple(X, Array[byte])]", "C", "d.E"]),
        ("interface A extends B, C<D> { }", ["B", "C[D]"]),
        ("enum A implements B { X }", ["B", "Enum"]),
        ("record A(int x) implements B { }", ["B"]),
        ('@interface A { String value() default "x"; }', []),
    ],
)
def test_bases(code: str, bases: list[str]) -> None:
    view = View(code)
    scope = view.scope("A")
    assert scope.kind == "class"
    assert [view.show(base) for base in scope.bases] == bases


def test_methods_know_their_object() -> None:
    view = View("class A { void m() {} static void s() {} A() {} }")
    methods = {name: view.scope(name) for name in ("m", "s", "constructor")}
    assert {name: (each.belongs, each.receiver, each.is_constructor) for name, each in methods.items()} == {
        "m": ("object", "this", False),
        "s": ("class", "", False),
        "constructor": ("object", "this", True),
    }
    assert {each.parent for each in methods.values()} == {1}


def test_parameters_and_what_is_returned() -> None:
    view = View('class A { List<Jedis> m(final @Named("a") Jedis j, int[] n, String s[], byte[]... rest)[] {} }')
    scope = view.scope("m")
    assert view.parameters(scope) == ["j: Jedis", "n: Array[int]", "s: Array[String]", "*rest: Array[byte]"]
    assert [view.show(each) for each in scope.parameters[0].decorators] == ["Named('a')"]
    assert view.show(scope.returns) == "Array[List[Jedis]]"


def test_methods_without_a_body_have_a_scope() -> None:
    view = View("interface A { Jedis get(String key); default void m() { f(); } static void s() { } int K = 1; }")
    scope = view.scope("get")
    assert view.show(scope.returns) == "Jedis"
    assert view.parameters(scope) == ["key: String"]
    assert (scope.belongs, view.scope("s").belongs) == ("object", "class")
    assert view.bindings() == [("K", "A", "1")]


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        ("@Bean", "Bean"),
        ('@Value("${redis.host}")', "Value('${redis.host}')"),
        ('@Bean(name = "a", value = {"x", "y"})', "Bean(name='a', value=list('x', 'y'))"),
        ("@org.acme.Bean()", "org.acme.Bean()"),
        ("@Outer(@Inner(1))", "Outer(Inner(1))"),
    ],
)
def test_annotations(annotation: str, shown: str) -> None:
    view = View(f"{annotation} class A {{ {annotation} private int field; {annotation} public void m() {{ }} }}")
    marked = view.scope("A"), view.scope("m"), view.binding("field")
    assert [[view.show(each) for each in one.decorators] for one in marked] == [[shown]] * 3


def test_fields_belong_to_the_class() -> None:
    view = View('class A { static final int TTL = 5, other; String[] names = {"a"}, more[]; }')
    assert view.bindings() == [("TTL", "A", "5"), ("other", "A", ""), ("names", "A", "list('a')"), ("more", "A", "")]
    assert [view.type_of(name) for name in ("TTL", "other", "names", "more")] == [
        "int", "int", "Array[String]", "Array[Array[String]]",
    ]  # fmt: skip


def test_fields_say_whether_they_need_an_object() -> None:
    view = View("class A { static int s; int o; void m() { int l; } enum E { C } interface I { int K = 1; } }")
    belongs = {each.name: each.belongs for each in view.facts.bindings}
    assert belongs == {"s": "class", "o": "object", "l": "", "C": "class", "K": "class"}


def test_an_initialiser_is_part_of_the_constructor() -> None:
    view = View("class A { int n; { n = open(); int x = 1; } }")
    scope = view.scope("constructor")
    assert (scope.is_constructor, scope.receiver) == (True, "this")
    assert view.writes() == ["this.n = open()"]
    assert ("x", "constructor", "1") in view.bindings()


def test_a_static_initialiser_runs_as_part_of_the_class() -> None:
    view = View("class A { static Pool pool; static { pool = make(); } }")
    assert view.bindings() == [("pool", "A", ""), ("pool", "A", "make()")]
    assert len(view.facts.scopes) == 2


def test_the_constants_of_an_enum_are_objects_of_it() -> None:
    view = View('enum Mode { SINGLE("a", 1), @Old NONE, ODD() { int k() { return 1; } }; Mode(String... s) { } }')
    assert view.bindings()[:2] == [("SINGLE", "Mode", "Mode('a', 1)"), ("NONE", "Mode", "Mode()")]
    assert [view.show(each) for each in view.facts.bindings[1].decorators] == ["Old"]
    anonymous = view.facts.scopes[view.scope("k").parent]
    assert (anonymous.kind, anonymous.name, [view.show(each) for each in anonymous.bases]) == ("class", "", ["Mode"])
    assert view.facts.bindings[2].name == "ODD"
    assert view.value("ODD") == f"scope {view.scope('k').parent}()"


def test_a_record_has_fields_a_constructor_and_accessors() -> None:
    view = View("record Conf(@Min(1) int port, String... hosts) { String first() { return hosts[0]; } }")
    assert view.parameters(view.scope("constructor")) == ["port: int", "*hosts: String"]
    assert view.bindings() == [("port", "Conf", ""), ("hosts", "Conf", "")]
    assert (view.type_of("port"), view.type_of("hosts")) == ("int", "Array[String]")
    assert [view.show(each) for each in view.binding("port").decorators] == ["Min(1)"]
    assert view.writes() == ["this.port = port", "this.hosts = hosts"]
    assert (view.scope("port").parent, view.show(view.scope("port").returns)) == (1, "int")
    assert view.jumps() == [("return", "this.port"), ("return", "this.hosts"), ("return", "hosts[0]")]


def test_what_a_record_writes_out_is_not_made_up() -> None:
    view = View("record Conf(int port) { Conf { port = port + 1; } public int port() { return 1; } }")
    assert view.parameters(view.scope("constructor")) == ["port: int"]
    assert view.bindings() == [("port", "Conf", ""), ("port", "constructor", "(port + 1)")]
    assert view.writes() == ["this.port = port"]
    assert view.jumps() == [("return", "1")]
    view = View("record Conf(int port) { Conf(int port) { this.port = 7; } }")
    assert view.parameters(view.scope("constructor")) == ["port: int"]
    assert view.writes() == ["this.port = 7"]


def test_nested_local_and_anonymous_classes() -> None:
    view = View("class A { class B { void b() {} } void m() { class C { void c() {} } new D(1) { void d() {} }; } }")
    assert [view.name_of(view.scope(name).parent) for name in ("b", "c", "d")] == ["B", "C", "class"]
    assert [view.name_of(view.scope(name).parent) for name in ("B", "C")] == ["A", "m"]
    anonymous = view.facts.scopes[view.scope("d").parent]
    assert [view.show(each) for each in anonymous.bases] == ["D"]
    assert view.calls() == [f"scope {view.scope('d').parent}(1)"]


def test_lambdas_return_their_expression() -> None:
    view = body("run(x -> x.get(), (a, b) -> { return a; }, (Jedis j, var v) -> j.ping());")
    one, two, three = (scope for scope in view.facts.scopes if scope.kind == "function" and not scope.name)
    assert [view.parameters(each) for each in (one, two, three)] == [["x: "], ["a: ", "b: "], ["j: Jedis", "v: "]]
    assert {(each.receiver, each.belongs) for each in (one, two, three)} == {("", "")}
    assert view.jumps() == [("return", "x.get()"), ("return", "a"), ("return", "j.ping()")]
    assert view.calls()[0] == "run(scope 3, scope 4, scope 5)"


# -- expressions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("foo(1)", "foo(1)"),
        ("pool.getResource().set(k, v)", "pool.getResource().set(k, v)"),
        ("this.pool", "this.pool"),
        ("super.get(k)", "super.get(k)"),
        ("A.this.pool", "this@A.pool"),
        ("A.super.get()", "super.get()"),
        ("Lists.<String>of(a)", "Lists.of(a)"),
        ('new Jedis("h", 6379)', "Jedis('h', 6379)"),
        ("new redis.clients.Jedis()", "redis.clients.Jedis()"),
        ("new Template<String, byte[]>(f)", "Template(f)"),
        ("new ArrayList<>()", "ArrayList()"),
        ("outer.new Inner(1)", "Inner(1)"),
        ("Jedis.class", "Jedis.class"),
        ("int[].class", "Array[int].class"),
        ("pool::getResource", "pool.getResource"),
        ("redis.clients.Jedis::get", "redis.clients.Jedis.get"),
        ("this::get", "this.get"),
        ("Jedis::new", "Jedis"),
        ("ArrayList<String>::new", "ArrayList"),
        ("args[0]", "args[0]"),
        ("(Jedis) ((x))", "x"),
        ("(/* why */ x)", "x"),
        ("(Runnable & Serializable) x", "x"),
        ("c ? a : b", "<a | b if c>"),
        ('new String[]{"a", b}', "list('a', b)"),
        ("new int[][]{{1}, {2}}", "list(list(1), list(2))"),
        ("new byte[10]", "…"),
        ("a = b", "<b>"),
        ("n++", "n"),
        ("-n", "(- n)"),
        ("!done && -x < 1", "((not done) and ((- x) < 1))"),
        ('a + "b" + 1 + c', "(a + 'b' + 1 + c)"),
        ("a + (b + c)", "(a + (b + c))"),
        ("a + b - c", "((a + b) - c)"),
        ("a && b && c || d", "((a and b and c) or d)"),
        ("a /* x */ + // y\n b", "(a + b)"),
        ("a != b", "(a != b)"),
        ("a == null", "(a is None)"),
        ("null != a", "(a is not None)"),
        ("a instanceof Jedis", "(a instanceof Jedis)"),
        ('STR."key:\\{id}:x"', "key:{id}:x"),
    ],
)
def test_expressions(expression: str, shown: str) -> None:
    assert value(expression) == shown


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("5L", 5),
        ("1_000", 1000),
        ("0xFF_FFL", 65535),
        ("0b101", 5),
        ("017", 15),
        ("0", 0),
        ("99999999999999999999", float("inf")),
        ("1.5e3f", 1500.0),
        ("10d", 10.0),
        (".5", 0.5),
        ("0x1.8p1", 3.0),
        ("true", True),
        ("null", None),
        ("'a'", "a"),
        ("'\\n'", "\n"),
        ("'\\''", "'"),
        ('"a\\tb\\"c\\\\"', 'a\tb"c\\'),
        ('"\\u00e9\\uu0041"', "éA"),
        ('"\\uD83C\\uDF89"', "🎉"),
        ('"\\uD83C"', "\ufffd"),
        ('"\\0\\12\\777"', "\0\n?7"),
        ('"日本 é"', "日本 é"),
        ('""', ""),
        ('"""\n      a\n        "b" \\\n      c\\n\n      """', 'a\n  "b" c\n\n'),
        ('"""\n  x   \n\n    y"""', "x\n\n  y"),
    ],
)
def test_literals(literal: str, expected: object) -> None:
    view = body(f"var probe = {literal};")
    record = view.facts.exprs[view.binding("probe").value]
    assert isinstance(record, facts.Literal)
    assert record.value == expected
    assert type(record.value) is type(expected)


def test_constructors_call_each_other() -> None:
    view = View("class A extends B { A() { this(1); } A(int n) { super(n, 2); } }")
    assert view.calls() == ["this.constructor(1)", "super.constructor(n, 2)"]


def test_values_of_a_switch() -> None:
    view = body(
        "var probe = switch (mode) { case 1, 2 -> a; case 3 -> { f(); yield b; } default -> throw new E(); };\n"
        "var old = switch (mode) {\n"
        "  case 1: yield switch (x) { case 2 -> { yield c; } default -> d; };\n"
        "  default: yield e;\n"
        "};"
    )
    assert view.value("probe") == "<a | b>"
    assert view.value("old") == "<<d | c> | e>"
    assert [kind for kind, _ in view.jumps()] == ["raise"]


# -- names that get a value ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "shown"),
    [
        ("Jedis", "Jedis"),
        ("var", ""),
        ("int", "int"),
        ("redis.clients.Jedis", "redis.clients.Jedis"),
        ("Map.Entry<String, Jedis>", "Map.Entry[tuple(String, Jedis)]"),
        ("List<? extends Jedis>", "List[Jedis]"),
        ("List<@Nullable Jedis[]>[]", "Array[List[Array[Jedis]]]"),
        ("Class<?>", "Class[…]"),
    ],
)
def test_declared_types(type_: str, shown: str) -> None:
    assert body(f"{type_} probe = f();").type_of("probe") == shown


def test_local_names() -> None:
    view = body("int a = 1, b; final var c = a; b = a; b += 2; b++; --b;")
    assert view.bindings() == [
        ("a", "m", "1"), ("b", "m", ""), ("c", "m", "a"), ("b", "m", "a"), ("b", "m", "2"), ("b", "m", "1"),
        ("b", "m", "1"),
    ]  # fmt: skip
    assert [each.operator for each in view.facts.bindings] == ["", "", "", "", "+=", "+=", "-="]
    assert view.writes() == []


def test_chained_assignments_have_the_last_value() -> None:
    view = View("class A { Pool p; void m() { Pool a, b; p = a = b = make(); } }")
    assert ("a", "m", "make()") in view.bindings()
    assert ("b", "m", "make()") in view.bindings()
    assert view.writes() == ["this.p = make()"]


def test_names_that_blocks_bind() -> None:
    view = body(
        """\
for (Jedis j : nodes) a(j);
for (String s : names()) { }
try (Jedis r = pool.get(); var p = r.pipelined()) { } catch (final A | B e) { }
try (shared; this.other) { } catch (IOException io) { }
if (x instanceof Jedis found && f(found)) { }
if (x instanceof Point(int px, Inner(var py))) { }
switch (x) { case Foo foo when foo.ok() -> g(foo); case Bar(String bar) -> { } default -> { } }
"""
    )
    assert view.bindings() == [
        ("j", "m", "nodes"), ("s", "m", "names()"), ("r", "m", "pool.get()"), ("p", "m", "r.pipelined()"),
        ("e", "m", ""), ("", "m", "shared"), ("", "m", "this.other"), ("io", "m", ""), ("found", "m", "x"),
        ("px", "m", ""), ("py", "m", ""), ("foo", "m", "x"), ("bar", "m", ""),
    ]  # fmt: skip
    assert {each.name: each.kind for each in view.facts.bindings} == {
        "j": "for", "s": "for", "r": "with", "p": "with", "e": "except", "": "with", "io": "except",
        "found": "assign", "px": "assign", "py": "assign", "foo": "assign", "bar": "assign",
    }  # fmt: skip
    types = {each.name: view.show(each.annotation) for each in view.facts.bindings}
    assert (types["j"], types["r"], types["e"], types["io"]) == ("Jedis", "Jedis", "tuple(A, B)", "IOException")
    assert (types["found"], types["px"], types["foo"], types["bar"]) == ("Jedis", "int", "Foo", "String")
    kinds = [view.facts.blocks[each.block].kind for each in view.facts.bindings]
    assert kinds == ["for", "for", "try", "try", "except", "try", "try", "except", "body", "body", "body", "if", "if"]


def test_fields_are_told_from_local_names() -> None:
    view = View(
        """\
class A extends Base {
    Pool pool; static Pool shared; int n;
    A(Pool pool) { this.pool = pool; shared = pool; n = 1; inherited = 2; pool = null; }
    static void s(int n) { shared = make(); n = 2; unknown = 3; }
    void m() { int local; run(() -> { n += 4; local = 5; }); items[0] = n; this.pool.size = 6; n--; }
}
"""
    )
    assert view.writes() == [
        "this.pool.size = 6", "items[0] = n", "A.unknown = 3", "A.shared = make()", "this.inherited = 2",
        "this.n = 1", "this.shared = pool", "this.pool = pool", "this.n += 4", "this.n -= 1",
    ]  # fmt: skip
    assert [each for each in view.bindings() if each[1] != "A"] == [
        ("pool", "constructor", "None"), ("n", "s", "2"), ("local", "m", ""), ("local", "m", "5"),
    ]  # fmt: skip


def test_fields_of_outer_classes() -> None:
    view = View(
        """\
class A extends Base {
    Pool pool;
    class B { int own; void m() { own = 1; pool = null; unknown = 2; A.this.pool = p; } }
    void n() { new C() { void o() { pool = q; inherited = 3; } }; }
}
"""
    )
    assert sorted(view.writes()) == sorted(
        ["this.own = 1", "A.pool = None", "A.unknown = 2", "this@A.pool = p", "A.pool = q", "this.inherited = 3"]
    )


def test_assignments_in_conditions() -> None:
    view = body("String line; while ((line = in.readLine()) != null) use(line);")
    assert view.bindings() == [("line", "m", ""), ("line", "m", "in.readLine()")]
    assert view.blocks() == [("while", "(<in.readLine()> is not None)", 2)]


# -- blocks and jumps ------------------------------------------------------------------------------------------


def test_else_if_is_a_clause_of_the_first_if() -> None:
    view = body("if (a) f();\nelse if (b) { g(); }\nelse\n  h();\nif (c) ;")
    assert view.blocks() == [("if", "a", 2), ("if", "b", 2), ("else", "", 2), ("if", "c", 6)]
    assert [view.around(code) for code in ("f()", "g()", "h()")] == [["if"], ["if"], ["else"]]
    assert [view.facts.line(block.at) for block in view.facts.blocks[-4:]] == [2, 3, 4, 6]


def test_loops() -> None:
    view = body(
        """\
for (String s : list()) { a(); }
for (int i = start(); i < end(); step(i), i++) b();
for (;;) { c(); }
while (more()) d();
do { e(); } while (again());
"""
    )
    assert view.blocks() == [
        ("for", "list()", 2), ("while", "(i < end())", 3), ("while", "True", 4), ("while", "more()", 5),
        ("while", "again()", 6),
    ]  # fmt: skip
    inside = ["a()", "b()", "end()", "step(i)", "c()", "d()", "more()", "e()", "again()"]
    assert all(len(view.around(code)) == 1 for code in inside)
    assert view.around("list()") == view.around("start()") == []


def test_the_clauses_of_a_try_share_a_group() -> None:
    view = body("try { a(); }\ncatch (redis.JedisException e) { b(); }\ncatch (A | B e) { c(); }\nfinally { d(); }")
    assert view.blocks() == [
        ("try", "", 2), ("except", "redis.JedisException", 2), ("except", "tuple(A, B)", 2), ("finally", "", 2),
    ]  # fmt: skip


def test_resources_are_opened_inside_the_try() -> None:
    view = body("try (Jedis j = pool.get()) { a(); }\ntry (Jedis j = pool.take()) { b(); } catch (E e) { c(); }")
    assert view.blocks() == [("with", "", 2), ("with", "", 3), ("try", "", 3), ("except", "E", 3)]
    assert view.around("pool.get()") == view.around("a()") == ["with"]
    assert view.around("pool.take()") == view.around("b()") == ["try", "with"]
    assert view.around("c()") == ["except"]


def test_the_branches_of_a_switch() -> None:
    view = body(
        """\
switch (s) {
  case "a": a(); break;
  case "b":
  case "c": b(); break;
  default: c();
}
switch (t) { case 1 -> d(); case 2, 3 -> { e(); } default -> f(); }
"""
    )
    assert view.blocks() == [
        ("if", "(s == 'a')", 2), ("if", "", 2), ("else", "", 2),
        ("if", "(t == 1)", 8), ("if", "", 8), ("else", "", 8),
    ]  # fmt: skip
    assert [view.around(f"{name}()") for name in "abcdef"] == [["if"], ["if"], ["else"]] * 2
    assert view.jumps() == []


def test_jumps_in_source_order() -> None:
    view = body(
        """\
outer:
for (;;) {
  if (a) continue;
  switch (b) { case 1: break; case 2: continue outer; case 3: break outer; }
  switch (c) { case 1: while (d) { break; } }
  if (e) throw new E(f);
  break;
}
return;
"""
    )
    assert view.jumps() == [
        ("continue", ""), ("continue", ""), ("break", ""), ("break", ""), ("raise", "E(f)"), ("break", ""),
        ("return", ""),
    ]  # fmt: skip


def test_a_guarded_block_is_no_branch() -> None:
    view = body("synchronized (this) { a(); }\nlabel: { b(); }\nassert c() : d();")
    assert view.blocks() == []
    assert view.calls() == ["a()", "b()", "c()", "d()"]


def test_only_comments_that_speak_to_resplint_are_kept() -> None:
    view = View("// resplint: ignore\nclass A { /* resplint: ignore[RL104] */ int x; // no\n/* nor this */ }")
    assert [(each.line, each.text, each.own_line) for each in view.facts.comments] == [
        (1, "// resplint: ignore", True),
        (2, "/* resplint: ignore[RL104] */", False),
    ]


# -- robustness ------------------------------------------------------------------------------------------------

DEEP = 200_000
LINES = "// so that the file does not look like machine output\n" * 600


@pytest.mark.parametrize(
    "code",
    [
        "class A {{ Object x = {open}1{close}; }}".format(open="(\n" * DEEP, close=")\n" * DEEP),
        "class A {{ Object x = {open}1{close}; }}".format(open="f(\n" * DEEP, close=")\n" * DEEP),
        "class A {{ void m() {{ {open}{close} }} }}".format(open="{\n" * DEEP, close="}\n" * DEEP),
        "class A {{ Object x = a{calls}; }}".format(calls="\n.b()" * DEEP),
        "class A {{ Object x = {sum}1; }}".format(sum="a +\n" * DEEP),
        "class A {{ void m() {{ {chain}1; }} }}".format(chain="a =\n" * DEEP),
        "class A {{ void m() {{ if (a) b();{chain} }} }}".format(chain="\nelse if (a) b();" * (DEEP // 10)),
        "class A {{ void m() {{ x = {less}1; }} }}".format(less="a <\n" * DEEP),
        "class A {\n" * (DEEP // 10),
        "// comment\n" * DEEP + "class A { }",
    ],
    ids=["parentheses", "calls", "blocks", "chain", "sum", "assignments", "else-if", "less", "classes", "comments"],
)
def test_depth_and_length_are_no_danger(code: str) -> None:
    started = time.perf_counter()
    lowered = lower("A.java", "java", (LINES + code).encode())
    assert lowered.facts is not None or "took longer" in lowered.reason
    assert time.perf_counter() - started < 20


EVERYTHING = '''\
package com.acme;
import static java.util.List.*;
@A(b = {1, 2}) public final class Pool<T extends B & C> extends D<E[]> implements F<?> {
    static { x = y = 1; }
    { z++; }
    private final @G("é日🎉") int[] a = {1, 0x1F, 'c'}, b[] = new int[2][];
    record Point(int x, String... y) { Point { x += 1; } }
    enum Mode implements H { I(1) { void j() { } }, K; Mode() { this(1); } }
    interface L { int M = 1; N get(); }
    <U> U m(final V v, W... w) throws X {
        outer: for (int i = 0, k; i < 10; i++, k--) { if (a instanceof B c && !d) continue outer; else break; }
        try (var r = open(); s) { yield = 1; } catch (T | U e) { throw e; } finally { }
        var t = switch (u) { case 1, 2 -> a; case Foo f when f.b -> { yield c; } default -> throw new D(); };
        do { x = (int) y -> { return z; }; } while (a ? b : c);
        return new Thread(this::run) { public void run() { q = """
            text \\"block\\"
            """ + 1.5e3f; Pool.this.a[0] >>>= 2; super.run(); } };  // resplint: ignore[RL104] é
    }
}
'''


def _well_formed(found: FileFacts, size: int) -> None:
    """Every index points into its table, every offset into the text, and parents come first."""
    exprs = range(NONE, len(found.exprs))
    for expr in found.exprs:
        assert 0 <= expr.start <= expr.end <= size
        assert 0 <= expr.block < len(found.blocks)
        if isinstance(expr, facts.Function):
            assert 0 < expr.scope < len(found.scopes)
    for number, block in enumerate(found.blocks):
        assert NONE <= block.parent < number or number == 0
        assert 0 <= block.scope < len(found.scopes)
        assert block.head in exprs
    for number, scope in enumerate(found.scopes):
        assert NONE <= scope.parent < number or number == 0
        assert found.blocks[scope.block].scope == number
        used = [*scope.decorators, *scope.bases, scope.returns, *(each.annotation for each in scope.parameters)]
        assert all(index in exprs for index in used)
    for binding in found.bindings:
        assert binding.value in exprs
        assert binding.annotation in exprs
        assert 0 <= binding.scope <= found.blocks[binding.block].scope
        assert 0 <= binding.start <= binding.end <= size
    for write in found.writes:
        assert 0 <= write.target < len(found.exprs)
        assert write.value in exprs
    assert all(jump.value in exprs for jump in found.jumps)


def _check(text: str) -> None:
    lowered = lower("A.java", "java", text.encode())
    if lowered.facts is None:
        assert lowered.reason
        return
    _well_formed(lowered.facts, len(text.encode()))
    packed = msgspec.msgpack.encode(lowered.facts)
    assert msgspec.msgpack.decode(packed, type=FileFacts) == lowered.facts


def test_facts_of_everything_are_well_formed() -> None:
    assert View(EVERYTHING).facts.errors == ()
    _check(EVERYTHING)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(TOKENS), max_size=80),
    st.sampled_from(["{}", "class A {{ {} }}", "class A {{ void m() {{ {}"]),
)
def test_any_soup_of_tokens_becomes_well_formed_facts(tokens: list[str], frame: str) -> None:
    _check(frame.format(" ".join(tokens)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(EVERYTHING)), st.integers(0, 60), st.sampled_from(["", *TOKENS]))
def test_damaged_code_becomes_well_formed_facts(at: int, length: int, token: str) -> None:
    _check(EVERYTHING[:at] + token + EVERYTHING[at + length :])
