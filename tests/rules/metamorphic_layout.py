"""Changes to how a Java, Kotlin, JavaScript or TypeScript file is laid out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.rules.metamorphic import Changed, Edit, Setting, Text
from tests.rules.metamorphic_code import COMMENTS, FUNCTIONS, Code, Part, code_of, unchanged

_TALK = "// new Redis().blpop(0) is only talk here: 'it is' (not) {code} — größer 𝄞"
_BODIES = frozenset({"block", "statement_block", "constructor_body"})
_TYPESCRIPT = {".js": ".ts", ".mjs": ".mts", ".cjs": ".cts"}
_MEMBERS = frozenset({"method_declaration", "function_declaration", "method_definition"})
_CONTAINERS = frozenset({"class_body", "program", "source_file", "enum_class_body"})


def add_comments(text: str, setting: Setting) -> Changed:
    """A blank line and a comment above every line, in the midst of chains and arguments too; not below comments."""
    code = code_of(text, setting)
    inside = code.lines_inside_text
    commented = {line for part in code.of_kind(*COMMENTS) for line in (code.first_line(part), code.last_line(part))}
    above = {
        number: ["\n", f"{line[: len(line) - len(line.lstrip())]}{_TALK}\n"]
        for number, line in enumerate(code.lines, 1)
        if line.strip() and number > 1 and number not in inside and not _is_commented(code, number - 1, commented)
    }
    return code.with_lines(above)


def _is_commented(code: Code, line: int, commented: set[int]) -> bool:
    return line in commented and code.lines[line - 1].lstrip().startswith(("//", "/*", "*"))


def windows_lines(text: str, setting: Setting) -> Changed:
    """Every line ends with CR and LF."""
    return Changed(text.replace("\n", "\r\n"), unchanged(Text(text)).origins)


def byte_order_mark(text: str, setting: Setting) -> Changed:
    return Changed("\ufeff" + text, unchanged(Text(text)).origins)


def indent_with_tabs(text: str, setting: Setting) -> Changed:
    """Each two spaces at the start of a line become a tab, except inside strings and comments."""
    code = code_of(text, setting)
    inside = code.lines_inside_text
    edits: list[Edit] = []
    for number, line in enumerate(code.lines, 1):
        width = len(line) - len(line.lstrip(" "))
        if width > 1 and number not in inside:
            start = code.starts[number - 1]
            edits.append((start, start + width, "\t" * (width // 2)))
    return code.edited(edits)


def swap_quotes(text: str, setting: Setting) -> Changed:
    """Single quotes become double ones and the reverse where the text between them allows it."""
    code = code_of(text, setting)
    edits: list[Edit] = []
    for part in code.of_kind("string"):
        match = re.fullmatch(r"(['\"])([^'\"\\\n]*)\1", code.code(part))
        if match:
            quote = '"' if match[1] == "'" else "'"
            edits.append((part.start, part.end, f"{quote}{match[2]}{quote}"))
    return code.edited(edits)


def as_typescript(text: str, setting: Setting) -> Changed:
    """JavaScript is TypeScript under another suffix, except where that wants a type."""
    suffix = _TYPESCRIPT.get(setting.suffix, "")
    same = unchanged(Text(text))
    if not suffix or code_of(text, Setting("typescript", suffix)).errors:
        return same
    return Changed(text, same.origins, suffix)


# -- blocks --------------------------------------------------------------------------------------------------


def wrap_in_block(text: str, setting: Setting) -> Changed:
    """The body of every function stands in a block of its own, in Kotlin in that of `run`."""
    code = code_of(text, setting)
    opening = " run {" if setting.language == "kotlin" else " {"
    edits: list[Edit] = []
    for function in code.functions:
        body = next((part for part in _own_parts(code, function) if part.kind in _BODIES), None)
        first = body.named_children[0] if body is not None and body.named_children else None
        if body is None or first is None or code.text[body.start] != "{":
            continue
        # super() and this() must come first
        if function.kind == "method_definition" and "super(" in code.code(body):
            continue
        if first.kind != "explicit_constructor_invocation":
            edits += [(body.start + 1, body.start + 1, opening), (body.end - 1, body.end - 1, "} ")]
    return code.edited(edits)


def _own_parts(code: Code, function: Part) -> Iterator[Part]:
    for child in function.children:
        yield child
        if child.kind == "function_body":
            yield from child.children


def wrap_module(text: str, setting: Setting) -> Changed:
    """What a script does stands in a function that is called at once; imports stay where they are."""
    code = code_of(text, setting)
    top = code.root.named_children
    if any(part.kind == "export_statement" or part.kind.endswith(("declare", "module")) for part in top):
        return unchanged(code)
    rest = [part for part in top if part.kind not in ("import_statement", "hash_bang_line")]
    if not rest or rest[0] is not top[len(top) - len(rest)] or "import " in code.code(rest[0])[:7]:
        return unchanged(code)
    awaits = any(
        part.kind in ("await_expression", "for_in_statement")
        and "await" in {part.kind.removesuffix("_expression"), *(child.kind for child in part.children)}
        and part.within(*FUNCTIONS[code.language]) is None
        for part in code.parts
    )
    opening = ";(async () => { " if awaits else ";(() => { "
    end = rest[-1].end
    return code.edited([(rest[0].start, rest[0].start, opening), (end, end, " })();")])


# -- order ---------------------------------------------------------------------------------------------------


def reverse_functions(text: str, setting: Setting) -> Changed:
    """Functions that follow each other in a class or a file change places, with the comments above them."""
    code = code_of(text, setting)
    order = list(range(1, len(code.lines) + 1))
    for container in code.of_kind(*_CONTAINERS):
        if any(part.kind in _CONTAINERS for part in container.above if part.kind != "program"):
            if container.within("class_body", "enum_class_body") is not None:
                continue  # lines of an inner class move with the method or stay
        for run in _runs(code, container):
            moved = [line for first, last in reversed(run) for line in range(first, last + 1)]
            order[run[0][0] - 1 : run[0][0] - 1 + len(moved)] = moved
    return code.reordered(order)


def _runs(code: Code, container: Part) -> Iterator[list[tuple[int, int]]]:
    """Runs of neighbouring functions: the first line, with comments, and the last one of each."""
    run: list[tuple[int, int]] = []
    previous = 0
    for child in container.children:
        if child.kind in COMMENTS or (not child.named and child.kind in (";", ",")):
            continue
        first, last = code.first_line(child), code.last_line(child)
        inner = child
        if child.kind == "export_statement" and (declaration := child.get("declaration")) is not None:
            inner = declaration
        if inner.kind in _MEMBERS and previous and previous < first:
            run.append((previous + 1, last))
        else:
            if len(run) > 1:
                yield run
            run = []
        previous = last
    if len(run) > 1:
        yield run
