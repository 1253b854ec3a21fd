"""Fixes in a SARIF file, as editors offer them: replacements by file."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from resplint.contracts.findings import FixSafety, LocatedEdit, LocatedFix
from resplint.output.escape import is_unicode
from resplint.output.sarif_limits import MAX_FIX, Cuts
from resplint.output.sarif_places import artifact, region_of

_Object = dict[str, Any]

# The standard has no word for safety; who applies a fix by a click reads the description before.
_REMARKS = {
    FixSafety.SAFE: "",
    FixSafety.UNSAFE: " It may change what the program does: look at it first.",
    FixSafety.DISPLAY: " It is a proposal: check it by hand.",
}


def fixes(fix: LocatedFix, cuts: Cuts) -> list[_Object]:
    """The only `fix` of a result; empty, and counted, if it is too large or a reader could not decode it."""
    texts = [edit.text for edit in fix.edits]
    if not texts or not all(map(is_unicode, texts)) or sum(map(len, texts)) > MAX_FIX:
        cuts.fixes += 1
        return []
    by_file = groupby(sorted(fix.edits), key=lambda edit: edit.path)
    changes = [
        {"artifactLocation": artifact(path), "replacements": [_replacement(edit) for edit in edits]}
        for path, edits in by_file
    ]
    title = fix.title.strip() or "Apply the remedy"
    return [
        {
            "description": {"text": cuts.sentence(title) + _REMARKS[fix.safety]},
            "artifactChanges": changes,
            "properties": {"safety": fix.safety.value},
        }
    ]


def _replacement(edit: LocatedEdit) -> _Object:
    # The text is exact, control characters and all: it is to be inserted, not to be shown.
    inserted = {"insertedContent": {"text": edit.text}} if edit.text else {}
    return {"deletedRegion": region_of(edit.region), **inserted}
