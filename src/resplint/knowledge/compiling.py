"""Writing knowledge in its quick form (see `compiled`)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from resplint.knowledge import files, load
from resplint.knowledge.book import example_paths
from resplint.knowledge.compiled import Compiled, Stamp, compiled_path, sections, stamp

_FORM = ("knowledge", "contracts/findings.py")
"""What the form of the records depends on, in the package."""


def compiled(stamps: tuple[Stamp, ...] = ()) -> bytes:
    """The content of the file for the rules as they are. Raises `KnowledgeError`."""
    languages = sorted(path.parent.name for path in files.rules_dir().glob("*/profile.toml"))
    records: dict[str, object] = {
        "libraries": load.load_libraries(),
        "commands": load.load_commands(),
        "book": load.load_book(),
        "pages": load.load_pages(),
        "platforms": load.load_platforms(),
    }
    for language in languages:
        records[f"roles {language}"] = load.load_roles(language)
        records[f"spelling {language}"] = load.load_spelling(language)
    raw = {name: msgspec.Raw(msgspec.msgpack.encode(record)) for name, record in records.items()}
    return msgspec.msgpack.encode(Compiled(stamps, raw))


@cache
def refresh() -> None:
    """Write the file of a source checkout if it does not hold any more. Whether that succeeds makes no difference but
    to the time of later scans.
    """
    path, in_wheel = compiled_path()
    if in_wheel or sections():
        return
    with contextlib.suppress(OSError):
        # Looked at first: what changes while the file is made makes it worthless.
        stamps = tuple(stamp(str(each)) for each in sorted(_sources()))
        content = compiled(stamps)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        staged = f"{path}.{os.getpid()}"
        with open(staged, "wb") as stream:
            stream.write(content)
        os.replace(staged, path)
        sections.cache_clear()


def _sources() -> Iterator[Path]:
    """Files and folders that the records were made from, and the code that gives them their form."""
    rules = files.rules_dir()
    yield from (rules, *rules.rglob("*"))
    yield from example_paths()
    for name in _FORM:
        place = Path(files.PACKAGE, name)
        yield from place.glob("*.py") if place.is_dir() else [place]
