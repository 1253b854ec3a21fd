"""Print the files below a folder that resplint parses, by absolute path: `selected.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from resplint.config.loading import Config
from resplint.scan import ScanRequest, link


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    linked = link(ScanRequest([str(root)], Config(rules={}), root))
    for path in sorted(linked.selected | linked.state.facts.keys()):
        print(root / path)


if __name__ == "__main__":
    main()
