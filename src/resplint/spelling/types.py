"""Changes of declared types and of imports."""

from __future__ import annotations

from resplint.bind.values import External
from resplint.contracts import facts
from resplint.contracts.facts import NONE, Import
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import DeclareInstead
from resplint.flow.graph import Graph
from resplint.spelling.calls import rename
from resplint.spelling.files import NotExpressible, SourceFile


def declare_instead(ev: Graph, file: SourceFile, change: DeclareInstead) -> list[Edit]:
    """Another type in the declaration of the variable that a call's value is bound to."""
    edits: list[Edit] = []
    for binding in file.index.bound_to.get(change.call[1], ()):
        if binding.annotation == NONE:
            continue
        annotation = file.facts.exprs[binding.annotation]
        known = {
            value.dotted for value in ev.values(file.index.number, binding.annotation) if isinstance(value, External)
        }
        instead = next((new for old, new in change.types if known == {old}), None)
        if instead is None or not isinstance(annotation, facts.Name):
            raise NotExpressible("declared in another way")
        module, _, name = instead.rpartition(".")
        edits.append(rename(file, binding.annotation, name))
        edits += imported(file, module, name, annotation.name)
    return edits


def imported(file: SourceFile, module: str, name: str, instead_of: str = "") -> list[Edit]:
    """Edits that import a name, none if it is imported. Where `instead_of` was used in one place only, its import from
    the same module becomes the new one.
    """
    own = [item for item in file.facts.imports if item.scope == 0]
    if any(item.module == module and item.name in (name, "*") and item.alias in (name, "*") for item in own):
        return []
    if any(item.alias == name for item in own) or (0, name) in file.index.bindings:
        raise NotExpressible("the name is taken")
    same = [item for item in own if item.module == module and item.name and not item.level and item.end != NONE]
    old = next((item for item in same if item.name == item.alias == instead_of), None)
    if old is not None and _uses(file, instead_of) == 1:
        return [_renamed(file, old, name)]
    if not same or not file.spelling.import_name:
        raise NotExpressible("nothing is imported from the same module")
    last = max(same, key=lambda item: item.end)
    later = _later(same, name)
    if later is not None:
        return [_before(file, later, module, name)]
    if file.spelling.import_more:
        return [file.edit(last.end, last.end, _one_more(file, last, name))]
    end = file.line_end(last.end)
    statement = file.spelling.import_name.format(module=module, name=name)
    return [file.edit(end, end, f"{file.newline(last.start)}{file.indent(last.start)}{statement}")]


def _later(same: list[Import], name: str) -> Import | None:
    """Where names are sorted, the one that the new name comes before; None if it comes last, or they are not."""
    ordered = sorted(same, key=lambda item: item.end)
    names = [item.name for item in ordered]
    if names != sorted(names) or any(item.alias != item.name for item in same):
        return None
    return next((item for item in ordered if item.name > name), None)


def _before(file: SourceFile, item: Import, module: str, name: str) -> Edit:
    """An import before another one, in its form."""
    more = file.spelling.import_more.format(name=name)
    if not more:
        start = file.line_start(item.start)
        statement = file.spelling.import_name.format(module=module, name=name)
        return file.edit(start, start, f"{file.indent(start)}{statement}{file.newline(start)}")
    start = item.end - len(item.name.encode())
    mark, _, rest = more.partition(name)
    alone = not file.text(file.line_start(start), start).strip()
    gap = f"{file.newline(start)}{file.indent(start)}" if alone else mark[len(mark.rstrip()) :]
    return file.edit(start, start, f"{name}{rest}{mark.rstrip()}{gap}")


def _one_more(file: SourceFile, last: Import, name: str) -> str:
    """A name more behind the last one, on a line of its own if that has one."""
    more = file.spelling.import_more.format(name=name)
    written = last.name if last.alias == last.name else ""
    if not written or file.text(file.line_start(last.end), last.end).strip() != written:
        return more
    mark, _, rest = more.partition(name)
    return f"{mark.rstrip()}{file.newline(last.end)}{file.indent(last.end)}{name}{rest}"


def _uses(file: SourceFile, name: str) -> int:
    """How often a name stands in the code of a file."""
    return sum(isinstance(expr, facts.Name) and expr.name == name for expr in file.facts.exprs)


def _renamed(file: SourceFile, item: Import, name: str) -> Edit:
    text = file.text(item.start, item.end)
    at = text.rfind(item.name)
    if at < 0:
        raise NotExpressible("the import is written in another way")
    start = item.start + len(text[:at].encode())
    return file.edit(start, start + len(item.name.encode()), name)
