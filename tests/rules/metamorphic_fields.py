"""New names for what only one class knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.rules.metamorphic import Changed, Edit, Setting
from tests.rules.metamorphic_code import Code, Part, code_of, unchanged
from tests.rules.metamorphic_names import declarations, fresh, mentions
from tests.rules.metamorphic_renames import rename_locals

_BY_NAME = ("lombok", "ConfigurationProperties")
"""What looks at the names of fields."""


def rename_fields(text: str, setting: Setting) -> Changed:
    """Private fields become f1, f2, …; so do those that a script reads from `this` alone.

    First the variables of functions get other names, so that no variable hides a field.
    """
    code = code_of(rename_locals(text, setting).text, setting)
    if any(word in text for word in _BY_NAME):
        return unchanged(code_of(text, setting))
    names = fresh(code, "f")
    edits: list[Edit] = []
    fields = list(_fields(code))
    for field in dict.fromkeys(code.code(part) for part in fields):
        places = _places(code, field)
        declared = [part for part in fields if code.code(part) == field]
        others = [each for each in declarations(code) if each.name == field and each.part not in declared]
        quoted = re.search(rf"(['\"]){re.escape(field)}\1", text)
        if places is not None and not others and not quoted and field not in setting.foreign and len(declared) == 1:
            new = next(names)
            edits += {(part.start, part.end, new) for part in [*places, *declared]}
            taken = {(start, end) for start, end, _ in edits}
            edits += [
                each.renamed(new)
                for each in mentions(code)
                if each.name == field and not field.startswith("#") and (each.start, each.end) not in taken
            ]
    if not edits:
        return unchanged(code_of(text, setting))
    return code.edited(edits)


def _fields(code: Code) -> Iterator[Part]:
    """The names of fields that only their class can see, where they are declared."""
    assigned: set[str] = set()
    for part in code.parts:
        if part.kind == "private_property_identifier" and part.field in ("name", "property"):
            if part.parent is not None and part.parent.kind in ("field_definition", "public_field_definition"):
                yield part
        elif part.kind == "field_declaration" and _is_private(code, part):
            yield from (name for each in part.children if (name := each.get("name")) and each.field == "declarator")
        elif part.kind in ("property_declaration", "class_parameter") and _is_private(code, part):
            found = [each for each in part.walk if each.kind == "identifier"]
            yield from found[: part.kind == "class_parameter" or part.parent is None or "body" in part.parent.kind]
        elif part.kind in ("public_field_definition", "required_parameter") and _is_private(code, part):
            name = part.get("name") or part.get("pattern")
            if name is not None and name.kind in ("property_identifier", "identifier"):
                yield name
        elif code.language == "javascript" and part.kind == "assignment_expression":
            left = part.get("left")
            name = left.get("property") if left is not None and left.kind == "member_expression" else None
            if name is not None and code.text[left.start : name.start] == "this." and left is not None:
                if code.code(name) not in assigned:
                    assigned.add(code.code(name))
                    yield name


def _is_private(code: Code, part: Part) -> bool:
    modifiers = (child for child in part.children if child.kind in ("modifiers", "accessibility_modifier"))
    return any(re.search(r"\bprivate\b", code.code(child)) for child in modifiers)


def _places(code: Code, field: str) -> list[Part] | None:
    """Where a field is read from `this`; None if something else has a member of that name, too."""
    found = []
    for part in code.parts:
        if not part.kind.endswith("identifier") or part.parent is None or code.code(part) != field:
            continue
        parent = part.parent
        owner = parent.children[0]
        if parent.kind in ("member_expression", "field_access", "navigation_expression") and owner is not part:
            if code.code(owner) != "this":
                return None
            found.append(part)
        elif part.kind == "private_property_identifier":
            return None
        elif part.kind == "property_identifier" and parent.kind != "public_field_definition":
            return None
        elif part.field == "name" and parent.kind.endswith(("method_declaration", "method_invocation")):
            continue  # methods have names of their own
    return found
