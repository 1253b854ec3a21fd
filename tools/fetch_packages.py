"""Fetch and unpack the source of real packages: `fetch_packages.py --into FOLDER LIST`.

Each goes to FOLDER/NAME-VERSION, whose path is printed; one that is there already is left alone. LIST names packages of
PyPI, Maven Central and npm at fixed versions, with the SHA-256 of each file that is downloaded. Nothing of a package is
run by this script. PyPI is asked through pip, so that whatever index, proxy or mirror pip is configured for is used; a
mirror of the others is named by MAVEN_REPOSITORY and npm_config_registry.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

TIMEOUT = 60
MAX_DOWNLOAD = 20_000_000
MAX_UNPACKED = 100_000_000
REGISTRIES = {"maven": "https://repo1.maven.org/maven2", "npm": "https://registry.npmjs.org"}
VARIABLES = {"maven": "MAVEN_REPOSITORY", "npm": "npm_config_registry"}


class Package(NamedTuple):
    """A line of the list."""

    ecosystem: str
    name: str
    version: str
    hashes: tuple[str, ...]

    @property
    def folder(self) -> str:
        """`net.greghaines:jesque` -> jesque-2.2.0, `@keyv/redis` -> keyv-redis-5.1.6."""
        return f"{self.name.rpartition(':')[2].lstrip('@').replace('/', '-')}-{self.version}"


class FetchError(Exception):
    """One line that says what is wrong, for the user."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, metavar="FOLDER", help="where the unpacked packages go")
    parser.add_argument("list", type=Path, metavar="LIST", help="what to fetch, one package a line")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    try:
        for package in read_list(arguments.list.read_text("utf-8")):
            target = arguments.into / package.folder
            if not target.is_dir():
                print(f"Fetching {package.name} {package.version} ({package.ecosystem})", file=sys.stderr, flush=True)
                fetch(package, target)
            print(target, flush=True)
    except (FetchError, OSError) as error:
        print(f"fetch_packages: {error}", file=sys.stderr)
        return 1
    return 0


def read_list(text: str) -> list[Package]:
    """`ecosystem name version sha256…` by line; blank lines and those that begin with # say nothing."""
    packages = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        expected = 2 if words[0] == "maven" else 1
        if words[0] not in FETCHERS or len(words) != 3 + expected or any(len(each) != 64 for each in words[3:]):
            raise FetchError(f"line {number} of the list: expected ecosystem, name, version and {expected} SHA-256")
        packages.append(Package(words[0], words[1], words[2], tuple(words[3:])))
    return packages


def fetch(package: Package, target: Path) -> None:
    """Download one package and unpack it to `target`, which appears only when it is complete."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as temporary:
        downloads, unpacked = Path(temporary, "download"), Path(temporary, "unpacked")
        downloads.mkdir()
        unpacked.mkdir()
        try:
            FETCHERS[package.ecosystem](package, downloads, unpacked)
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise FetchError(f"{package.name} {package.version}: the archive is broken: {error}") from error
        tops = list(unpacked.iterdir())
        (tops[0] if len(tops) == 1 and tops[0].is_dir() else unpacked).rename(target)


# -- registries -----------------------------------------------------------------------------------------------------


def _from_pypi(package: Package, downloads: Path, unpacked: Path) -> None:
    wanted = downloads / "requirements.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.hashes[0]}\n", "utf-8")
    # Only this package is wanted as source: with `:all:` pip would also build the build tools from theirs.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", package.name, "--require-hashes", "--dest", str(downloads), "-r", str(wanted)]
    if subprocess.run(command, check=False).returncode:
        raise FetchError(f"{package.name} {package.version}: pip could not download it; its message is above")
    (archive,) = downloads.glob("*.tar.gz")
    unpack_tar(archive, unpacked)


def _from_maven(package: Package, downloads: Path, unpacked: Path) -> None:
    group, _, artifact = package.name.partition(":")
    base = f"{group.replace('.', '/')}/{artifact}/{package.version}/{artifact}-{package.version}"
    jar = download(package, f"{base}-sources.jar", package.hashes[0], downloads / "sources.jar")
    pom = download(package, f"{base}.pom", package.hashes[1], downloads / "pom.xml")
    unpack_zip(jar, unpacked)
    # The jar has the code, the pom says which versions of the clients it was built with.
    pom.rename(unpacked / "pom.xml")


def _from_npm(package: Package, downloads: Path, unpacked: Path) -> None:
    file = f"{package.name.rpartition('/')[2]}-{package.version}.tgz"
    unpack_tar(download(package, f"{package.name}/-/{file}", package.hashes[0], downloads / "package.tgz"), unpacked)


FETCHERS: dict[str, Callable[[Package, Path, Path], None]] = {
    "pypi": _from_pypi,
    "maven": _from_maven,
    "npm": _from_npm,
}


def download(package: Package, path: str, expected: str, target: Path) -> Path:
    """One file of a registry, which must have the SHA-256 that is expected."""
    variable = VARIABLES[package.ecosystem]
    address = f"{(os.environ.get(variable) or REGISTRIES[package.ecosystem]).rstrip('/')}/{path}"
    if not address.startswith("https://"):
        raise FetchError(f"{variable} must be an address that begins with https://")
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as reply:
            data: bytes = reply.read(MAX_DOWNLOAD + 1)
    except OSError as error:
        raise FetchError(f"{address}: {error}. Is there a network? A mirror can be named by {variable}.") from error
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise FetchError(f"{address}: not the file that is expected: its SHA-256 is {found}, not {expected}")
    target.write_bytes(data)
    return target


# -- archives -------------------------------------------------------------------------------------------------------


def unpack_tar(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as tar:
        _unpack(((each.name, each.size, tar.extractfile(each)) for each in tar if each.isfile()), into)


def unpack_zip(archive: Path, into: Path) -> None:
    with zipfile.ZipFile(archive) as jar:
        _unpack(((each.filename, each.file_size, jar.open(each)) for each in jar.infolist() if not each.is_dir()), into)


def _unpack(members: Iterator[tuple[str, int, IO[bytes] | None]], into: Path) -> None:
    """Write plain files below `into`. Links, devices, permissions and names that lead elsewhere are left out."""
    room = MAX_UNPACKED
    for name, size, content in members:
        path = PurePosixPath(name)
        if content is None or path.is_absolute() or ".." in path.parts or any(mark in name for mark in "\\:\0"):
            continue
        room -= size
        if room < 0:
            raise FetchError(f"{into.parent.name}: the archive holds more than {MAX_UNPACKED:,} bytes")
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with content:
            target.write_bytes(content.read(size))


if __name__ == "__main__":
    sys.exit(main())
