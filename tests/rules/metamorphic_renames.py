"""New names for variables and for what a file imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from tests.rules.metamorphic import Changed, Edit, Setting
from tests.rules.metamorphic_code import Code, Part, code_of
from tests.rules.metamorphic_names import (
    IMPORTED,
    LOCAL,
    Declaration,
    declarations,
    fresh,
    mentions,
    renaming,
    required_module,
)

_JVM = (
    "redis.clients", "io.lettuce.core", "com.lambdaworks.redis", "org.redisson", "org.springframework.data.redis",
    "glide.api", "io.vertx.redis", "io.vertx.mutiny.redis", "io.vertx.rxjava.redis", "io.vertx.rxjava3.redis",
    "io.vertx.reactivex.redis",
)  # fmt: skip
_NPM = (
    "ioredis", "iovalkey", "redis", "@redis/client", "@node-redis/client", "handy-redis", "async-redis",
    "fastify-redis", "nestjs-redis", "@nestjs-modules/ioredis", "@liaoliaots/nestjs-redis", "@songkeys/nestjs-redis",
    "@upstash/redis", "@vercel/kv", "bun", "@svtslv/nestjs-ioredis", "@fastify/redis", "@overleaf/redis-wrapper",
    "redis-sharelatex", "@valkey/valkey-glide",
)  # fmt: skip
LIBRARIES = {"java": _JVM, "kotlin": _JVM, "javascript": _NPM, "typescript": _NPM}
"""Packages and modules that the fixtures take a client from."""


def of_library(module: str, language: str) -> bool:
    separator = "." if language in ("java", "kotlin") else "/"
    return any(module == each or module.startswith(each + separator) for each in LIBRARIES[language])


def rename_locals(text: str, setting: Setting) -> Changed:
    """Parameters and variables of functions, and those of a script that it does not export by name, become v1, v2, …"""
    code = code_of(text, setting)
    names = fresh(code, "v")
    edits: list[Edit] = []
    declared = sorted(declarations(code), key=lambda each: each.name)
    for name, group in groupby(declared, key=lambda each: each.name):
        same = list(group)
        local = [each for each in same if each.kind == LOCAL]
        others = [each for each in same if each.kind != LOCAL]
        is_mixed = any(each.holds(other.part.start) for each in local for other in others)
        if local and not is_mixed and name not in setting.labels and name != "_":
            edits += renaming(code, name, local, next(names))
    return code.edited(edits)


# -- imports -------------------------------------------------------------------------------------------------


def alias_imports(text: str, setting: Setting) -> Changed:
    """`import { Redis } from 'ioredis'` names it Store1, and so do `require` and an import of Kotlin."""
    code = code_of(text, setting)
    names = fresh(code, "Store")
    edits: list[Edit] = []
    if setting.language == "kotlin":
        for part, qualified in _jvm_imports(code):
            name = qualified.rpartition(".")[2]
            if all(each.name != name for each in declarations(code)):
                new = next(names)
                end = code.text.index(qualified, part.start) + len(qualified)
                edits.append((end, end, f" as {new}"))
                edits += [each.renamed(new) for each in mentions(code) if each.name == name]
        return code.edited(edits)
    for declaration, module in _script_imports(code):
        if of_library(module, setting.language):
            new = next(names)
            edits += renaming(code, declaration.name, [declaration], new)
            if declaration.part.parent is not None and declaration.part.parent.kind == "import_clause":
                edits.remove((declaration.part.start, declaration.part.end, new))
                edits += _default_by_name(code, declaration.part, new)
    return code.edited(edits)


def _default_by_name(code: Code, part: Part, new: str) -> list[Edit]:
    """`import X from` becomes `import { default as Store1 } from`; with more names behind it, it stays a default."""
    clause = part.parent
    assert clause is not None
    is_alone = len(clause.named_children) == 1
    return [(part.start, part.end, f"{{ default as {new} }}" if is_alone else new)]


def import_namespaces(text: str, setting: Setting) -> Changed:
    """`import { createClient } from 'redis'` becomes `import * as …`, and all its names members of that."""
    code = code_of(text, setting)
    names = fresh(code, "lib")
    edits: list[Edit] = []
    imported = sorted(_script_imports(code), key=lambda each: _statement(each[0]).start)
    for _, group in groupby(imported, key=lambda each: _statement(each[0])):
        several = [(declaration, module) for declaration, module in group if _pattern(declaration) is not None]
        pattern = _pattern(several[0][0]) if several else None
        if pattern is None or len(several) < len(pattern.named_children):
            continue
        if not of_library(several[0][1], setting.language):
            continue
        lib = next(names)
        new = [edit for declaration, _ in several for edit in _as_member(code, declaration, lib)]
        if not any(" as " in word for _, _, word in new):  # export { Redis }
            is_import = pattern.kind == "named_imports"
            edits += [*new, (pattern.start, pattern.end, f"* as {lib}" if is_import else lib)]
    return code.edited(edits)


def _pattern(declaration: Declaration) -> Part | None:
    return declaration.part.within("named_imports", "object_pattern")


def _as_member(code: Code, declaration: Declaration, lib: str) -> Iterator[Edit]:
    specifier = declaration.part.parent
    assert specifier is not None
    key = specifier.get("name") or specifier.get("key") or declaration.part
    member = f"{lib}.{code.code(key) if specifier.kind != 'object_pattern' else declaration.name}"
    own = specifier if specifier.kind in ("import_specifier", "pair_pattern") else declaration.part
    for start, end, new in renaming(code, declaration.name, [declaration], member):
        if not own.start <= start < own.end:
            yield start, end, new


def _statement(declaration: Declaration) -> Part:
    statement = declaration.part.within("import_statement", "variable_declarator")
    assert statement is not None
    return statement


def _script_imports(code: Code) -> Iterator[tuple[Declaration, str]]:
    """What is imported under a name that nothing else in the file has, and from where."""
    declared = [each for each in declarations(code) if each.name]
    for declaration in declared:
        if declaration.kind == IMPORTED and [each.name for each in declared].count(declaration.name) == 1:
            statement = _statement(declaration)
            source = next((each for each in statement.walk if each.field == "source"), None)
            module = required_module(code, statement) if source is None else code.code(source)[1:-1]
            yield declaration, module or ""


def _jvm_imports(code: Code) -> Iterator[tuple[Part, str]]:
    """Imports of one class of a client library: the statement, and the class's qualified name."""
    for part in code.of_kind("import", "import_declaration"):
        match = re.match(r"import\s+([\w.]+\.[A-Z]\w*)\s*;?\s*$", code.code(part))
        if match and of_library(match[1], code.language):
            yield part, match[1]


