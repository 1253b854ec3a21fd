"""Fetch and unpack the source of real packages: `fetch_packages.py --into FOLDER LIST`.

Each goes to FOLDER/NAME-VERSION, whose path is printed; one that is there already is left alone. LIST names packages
of PyPI (`pypi` takes the source distribution, `wheel` the built one), Maven Central and npm at fixed versions, with the
SHA-256 of each file that is downloaded: a text, one package a line, or TOML with a table for each registry. This script
runs nothing of a package, though pip asks the build backend of a source distribution for its metadata. Each registry is
asked through its own client (pip, npm, mvn), so that whatever mirror, proxy or cache that is configured for is used.
Without npm or mvn plain HTTPS does; a mirror for that is named by npm_config_registry and MAVEN_REPOSITORY.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TIMEOUT = 60
CLIENT_TIMEOUT = 300
ATTEMPTS = 3
PAUSE_S = 2.0
WORKERS = 4
MAX_DOWNLOAD = 100_000_000
MAX_UNPACKED = 500_000_000
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
    """One line that says what is wrong, for the user. `lasting`: to try again is useless."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


class Fetched(NamedTuple):
    """A package and the folder it is in, or why it could not be fetched."""

    package: Package
    folder: Path
    error: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, metavar="FOLDER", help="where the unpacked packages go")
    parser.add_argument("list", type=Path, metavar="LIST", help="what to fetch: .toml, or a text, one package a line")
    arguments = parser.parse_args()
    try:
        fetched = fetch_all(read_file(arguments.list), lambda package: arguments.into / package.folder)
    except (FetchError, OSError) as error:
        print(f"fetch_packages: {error}", file=sys.stderr)
        return 1
    for each in fetched:
        if each.error:
            print(f"fetch_packages: {each.error}", file=sys.stderr)
        else:
            print(each.folder)
    return int(any(each.error for each in fetched))


def fetch_all(packages: Sequence[Package], target: Callable[[Package], Path]) -> list[Fetched]:
    """Fetch what is not in its `target` yet, a few at once; the packages in their order. Failures do not end it."""

    def one(package: Package) -> Fetched:
        folder = target(package)
        if folder.is_dir():
            return Fetched(package, folder)
        # One write with its end of line: several are fetched at the same time.
        sys.stderr.write(f"Fetching {package.name} {package.version} ({package.ecosystem})\n")
        sys.stderr.flush()
        folder.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                fetch(package, folder)
                break
            except (FetchError, OSError) as error:
                if attempt == ATTEMPTS or (isinstance(error, FetchError) and error.lasting):
                    return Fetched(package, folder, str(error))
                time.sleep(PAUSE_S * attempt)
        return Fetched(package, folder)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, packages))


def read_file(path: Path) -> list[Package]:
    """The packages of a list, whose form its name tells."""
    text = path.read_text("utf-8")
    return read_toml(text) if path.suffix == ".toml" else read_list(text)


def read_toml(text: str) -> list[Package]:
    """`[ecosystem]`, below it `name = { version = "…", sha256 = ["…"] }` for each package."""
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FetchError(f"the list is not TOML: {error}", lasting=True) from error
    return read_tables(tables)


def read_tables(tables: Mapping[str, Any]) -> list[Package]:
    """The packages of tables by registry, as TOML gives them."""
    packages = []
    for ecosystem, table in tables.items():
        for name, entry in table.items():
            version, hashes = entry.get("version"), entry.get("sha256")
            expected = HASHES.get(ecosystem)
            if (
                not version
                or not isinstance(hashes, list)
                or len(hashes) != expected
                or {len(x) for x in hashes} != {64}
            ):
                message = f"[{ecosystem}] {name}: expected a known registry, version = and {expected or 1} sha256 = […]"
                raise FetchError(message, lasting=True)
            packages.append(Package(ecosystem, name, version, tuple(hashes)))
    return packages


def read_list(text: str) -> list[Package]:
    """`ecosystem name version sha256…` by line; blank lines and those that begin with # say nothing."""
    packages = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        expected = HASHES.get(words[0], 1)
        if words[0] not in HASHES or len(words) != 3 + expected or any(len(each) != 64 for each in words[3:]):
            message = f"line {number} of the list: expected ecosystem, name, version and {expected} SHA-256"
            raise FetchError(message, lasting=True)
        packages.append(Package(words[0], words[1], words[2], tuple(words[3:])))
    return packages


def fetch(package: Package, target: Path) -> None:
    """Download one package and unpack it to `target`, which appears only when it is complete."""
    # The clients run in another folder, which a relative path does not lead out of.
    with tempfile.TemporaryDirectory(dir=target.parent.absolute(), prefix=".partial-") as temporary:
        downloads, unpacked = Path(temporary, "download"), Path(temporary, "unpacked")
        downloads.mkdir()
        unpacked.mkdir()
        try:
            FETCHERS[package.ecosystem](package, downloads, unpacked)
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            message = f"{package.name} {package.version}: the archive is broken: {error}"
            raise FetchError(message, lasting=True) from error
        tops = list(unpacked.iterdir())
        (tops[0] if len(tops) == 1 and tops[0].is_dir() else unpacked).rename(target)


# -- registries -----------------------------------------------------------------------------------------------------


def _from_pypi(package: Package, downloads: Path, unpacked: Path) -> None:
    # Only this package is wanted as source: with `:all:` pip would also build the build tools from theirs.
    _with_pip(package, ["--no-binary", package.name], downloads, unpacked)


def _from_wheel(package: Package, downloads: Path, unpacked: Path) -> None:
    _with_pip(package, ["--only-binary", ":all:"], downloads, unpacked)


