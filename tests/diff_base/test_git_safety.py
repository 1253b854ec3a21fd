"""git is called so that nothing of the repository runs, nothing is fetched, and every failure is one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from resplint.contracts.errors import UserError
from resplint.diff_base.earlier import NAMES, SUFFIXES, is_plain
from resplint.diff_base.git import Repository
from tests.baseline.helpers import POOL, QUEUE, QUIET, commit, git, open_results, put, repository, run

HOOKS = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-rewrite", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-push",
    "pre-rebase", "prepare-commit-msg", "reference-transaction",
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit on main, a branch on top of it with a new finding, and the branch checked out."""
    project = repository(tmp_path / "project", {"requirements.txt": "redis[hiredis]==6.4.0\n", "app/queue.py": QUEUE})
    git(project, "checkout", "--quiet", "-b", "change")
    put(project, {"app/pool.py": POOL})
    commit(project)
    monkeypatch.chdir(project)
    return project


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


# -- nothing runs ---------------------------------------------------------------------------------------------------


def plant(project: Path, marks: Path) -> None:
    """Everything by which a repository can make git run a program; each leaves a file in `marks`."""
    marks.mkdir()

    def program(name: str, then: str = "cat") -> str:
        return str(script(project / ".planted" / name, f"touch '{marks}/{name}'\n{then}"))

    for hook in HOOKS:
        script(project / ".git" / "hooks" / hook, f"touch '{marks}/hook-{hook}'")
    settings = {
        "core.fsmonitor": program("fsmonitor", "exit 1"),
        "core.pager": program("pager"),
        "core.editor": program("editor"),
        "core.askPass": program("askpass"),
        "core.sshCommand": program("ssh"),
        "core.gitProxy": program("proxy"),
        "core.alternateRefsCommand": program("alternate-refs"),
        "credential.helper": f"!{program('credential')}",
        "diff.external": program("external-diff"),
        "diff.evil.textconv": program("textconv"),
        "diff.evil.command": program("diff-command"),
        "filter.evil.smudge": program("smudge"),
        "filter.evil.clean": program("clean"),
        "merge.evil.driver": program("merge-driver"),
        "gpg.program": program("gpg"),
        "log.showSignature": "true",
        "sequence.editor": program("sequence-editor"),
        "uploadpack.packObjectsHook": program("pack-objects"),
        "remote.origin.url": f"ext::{program('remote', 'exit 1')}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": program("uploadpack"),
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
    }
    for command in ("rev-parse", "merge-base", "ls-tree", "cat-file", "fetch"):
        settings[f"alias.{command}"] = f"!{program(f'alias-{command}')}"
        settings[f"pager.{command}"] = program(f"pager-{command}")
    for key, value in settings.items():
        git(project, "config", key, value)
    (project / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")


def test_nothing_that_a_repository_plants_is_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "marks"
    put(project, {".gitattributes": "* filter=evil diff=evil merge=evil\n"})
    git(project, "add", "--all")
    plant(project, marks)
    before = sorted(project.rglob("*"))
    assert open_results("--diff-base", "main") == [("app/pool.py", 5)]
    assert open_results("--diff-base", "main", "--whole-project", "app/queue.py") == []
    assert [each.name for each in marks.iterdir()] == []
    assert sorted(project.rglob("*")) == before
    # Lest the traps be none: git as people call it springs several of them.
    for arguments in (["status"], ["diff", "main"], ["cat-file", "--filters", "HEAD:app/pool.py"]):
        carelessly(project, *arguments)
    assert {"fsmonitor", "smudge"} <= {each.name for each in marks.iterdir()}


def carelessly(folder: Path, *arguments: str) -> None:
    """Call git as people do."""
    command = ["git", *arguments]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, env=plain_environment(), timeout=60)


def plain_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}


def test_missing_objects_are_told_and_never_fetched(project: Path, tmp_path: Path) -> None:
    """A lazy fetch would run what the repository calls its remote."""
    marks = tmp_path / "marks"
    plant(project, marks)
    put(project, {"app/queue.py": QUIET})
    blob = git(project, "rev-parse", "main:app/queue.py")
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert "does not hold all files of the commit to compare with" in done.output
    assert [each.name for each in marks.iterdir()] == []
    carelessly(project, "cat-file", "-p", blob)
    assert "remote" in {each.name for each in marks.iterdir()}