def qualify_names(text: str, setting: Setting) -> Changed:
    """Wherever a class of a library is named, its package is, too; the imports stay, for nothing."""
    code = code_of(text, setting)
    return code.edited(edit for edits in _qualified(code).values() for edit in edits)


def drop_imports(text: str, setting: Setting) -> Changed:
    """The imports of a library's classes go; wherever a class is named, its package is, too."""
    code = code_of(text, setting)
    imports = [(part.start, part.end, "") for part in _qualified(code)]
    return code.edited([*imports, *(edit for edits in _qualified(code).values() for edit in edits)])


def _qualified(code: Code) -> dict[Part, list[Edit]]:
    """Imports of classes, and the edits that write the package in front of every mention of the class."""
    declared = {each.name for each in declarations(code)}
    found = {}
    for part, qualified in _jvm_imports(code):
        name = qualified.rpartition(".")[2]
        if name not in declared:
            found[part] = [(each.start, each.end, qualified) for each in mentions(code) if each.name == name]
    return found


def import_packages(text: str, setting: Setting) -> Changed:
    """`import redis.clients.jedis.JedisPool` becomes `import redis.clients.jedis.*`."""
    code = code_of(text, setting)
    edits: list[Edit] = []
    for part, qualified in _jvm_imports(code):
        package, _, name = qualified.rpartition(".")
        if package.islower():
            end = code.text.index(qualified, part.start) + len(qualified)
            edits.append((end - len(name), end, "*"))
    return code.edited(edits)


def setting_of(language: str, suffix: str, text: str, others: list[str]) -> Setting:
    """What a file is, and what the other files of its fixture mention."""
    foreign = {word for other in others for word in re.findall(r"[\w$]+", other)}
    labels: set[str] = set()
    if language == "kotlin":
        labels.update(name for each in (text, *others) for name in re.findall(r"[(,]\s*(\w+)\s*=(?!=)", each))
    return Setting(language, suffix, frozenset(foreign), frozenset(labels))
