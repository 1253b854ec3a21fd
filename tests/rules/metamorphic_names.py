"""Which names a Java, Kotlin, JavaScript or TypeScript file declares, where they hold, and where they are mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tests.rules.metamorphic import Edit
from tests.rules.metamorphic_code import FUNCTIONS, Code, Part

LOCAL = "local"
IMPORTED = "imported"
FIXED = "fixed"
"""Must keep its name: a member, a function, a class, something exported by name."""

_SCRIPTS = ("javascript", "typescript")
_BLOCKS = frozenset(
    {"block", "constructor_body", "statement_block", "for_statement", "for_in_statement", "enhanced_for_statement"}
    | {"catch_clause", "catch_block", "try_with_resources_statement", "switch_block_statement_group", "switch_rule"}
    | {"switch_body", "when_expression", "function_body", "program", "source_file"}
).union(*FUNCTIONS.values())
_HOLE = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Declaration:
    """A name and the characters among which it means this."""

    name: str
    kind: str
    part: Part
    start: int
    end: int

    def holds(self, offset: int) -> bool:
        return self.start <= offset < self.end


@dataclass(frozen=True)
class Mention:
    """A place where a name stands for a variable or a class."""

    name: str
    start: int
    end: int
    form: str = ""

    def renamed(self, new: str) -> Edit:
        """The edit that gives the variable another name and leaves those of members and exports alone."""
        texts = {"": new, "pair": f"{self.name}: {new}", "exported": f"{new} as {self.name}"}
        texts["imported"] = f"{self.name} as {new}"
        return self.start, self.end, texts[self.form]


@lru_cache(maxsize=64)
def mentions(code: Code) -> list[Mention]:
    """All mentions of variables and classes, their declarations too."""
    find = {"java": _java_mention, "kotlin": _kotlin_mention}.get(code.language, _script_mention)
    found = []
    for part in code.parts:
        if part.kind.endswith("identifier") or part.kind.startswith("shorthand_property"):
            form = find(part)
            if form is not None:
                found.append(Mention(code.code(part), part.start, part.end, form))
        elif code.language == "kotlin" and part.kind.endswith("string_literal"):
            holes = _HOLE.finditer(code.text, part.start, part.end)
            inner = {child.start for child in part.walk if child.kind == "identifier"}
            found += [Mention(hole[1], *hole.span(1)) for hole in holes if hole.start(1) not in inner]
    return found


def _script_mention(part: Part) -> str | None:
    if part.kind.startswith("shorthand_property"):
        return "pair"
    if part.kind not in ("identifier", "type_identifier") or part.parent is None:
        return None
    if part.parent.kind in ("export_specifier", "import_specifier") and part.field == "name":
        has_alias = part.parent.get("alias") is not None
        if part.parent.kind == "export_specifier":
            statement = part.within("export_statement")
            return None if statement is None or statement.get("source") else "" if has_alias else "exported"
        return None if has_alias else "imported"
    return None if part.parent.kind == "export_specifier" or part.field == "namespace" else ""


_JAVA_NAMES = {
    "method_invocation": "name",
    "field_access": "field",
    "element_value_pair": "key",
    "method_declaration": "name",
    "constructor_declaration": "name",
    "class_declaration": "name",
    "interface_declaration": "name",
    "enum_declaration": "name",
    "record_declaration": "name",
    "enum_constant": "name",
}
_JAVA_NO_NAMES = frozenset(
    {"labeled_statement", "break_statement", "continue_statement", "scoped_identifier", "package_declaration"}
    | {"import_declaration"}
)


def _java_mention(part: Part) -> str | None:
    parent = part.parent
    if part.kind not in ("identifier", "type_identifier") or parent is None:
        return None
    if parent.kind in _JAVA_NO_NAMES or _JAVA_NAMES.get(parent.kind, "none") == part.field:
        return None
    if parent.kind == "field_access" and part.field == "field":
        return None
    if parent.kind in ("method_reference", "scoped_type_identifier") and parent.children[0] is not part:
        return None
    return "" if parent.kind != "marker_annotation" else None


_KOTLIN_NO_NAMES = frozenset(
    {"qualified_identifier", "import", "enum_entry", "type_parameter", "package_header", "label", "simple_identifier"}
    | {"labeled_expression"}
)


def _kotlin_mention(part: Part) -> str | None:
    parent = part.parent
    if part.kind != "identifier" or parent is None or parent.kind in _KOTLIN_NO_NAMES:
        return None
    if part.field in ("name", "label"):
        return None
    position = next(index for index, child in enumerate(parent.children) if child is part)
    if parent.kind in ("navigation_expression", "user_type") and position:
        return None
    if parent.kind == "callable_reference" and parent.children[0] is not part and len(parent.children) > 2:
        return None
    if parent.kind == "infix_expression" and position == 1:
        return None
    is_label = parent.kind == "value_argument" and len(parent.children) > 1 and parent.children[1].kind == "="
    return None if is_label and position == 0 else ""


# -- declarations --------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def declarations(code: Code) -> list[Declaration]:
    """What the file declares; members and functions too, as `FIXED` ones."""
    find = {"java": _java_declarations, "kotlin": _kotlin_declarations}.get(code.language, _script_declarations)
    return list(find(code))


def _region(part: Part, *, from_here: bool = False, kinds: frozenset[str] = _BLOCKS) -> tuple[int, int]:
    block = next(each for each in part.above if each.kind in kinds or each.parent is None)
    return (part.start if from_here else block.start, block.end)


def _script_declarations(code: Code) -> Iterator[Declaration]:
    functions = FUNCTIONS[code.language] | {"program"}
    for part in code.parts:
        name = part.get("name")
        if part.kind == "variable_declarator" and name is not None:
            statement = part.parent
            assert statement is not None
            is_exported = statement.parent is not None and statement.parent.kind == "export_statement"
            kinds = functions if statement.kind == "variable_declaration" else _BLOCKS
            kind = FIXED if is_exported else IMPORTED if required_module(code, part) is not None else LOCAL
            yield from _bound(code, name, kind, _region(part, kinds=kinds))
        elif part.kind == "formal_parameters" and part.parent is not None:
            for parameter in part.named_children:
                modifiers = {"accessibility_modifier", "override_modifier", "readonly"}
                is_member = any(child.kind in modifiers for child in parameter.children)
                span = (part.parent.start, part.parent.end)
                yield from _bound(code, parameter, FIXED if is_member else LOCAL, span)
        elif part.kind in ("arrow_function", "catch_clause") and (only := part.get("parameter")) is not None:
            yield from _bound(code, only, LOCAL, (part.start, part.end))
        elif part.kind == "for_in_statement" and part.get("kind") and (left := part.get("left")) is not None:
            yield from _bound(code, left, LOCAL, (part.start, part.end))
        elif part.kind in ("import_clause", "named_imports", "namespace_import", "import_require_clause"):
            for child in part.children:
                bound = child.get("alias") or child.get("name") if child.kind == "import_specifier" else child
                if bound is not None and bound.kind == "identifier":
                    yield Declaration(code.code(bound), IMPORTED, bound, 0, len(code.text))
        elif name is not None and part.kind.endswith(("declaration", "class", "function", "expression", "module")):
            yield Declaration(code.code(name), FIXED, name, *_region(part))


def _bound(code: Code, pattern: Part, kind: str, span: tuple[int, int]) -> Iterator[Declaration]:
    """The names that a pattern binds."""
    waiting = [pattern]
    while waiting:
        part = waiting.pop()
        if part.kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield Declaration(code.code(part), kind, part, *span)
            continue
        leave_out = {"key"} if part.kind == "pair_pattern" else {"right", "type", "value", "decorator"}
        waiting += [child for child in part.named_children if child.field not in leave_out]


def required_module(code: Code, part: Part) -> str | None:
    """The module that a declarator gets from `require`."""
    match = re.fullmatch(r"require\((['\"])(.+)\1\)", code.code(value)) if (value := part.get("value")) else None
    return match[2] if match else None


_JAVA_PARAMETERS = frozenset({"formal_parameters", "inferred_parameters"})


def _java_declarations(code: Code) -> Iterator[Declaration]:
    for part in code.of_kind("identifier", "type_identifier"):
        parent = part.parent
        assert parent is not None
        above = parent.parent
        name = code.code(part)
        if parent.kind == "variable_declarator" and part.field == "name" and above is not None:
            if above.kind == "spread_parameter":
                yield Declaration(name, LOCAL, part, *_region(part))
            else:
                kind = LOCAL if above.kind == "local_variable_declaration" else FIXED
                yield Declaration(name, kind, part, *_region(part, from_here=True))
        elif parent.kind == "formal_parameter" and part.field == "name" and above is not None:
            kind = FIXED if above.parent is not None and above.parent.kind == "record_declaration" else LOCAL
            yield Declaration(name, kind, part, *_region(part))
        elif parent.kind in ("enum_constant", "class_declaration", "enum_declaration", "interface_declaration"):
            if part.field == "name":
                yield Declaration(name, FIXED, part, 0, len(code.text))
        elif _java_local(part, parent):
            yield Declaration(name, LOCAL, part, *_region(part))


def _java_local(part: Part, parent: Part) -> bool:
    if parent.kind in ("catch_formal_parameter", "resource", "enhanced_for_statement", "instanceof_expression"):
        return part.field == "name"
    if parent.kind == "lambda_expression":
        return part.field == "parameters"
    return parent.kind == "inferred_parameters" or (parent.kind == "type_pattern" and part.kind == "identifier")


def _kotlin_declarations(code: Code) -> Iterator[Declaration]:
    members = ("class_body", "source_file", "enum_class_body")
    for part in code.of_kind("identifier"):
        parent = part.parent
        assert parent is not None
        above = parent.parent
        name = code.code(part)
        if parent.kind == "variable_declaration" and above is not None:
            outer = above.parent if above.kind == "multi_variable_declaration" else above
            is_member = outer is not None and outer.parent is not None and outer.parent.kind in members
            is_lambda = "lambda_parameters" in {above.kind, outer.kind if outer else ""}
            yield Declaration(name, FIXED if is_member else LOCAL, part, *_region(part, from_here=not is_lambda))
        elif parent.kind == "parameter" and above is not None and above.kind == "function_value_parameters":
            yield Declaration(name, LOCAL, part, *_region(part))
        elif parent.kind == "class_parameter" and not part.field and parent.named_children[0].kind != "user_type":
            yield Declaration(name, FIXED, part, *_region(part, kinds=frozenset({"class_declaration"})))
        elif parent.kind == "catch_block":
            yield Declaration(name, LOCAL, part, parent.start, parent.end)
        elif parent.kind in ("function_declaration", "class_declaration", "object_declaration", "enum_entry"):
            yield Declaration(name, FIXED, part, 0, len(code.text))


# -- renaming ------------------------------------------------------------------------------------------------


def renaming(code: Code, name: str, declared: Iterable[Declaration], new: str) -> list[Edit]:
    """Edits that rename some variables of one name wherever they are mentioned."""
    chosen = list(declared)
    return [
        mention.renamed(new)
        for mention in mentions(code)
        if mention.name == name and any(each.holds(mention.start) for each in chosen)
    ]


def fresh(code: Code, prefix: str) -> Iterator[str]:
    """Names that the file does not have yet."""
    taken = set(re.findall(r"\w+", code.text))
    return (name for name in (f"{prefix}{number}" for number in range(1, 10_000)) if name not in taken)
