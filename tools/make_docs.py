"""Write what is generated from the rule book, the knowledge, the configuration and the command line: `make_docs.py`.

The files are kept in the repository, and a test compares them. It prints what it changes. `--check` writes nothing and
exits with 1 if something would change.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docs_pages import generated

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    arguments = parser.parse_args()
    files = generated.files(ROOT)
    different = [path for path, text in files.items() if _read(ROOT / path) != text]
    stale = generated.stale(ROOT)
    for path in (*different, *stale):
        print(path)
        if not arguments.check:
            _put(ROOT / path, files.get(path))
    return int(arguments.check and bool(different or stale))


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def _put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