def test_a_git_that_lies_in_the_repository_is_not_the_one_that_is_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    for folder in ("", "bin"):
        script(project / folder / "git", f"touch '{mark}'")
    outside = tmp_path / "linked"
    outside.symlink_to(project / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(project / "bin"), str(outside), os.environ["PATH"]]))
    assert open_results("--diff-base", "main") == [("app/pool.py", 5)]
    assert not mark.exists()


def test_the_environment_does_not_lead_elsewhere(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"a.py": QUIET})
    mark = tmp_path / "mark"
    evil = str(script(tmp_path / "evil" / "run", f"touch '{mark}'\ncat"))
    script(tmp_path / "exec" / "git-ls-tree", f"touch '{mark}'")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_COMMON_DIR": str(other / ".git"),
        "GIT_NAMESPACE": "other",
        "GIT_PREFIX": "app/",
        "GIT_EXTERNAL_DIFF": evil,
        "GIT_PAGER": evil,
        "GIT_SSH_COMMAND": evil,
        "GIT_EXEC_PATH": str(tmp_path / "exec"),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={evil}'",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_ALLOW_PROTOCOL": "ext",
        "PAGER": evil,
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    assert open_results("--diff-base", "main") == [("app/pool.py", 5)]
    assert not mark.exists()
    assert not (tmp_path / "trace").exists()


# -- commits that no git would write --------------------------------------------------------------------------------


def forge(project: Path, entries: list[tuple[str, str, str]]) -> str:
    """A tree with any names; entries are (mode, name, object)."""
    data = b"".join(
        mode.encode() + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(one) for mode, name, one in entries
    )
    done = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=project, input=data, capture_output=True, check=True, env=plain_environment(),
    )  # fmt: skip
    return done.stdout.decode().strip()


def test_forged_names_and_links_never_leave_the_temporary_folder(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = git(project, "rev-parse", "HEAD:app/pool.py")
    out = tmp_path / "outside"
    out.mkdir()
    (tmp_path / "target").write_text(str(out))
    (tmp_path / "up").write_text("../../../outside")
    absolute = git(project, "hash-object", "-w", str(tmp_path / "target"))
    relative = git(project, "hash-object", "-w", str(tmp_path / "up"))
    deep = forge(project, [("100644", "evil.py", blob)])
    forged = forge(
        project,
        [
            ("100644", ".", blob), ("100644", "..", blob), ("100644", "../evil.py", blob),
            ("100644", "/evil.py", blob), ("40000", "..", forge(project, [("40000", "..", deep)])),
            ("40000", ".git", deep), ("40000", ".GIT", deep), ("100644", "a\\..\\evil.py", blob),
            ("120000", "abs.py", absolute), ("40000", "abs.py", deep), ("120000", "up.py", relative),
            ("40000", "up.py", deep), ("120000", "in.py", relative), ("120000", "in.py/evil.py", relative),
            ("100644", "same.py", blob),
            ("100644", "same.py", blob), ("40000", "same.py", deep),
        ],
    )  # fmt: skip
    base = git(project, "commit-tree", forged, "-m", "forged")
    head = git(project, "commit-tree", "change^{tree}", "-p", base, "-m", "change")
    git(project, "update-ref", "refs/heads/change", head)
    inner = tmp_path / "temporary" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(inner))
    before = sorted(tmp_path.rglob("*"))
    done = run("scan", "--diff-base", base)
    assert done.exit_code == 1, done.output
    assert sorted(tmp_path.rglob("*")) == before
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("path", ["", ".", "..", "a//b", "/a", "a/", "a/../b", "./a", ".git/x", "a/.GiT/b", "a/.."])
def test_paths_that_are_not_plain(path: str) -> None:
    assert not is_plain(path)
    assert is_plain("a/.github/b..c/.gitignore")


