"""`python -m resplint`: the command line without the script that pip installs for it."""

from __future__ import annotations

from resplint.cli import main

if __name__ == "__main__":
    main()
