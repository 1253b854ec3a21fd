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

_WITH_MODIFIER = frozenset(
    {"field_declaration", "property_declaration", "class_parameter", "public_field_definition", "required_parameter"}
)
_DECLARATORS = ("variable_declarator", "variable_declaration")
_MEMBERS = ("member_expression", "field_access", "navigation_expression")


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
        kept = setting.labels if setting.language in ("java", "kotlin") else setting.foreign
        if places is None or others or quoted or field in kept or len(declared) > 1:
            continue
        new = ("#" if field.startswith("#") else "") + next(names)
        changed = {(part.start, part.end): new for part in [*places, *declared]}
        plain = [] if field.startswith("#") else [each for each in mentions(code) if each.name == field]
        edits += [(*span, new) for span in changed]
        edits += [each.renamed(new) for each in plain if (each.start, each.end) not in changed]
    if not edits:
        return unchanged(code_of(text, setting))
    return code.edited(edits)


def _fields(code: Code) -> Iterator[Part]:
    """The names of fields that only their class can see, where they are declared."""
    assigned: set[str] = set()
    for part in code.parts:
        name = _field(part) if part.kind not in _WITH_MODIFIER or _is_private(code, part) else None
        is_assigned = part.kind == "assignment_expression"
        if is_assigned and code.language == "javascript" and (left := part.get("left")) is not None:
            name = left.get("property") if code.code(left).startswith("this.") else None
        if name is not None and not (is_assigned and code.code(name) in assigned):
            assigned.add(code.code(name))
            yield name


def _field(part: Part) -> Part | None:
    """The name of the field that a part declares."""
    if part.kind == "class_parameter":
        return next((child for child in part.children if child.kind == "identifier"), None)
    if part.kind in ("field_declaration", "property_declaration"):
        is_member = part.parent is not None and part.parent.kind in ("class_body", "source_file")
        holder = next((child for child in part.children if child.kind in _DECLARATORS), None)
        return holder.children[0] if is_member and holder is not None else None
    if part.kind in ("public_field_definition", "field_definition", "required_parameter"):
        name = part.get("name") or part.get("property") or part.get("pattern")
        return name if name is not None and name.kind.endswith("identifier") else None
    return None


def _is_private(code: Code, part: Part) -> bool:
    modifiers = (child for child in part.children if child.kind in ("modifiers", "accessibility_modifier"))
    return any(re.search(r"\bprivate\b", code.code(child)) for child in modifiers)


def _places(code: Code, field: str) -> list[Part] | None:
    """Where a field is read from `this`; None if something else has a member of that name, too."""
    found = []
    for part in code.parts:
        if not part.kind.endswith("identifier") or part.parent is None or code.code(part) != field:
            continue
        owner = part.parent.children[0]
        if part.kind == "private_property_identifier":
            found.append(part)
        elif part.parent.kind in _MEMBERS and owner is not part:
            if code.code(owner) != "this":
                return None
            found.append(part)
        elif part.kind == "property_identifier" and "field_definition" not in part.parent.kind:
            return None
    return found