@pytest.mark.parametrize(
    "name",
    [
        "requirements-dev.in", "pyproject.toml", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile", "Pipfile.lock",
        "setup.cfg", "setup.py", "environment.yml", "pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml",
        "gradle.properties", "gradle.lockfile", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml",
        "pnpm-workspace.yaml", ".yarnrc.yml", "tsconfig.json", "application.yml", "application-prod.properties",
        "bootstrap.yaml", "pyvenv.cfg", "App.java", "a.mts",
    ],
)  # fmt: skip
def test_every_kind_of_file_that_a_scan_reads_is_taken_from_the_commit(name: str) -> None:
    assert name in NAMES or os.path.splitext(name)[1] in SUFFIXES


# -- what cannot be compared ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref",
    ["-x", "--upload-pack=touch mark", "--", "", "main\n", "a\nb", "\x1b[31m", "nope", "HEAD:app", "main..change",
     "refs/*", "main^{tree}", "HEAD~99", "x" * 5_000, "main\x7f"],
)  # fmt: skip
def test_what_is_no_revision_is_refused(project: Path, ref: str) -> None:
    done = run("scan", f"--diff-base={ref}")
    assert done.exit_code == 2
    assert done.output.startswith("resplint: ")
    assert done.output.count("\n") == 1
    assert done.output.rstrip("\n").isprintable()
    assert len(done.output) < 1_000


@pytest.mark.parametrize("ref", ["main", "change~1", "refs/heads/main", "v1", ":/first", "{hash}"])
def test_all_forms_of_revisions_are_understood(project: Path, ref: str) -> None:
    git(project, "tag", "v1", "main", "-m", "annotated")
    assert open_results("--diff-base", ref.format(hash=git(project, "rev-parse", "main"))) == [("app/pool.py", 5)]


def test_no_repository(tmp_path: Path) -> None:
    put(tmp_path, {"a.py": POOL})
    done = run("scan", tmp_path, "--diff-base", "main")
    assert done.exit_code == 2
    assert "is in no git repository" in done.output


