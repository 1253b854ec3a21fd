"""The tools that are compared, and the commands that are timed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from speed.corpus import ROOT, SUFFIXES
from speed.process import BenchError, Run, run

PINNED = ROOT / "benchmarks" / "tools.txt"
RULES = ROOT / "benchmarks" / "rules"
HERE = Path(__file__).parent
RULE_BOOK: Mapping[str, str] = dict(
    path.stem.split("-", 1) for path in sorted((ROOT / "rules" / "book").glob("RL*-*.md"))
)
"""Every anti-pattern: its code here, and the name that the rules of the other tools begin with."""
COMPARED = ("semgrep", "ast-grep-cli", "ripgrep")

TIMED = ("RL101", "RL102", "RL103", "RL104", "RL201", "RL301", "RL401")
"""The rules that every contestant runs. They stay the same, so that figures of different dates can be compared."""

COLD, WARM, SEMGREP, AST_GREP, RG, PARSING = (
    "resplint cold",
    "resplint warm",
    "Semgrep CE",
    "ast-grep",
    "rg -l",
    "parsing",
)
CONTESTANTS = (COLD, WARM, SEMGREP, AST_GREP, RG, PARSING)


class Command(msgspec.Struct, frozen=True):
    """A command to time: `fine` are its exit codes when all is well, `env` what it needs of the environment."""

    arguments: tuple[str, ...]
    env: Mapping[str, str] = {}
    fine: tuple[int, ...] = (0,)

    def run(self, cwd: Path) -> Run:
        return run(self.arguments, cwd=cwd, env=self.env, fine=self.fine)


class Tools:
    """Installed tools: makes the commands that scan a folder. `work` holds environments, caches and lists."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.bin = work / "tools" / "bin"

    def resplint(self, folder: Path, cache: Path, *options: str, select: Sequence[str] = TIMED) -> Command:
        """The whole of a scan with the rules that are timed, a cache folder of its own and the report as JSON. Without
        any in `select` it runs those of the default.
        """
        resplint = [sys.executable, "-m", "resplint", "scan", "--exit-zero", "--format", "json", "--statistics"]
        rules = ("--select", ",".join(select)) if select else ()
        return Command((*resplint, *rules, *options, str(folder)), {"RESPLINT_CACHE_DIR": str(cache)})

    def semgrep(self, folder: Path, slugs: Sequence[str] = ()) -> Command:
        """With its default number of jobs, without network; with the rules of these anti-patterns, or with all."""
        files = [RULES / "semgrep" / f"{slug}.yml" for slug in slugs] or [RULES / "semgrep"]
        options = [
            "--metrics",
            "off",
            "--disable-version-check",
            "--quiet",
            "--json",
            *(word for file in files for word in ("--config", str(file))),
        ]
        env = {
            "SEMGREP_SEND_METRICS": "off",
            "SEMGREP_ENABLE_VERSION_CHECK": "0",
            "SEMGREP_SETTINGS_FILE": str(self.work / "semgrep-settings.yml"),
            "SEMGREP_LOG_FILE": str(self.work / "semgrep.log"),
        }
        return Command((str(self.bin / "semgrep"), "scan", *options, str(folder)), env)

    def ast_grep(self, folder: Path, slugs: Sequence[str] = ()) -> Command:
        """With the rules of these anti-patterns, or with all. Exit code 1 says that there were findings."""
        config = str(RULES / "ast-grep" / "sgconfig.yml")
        options = ["--config", config, "--json=stream", "--inspect", "summary"]
        if slugs:
            options += ["--filter", f"^({'|'.join(slugs)})-[a-z]+$"]
        return Command((str(self.bin / "ast-grep"), "scan", *options, str(folder)), fine=(0, 1))

    def rg(self, folder: Path) -> Command:
        """Exit code 1 says that no file has it."""
        return Command((str(self.bin / "rg"), "-l", "-i", "--glob", _GLOB, "redis", str(folder)), fine=(0, 1))

    def rg_files(self, folder: Path) -> Command:
        return Command((str(self.bin / "rg"), "--files", "--glob", _GLOB, str(folder)), fine=(0, 1))

    def parsing(self, folder: Path) -> Command:
        """Bare parsing of the files that resplint selects, whose list `select` wrote."""
        return Command((sys.executable, str(HERE / "parse_only.py"), str(self._selection(folder))))

    def select(self, folder: Path) -> int:
        """Write down which files resplint parses in a folder; how many they are."""
        selection = self._selection(folder)
        selection.parent.mkdir(parents=True, exist_ok=True)
        command = Command(
            (sys.executable, str(HERE / "selected.py"), str(folder)), {"RESPLINT_CACHE_DIR": self._fresh()}
        )
        done = command.run(ROOT)
        shutil.rmtree(command.env["RESPLINT_CACHE_DIR"], ignore_errors=True)
        selection.write_bytes(done.output)
        return done.output.count(b"\n")

    def _selection(self, folder: Path) -> Path:
        return self.work / "selected" / folder.name

    def _fresh(self) -> str:
        return tempfile.mkdtemp(prefix="cache-", dir=self.work)

    def time(self, contestant: str, folder: Path) -> Run:
        """Run one contestant on a folder; what a cold cache needs is made before and removed after."""
        if contestant == COLD:
            cache = self._fresh()
            try:
                return self.resplint(folder, Path(cache)).run(ROOT)
            finally:
                shutil.rmtree(cache, ignore_errors=True)
        return self.commands[contestant](folder).run(ROOT)

    @property
    def commands(self) -> Mapping[str, Callable[[Path], Command]]:
        timed = [RULE_BOOK[code] for code in TIMED]
        return {
            WARM: lambda folder: self.resplint(folder, self.work / "warm" / folder.name),
            SEMGREP: lambda folder: self.semgrep(folder, timed),
            AST_GREP: lambda folder: self.ast_grep(folder, timed),
            RG: self.rg,
            PARSING: self.parsing,
        }


_GLOB = (
    "*.{" + ",".join(each.lstrip(".") for each in sorted({each for some in SUFFIXES.values() for each in some})) + "}"
)


def install(work: Path) -> Tools:
    """Install the tools at their pinned versions, unless they are there."""
    home, mark = work / "tools", work / "tools" / ".ready"
    # The scripts of an environment name the folder that it was made in: one that was moved is made anew.
    wanted = f"# {home.resolve()}\n{PINNED.read_text('utf-8')}"
    if not mark.is_file() or mark.read_text("utf-8") != wanted:
        print(f"Installing {', '.join(versions())} into {home}", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        _pip([sys.executable, "-m", "venv", str(home)])
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _pip([*pip, "--no-deps", "--only-binary", ":all:", "--requirement", str(PINNED)])
        mark.write_text(wanted, "utf-8")
    return Tools(work)


def versions() -> dict[str, str]:
    """The pinned versions of the tools that are compared."""
    pins = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", PINNED.read_text("utf-8"), re.MULTILINE))
    return {name: pins[name] for name in COMPARED}


def _pip(command: Sequence[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise BenchError(
            f"the tools to compare with could not be installed: {' | '.join(said)}. They are named in "
            f"benchmarks/tools.txt and need a network, or a mirror that pip is configured for, on Linux (x86-64, "
            f"ARM64) or macOS"
        )
