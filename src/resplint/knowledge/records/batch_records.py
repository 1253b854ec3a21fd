"""Records of batches: how a pipeline or transaction starts and ends."""

from __future__ import annotations

import msgspec

from resplint.knowledge.records.base_records import Kind, Record


class PlainModel(Record, frozen=True):
    """How a batch is made and sent without a transaction, by names that take the place of those in the code."""

    method: str = ""
    """The method that starts it instead; empty: the same."""
    execute: dict[str, str] = msgspec.field(default_factory=dict)
    """Method that sends it -> the one that sends it instead. A batch that is sent in another way is left alone; empty:
    all stay as they are."""
    unread: bool = False
    """Whether the other way to send gives no replies, so that nobody may read them."""
    quiet: bool = False
    """Whether sending it the other way succeeds although commands failed. Their errors are among the replies then, and
    only code that looks at every reply may be changed."""
    error_index: int = -1
    """Where the error stands in a reply (``[error, value]``), -1 where reading the reply raises it."""
    types: dict[str, str] = msgspec.field(default_factory=dict)
    """Declared type of the batch -> the one that it becomes."""


class PipelineModel(Record, frozen=True):
    """How a batch starts and ends. `transaction_default` holds when the parameter is absent."""

    method: str
    on: tuple[Kind, ...]
    makes: str
    parameter: str = ""
    index: int = -1
    transaction_default: bool = True
    execute: tuple[str, ...] = ("execute",)
    watch: tuple[str, ...] = ("watch",)
    begin: tuple[str, ...] = ("multi",)
    discard: tuple[str, ...] = ("reset", "discard")
    execute_plain: tuple[str, ...] = ()
    """Methods that send the batch without a transaction, whatever it was started as (``execAsPipeline``)."""
    plain_index: int = -1
    """Positional index of an argument of `execute` that does the same when it is true (``exec(true)``)."""
    modal: bool = False
    """Whether the call switches its own receiver: commands sent through it afterwards are queued until `execute`."""
    modal_parameter: str = ""
    """Entry of an object literal among the arguments that makes the call modal when it is false (``multi({ pipeline:
    false })``)."""
    watch_client: bool = False
    """Whether `watch` are methods of the object that starts the batch, called before it does."""
    data_index: int = -1
    """Positional index of a list of commands as data: ``multi([['get', key], …])``."""
    of: tuple[str, ...] = ()
    """Types it is a method of; empty: of every type whose kind is in `on`."""
    shape: tuple[str, ...] = ()
    constructors: tuple[str, ...] = ()
    """Constructors that make the batch without a client (``new Batch(true)``): their arguments say what it is, and a
    method of `execute` that is given the batch sends it (``client.exec(batch)``)."""
    setters: tuple[str, ...] = ()
    """Methods of a `config` object among the arguments whose argument says whether it is a transaction."""
    advice: str = ""
    """What to write instead of a transaction, for the message, with names of code between backticks: "`pipelined()`".
    Empty: set `parameter` to false."""
    plain: PlainModel | None = None
    """What makes the same batch one without a transaction, where that is mechanical; where there is a `parameter`,
    setting it to false does."""
    versions: str = ""
    source: str = ""
