"""Records: what code takes and has to give back, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from resplint.bind.values import LibraryObject, Ref
from resplint.execution.frequency.run_sites import Runs
from resplint.execution.lifetimes.exit_states import Exit
from resplint.knowledge.records.client_records import ClientLibrary


@dataclass(frozen=True, slots=True)
class Taken:
    """A place where something is taken: `ref` is where the code around gets it, `origin` where it comes from. What is
    `lent` belongs to a pool. `through` are the calls of functions that returned it, the innermost first.
    """

    ref: Ref
    value: LibraryObject
    lent: bool
    origin: Ref
    library: ClientLibrary
    """Of the pool that lends it, else its own."""
    through: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of it: why nothing is owed (`excuse`), or the ways out on which it is still held. `gives` are the
    calls that give it back, `runs` says how often it is taken.
    """

    taken: Taken
    exits: tuple[Exit, ...] = ()
    gives: tuple[Ref, ...] = ()
    excuse: str = ""
    runs: Runs = field(default_factory=lambda: Runs("unknown"))
    with_program: bool = False
    """Whether the program ends with the function that takes it."""
    listens: bool = False
    """Whether it listens to messages, for as long as that goes on."""
    held: bool = False
    """Whether an object that is made for one use has it in a field."""

    uses: tuple[Ref, ...] = ()
    """Calls that work with it in the function that takes it."""

    @property
    def is_dropped(self) -> bool:
        """Whether a field or name loses it while it goes on connecting."""
        return bool(self.exits) and all(one.way in ("renewed", "dropped") for one in self.exits)

    @property
    def only_fails(self) -> bool:
        """Whether it is given back unless something fails."""
        return bool(self.exits) and all(one.way in ("raise", "stop") for one in self.exits)