def _with_pip(package: Package, form: Sequence[str], downloads: Path, unpacked: Path) -> None:
    wanted = downloads / "requirements.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.hashes[0]}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", *form]
    # It is read, not installed.
    command += ["--ignore-requires-python", "--require-hashes", "--dest", str(downloads), "-r", str(wanted)]
    _run(package, command)
    (archive,) = (path for path in downloads.iterdir() if path != wanted)
    (unpack_zip if archive.suffix in {".zip", ".whl"} else unpack_tar)(archive, unpacked)


def _from_maven(package: Package, downloads: Path, unpacked: Path) -> None:
    group, _, artifact = package.name.partition(":")
    jar, pom = downloads / f"{artifact}-sources.jar", downloads / f"{artifact}.pom"
    maven = shutil.which("mvn")
    if maven and not os.environ.get(VARIABLES["maven"]):
        asks = downloads / "pom.xml"
        asks.write_text(_MAVEN_PROJECT.format(group=group, artifact=artifact, version=package.version, into=downloads))
        _run(package, [maven, "--batch-mode", "--quiet", "--file", str(asks), "validate"])
        check(package, jar, package.hashes[0])
        check(package, pom, package.hashes[1])
    else:
        base = f"{group.replace('.', '/')}/{artifact}/{package.version}/{artifact}-{package.version}"
        download(package, f"{base}-sources.jar", package.hashes[0], jar)
        download(package, f"{base}.pom", package.hashes[1], pom)
    unpack_zip(jar, unpacked)
    # The jar has the code, the pom says which versions of the clients it was built with.
    pom.rename(unpacked / "pom.xml")


_MAVEN_PROJECT = """<project>
  <modelVersion>4.0.0</modelVersion><groupId>fetch</groupId><artifactId>fetch</artifactId><version>1</version>
  <packaging>pom</packaging>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version>
    <executions><execution>
      <phase>validate</phase><goals><goal>copy</goal></goals>
      <configuration>
        <outputDirectory>{into}</outputDirectory><stripVersion>true</stripVersion>
        <artifactItems>
          <artifactItem>
            <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
            <type>jar</type><classifier>sources</classifier>
          </artifactItem>
          <artifactItem>
            <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version><type>pom</type>
          </artifactItem>
        </artifactItems>
      </configuration>
    </execution></executions>
  </plugin></plugins></build>
</project>
"""


def _from_npm(package: Package, downloads: Path, unpacked: Path) -> None:
    client = shutil.which("npm")
    if client:
        command = [client, "pack", "--silent", "--ignore-scripts", "--pack-destination", str(downloads)]
        _run(package, [*command, f"{package.name}@{package.version}"])
        (archive,) = downloads.iterdir()
        check(package, archive, package.hashes[0])
    else:
        file = f"{package.name.rpartition('/')[2]}-{package.version}.tgz"
        archive = download(package, f"{package.name}/-/{file}", package.hashes[0], downloads / "package.tgz")
    unpack_tar(archive, unpacked)


FETCHERS: dict[str, Callable[[Package, Path, Path], None]] = {
    "pypi": _from_pypi,
    "wheel": _from_wheel,
    "maven": _from_maven,
    "npm": _from_npm,
}
HASHES: Mapping[str, int] = {"pypi": 1, "wheel": 1, "maven": 2, "npm": 1}
"""How many files of a package are downloaded."""


def _run(package: Package, command: Sequence[str]) -> None:
    """Ask the client of a registry for a package."""
    name = Path(command[0]).stem if command[1] != "-m" else command[2]
    try:
        # Not in the current folder: a project there may configure the client.
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=CLIENT_TIMEOUT, cwd=tempfile.gettempdir()
        )
    except subprocess.TimeoutExpired as error:
        message = f"{package.name} {package.version}: {name} had not downloaded it after {CLIENT_TIMEOUT} s"
        raise FetchError(message) from error
    if done.returncode:
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
        why = (said or ["it gives no reason"])[0][:300]
        raise FetchError(
            f"{package.name} {package.version}: {name} could not download it: {why}. Is there a network, and does "
            f"the registry that {name} is configured for still have it?"
        )


def download(package: Package, path: str, expected: str, target: Path) -> Path:
    """One file of a registry, which must have the SHA-256 that is expected."""
    variable = VARIABLES[package.ecosystem]
    address = f"{(os.environ.get(variable) or REGISTRIES[package.ecosystem]).rstrip('/')}/{path}"
    if not address.startswith("https://"):
        raise FetchError(f"{variable} must be an address that begins with https://", lasting=True)
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as reply:
            data: bytes = reply.read(MAX_DOWNLOAD + 1)
    except OSError as error:
        gone = isinstance(error, urllib.error.HTTPError) and error.code in {404, 410}
        message = f"{address}: {error}. Is there a network? A mirror can be named by {variable}."
        raise FetchError(message, lasting=gone) from error
    target.write_bytes(data)
    return check(package, target, expected)


def check(package: Package, file: Path, expected: str) -> Path:
    """The file, if it has the SHA-256 that is expected."""
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != expected:
        message = f"not the file that is expected: its SHA-256 is {found}, not {expected}"
        raise FetchError(f"{package.name} {package.version}, {file.name}: {message}", lasting=True)
    return file


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
            raise FetchError(f"{into.parent.name}: the archive holds more than {MAX_UNPACKED:,} bytes", lasting=True)
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with content:
            target.write_bytes(content.read(size))


if __name__ == "__main__":
    sys.exit(main())
