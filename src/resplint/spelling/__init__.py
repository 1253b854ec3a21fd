"""From remedies to fixes: changes in words of the model become edits of source text.

How a language writes things down is data (``rules/<language>/spelling.toml``), and so is what a client library calls
the better way (``rules/clients``); this package only puts both together at the right place. Whatever cannot be
written down with certainty is no fix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from resplint.contracts.findings import Edit, Fix, FixSafety
from resplint.contracts.remedy import (
    CallInstead,
    Change,
    DeclareInstead,
    Drop,
    GrowInstead,
    MakeInstead,
    Parameterise,
    Remedy,
    ReplaceCode,
    ReplaceValue,
    SetOption,
)
from resplint.knowledge.load import load_spelling
from resplint.model.project import Project
from resplint.spelling import calls, policies, scripts, statements, types
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.remarks import keep_true

Reader = Callable[[str], bytes | None]
"""The normalised text of a file, given its path; None when it cannot be read any more."""


class Speller:
    """Spells the remedies of one project."""

    def __init__(self, project: Project, read: Reader) -> None:
        self._project = project
        self._read = read
        self._files: dict[int, SourceFile] = {}

    def fix(self, remedy: Remedy) -> Fix | None:
        """The remedy as edits of one file, None when it cannot be written down."""
        try:
            constants = {one: self.constant(one) for one in remedy.changes if isinstance(one, Parameterise)}
            edits = sorted({edit for change in remedy.changes for edit in self._edits(change, constants)})
        except NotExpressible:
            return None
        if not edits or _collide(edits) or len({edit.place.path for edit in edits}) != 1:
            return None
        safe = remedy.safe and all(constant.keeps for constant in constants.values())
        return Fix(remedy.title, FixSafety.SAFE if safe else FixSafety.UNSAFE, tuple(edits))

    def constant(self, change: Parameterise) -> scripts.Constant:
        """What becomes of a script's text. Raises `NotExpressible` when it cannot be made constant."""
        return scripts.constant_of(self._project.ev, self._file(change.call[0]), change)

    def _edits(self, change: Change, constants: Mapping[Parameterise, scripts.Constant]) -> list[Edit]:
        if isinstance(change, ReplaceValue | ReplaceCode | GrowInstead):
            keep_true(self._file(change.at[0]), change.at[1])
        if isinstance(change, MakeInstead):
            keep_true(self._file(change.call[0]), change.call[1])
        match change:
            case SetOption():
                return calls.set_option(self._file(change.call[0]), change)
            case ReplaceValue():
                return calls.replace_value(self._file(change.at[0]), change)
            case ReplaceCode():
                return calls.replace_code(self._file(change.at[0]), change)
            case CallInstead():
                return calls.call_instead(self._file(change.call[0]), change)
            case Drop():
                return statements.drop(self._file(change.call[0]), change)
            case DeclareInstead():
                return types.declare_instead(self._project.ev, self._file(change.call[0]), change)
            case MakeInstead():
                return policies.make_instead(self._file(change.call[0]), change)
            case GrowInstead():
                return policies.grow_instead(self._file(change.at[0]), change)
            case Parameterise():
                return scripts.parameterise(self._file(change.call[0]), constants[change])
        raise NotExpressible("not known")

    def _file(self, number: int) -> SourceFile:
        if number not in self._files:
            index = self._project.store.files[number]
            data = self._read(index.facts.path)
            if data is None:
                raise NotExpressible("the file is gone")
            self._files[number] = SourceFile(index, data, load_spelling(index.facts.language))
        return self._files[number]


def _collide(edits: Sequence[Edit]) -> bool:
    """Whether two edits of a sorted list touch the same text."""
    return any(
        one.place.path == other.place.path
        and (other.place.start < one.place.end or one.place.start == other.place.start)
        for one, other in pairwise(edits)
    )
