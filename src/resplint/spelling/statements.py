"""Changes of whole statements."""

from __future__ import annotations

from resplint.contracts.findings import Edit
from resplint.contracts.remedy import Drop
from resplint.spelling.calls import call_of
from resplint.spelling.files import NotExpressible, SourceFile

_AROUND = ("", ";", "await", "await ;")
"""What may stand on the lines of a statement besides its call."""


def drop(file: SourceFile, change: Drop) -> list[Edit]:
    """A statement that has its lines for itself goes, and others of its block stay."""
    call = call_of(file, change.call[1])
    start, end = file.line_start(call.start), file.line_end(call.end)
    before, behind = file.text(start, call.start).strip(), file.text(call.end, end).strip()
    if f"{before} {behind}".strip() not in _AROUND:
        raise NotExpressible("something else stands on the line")
    block = file.facts.blocks[call.block]
    rest = file.text(block.start, start) + file.text(end, block.end)
    if not rest.strip("{} ;\t\r\n"):
        raise NotExpressible("nothing would be left of the block")
    behind_line = min(end + len(file.newline(call.start)), len(file.data))
    return [file.edit(start, behind_line, "")]
