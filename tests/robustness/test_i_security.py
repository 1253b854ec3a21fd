"""Points 43, 44 and 46: resplint runs nothing that it reads, speaks to nobody, and starts no program but git."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import FINDING, IOREDIS, JEDIS, NAMES, environment, plant, run, run_here

from resplint.config.loading import load
from resplint.contracts.errors import UserError
from resplint.knowledge.load import load_book
from tests.baseline.helpers import commit, git, put, repository

WATCH = """\
import json, os, sys

tree, log = sys.argv[1:3]
del sys.argv[1:3]
sys.argv[0] = "resplint"
NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
           "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
PROGRAMS = {"subprocess.Popen", "os.exec", "os.system", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn"}
report = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def tell(event, what):
    os.write(report, (json.dumps([event, str(what)]) + "\\n").encode())

def watch(event, arguments):
    if event in NETWORK or event in PROGRAMS:
        tell(event, arguments[0] if event != "subprocess.Popen" else arguments[:2])
    elif event == "pickle.find_class" and arguments[0] != "concurrent.futures.process":
        tell(event, arguments)
    elif event == "exec" and tree in arguments[0].co_filename:
        tell(event, arguments[0].co_filename)
    elif event == "compile" and tree in str(arguments[1]):
        tell(event, arguments[1])
    elif event == "import" and tree in str(arguments[1]):
        tell(event, arguments)
    elif event == "ctypes.dlopen" and tree in str(arguments[0]):
        tell(event, arguments)

sys.addaudithook(watch)
from resplint.cli import main
main()
"""
"""Runs resplint and writes down what it should not do."""

SECRETS = {
    name: f"secret-{number}-of-nobody"
    for number, name in enumerate(
        (
            "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
            "REDIS_URL", "REDIS_PASSWORD", "DATABASE_URL", "NPM_TOKEN", "CI_JOB_TOKEN", "PYPI_TOKEN", "SSH_AUTH_SOCK",
        )
    )
}  # fmt: skip


def trap(marks: Path) -> str:
    return f"open({str(marks)!r}, 'a').write(__name__ + ' ')\nraise ImportError('this was run')\n"


TRAPS = (
    "redis", "sitecustomize", "usercustomize", "conftest", "setup", "resplint", "click", "rich", "msgspec",
    "tree_sitter", "tree_sitter_python", "pygls", "lsprotocol", "jinja2", "yaml", "defusedxml", "packaging", "tomli",
    "json", "types", "typing", "re", "os", "enum", "functools", "asyncio", "logging", "multiprocessing", "concurrent",
    "pickle", "ast", "encodings", "codecs", "__init__", "__main__", "manage", "noxfile", "app",
)  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository full of files that leave a mark when they are imported or run."""
    marks = tmp_path / "marks"
    project = tmp_path / "tree"
    planted = {f"{name}.py": trap(marks) + FINDING for name in TRAPS}
    planted |= {f"{name}/__init__.py": trap(marks) for name in ("redis", "click", "package", "resplint")}
    planted |= {
        "evil.pth": f"import os; open({str(marks)!r}, 'a').write('pth ')\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n',
        "package.json": '{"scripts": {"preinstall": "touch marks", "prepare": "touch marks"}, "main": "worker.js"}',
        "build.gradle": f"new File('{marks}').text = 'gradle'\n",
        "worker.ts": IOREDIS,
        "Worker.java": JEDIS,
        "module.py": FINDING,
    }
    repository(project, {"module.py": FINDING})
    git(project, "checkout", "--quiet", "-b", "change")
    put(project, planted)
    commit(project)
    return project


def watched(
    tree: Path, *arguments: str, stdin: bytes = b""
) -> tuple[subprocess.CompletedProcess[bytes], list[list[str]]]:
    """Run resplint in the tree; what it did that it should not."""
    log, program = tree.parent / "log", tree.parent / "watch.py"
    program.write_text(WATCH)
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", program, tree, log, *arguments],
        cwd=tree, input=stdin, capture_output=True, env=environment(**SECRETS), timeout=120, check=False,
    )  # fmt: skip
    told = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return done, told


def message(method: str, number: int | None = None, **params: object) -> bytes:
    body = json.dumps(
        {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}
    )
    return f"Content-Length: {len(body)}\r\n\r\n{body}".encode()


def editor(tree: Path) -> bytes:
    """A session of an editor: begin, open a file, ask about it, end."""
    uri = tree.as_uri()
    document = {"uri": f"{uri}/module.py", "languageId": "python", "version": 1, "text": FINDING}
    return b"".join([
        message("initialize", 1, processId=None, rootUri=uri, capabilities={}),
        message("initialized"),
        message("textDocument/didOpen", textDocument=document),
        message("textDocument/diagnostic", 2, textDocument={"uri": document["uri"]}),
        message("shutdown", 3),
        message("exit"),
    ])  # fmt: skip


