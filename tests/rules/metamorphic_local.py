"""Clients of the fixture's own instead of a library's: classes that share nothing with Redis but their names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from tests.rules.metamorphic import Changed, Edit, Move, Setting
from tests.rules.metamorphic_code import COMMENTS, Code, Part, code_of, unchanged
from tests.rules.metamorphic_renames import LIBRARIES, of_library

_PACKAGE = "com.example.local"
_MODULES = {".mjs": "mjs", ".cjs": "cjs"}
_QUALIFIED = re.compile(rf"\b{re.escape(_PACKAGE)}((?:\.[a-z]\w*)*)\.([A-Z]\w*)")


def another_library(text: str, setting: Setting) -> Changed:
    """Packages of libraries become `com.example.local`, modules become `./local-redis`, `./local-ioredis`, …

    A class of a library is still imported, for nothing, so that the file is one that has to do with Redis.
    """
    code = code_of(text, setting)
    edits: list[Move] = [(start, end, [new]) for start, end, new in _packages_or_modules(code, setting)]
    if not edits:
        return unchanged(code)
    return code.moved([*edits, _unused_import(code)])


def _packages_or_modules(code: Code, setting: Setting) -> Iterator[Edit]:
    if setting.language in ("java", "kotlin"):
        yield from _packages(code)
    for part, module in _modules(code):
        yield part.start + 1, part.end - 1, _specifier(module, setting, code)


def _unused_import(code: Code) -> Move:
    end = len(code.text)
    if code.language in ("java", "kotlin"):
        before = next(code.of_kind("package_declaration", "package_header"), None)
        at = before.end if before is not None else 0
        semicolon = ";" if code.language == "java" else ""
        return at, at, [f"\nimport redis.clients.jedis.Protocol{semicolon}\n"]
    if any(code.of_kind("import_statement", "export_statement")):
        return end, end, ["\nimport RealStore from 'ioredis';\n"]
    return end, end, ["\nconst RealStore = require('ioredis');\n"]


def stand_ins(path: str, changed: Changed, setting: Setting) -> dict[str, str]:
    """The files that the changed file imports now, with all methods that it calls."""
    methods = sorted(set(re.findall(r"\.\s*([a-z]\w*)\s*\(", changed.text)) - {"constructor"})
    if setting.language in ("java", "kotlin"):
        suffix = {"java": "java", "kotlin": "kt"}[setting.language]
        classes = {(match[1], match[2]) for match in _QUALIFIED.finditer(changed.text)}
        return {
            f"{(_PACKAGE + package).replace('.', '/')}/{name}.{suffix}": _class(
                _PACKAGE + package, name, methods, setting.language
            )
            for package, name in classes
        }
    exported = sorted(set(re.findall(r"\b(create\w*|[A-Z]\w+)\b", changed.text)))
    folder = posixpath.dirname(path)
    found: dict[str, str] = {}
    for file in re.findall(r"['\"]\./(local-[\w.-]+)['\"]", changed.text):
        name = file if "." in file else f"{file}{'.ts' if setting.language == 'typescript' else '.js'}"
        is_commonjs = name.endswith(("js", "cjs")) and not name.endswith("mjs")
        found[posixpath.join(folder, name)] = _module(methods, exported, is_commonjs=is_commonjs)
    return found


def _packages(code: Code) -> Iterator[Edit]:
    prefixes = "|".join(re.escape(each) for each in LIBRARIES[code.language])
    silent = list(code.of_kind(*COMMENTS, "string_literal", "multiline_string_literal"))
    for match in re.finditer(rf"(?<![\w.])(?:{prefixes})(?=\.\w)", code.text):
        if not any(part.start <= match.start() < part.end for part in silent):
            yield (*match.span(), _PACKAGE)


def _modules(code: Code) -> Iterator[tuple[Part, str]]:
    for part in code.of_kind("string"):
        holder = part.parent
        call = holder.parent if holder is not None and holder.kind == "arguments" else None
        callee = code.code(call.children[0]) if call is not None else ""
        module = code.code(part)[1:-1]
        if (part.field == "source" or callee in ("require", "import")) and of_library(module, code.language):
            yield part, module


def _specifier(module: str, setting: Setting, code: Code) -> str:
    name = "./local-" + re.sub(r"\W+", "-", module).strip("-")
    if setting.language == "typescript":
        return name
    uses_import = any(code.of_kind("import_statement", "export_statement"))
    return f"{name}.{_MODULES.get(setting.suffix) or ('mjs' if uses_import else 'cjs')}"


def _class(package: str, name: str, methods: list[str], language: str) -> str:
    if language == "kotlin":
        body = "".join(f"    open fun {each}(vararg all: Any?): Any? = this\n" for each in methods)
        return f"package {package}\n\nopen class {name}(vararg all: Any?) {{\n{body}}}\n"
    body = "".join(f"    public Object {each}(Object... all) {{ return this; }}\n" for each in methods)
    return f"package {package};\n\npublic class {name} {{\n    public {name}(Object... all) {{ }}\n{body}}}\n"


def _module(methods: list[str], exported: list[str], *, is_commonjs: bool) -> str:
    body = "".join(f"  {each}() {{\n    return this;\n  }}\n" for each in methods)
    lines = [f"class LocalStore {{\n{body}}}\n"]
    for name in exported:
        if name[0].isupper():
            lines.append(f"class {name} extends LocalStore {{}}\n")
        else:
            lines.append(f"function {name}() {{\n  return new LocalStore();\n}}\n")
    if is_commonjs:
        members = "".join(f"module.exports.{name} = {name};\n" for name in exported)
        return "".join(lines) + f"module.exports = LocalStore;\nmodule.exports.default = LocalStore;\n{members}"
    return "".join(lines) + f"export default LocalStore;\nexport {{ {', '.join(exported)} }};\n"
