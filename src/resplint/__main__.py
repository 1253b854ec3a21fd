"""`python -m resplint`: the command line without the script that pip installs for it."""

import sys

# Python puts the current folder in front of what it searches for modules, and what is scanned may lie there: its
# `types.py` must not stand for that of Python, and nothing of it is ever run. Before any other import, even
# `__future__`.
if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

from resplint.cli import main

if __name__ == "__main__":
    main()