COMMANDS: dict[str, tuple[list[str], int]] = {
    "scan": (["scan", ".", "--include-tests", "--jobs", "2"], 1),
    "reports": (["scan", ".", "--report=sarif=../out.sarif", "--report=markdown=../out.md"], 1),
    "fix": (["scan", ".", "--fix", "--unsafe-fixes"], 1),
    "diff": (["scan", ".", "--diff"], 0),
    "standard input": (["scan", "-"], 1),
    "baseline": (["baseline", ".", "--output", "../baseline.jsonl"], 0),
    "clients": (["clients", "."], 0),
    "report": (["report", "../made.sarif", "--html", "../page.html", "--csv", "../table.csv"], 0),
    "init": (["init", "."], 0),
    "explain": (["explain", "RL104"], 0),
    "rules": (["rules", "--format", "json"], 0),
    "completion": (["completion", "bash"], 0),
    "server": (["server"], 0),
    "diff base": (["scan", ".", "--diff-base", "main"], 1),
}


# -- 43 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_43_nothing_is_imported_run_or_asked_and_no_secret_told(tree: Path, name: str) -> None:
    arguments, code = COMMANDS[name]
    if name == "report":
        run_here("scan", tree, "--format", "sarif", "--output", tree.parent / "made.sarif")
    stdin = editor(tree) if name == "server" else FINDING.encode()
    done, told = watched(tree, *arguments, stdin=stdin)
    assert done.returncode == code, done.stderr
    programs = [what for event, what in told if event == "subprocess.Popen"]
    assert [each for each in told if each[0] != "subprocess.Popen"] == []
    if name == "diff base":
        assert programs
        assert all(os.path.basename(what.split("'")[1]) == "git" for what in programs)
    else:
        assert programs == []
    assert not (tree.parent / "marks").exists()
    written = [file.read_bytes() for file in tree.parent.iterdir() if file.is_file() and file.name != "watch.py"]
    for output in (done.stdout, done.stderr, *written, *(path.read_bytes() for path in tree.glob("*.toml"))):
        assert b"of-nobody" not in output


def test_43_the_watch_would_see_it(tree: Path) -> None:
    """Lest the test above cannot fail."""
    program = tree.parent / "watch.py"
    bad = (
        "import socket, subprocess\n"
        "subprocess.run(['true'])\n"
        "try: socket.getaddrinfo('localhost', 1)\nexcept OSError: pass\n"
        f"sys.path.insert(0, {str(tree)!r})\n"
        "try: import manage\nexcept ImportError: pass\n"
    )
    program.write_text(WATCH.replace("from resplint.cli import main\nmain()\n", bad))
    log = tree.parent / "log"
    subprocess.run([sys.executable, program, tree, log], check=True, capture_output=True)
    seen = {json.loads(line)[0] for line in log.read_text().splitlines()}
    assert seen >= {"subprocess.Popen", "socket.getaddrinfo", "exec"}
    assert (tree.parent / "marks").exists()


def loaded_by(*code: str) -> set[str]:
    """The modules at the top that a command of Python has loaded by its end."""
    tell = "import sys, atexit; atexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr))\n"
    done = subprocess.run(
        [sys.executable, "-c", tell + "\n".join(code)], env=environment(), capture_output=True, text=True, check=False
    )
    return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """What resplint imports at the top, without what Python has imported before it looks at a module."""
    scanning = loaded_by(
        "from resplint.cli.app import cli",
        "import resplint.scan.analysis, resplint.scan.lowering_pool, resplint.inventory, resplint.output",
        "try: cli.main(['scan', '-'], 'resplint')\nexcept SystemExit: pass",
    )
    return scanning - loaded_by("import runpy") - {"builtins", "sys", "importlib", "resplint"}


