"""The hooks for pre-commit, run by pre-commit itself, and their entry in batches of several sizes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from resplint.cli.app import cli
from resplint.languages import EXTENSIONS
from tests.integration.conftest import ROOT, Once
from tests.integration.projects import CLIENT, WORKER, found_in, git, large_project, repository, write

PRE_COMMIT = str(Path(sys.executable).with_name("pre-commit"))
RESPLINT = str(Path(sys.executable).with_name("resplint"))
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
}
_TIMEOUT_S = 300


def environment(**changes: str) -> dict[str, str]:
    """The environment of the tests, without what would lead a hook to other code than what was installed for it."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PRE_COMMIT_HOME", "SKIP")}
    return {**kept, "PRE_COMMIT_COLOR": "never", "GIT_CONFIG_GLOBAL": os.devnull, **changes}


def pre_commit(folder: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PRE_COMMIT, *arguments],
        cwd=folder, env=environment(**changes), capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
    )  # fmt: skip


def direct(folder: Path) -> list[tuple[str, int, int, str, str]]:
    """What a scan of the whole folder finds."""
    done = subprocess.run([RESPLINT, "scan"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    return found_in(done.stdout)


# -- the manifest -----------------------------------------------------------------------------------------------------


def test_pre_commit_accepts_the_manifest() -> None:
    done = pre_commit(ROOT, "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout
    assert list(HOOKS) == ["resplint", "resplint-fix"]
    assert all(hook["require_serial"] is True for hook in HOOKS.values())


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_takes_the_files_of_every_language_and_no_others(hook: str) -> None:
    files = re.compile(HOOKS[hook]["files"])
    names = [stem + suffix for suffix in EXTENSIONS for stem in ("a/b", "-b", "b.d.c", "a b\n", "B")]
    assert [name for name in names if not files.search(name)] == []
    assert [name for name in names if not files.search(name.upper())] == []
    other = ["a.pyi", "a.pyc", "a.jsonc", "a.tsv", "a.kt.orig", "a.js~", "py", "a.py/b", "a.c"]
    declarations = ["a.d.ts", "a.d.mts", "a.d.cts", "A.D.TS"]
    assert [name for name in (*other, *declarations) if files.search(name)] == []
    # Not only of those that are tried above: the pattern names the suffixes, and nothing else does.
    named = {f".{suffix}" for group in re.findall(r"\(([a-z|]+)\)", files.pattern) for suffix in group.split("|")}
    assert named == set(EXTENSIONS)


# -- batches ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large_project(tmp_path_factory.mktemp("project"))


def test_one_file_alone_does_not_show_what_is_wrong(project: Path) -> None:
    """Else the tests below would prove nothing."""
    done = CliRunner().invoke(cli, ["scan", "--isolated", str(project / "workers" / "slow.py")])
    assert (done.exit_code, found_in(done.stdout)) == (0, [])


@pytest.mark.parametrize("size", [1, 7, 200])
def test_batches_of_any_size_find_what_one_run_finds(project: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    hook = HOOKS["resplint"]
    program, *entry = shlex.split(hook["entry"])
    assert program == "resplint"
    files = [name for name in git(project, "ls-files").splitlines() if re.search(hook["files"], name)]
    assert len(files) >= 200
    found, codes = [], set()
    for at in range(0, len(files), size):
        done = CliRunner().invoke(cli, [*entry, *hook["args"], *files[at : at + size]])
        assert done.exit_code in (0, 1), done.output
        assert "Not analysed" not in done.stdout
        batch = found_in(done.stdout)
        assert {path for path, *_ in batch} <= set(files[at : at + size])
        assert done.exit_code == (1 if batch else 0)
        found += batch
        codes.add(done.exit_code)
    expected = direct(project)
    assert sorted(found) == expected
    assert len(expected) == 7
    assert codes == ({0, 1} if size < 200 else {1})


# -- pre-commit -------------------------------------------------------------------------------------------------------


def test_try_repo_finds_what_a_direct_run_finds(clone: Path, tmp_path: Path) -> None:
    """With paths so long that pre-commit itself splits them into batches."""
    folder = large_project(tmp_path / "project", deep=True)
    done = pre_commit(folder, "try-repo", str(clone), "resplint", "--all-files", PRE_COMMIT_HOME=str(tmp_path / "home"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "- exit code: 1" in done.stdout
    assert len(re.findall(r"^(?:\d+|No) findings?\b", done.stdout, re.MULTILINE)) >= 2
    expected = direct(folder)
    assert found_in(done.stdout) == expected
    assert len(expected) == 7
    assert git(folder, "status", "--porcelain") == ""


@pytest.fixture(scope="module")
def home(clone: Path, once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of pre-commit with the hooks installed in it."""

    def make(folder: Path) -> None:
        some = repository(tmp_path_factory.mktemp("some") / "repository", {"a.py": "", **configuration(clone)})
        done = pre_commit(some, "install-hooks", PRE_COMMIT_HOME=str(folder / "home"))
        assert done.returncode == 0, done.stdout + done.stderr

    return once("pre-commit", make) / "home"


def configuration(clone: Path, hook: str = "resplint", **options: object) -> dict[str, str]:
    revision = git(clone, "rev-parse", "HEAD").strip()
    repo = {"repo": str(clone), "rev": revision, "hooks": [{"id": hook, **options}]}
    return {".pre-commit-config.yaml": yaml.safe_dump({"repos": [repo]})}


SHOP = {"shop/__init__.py": "", "shop/db.py": CLIENT, "worker.py": WORKER}


def test_a_commit_of_one_file_is_judged_with_the_rest_of_the_project(clone: Path, home: Path, tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop", {**SHOP, **configuration(clone)})
    write(folder, {"worker.py": WORKER + "\n\nwork()\n"})
    git(folder, "add", "worker.py")
    done = pre_commit(folder, "run", PRE_COMMIT_HOME=str(home))
    assert (done.returncode, found_in(done.stdout)) == (1, [("worker.py", 5, 12, "error", "RL104")])
    git(folder, "commit", "--quiet", "--message=As before")
    write(folder, {"shop/db.py": CLIENT + "\nready = True\n"})
    git(folder, "add", "shop/db.py")
    done = pre_commit(folder, "run", PRE_COMMIT_HOME=str(home))
    assert (done.returncode, found_in(done.stdout)) == (0, [])


def test_notes_alone_let_a_commit_pass(clone: Path, home: Path, tmp_path: Path) -> None:
    settings = {"resplint.toml": '[level]\nRL104 = "note"\n'}
    folder = repository(tmp_path / "shop", {**SHOP, **settings, **configuration(clone)})
    done = pre_commit(folder, "run", "--all-files", "--verbose", PRE_COMMIT_HOME=str(home))
    assert done.returncode == 0, done.stdout
    assert "1 note" in done.stdout


@pytest.mark.parametrize(("options", "code"), [(["--fail-on=never"], 0), (["--ignore", "RL104"], 0), (["--jobs=1"], 1)])
def test_options_may_be_given_as_args(clone: Path, home: Path, tmp_path: Path, options: list[str], code: int) -> None:
    folder = repository(tmp_path / "shop", {**SHOP, **configuration(clone, args=[*options, "--"])})
    done = pre_commit(folder, "run", "--all-files", PRE_COMMIT_HOME=str(home))
    assert done.returncode == code, done.stdout
    assert "- hook id: resplint" in done.stdout or code == 0


def test_a_file_that_is_called_like_an_option_is_a_file(clone: Path, home: Path, tmp_path: Path) -> None:
    files = {"shop/__init__.py": "", "shop/db.py": CLIENT, "--output=victim.py": WORKER, "--exit-zero.py": ""}
    folder = repository(tmp_path / "shop", {**files, "victim.py": "kept = 1\n", **configuration(clone)})
    done = pre_commit(folder, "run", "--all-files", PRE_COMMIT_HOME=str(home))
    assert (done.returncode, found_in(done.stdout)) == (1, [("--output=victim.py", 5, 12, "error", "RL104")])
    assert (folder / "victim.py").read_text("utf-8") == "kept = 1\n"


def test_the_fixing_hook_mends_the_files_of_the_commit_and_then_lets_it_pass(
    clone: Path, home: Path, tmp_path: Path
) -> None:
    options = configuration(clone, "resplint-fix", args=["--unsafe-fixes", "--"])
    folder = repository(tmp_path / "shop", {**SHOP, "other.py": WORKER, **options})
    done = pre_commit(folder, "run", "--files", "worker.py", "shop/db.py", PRE_COMMIT_HOME=str(home))
    assert done.returncode == 1, "pre-commit stops a commit whose files a hook has changed"
    assert "files were modified by this hook" in done.stdout
    assert git(folder, "status", "--porcelain") == " M worker.py\n"
    assert (folder / "worker.py").read_text("utf-8") == WORKER.replace("timeout=30", "timeout=4")
    git(folder, "add", "worker.py")
    done = pre_commit(folder, "run", PRE_COMMIT_HOME=str(home))
    assert done.returncode == 0, done.stdout
    assert git(folder, "status", "--porcelain") == "M  worker.py\n"


def test_the_fixing_hook_mends_what_is_safe_unless_it_is_told_otherwise(
    clone: Path, home: Path, tmp_path: Path
) -> None:
    poller = "from shop.db import client\n\nwhile True:\n    if job := client.blpop('jobs', 30):\n        print(job)\n"
    files = {**SHOP, "poller.py": poller}
    folder = repository(tmp_path / "shop", {**files, **configuration(clone, "resplint-fix")})
    done = pre_commit(folder, "run", "--all-files", PRE_COMMIT_HOME=str(home))
    assert (done.returncode, found_in(done.stdout)) == (1, [("worker.py", 5, 12, "error", "RL104")])
    assert "1 fixed; 1 more with --unsafe-fixes" in done.stdout
    assert git(folder, "status", "--porcelain") == " M poller.py\n"
    assert (folder / "poller.py").read_text("utf-8") == poller.replace("30", "4")


def test_a_folder_with_a_configuration_of_its_own_has_a_hook_of_its_own(
    clone: Path, home: Path, tmp_path: Path
) -> None:
    """As `resplint init` writes it."""
    folder = "my services/api [1]"
    hook = {"exclude": f"^(?!{re.escape(folder)}/)", "args": [f"--config={folder}/resplint.toml", "--"]}
    files = {f"{folder}/{name}": text for name, text in {"a.py": WORKER, "gen/b.py": WORKER, "README.md": ""}.items()}
    settings = {f"{folder}/resplint.toml": 'exclude = ["gen/"]\nlevel.RL104 = "warning"\n'}
    project = repository(tmp_path / "shop", {**SHOP, **files, **settings, **configuration(clone, **hook)})
    done = pre_commit(project, "run", "--all-files", PRE_COMMIT_HOME=str(home))
    assert (done.returncode, found_in(done.stdout)) == (1, [(f"{folder}/a.py", 5, 12, "warning", "RL104")])
    assert "Not analysed" not in done.stdout


def test_an_installed_hook_needs_no_network(clone: Path, home: Path, tmp_path: Path) -> None:
    """Whatever connects, in pre-commit or in the hook, is refused and leaves a trace."""
    trace = tmp_path / "connected"
    guard = f"""
import socket

def refuse(*arguments, **options):
    open({str(trace)!r}, "a").write(repr(arguments))
    raise OSError("no network in this test")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
"""
    write(tmp_path, {"guard/sitecustomize.py": guard})
    changes = {"PRE_COMMIT_HOME": str(home), "PYTHONPATH": str(tmp_path / "guard")}
    proof = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')"
    refused = subprocess.run(
        [sys.executable, "-c", proof], env=environment(**changes), capture_output=True, text=True, check=False
    )
    assert "no network in this test" in refused.stderr
    assert trace.exists()
    trace.unlink()
    folder = repository(tmp_path / "shop", {**SHOP, **configuration(clone)})
    done = pre_commit(folder, "run", "--all-files", **changes)
    assert (done.returncode, found_in(done.stdout)) == (1, [("worker.py", 5, 12, "error", "RL104")])
    assert not trace.exists()
