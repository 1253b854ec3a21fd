"""Fetch source distributions with pip and unpack them: `fetch_sdist.py --into FOLDER NAME==VERSION …`.

Each goes to FOLDER/NAME-VERSION; one that is there already is left alone. pip is asked, and not the index directly, so
that whatever index, proxy or mirror pip is configured for is used. Only plain files are unpacked, and none outside the
folder.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, metavar="FOLDER", help="where the unpacked packages go")
    parser.add_argument("requirements", nargs="+", metavar="NAME==VERSION", help="what to fetch")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    for requirement in arguments.requirements:
        name, separator, version = requirement.partition("==")
        if not separator:
            parser.error(f"{requirement}: a fixed version is needed, such as {name}==1.0")
        target = arguments.into / f"{name}-{version}"
        if target.is_dir():
            continue
        print(f"Fetching the source distribution of {name} {version}", flush=True)
        try:
            fetch(name, requirement, target)
        except (subprocess.CalledProcessError, OSError, tarfile.TarError, ValueError) as error:
            print(f"fetch_sdist: {requirement}: {error}", file=sys.stderr)
            return 1
    return 0


def fetch(name: str, requirement: str, target: Path) -> None:
    """Download one source distribution and unpack it to `target`, which appears only when it is complete."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as temporary:
        download, unpacked = Path(temporary, "download"), Path(temporary, "unpacked")
        # Only this package is wanted as source: with `:all:` pip would also build the build tools from theirs.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--no-binary", name, "--dest", str(download), requirement], check=True)
        (archive,) = download.glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, members=plain_files(tar))
        (top,) = unpacked.iterdir()
        top.rename(target)


def plain_files(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Members that are regular files below the folder they are unpacked to, with ordinary permissions.

    The filter "data" of tarfile does the same, but Debian 12 has a Python 3.11 without it.
    """
    for member in archive:
        path = PurePosixPath(member.name)
        if member.isfile() and not path.is_absolute() and ".." not in path.parts:
            member.mode = 0o644
            yield member


if __name__ == "__main__":
    sys.exit(main())
