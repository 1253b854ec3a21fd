"""How often something happens: the answer that `frequency` and its parts give."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.link.values import Ref


@dataclass(frozen=True, slots=True)
class Runs:
    """An answer. `kind` is once, operation or unknown; `why` is a phrase for a message, `steps` the places that show
    it.

    `certain` is false for a helper whose callers nobody sees.
    """

    kind: str
    why: str = ""
    steps: tuple[tuple[Ref, str], ...] = ()
    certain: bool = True

    def after(self, ref: Ref, message: str) -> Runs:
        """The same answer, with one more step in front."""
        return Runs(self.kind, self.why, ((ref, message), *self.steps), self.certain)
