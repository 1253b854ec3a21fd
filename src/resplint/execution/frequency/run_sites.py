"""How often something happens: the answer that `frequency` and its parts give."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.bind.values import Ref


@dataclass(frozen=True, slots=True)
class Runs:
    """An answer. `kind` is once, operation or unknown; `why` is a phrase for a message, `steps` the places that show
    it.

    `certain` is false for a helper whose callers nobody sees; `called` is false for a function that nothing calls and
    that works with nothing it is given, as one does that others are to use.
    """

    kind: str
    why: str = ""
    steps: tuple[tuple[Ref, str], ...] = ()
    certain: bool = True
    called: bool = True

    def after(self, ref: Ref, message: str) -> Runs:
        """The same answer, with one more step in front."""
        return Runs(self.kind, self.why, ((ref, message), *self.steps), self.certain, self.called)


class Answers:
    """What was found during one question. From further up the callers nothing is seen that was not seen from nearer by.

    Without it, functions that all call each other would be asked by every way that leads through them.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, Ref], tuple[int, Runs]] = {}

    def forget(self) -> None:
        """Begin another question."""
        self._known.clear()

    def known(self, kind: str, place: Ref, depth: int) -> Runs | None:
        """The answer about a place, if it was asked from this depth or from nearer by."""
        found = self._known.get((kind, place))
        return found[1] if found is not None and found[0] <= depth else None

    def keep(self, kind: str, place: Ref, depth: int, runs: Runs) -> Runs:
        """The answer, which is remembered unless it ends the question anyway."""
        if runs.kind != "operation":
            self._known[kind, place] = (depth, runs)
        return runs
