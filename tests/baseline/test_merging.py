"""Two branches change the baseline, and git merges it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.baseline.helpers import POOL, commit, entries, git, open_results, put, remarks, repository, run

FILE = "resplint-baseline.jsonl"
ARGUMENTS = ("--baseline", FILE, ".")


def pool(name: str) -> str:
    return POOL.replace("make", name)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with five accepted findings in five files; it is the current folder."""
    names = ["admin", "billing", "cart", "mail", "search"]
    repository(
        tmp_path, {"requirements.txt": "redis[hiredis]==6.4.0\n", **{f"{each}/redis.py": pool(each) for each in names}}
    )
    monkeypatch.chdir(tmp_path)
    assert run("baseline").output.startswith(f"{FILE}: 5 entries")
    commit(tmp_path)
    return tmp_path


def on_branch(project: Path, branch: str, files: dict[str, str]) -> None:
    """A branch from main on which files change and the baseline is brought up to date; back to main."""
    git(project, "checkout", "--quiet", "-b", branch, "main")
    put(project, files)
    assert run("baseline").exit_code == 0
    commit(project)
    git(project, "checkout", "--quiet", "main")


def test_what_two_branches_accept_and_repair_merges_without_conflict(project: Path) -> None:
    on_branch(project, "one", {"billing/extra.py": pool("extra"), "admin/redis.py": "# repaired\n"})
    on_branch(project, "two", {"mail/extra.py": pool("extra"), "search/redis.py": "# repaired\n"})
    git(project, "merge", "--quiet", "one")
    git(project, "merge", "--quiet", "--no-edit", "two")
    paths = [each["path"] for each in entries(project / FILE)]
    assert paths == ["billing/extra.py", "billing/redis.py", "cart/redis.py", "mail/extra.py", "mail/redis.py"]
    assert open_results(*ARGUMENTS) == []
    assert remarks("unused-baseline", *ARGUMENTS) == []
    # The merged file is what resplint itself would have written.
    before = (project / FILE).read_bytes()
    assert run("baseline").exit_code == 0
    assert (project / FILE).read_bytes() == before


def test_a_folder_renamed_on_one_branch_and_a_reason_given_on_the_other(project: Path) -> None:
    git(project, "checkout", "--quiet", "-b", "rename")
    git(project, "mv", "cart", "basket")
    assert run("baseline").output.startswith(f"{FILE}: 5 entries (0 added, 5 kept, 0 removed)")
    commit(project)
    git(project, "checkout", "--quiet", "main")
    lines = (project / FILE).read_text().splitlines()
    changed = [
        json.dumps({**json.loads(line), "reason": "small"}) if '"search/redis.py"' in line else line for line in lines
    ]
    (project / FILE).write_text("\n".join(changed) + "\n")
    commit(project)
    git(project, "merge", "--quiet", "--no-edit", "rename")
    assert {each["path"]: each.get("reason") for each in entries(project / FILE)}["search/redis.py"] == "small"
    assert open_results(*ARGUMENTS) == []


def test_neighbours_merge_with_the_driver_that_the_manual_recommends(project: Path) -> None:
    """Both branches add an entry at the same place: git cannot know, the union of both is right."""
    put(project, {".gitattributes": f"{FILE} merge=union\n"})
    commit(project)
    on_branch(project, "one", {"cart/a.py": pool("a"), "admin/redis.py": pool("admin") + "# x\n"})
    on_branch(project, "two", {"cart/b.py": pool("b"), "billing/redis.py": "# repaired\n"})
    git(project, "merge", "--quiet", "one")
    git(project, "merge", "--quiet", "--no-edit", "two")
    assert open_results(*ARGUMENTS) == []
    assert run("baseline").output.startswith(f"{FILE}: 6 entries (0 added, 6 kept, ")


def test_a_conflict_is_named_with_its_line(project: Path) -> None:
    on_branch(project, "one", {"cart/a.py": pool("a")})
    on_branch(project, "two", {"cart/b.py": pool("b")})
    git(project, "merge", "--quiet", "one")
    git(project, "merge", "--quiet", "--no-edit", "two", check=False)
    done = run("scan", *ARGUMENTS)
    assert done.exit_code == 2
    line = next(n for n, text in enumerate((project / FILE).read_text().splitlines(), 1) if text.startswith("<<<<<<<"))
    assert f"{FILE}:{line}: a merge conflict is not resolved" in done.output
    # The remedy it names: keep both sides.
    kept = [text for text in (project / FILE).read_text().splitlines() if text.startswith("{")]
    (project / FILE).write_text("\n".join(kept) + "\n")
    assert open_results(*ARGUMENTS) == []