@pytest.mark.parametrize(("how", "jobs"), [("-m", "2"), ("-P", "1"), ("PYTHONSAFEPATH", "1"), ("script", "2")])
def test_43_the_current_folder_is_never_searched_for_modules(
    tmp_path: Path, imported: set[str], how: str, jobs: str
) -> None:
    """`python -m` puts the current folder in front; what Python itself imports before it looks at resplint is its own
    affair, and `python -P` avoids even that.
    """
    here, marks = tmp_path / "here", tmp_path / "marks"
    here.mkdir()
    names = imported | {"redis", "sitecustomize", "usercustomize", "conftest", "setup", "app"}
    assert {"click", "msgspec", "json"} <= imported
    for name in names:
        (here / f"{name}.py").write_text(trap(marks))
    for number in range(60):
        (here / f"module_{number}.py").write_text(FINDING)
    command = {
        "-m": [sys.executable, "-m", "resplint"],
        "-P": [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else []), "-m", "resplint"],
        "PYTHONSAFEPATH": [sys.executable, "-m", "resplint"],
        "script": [str(Path(sys.executable).with_name("resplint"))],
    }[how]
    done = subprocess.run(
        [*command, "scan", ".", "--jobs", jobs], cwd=here, capture_output=True, check=False, timeout=120,
        env=environment(**({"PYTHONSAFEPATH": "1"} if how == "PYTHONSAFEPATH" else {})),
    )  # fmt: skip
    assert not marks.exists(), marks.read_text()
    assert done.returncode == 1, done.stderr


def test_43_workers_that_start_anew_do_not_search_it_either(tmp_path: Path) -> None:
    """As on Windows, where processes cannot be forked."""
    here, marks = tmp_path / "here", tmp_path / "marks"
    here.mkdir()
    for name in ("types", "pickle", "signal", "struct", "selectors", "socket", "ctypes", "json", "msgspec", "resplint"):
        (here / f"{name}.py").write_text(trap(marks))
    for number in range(60):
        (here / f"module_{number}.py").write_text(FINDING)
    program = tmp_path / "start.py"
    program.write_text(
        "import multiprocessing, sys\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    multiprocessing.get_all_start_methods = lambda: ['spawn']\n"
        "    from resplint.cli import main\n"
        "    main()\n"
    )
    done = subprocess.run(
        [sys.executable, program, "scan", ".", "--jobs", "2"],
        cwd=here, capture_output=True, check=False, timeout=120, env=environment(),
    )  # fmt: skip
    assert not marks.exists(), marks.read_text()
    assert done.returncode == 1, done.stderr
    assert b"Traceback" not in done.stderr


# -- 44 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref",
    [
        "--upload-pack=touch marks",
        "-c core.pager=touch",
        "--help",
        "-",
        "",
        "a\nb",
        "\x1b[31m",
        "main -- x",
        "ext::sh -c touch",
    ],
)
def test_44_a_revision_is_never_an_option_or_a_command(tree: Path, monkeypatch: pytest.MonkeyPatch, ref: str) -> None:
    monkeypatch.chdir(tree)
    done = run_here("scan", ".", f"--diff-base={ref}")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr[:-1].isprintable()
    assert not (tree / "marks").exists()


def test_44_without_a_revision_git_is_not_even_started(tree: Path, tmp_path: Path) -> None:
    """Not even where everything seems to invite it."""
    mark = tmp_path / "git-was-run"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    fake.chmod(0o755)
    paths = environment(
        PATH=f"{fake.parent}{os.pathsep}{os.environ['PATH']}", GIT_DIR=str(tree / ".git"), GIT_TRACE="1"
    )
    for arguments in (
        ["scan", "."],
        ["scan", "--whole-project", "module.py"],
        ["clients"],
        ["baseline", "--output", "-"],
    ):
        assert run(*arguments, cwd=tree, env=paths).returncode in (0, 1)
    assert not mark.exists()


# -- 46 -------------------------------------------------------------------------------------------------------------


def calls() -> Iterator[str]:
    yield from ("__import__('os').system('touch marks')", "os.system", "redis.Redis()", "${touch marks}", "a;b", "../x")


@pytest.mark.parametrize("text", sorted(calls()))
def test_46_what_a_project_says_of_its_own_clients_is_data(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are no rules of users' own; a configuration names constructors, and nothing is ever called."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module.py").write_text(FINDING)
    (tmp_path / "resplint.toml").write_text(f"\n[client-factories]\n'app.db' = {json.dumps(text)}\n")
    done = run_here("scan", ".")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "client-factories" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["module.py", "resplint.toml"]


def test_46_a_bad_constructor_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "resplint.toml").write_text("[client-factories]\n'app.db' = 'redis.Redis(1)'\n")
    with pytest.raises(UserError) as caught:
        load(tmp_path, None, {code: info.name for code, info in load_book().items()})
    where = f"{tmp_path / 'resplint.toml'}:2: client-factories.app.db: "
    assert str(caught.value).startswith(f"{where}expected a dotted name")


def test_46_hostile_names_in_the_tree_run_nothing(tmp_path: Path) -> None:
    plant(tmp_path / "names")
    done, told = watched(tmp_path / "names", "scan", ".")
    assert (done.returncode, told) == (1, [])
    assert len(os.listdir(tmp_path / "names")) == len(NAMES)