def test_what_is_called_git_but_is_none(project: Path) -> None:
    """git would look further up, and compare with another repository."""
    inner = put(project / "inner", {"a.py": POOL, ".git/HEAD": "nonsense"})
    done = run("scan", inner, "--diff-base", "main")
    assert done.exit_code == 2
    assert f"{inner}: is no git repository" in done.output


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs"])
def test_a_git_that_waits_for_ever_is_not_waited_for(project: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("resplint.diff_base.git._PATIENCE_S", 0.5)
    (project / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(project / ".git" / name)
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert done.output.startswith(f"resplint: {project}: git rev-parse gave no answer within 0.5 s: look what is wrong")
    assert done.output.count("\n") == 1


def test_an_object_that_never_comes_is_not_waited_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git opens a pipe in the place of an object, and waits for somebody to write into it."""
    monkeypatch.setattr("resplint.diff_base.git._PATIENCE_S", 0.5)
    put(project, {"app/queue.py": QUIET})
    blob = git(project, "rev-parse", "main:app/queue.py")
    loose = project / ".git" / "objects" / blob[:2] / blob[2:]
    loose.unlink()
    os.mkfifo(loose)
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert "git cat-file gave no answer within 0.5 s" in done.output
    assert done.output.count("\n") == 1


def bomb(project: Path, width: int, depth: int) -> str:
    """A commit below HEAD that holds `width ** depth` files in as few objects as it has levels."""
    blob = git(project, "rev-parse", "main:app/queue.py")
    entry = f"100644 blob {blob}"
    for _ in range(depth):
        listed = "".join(f"{entry}\tn{number}.py\n" for number in range(width))
        entry = f"040000 tree {piped(project, listed, 'mktree')}"
    base = git(project, "commit-tree", entry.rsplit(" ", 1)[1], "-m", "many")
    head = git(project, "commit-tree", "HEAD^{tree}", "-p", base, "-m", "head")
    git(project, "update-ref", "HEAD", head)
    return base


def piped(project: Path, text: str, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=project, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_commit_of_a_hundred_million_files_is_refused_while_it_is_listed(project: Path) -> None:
    base = bomb(project, 10, 8)
    started = time.monotonic()
    done = run("scan", "--diff-base", base)
    assert done.exit_code == 2
    assert f"{project}: the commit to compare with holds more than 2,000,000 files: compare with another" in done.output
    assert time.monotonic() - started < 60


def test_a_commit_that_would_fill_the_disk_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = bomb(project, 10, 3)
    assert run("scan", "--diff-base", base).exit_code == 1
    size = len((project / "app" / "queue.py").read_bytes())
    monkeypatch.setattr("resplint.diff_base.git.MOST_BYTES", 1_000 * size - 1)
    done = run("scan", "--diff-base", base)
    assert done.exit_code == 2
    assert "GB: compare with another one" in done.output


def test_what_is_too_large_is_never_sent_and_every_other_object_once(project: Path) -> None:
    put(project, {f"large_{number}.py": "# " + "x" * 5_000 for number in range(20)})
    put(project, {f"small_{number}.py": "x = 1\n" for number in range(20)})
    commit(project)
    repository = Repository.around(str(project))
    files = {file.path: file.object_id for file in repository.files("HEAD")}
    contents = dict(repository.contents(list(files.values()), 1_000))
    assert files["large_0.py"] not in contents
    assert contents[files["small_0.py"]] == b"x = 1\n"
    assert len(list(repository.contents(list(files.values()), 1_000))) == len(contents) == len(set(files.values())) - 1


def test_no_commit_and_no_common_one(project: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "--quiet")
    put(empty, {"a.py": POOL})
    assert "no such commit" in run("scan", empty, "--diff-base", "main").output
    git(project, "checkout", "--quiet", "--orphan", "alone")
    assert "the repository has no commit yet" in run("scan", "--diff-base", "main").output
    commit(project)
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert "'main' and HEAD have no commit in common; choose a revision that HEAD descends from." in done.output


def test_a_shallow_clone_is_told_how_to_become_deep(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(project, "checkout", "--quiet", "main")
    for number in range(3):
        put(project, {"app/other.py": f"x = {number}\n"})
        commit(project)
    git(tmp_path, "clone", "--quiet", "--depth", "1", "--no-single-branch", f"file://{project}", str(clone))
    for ref in ("v9", "main~1", "origin/change"):
        done = run("scan", clone, "--diff-base", ref)
        assert done.exit_code == 2
        assert "'fetch-depth: 0'" in done.output
        assert "git fetch --unshallow" in done.output
    git(clone, "fetch", "--quiet", "--unshallow")
    assert run("scan", clone, "--diff-base", "origin/change").exit_code == 0


def test_a_partial_clone_is_told_to_fetch(project: Path, tmp_path: Path) -> None:
    git(project, "config", "uploadpack.allowFilter", "true")
    put(project, {"app/queue.py": "# other\n" + QUEUE})
    commit(project)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{project}", str(clone))
    done = run("scan", clone, "--diff-base", "origin/main")
    assert done.exit_code == 2
    assert "(a partial clone?)" in done.output


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("fatal: detected dubious ownership in repository at '/x'", "config --global --add safe.directory"),
        ("fatal: unsafe repository ('/x' is owned by someone else)\nadd safe.directory", "--add safe.directory"),
        ("fatal: \x1b[31mbad\nmore", "git rev-parse failed: fatal: \\x1b[31mbad"),
    ],
)
def test_what_git_refuses_is_passed_on(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, told: str
) -> None:
    (tmp_path / "says").write_text(says)
    script(tmp_path / "fake" / "git", f"/bin/cat '{tmp_path}/says' >&2; exit 128")
    monkeypatch.setenv("PATH", str(tmp_path / "fake"))
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count("\n") == 1


def test_without_git(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert "git was not found" in done.output
    assert run("scan").exit_code == 1


def test_a_temporary_folder_that_cannot_be_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "missing"))
    done = run("scan", "--diff-base", "main")
    assert done.exit_code == 2
    assert "see TMPDIR" in done.output


def test_a_repository_that_ends_in_the_middle_of_an_answer(project: Path, tmp_path: Path) -> None:
    program = shutil.which("git")
    assert program
    ends = f"for word; do case $word in cat-file) '{program}' \"$@\" | head -c 120; exit;; esac; done"
    cut = script(tmp_path / "git", f"{ends}\nexec '{program}' \"$@\"")
    truncated = Repository(str(project), str(cut))
    files = [file.object_id for file in truncated.files(truncated.commit("main"))]
    with pytest.raises(UserError, match="does not hold all files"):
        list(truncated.contents(files * 3, 1_000))
