"""Kotlin becomes facts: what a user of the model finds in them for small pieces of code."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.languages import lower, named_modules
from resplint.languages.kotlin_repairs import repaired

SOUP = (
    "package import class interface object enum data companion init constructor fun val var by lazy if else when for "
    "in while do try catch finally return throw break continue this super is as as? !in !is ?: ?. !! :: -> .. ..< "
    "suspend vararg override private lateinit get set it with apply run use let @A @field:B label@ return@x this@A "
    '( ) [ ] { } < > , ; : . = == === += ++ -- + - ! && || * / % ? " \' """ \\ $ ${ $$ ` x y jedis redis pool _ 1 '
    "0x 1L 1.5f 'c' \"a $x ${y}\" null true // /* */ # é 日 🎉 \t"
)
TOKENS = SOUP.split(" ")


class View:
    """Facts of one piece of code, with what tests ask of them."""

    def __init__(self, code: str) -> None:
        self.data = code.encode()
        lowered = lower("src/main/kotlin/App.kt", "kotlin", self.data)
        assert lowered.facts is not None, lowered.reason
        self.facts: FileFacts = lowered.facts

    def show(self, number: int) -> str:
        """An expression in a notation of its own, which tells records apart."""
        if number == NONE:
            return ""
        expr = self.facts.exprs[number]
        match expr:
            case facts.Literal():
                return repr(expr.value)
            case facts.Template():
                return "".join(part if isinstance(part, str) else "{" + self.show(part) + "}" for part in expr.parts)
            case facts.Name():
                return expr.name
            case facts.Member():
                return f"{self.show(expr.object)}.{expr.name}"
            case facts.Call():
                given = (f"{each.name}={self.show(each.value)}".lstrip("=") for each in expr.arguments)
                return f"{self.show(expr.callee)}({', '.join(given)})"
            case facts.Index():
                return f"{self.show(expr.object)}[{self.show(expr.key)}]"
            case facts.Operation():
                return f"({' '.join([expr.operator, *map(self.show, expr.operands)])})"
            case facts.Collection():
                return f"{expr.kind}{list(map(self.show, expr.items))}".replace("'", "")
            case facts.Choice():
                test = f" if {self.show(expr.condition)}" if expr.condition != NONE else ""
                return f"<{' | '.join(map(self.show, expr.options))}{test}>"
            case facts.Function():
                return f"fn:{self.scope_name(expr.scope)}"
        return "?"

    def all(self, *numbers: int) -> list[str]:
        return [self.show(number) for number in numbers]

    def scope_name(self, number: int) -> str:
        scope = self.facts.scopes[number]
        return scope.name or scope.kind

    def scope(self, name: str) -> facts.Scope:
        (found,) = (scope for scope in self.facts.scopes if scope.name == name and scope.kind != "module")
        return found

    def lambdas(self) -> list[facts.Scope]:
        return [scope for scope in self.facts.scopes if scope.kind == "function" and not scope.name]

    def bindings(self) -> list[tuple[str, str, str]]:
        """Name, scope and value of every binding."""
        return [(each.name, self.scope_name(each.scope), self.show(each.value)) for each in self.facts.bindings]

    def value(self, name: str) -> str:
        (found,) = (binding for binding in self.facts.bindings if binding.name == name)
        return self.show(found.value)

    def writes(self) -> list[str]:
        """Target, operator and value of every write to a member or an element."""
        written = self.facts.writes
        return [f"{self.show(each.target)} {each.operator or '='} {self.show(each.value)}" for each in written]

    def calls(self) -> set[str]:
        found = (number for number, expr in enumerate(self.facts.exprs) if isinstance(expr, facts.Call))
        return set(map(self.show, found))

    def returns(self) -> list[tuple[str, str]]:
        """Scope and value of every return."""
        return [
            (self.scope_name(self.facts.blocks[jump.block].scope), self.show(jump.value))
            for jump in self.facts.jumps
            if jump.kind == "return"
        ]

    def blocks(self) -> list[tuple[str, str, int]]:
        """Kind, head, and group by its line, of all blocks but the bodies of scopes."""
        return [
            (block.kind, self.show(block.head), self.facts.line(block.group))
            for block in self.facts.blocks
            if block.kind != "body"
        ]

    def around(self, call: str) -> list[str]:
        """Kinds of the blocks around a call, the innermost first, up to the body of its scope."""
        (expr,) = (each for number, each in enumerate(self.facts.exprs) if self.show(number) == call)
        kinds, block = list[str](), self.facts.blocks[expr.block]
        while block.kind != "body":
            kinds.append(block.kind)
            block = self.facts.blocks[block.parent]
        return [*kinds, self.scope_name(block.scope)]


def value(code: str) -> str:
    return View(f"val x = {code}\n").value("x")


# -- the file ------------------------------------------------------------------------------------------------


def test_package_and_imports() -> None:
    view = View(
        '@file:JvmName("X")\npackage com.acme.`in`\n\nimport redis.clients.jedis.JedisPool\n'
        "import a.b.C as D\nimport java.util.*\nimport top\n"
    )
    assert view.facts.package == "com.acme.in"
    assert [(each.module, each.name, each.alias) for each in view.facts.imports] == [
        ("redis.clients.jedis", "JedisPool", "JedisPool"),
        ("a.b", "C", "D"),
        ("java.util", "*", "*"),
        ("", "top", "top"),
    ]


def test_modules_that_a_file_may_use() -> None:
    code = (
        b"package com.acme\nimport a.b.C as D\nimport a.b.C.Inner\nimport q.*\nval x = Pool(1)\nval y = make { }\n"
        b"val z: r.s.Other = y\n"
    )
    found = named_modules(code, "App.kt", "kotlin")
    assert {"a.b.C", "a.b.C.Inner", "com.acme.Pool", "q.Pool", "com.acme.make", "r.s.Other"} <= found
    assert named_modules(b"val x = Pool()\n", "App.kt", "kotlin") == {"Pool"}


def test_only_comments_that_speak_to_resplint_are_kept() -> None:
    view = View("// resplint: ignore\n/* a /* resplint: b */ c */\n// no\nval x = 1 // resplint: ignore[RL101]\n")
    assert [(each.line, each.own_line) for each in view.facts.comments] == [(1, True), (2, True), (4, False)]


# -- classes -------------------------------------------------------------------------------------------------


def test_a_class_with_a_primary_constructor() -> None:
    view = View(
        """\
@Service
class Cache @Inject constructor(
    @Value("\\${host}") private val host: String = "local",
    port: Int,
    vararg var rest: Node?,
) : Base<Cache>(port), a.b.Closeable {
    private val pool = JedisPool(host, port)
    init { connect(port) }
}
"""
    )
    cache, made = view.scope("Cache"), view.scope("constructor")
    assert (cache.kind, cache.receiver, cache.is_open, cache.is_single) == ("class", "this", True, False)
    assert view.all(*cache.bases, *cache.decorators) == ["Base[Cache]", "a.b.Closeable", "Service"]
    assert (view.scope_name(made.parent), made.belongs, made.receiver) == ("Cache", "object", "this")
    assert made.is_constructor
    assert view.all(*made.decorators) == ["Inject"]
    assert [
        (each.name, view.show(each.annotation), view.show(each.default), each.kind, view.all(*each.decorators))
        for each in made.parameters
    ] == [
        ("host", "String", "'local'", "", ["Value('${host}')"]),
        ("port", "Int", "", "", []),
        ("rest", "Node", "", "*", []),
    ]
    assert view.bindings() == [
        ("host", "Cache", ""),
        ("rest", "Cache", ""),
        ("pool", "Cache", "JedisPool(host, port)"),
    ]
    assert view.all(*view.facts.bindings[0].decorators) == ["Value('${host}')"]
    assert view.writes() == ["this.host = host", "this.rest = rest"]
    for call in ("JedisPool(host, port)", "connect(port)", "super(port)"):
        assert view.around(call) == ["constructor"], call


def test_fields_of_a_class_without_parameters_start_in_the_class() -> None:
    view = View("class A {\n    @Autowired lateinit var pool: JedisPool?\n    val key = make()\n}\n")
    assert view.bindings() == [("pool", "A", ""), ("key", "A", "make()")]
    assert view.show(view.facts.bindings[0].annotation) == "JedisPool"
    assert view.all(*view.facts.bindings[0].decorators) == ["Autowired"]
    assert view.around("make()") == ["A"]


def test_secondary_constructors_and_init_blocks() -> None:
    view = View(
        "class A : B {\n    constructor(h: String) : this(h, 1) { a() }\n"
        "    constructor(h: String, p: Int = 2) : super(h)\n    init {\n        b()\n    }\n}\n"
    )
    made = [scope for scope in view.facts.scopes if scope.is_constructor]
    assert [[each.name for each in scope.parameters] for scope in made] == [["h"], ["h", "p"], []]
    assert {scope.name for scope in made} == {"constructor"}
    assert view.around("this(h, 1)") == view.around("a()") == view.around("b()") == ["constructor"]
    assert "super(h)" in view.calls()
    assert view.show(made[1].parameters[1].default) == "2"


def test_objects_and_companions() -> None:
    view = View(
        """\
object Pools : Holder() {
    val pool = make()
    fun get() = pool
}

class A {
    companion object Named : Logging() {
        const val MAX = 8
        @JvmStatic
        fun create() = A()
    }
    fun own() = MAX
}
val max = A.Companion.MAX
"""
    )
    assert view.scope("Pools").is_single
    assert (view.scope("get").belongs, view.scope("get").receiver) == ("object", "this")
    assert (view.scope("create").belongs, view.scope("create").receiver) == ("class", "")
    assert view.all(*view.scope("create").decorators) == ["JvmStatic"]
    assert ("MAX", "A", "8") in view.bindings()
    assert view.scope("own").belongs == "object"
    assert view.value("max") == "<A>.MAX"
    assert {"super()", "A()", "make()"} <= view.calls()


def test_enums_interfaces_and_nested_classes() -> None:
    view = View(
        "enum class Mode(val size: Int) {\n    SMALL(1),\n    LARGE(size = 9) { override fun f() = 2 };\n"
        "    open fun f() = 1\n}\n"
        "sealed interface S {\n    fun g(): Int\n    data class A(val x: Int) : S\n    data object B : S\n}\n"
        "typealias Pool = JedisPool\n"
    )
    assert ("SMALL", "Mode", "Mode(1)") in view.bindings()
    assert ("LARGE", "Mode", "Mode(size=9)") in view.bindings()
    assert ("Pool", "module", "JedisPool") in view.bindings()
    special = next(scope for scope in view.facts.scopes if scope.kind == "class" and not scope.name)
    assert view.all(*special.bases) == ["Mode"]
    assert view.show(view.scope("g").returns) == "Int"
    assert [view.scope_name(view.scope(name).parent) for name in "AB"] == ["S", "S"]
    assert view.scope("B").is_single


def test_an_object_of_an_anonymous_class() -> None:
    view = View(
        "val x = object : Listener(1), Runnable {\n    override fun run() { go() }\n}\nval y = object { val z = 1 }\n"
    )
    assert [name for name, _, _ in view.bindings()] == ["x", "y", "z"]
    made = [expr for expr in view.facts.exprs if isinstance(expr, facts.Call)]
    function = next(view.facts.exprs[call.callee] for call in made if call.arguments)
    assert isinstance(function, facts.Function)
    scope = view.facts.scopes[function.scope]
    assert (scope.kind, scope.name, view.all(*scope.bases)) == ("class", "", ["Listener", "Runnable"])
    assert view.scope("run").belongs == "object"
    assert "Listener(1)" not in view.calls()


def test_properties_with_accessors_and_delegates() -> None:
    view = View(
        "class A {\n    val pool by lazy { JedisPool() }\n    val size: Int\n        get() = pool.size\n"
        "    var z = 1\n        private set\n    var y = 2\n        set(value) { field = value }\n}\n"
        "val JedisPool.idle: Int get() = numIdle\n"
    )
    assert ("pool", "A", "lazy(fn:function)") in view.bindings()
    assert "size" not in {name for name, _, _ in view.bindings()}
    size, idle = view.scope("size"), view.scope("idle")
    assert size.is_accessor
    assert (size.belongs, size.receiver, view.show(size.returns)) == ("object", "this", "Int")
    assert ("size", "pool.size") in view.returns()
    assert (idle.belongs, idle.receiver, idle.is_accessor) == ("", "this", True)
    assert [(each.name, view.show(each.annotation)) for each in idle.parameters] == [("this", "JedisPool")]
    assert view.writes() == ["this.y = value"]
    assert ("field", "y=", "this.y") in view.bindings()
    assert view.lambdas()[0].parameters == ()


# -- functions and lambdas -----------------------------------------------------------------------------------


def test_functions() -> None:
    view = View(
        "private suspend fun <T> load(a: Int = 1, vararg b: List<String>, @Q c: (Int) -> Unit): Map<String, T?> {\n"
        "    fun inner() = a\n    return inner()\n}\nfun JedisPool?.q(k: String) = 1\n"
    )
    load, inner, extension = view.scope("load"), view.scope("inner"), view.scope("q")
    assert load.is_async
    assert (load.belongs, load.receiver) == ("", "")
    assert view.show(load.returns) == "Map[tuple[String, T]]"
    assert [
        (each.name, view.show(each.annotation), view.show(each.default), each.kind) for each in load.parameters
    ] == [("a", "Int", "1", ""), ("b", "List[String]", "", "*"), ("c", "?[tuple[Int]]", "", "")]
    assert view.all(*load.parameters[2].decorators) == ["Q"]
    assert view.scope_name(inner.parent) == "load"
    assert view.returns() == [("inner", "a"), ("load", "inner()"), ("q", "1")]
    assert view.data[load.start :].startswith(b"fun <T> load")
    assert (extension.belongs, extension.receiver) == ("", "this")
    assert [(each.name, view.show(each.annotation)) for each in extension.parameters] == [
        ("this", "JedisPool"),
        ("k", "String"),
    ]


def test_a_default_sees_the_parameters_before_it() -> None:
    view = View("fun f(a: Int, b: Int = g(a)) = b\n")
    assert view.around("g(a)") == ["f"]


@pytest.mark.parametrize(
    ("code", "parameters"),
    [
        ("items.map { f(it) }", ["it"]),
        ("items.map { a, b: Int -> a }", ["a", "b"]),
        ("items.map { (k, v) -> k }", ["#0"]),
        ("items.map { -> 1 }", []),
        ("lazy { 1 }", []),
        ("config.apply { }", []),
        ("items.also { }", ["it"]),
    ],
)
def test_parameters_of_a_lambda(code: str, parameters: list[str]) -> None:
    (scope,) = View(f"val x = {code}\n").lambdas()
    assert [each.name for each in scope.parameters] == parameters


def test_a_lambda_takes_its_parameters_apart() -> None:
    view = View("val x = items.map { i, (k, _, v) -> k }\n")
    assert [(each.name, view.show(each.value), each.path) for each in view.facts.bindings[1:]] == [
        ("k", "#1", (0,)),
        ("v", "#1", (2,)),
    ]


@pytest.mark.parametrize(
    ("code", "receiver", "on"),
    [
        ("pool.apply { go() }", "this", "pool"),
        ("a.b()?.run { go() }", "this", "a.b()"),
        ("with(a.b) { go() }", "this", "a.b"),
        ("apply { go() }", "this", "this"),
        ("run { go() }", "", ""),
        ("pool.let { go() }", "", ""),
        ("pool.use { go() }", "", ""),
        ("client.config { go() }", "", ""),
    ],
)
def test_lambdas_that_run_on_an_object(code: str, receiver: str, on: str) -> None:
    view = View(f"val x = {code}\n")
    (scope,) = view.lambdas()
    assert (scope.receiver, view.show(scope.receiver_value)) == (receiver, on)
    assert view.returns() == [("function", "go()")]


def test_a_trailing_lambda_is_the_last_argument_of_one_call() -> None:
    view = View(
        "val x = foo<Int>(1) { 2 }.bar { 3 }\nval y = single<Pool> { Pool() }\nval z = f(Callback<Any> { c -> c })\n"
    )
    assert view.value("x") == "foo(1, fn:function).bar(fn:function)"
    assert view.calls() == {
        "foo(1, fn:function)", view.value("x"), "single(fn:function)", "Pool()", "f(Callback(fn:function))",
        "Callback(fn:function)",
    }  # fmt: skip


def test_a_plain_return_leaves_the_function_around_its_lambdas() -> None:
    view = View(
        """\
fun get(k: String): String? {
    pool.resource.use { jedis ->
        return jedis.get(k)
    }
    names?.let { return it }
    names.forEach { if (it == k) return@forEach }
    val f = fun(): Int { return 1 }
    return null
}
"""
    )
    assert view.returns() == [
        ("get", "jedis.get(k)"),
        ("get", "it"),
        ("function", ""),
        ("function", "1"),
        ("get", "None"),
    ]
    jumps = [jump for jump in view.facts.jumps if view.show(jump.value) in ("jedis.get(k)", "it")]
    assert [view.facts.blocks[jump.block].kind for jump in jumps] == ["body", "if"]


# -- assignments ---------------------------------------------------------------------------------------------


def test_bare_names_are_locals_members_or_top_level_variables() -> None:
    view = View(
        """\
var shared: Pool? = null

class A(var ttl: Int) : Base() {
    private var count = 0
    fun f() {
        var local = 1
        run { local = 2 }
        count = 3
        ttl += 4
        inherited = 5
        shared = 6
        other.x = 7
        other["k"] = 8
        count++
    }
    companion object {
        var one: A? = null
        fun g() { one = A(1) }
    }
    inner class B {
        fun h() { count = 9 }
    }
}
"""
    )
    assert [each for each in view.bindings() if each[0] in ("local", "shared")] == [
        ("shared", "module", "None"),
        ("local", "f", "1"),
        ("local", "f", "2"),
        ("shared", "module", "6"),
    ]
    assert view.writes() == [
        "this.ttl = ttl", "this.count = 3", "this.ttl += 4", "this.inherited = 5", "other.x = 7", "other['k'] = 8",
        "A.one = A(1)", "A.count = 9", "this.count += 1",
    ]  # fmt: skip


def test_bare_names_in_a_lambda_that_runs_on_an_object() -> None:
    view = View(
        """\
class A(maxIdle: Int) {
    var seen = 0
    val config = JedisPoolConfig().apply {
        maxTotal = 8
        maxIdle = 2
        seen = 1
    }
}
fun JedisPoolConfig.tune() { maxWait = 1 }
fun plain() { later { timeout = 1 } }
"""
    )
    assert view.writes() == [
        "this.maxTotal = 8", "this.maxIdle = 2", "this@A.seen = 1", "this.maxWait = 1", "this.timeout = 1",
    ]  # fmt: skip
    (scope, _) = view.lambdas()
    assert view.show(scope.receiver_value) == "JedisPoolConfig()"


def test_destructuring() -> None:
    view = View("fun f() {\n    val (a, _, b: Int) = pair\n    for ((k, v) in map) { g(k) }\n}\n")
    assert [(each.name, each.kind, view.show(each.value), each.path) for each in view.facts.bindings] == [
        ("a", "assign", "pair", (0,)),
        ("b", "assign", "pair", (2,)),
        ("k", "for", "map", (0,)),
        ("v", "for", "map", (1,)),
    ]


# -- blocks and jumps ----------------------------------------------------------------------------------------


def test_branches_of_an_if() -> None:
    view = View(
        "fun f() {\n    if (a) b() else if (c()) {\n        d()\n    } else e()\n    if (x) return\n    g()\n}\n"
    )
    assert view.blocks() == [("if", "a", 2), ("if", "c()", 2), ("else", "", 2), ("if", "x", 5)]
    assert [view.around(f"{name}()") for name in "bcdeg"] == [["if", "f"], ["f"], ["if", "f"], ["else", "f"], ["f"]]


def test_entries_of_a_when() -> None:
    view = View(
        "fun f() {\n    when (val r = g()) {\n        is Foo, in 1..2 -> a()\n        else -> { b() }\n    }\n"
        "    when {\n        x > 1 -> c()\n    }\n}\n"
    )
    assert view.blocks() == [("if", "", 2), ("else", "", 2), ("if", "(> x 1)", 6)]
    assert ("r", "f", "g()") in view.bindings()
    assert [view.around(f"{name}()")[0] for name in "abc"] == ["if", "else", "if"]


def test_loops() -> None:
    view = View(
        "fun f() {\n    for (i in 0 until n()) a(i)\n    while (b()) { c() }\n    do { d() } while (e())\n"
        "    l@ for (x: Int in y) { if (x) break@l else continue }\n}\n"
    )
    assert view.blocks()[:4] == [
        ("for", "(until 0 n())", 2), ("while", "b()", 3), ("while", "e()", 4), ("for", "y", 5),
    ]  # fmt: skip
    assert [view.around(call)[0] for call in ("n()", "a(i)", "b()", "c()", "d()", "e()")] == [
        "f", "for", "while", "while", "while", "while",
    ]  # fmt: skip
    assert [jump.kind for jump in view.facts.jumps] == ["break", "continue"]


def test_try_with_its_handlers() -> None:
    view = View(
        "fun f() {\n    try {\n        a()\n    } catch (e: JedisException) {\n        throw E(e)\n"
        "    } catch (_: b.C) { } finally {\n        d()\n    }\n}\n"
    )
    assert view.blocks() == [("try", "", 2), ("except", "JedisException", 2), ("except", "b.C", 2), ("finally", "", 2)]
    assert [(each.name, each.kind) for each in view.facts.bindings] == [("e", "except"), ("_", "except")]
    assert [(jump.kind, view.show(jump.value)) for jump in view.facts.jumps] == [("raise", "E(e)")]


def test_a_jump_behind_an_elvis_runs_under_a_condition() -> None:
    view = View("fun f() {\n    val v = g() ?: return null\n    for (x in y) { z(x) ?: continue }\n}\n")
    assert view.value("v") == "<g()>"
    assert [view.facts.blocks[jump.block].kind for jump in view.facts.jumps] == ["if", "if"]


# -- expressions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("1_000L", "1000"),
        ("0xFF", "255"),
        ("0b11", "3"),
        ("100uL", "100"),
        ("1.5f", "1.5"),
        ("1e3", "1000.0"),
        ("true", "True"),
        ("null", "None"),
        ("'\\n'", "'\\n'"),
        ('"a\\t\\u0041\\$b\\\\"', "'a\\tA$b\\\\'"),
        ('"$5"', "'$5'"),
        ('"k:$id:${a.b}!"', "k:{id}:{a.b}!"),
        ('"$this"', "{this}"),
        ('"""raw \\n $id ${f()}"""', "raw \\n {id} {f()}"),
        ('""""quoted""""', "'\"quoted\"'"),
        ("-1", "(- 1)"),
        ("!a", "(not a)"),
        ("a && b || c", "(or (and a b) c)"),
        ("a + b + c", "(+ a b c)"),
        ("a ?: b ?: c", "<a | b | c>"),
        ("a ?: throw E()", "<a>"),
        ("a == null", "(is a None)"),
        ("a !== null", "(is not a None)"),
        ("a === b", "(== a b)"),
        ("a !in b", "(not in a b)"),
        ("a is Foo", "(instanceof a Foo)"),
        ("a !is Foo", "(not (instanceof a Foo))"),
        ("0..9", "(.. 0 9)"),
        ("10 downTo 0 step 2", "(step (downTo 10 0) 2)"),
        ("a to b", "tuple[a, b]"),
        ("1 shl 2", "(<< 1 2)"),
        ("a merge b", "a.merge(b)"),
        ("a?.b()!!.c", "a.b().c"),
        ("(a as Foo<Bar>).b", "a.b"),
        ("a[b, 1]", "a[tuple[b, 1]]"),
        ("pool::getResource", "pool.getResource"),
        ("::connect", "connect"),
        ("::Foo", "Foo"),
        ("Foo::class.java", "Foo.class.java"),
        ("this@A.b", "this@A.b"),
        ("super.b()", "super.b()"),
        ("`a b`.`in`", "a b.in"),
        ("f(a, b = 1, *c, d = { it })", "f(a, b=1, *=c, d=fn:function)"),
        ("mapOf(a to 1)", "mapOf(tuple[a, 1])"),
        ("if (a) b else { c(); d }", "<b | d if a>"),
        ("if (a) b else return", "<b>"),
        ("when (a) { 1 -> b; is C -> { d } else -> throw E() }", "<b | d>"),
        ("when { a -> b; else -> c }", "<b | c if a>"),
        ("try { a } catch (e: E) { null }", "<a | None>"),
        ("l@ f()", "f()"),
        ("@A f()", "f()"),
    ],
)
def test_expressions(code: str, shown: str) -> None:
    assert value(code) == shown


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("a.b.Pool?", "a.b.Pool"),
        ("RedisTemplate<String, Order>", "RedisTemplate[tuple[String, Order]]"),
        ("List<out Foo?>", "List[Foo]"),
        ("(Pool)", "Pool"),
        ("(Int) -> Unit", "?[tuple[Int]]"),
        ("(key: String, Pool) -> Unit", "?[tuple[String, Pool]]"),
        ("@A Pool", "Pool"),
    ],
)
def test_declared_types(declared: str, shown: str) -> None:
    view = View(f"val x: {declared} = y\n")
    assert view.show(view.facts.bindings[0].annotation) == shown


def test_infix_calls_and_assignments_of_steps_count_as_statements() -> None:
    view = View("fun f() {\n    jedis publish message\n    var n = 0\n    n++; --n\n}\n")
    assert view.calls() == {"jedis.publish(message)"}
    assert [(each.kind, each.operator, view.show(each.value)) for each in view.facts.bindings] == [
        ("assign", "", "0"), ("augment", "+=", "1"), ("augment", "-=", "1"),
    ]  # fmt: skip


# -- what the grammar does not know ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "class A { fun f() = 1 }",
        "class A { companion object { val x = 1 } }",
        "fun interface F { fun g() }",
        "val x = object { val y = 1 }",
        "val f = suspend { 1 }",
        'val x = $$"a $x $$y"',
        "fun f() {\n  when (x) {\n    is A if x.y -> 1\n    C::class if (x == z) -> 1\n    else if z -> 2\n  }\n}",
        "context(a: A)\nfun f() = 1",
        'fun f() {\n  with(jedis) {\n    val x = 1\n    set("a", x)\n    val y = 2\n    get("a")\n  }\n}',
        "fun f() {\n  val open = 1\n  open.x()\n  override = 2\n}",
    ],
)
def test_repairs(code: str) -> None:
    data = code.encode() + b"\n"
    assert len(repaired(data)) == len(data)
    assert View(code + "\n").facts.errors == ()


def test_repairs_keep_the_names_and_the_class() -> None:
    view = View("class A(private val d: D) : C<D>(1), D by d {\n    fun f() = g()\n}\nfun h() {\n    open.x()\n}\n")
    assert view.scope_name(view.scope("f").parent) == "A"
    assert view.all(*view.scope("A").bases) == ["C[D]", "D"]
    assert "open.x()" in view.calls()
    kept = "class A {\n    val x: Pool by lazy { make() }\n    fun t(): Map<String, List<Int>> { return y }\n}\n"
    assert repaired(kept.encode()) == kept.encode()


# -- robustness ----------------------------------------------------------------------------------------------

DEEP = 200_000
SHAPES = {
    "parentheses": ("val x = ", "(\n", "1", ")\n"),
    "lambdas": ("val x = ", "f { \n", "1", "}\n"),
    "calls": ("val x = ", "f(\n", "1", ")\n"),
    "members": ("val x = a", "\n.b()", "", ""),
    "sums": ("val x = a", " +\n a", "", ""),
    "types": ("val x: ", "A<\n", "B", ">\n"),
    "comments": ("", "// a b c\n", "val x = 1", ""),
    "nested comments": ("", "/* ", "", " */\n"),
    "holes": ("val x = ", '"${\n', "1", '}"\n'),
    "open braces": ("", "{ \n", "", ""),
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_deep_code_is_survived(shape: str) -> None:
    before, opening, middle, closing = SHAPES[shape]
    code = before + opening * DEEP + middle + closing * DEEP + "\n"
    started = time.monotonic()
    lower("App.kt", "kotlin", code.encode())
    assert time.monotonic() - started < 30


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=60), st.sampled_from([" ", "\n", ""]))
def test_a_soup_of_tokens_is_survived(tokens: list[str], between: str) -> None:
    code = between.join(tokens).encode()
    assert len(repaired(code)) - len(code) in (0, 1)
    named_modules(code, "App.kt", "kotlin")
    lowered = lower("App.kt", "kotlin", code)
    assert lowered.facts is not None
    check(lowered.facts)


def check(found: FileFacts) -> None:
    """Every index points at something."""
    exprs, scopes, blocks = len(found.exprs), len(found.scopes), len(found.blocks)
    for expr in found.exprs:
        assert 0 <= expr.block < blocks
        if isinstance(expr, facts.Function):
            assert 0 < expr.scope < scopes
        if isinstance(expr, facts.Call):
            assert 0 <= expr.callee < exprs
            assert all(0 <= each.value < exprs for each in expr.arguments)
    for binding in found.bindings:
        assert 0 <= binding.scope < scopes
        assert NONE <= binding.value < exprs
    for write in found.writes:
        assert 0 <= write.target < exprs
    for jump in found.jumps:
        assert 0 <= jump.block < blocks


@pytest.mark.parametrize("end", ["@", "@Foo", "@Foo(1", "\n@Foo constructor"])
def test_an_annotation_at_the_end_of_a_file_does_not_hang_the_scanner(end: str) -> None:
    for before in ("class A", "class A {\n    val x = 1\n", "val x = 1\n"):
        check(View(before + end).facts)


def test_mutilated_code_is_survived() -> None:
    chance = random.Random(7)
    code = (
        'class A(val x: Int) : B(x) {\n  val p by lazy { P(x) }\n  init { y = "a$x${z}" }\n'
        "  fun f(k: String) = p.use { it[k] ?: return null }\n  companion object { var i = 0 }\n}\n"
        "fun A.g() = when (x) { 1 -> apply { y = 2 } else -> object : C(1) { } }\n"
    )
    for _ in range(300):
        start = chance.randrange(len(code))
        lowered = lower("App.kt", "kotlin", (code[:start] + code[start + chance.randrange(1, 20) :]).encode())
        assert lowered.facts is not None
        check(lowered.facts)
