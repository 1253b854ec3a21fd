"""`resplint scan --diff-base`: what the change has brought, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from resplint import diff_base
from resplint.scan import scan as engine
from tests.baseline.helpers import (
    POOL,
    QUEUE,
    QUIET,
    commit,
    entries,
    git,
    open_results,
    put,
    report,
    repository,
    run,
)

ROOT = Path(__file__).parents[2]
DIFF = ("--diff-base", "main")
LONE = """\
import redis

client = redis.Redis(socket_timeout=5, max_connections=8)
client.blpop("letters", timeout=45)
"""
"""One error, RL104, whatever the version of the library."""
CONSUMER = """\
import itertools

import redis

from app.waiting import back_off

db = redis.Redis(host="rides", max_connections=8, socket_timeout=5)


def store(ride, cents):
    for attempt in itertools.count():
        try:
            db.hset(f"invoice:{ride}", "cents", cents)
            return
        except redis.ConnectionError:
            back_off(attempt)
"""
WAITING = """\
import random
import time


def back_off(attempt):
    time.sleep(random.uniform(0, min(20, 2**attempt)))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose branch main has two errors in app/queue.py and a warning in app/pool.py; the branch change is
    checked out, and the project is the current folder.
    """
    repository(tmp_path, {"requirements.txt": "redis[hiredis]==6.4.0\n", "app/queue.py": QUEUE, "app/pool.py": POOL})
    git(tmp_path, "checkout", "--quiet", "-b", "change")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def news(*arguments: str) -> list[tuple[str, int]]:
    return open_results(*DIFF, *arguments)


# -- what is new ----------------------------------------------------------------------------------------------------


def test_without_a_change_there_is_nothing_to_report(project: Path) -> None:
    done = run("scan", *DIFF)
    assert done.exit_code == 0
    assert done.output.startswith("No findings; ")
    assert "3 findings were there before the change since main" in done.output


@pytest.mark.parametrize("how", ["committed", "staged", "uncommitted"])
def test_what_is_committed_staged_or_only_on_disk_belongs_to_the_change(project: Path, how: str) -> None:
    put(project, {"app/more.py": POOL, "app/queue.py": QUEUE + "\n\nclient.brpop('x', timeout=90)\n"})
    if how != "uncommitted":
        git(project, "add", "--all")
    if how == "committed":
        commit(project)
    done = run("scan", *DIFF)
    assert done.exit_code == 1
    assert "2 findings (1 error, 1 warning) in 2 files" in done.output
    assert news() == [("app/more.py", 5), ("app/queue.py", 14)]


def test_machines_read_what_it_was_compared_with(project: Path) -> None:
    base = git(project, "rev-parse", "main")
    put(project, {"app/more.py": POOL})
    commit(project)
    document = report(*DIFF)
    jsonschema.validate(document, json.loads((ROOT / "schemas" / "report-1.1.schema.json").read_text()))
    assert document["comparison"] == {"ref": "main", "commit": base, "left_out": 3}
    assert [each["baseline"] for each in document["results"]] == ["new"]
    sarif = json.loads(run("scan", *DIFF, "--format", "sarif").stdout)
    jsonschema.validate(sarif, json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text()))
    assert [each["baselineState"] for each in sarif["runs"][0]["results"]] == ["new"]


def test_what_main_did_meanwhile_is_not_part_of_the_change(project: Path) -> None:
    git(project, "checkout", "--quiet", "main")
    put(project, {"app/queue.py": QUIET})
    commit(project)
    git(project, "checkout", "--quiet", "change")
    assert news() == []
    assert len(open_results("--diff-base", "main~1")) == 0


def test_moved_renamed_and_reformatted_code_is_not_new(project: Path) -> None:
    git(project, "mv", "app", "shop")
    text = "# moved\n" + QUEUE.replace('"jobs", timeout=30', "\n    'jobs',\n    timeout=30,\n")
    put(project, {"shop/queue.py": text})
    assert news() == []
    (project / "shop" / "pool.py").rename(project / "shop" / "other.py")
    assert news() == []


def test_a_copy_is_new(project: Path) -> None:
    put(project, {"app/copy.py": QUEUE})
    assert news() == [("app/copy.py", 7), ("app/copy.py", 11)]


def test_of_two_equal_calls_the_inserted_one_is_new(project: Path) -> None:
    """The line that a review of the change shows."""
    call = '    client.blpop("jobs", timeout=30)\n'
    text = QUEUE.replace("    return client.blpop(", "    client.blpop(").replace(
        "def next_job():\n", "def next_job():\n@"
    )
    put(project, {"app/queue.py": text.replace("@", "")})
    git(project, "checkout", "--quiet", "main")
    commit(project)
    git(project, "checkout", "--quiet", "-B", "change")
    put(project, {"app/queue.py": text.replace("@", f"{call}    print('first')\n")})
    assert news() == [("app/queue.py", 7)]


def test_a_deletion_in_another_file_brings_its_findings(project: Path) -> None:
    """Nothing in app/consumer.py changes: the back-off that it relied on is gone."""
    put(project, {"app/consumer.py": CONSUMER, "app/waiting.py": WAITING, "app/__init__.py": ""})
    git(project, "checkout", "--quiet", "-B", "main")
    commit(project)
    assert "app/consumer.py" not in [path for path, _ in open_results(".")]
    assert news() == []
    put(
        project,
        {"app/waiting.py": WAITING.replace("    time.sleep(random.uniform(0, min(20, 2**attempt)))", "    return")},
    )
    assert [path for path, _ in news()] == ["app/consumer.py"]


def test_another_version_of_a_library_brings_its_findings(project: Path) -> None:
    """The default of redis-py 8 has a bound on its pool, that of 6 has none."""
    put(
        project,
        {
            "requirements.txt": "redis[hiredis]==8.0.1\n",
            "app/bare.py": "import redis\n\nclient = redis.Redis()\nclient.get('a')\n",
        },
    )
    before = {(each["path"], each["rule"]) for each in report(".")["results"]}
    git(project, "checkout", "--quiet", "-B", "main")
    commit(project)
    put(project, {"requirements.txt": "redis[hiredis]==6.4.0\n"})
    after = {(each["path"], each["rule"]) for each in report(".")["results"]}
    assert after > before
    assert {(each["path"], each["rule"]) for each in report("--diff-base", "HEAD")["results"]} == after - before


def test_a_comment_that_goes_brings_its_finding(project: Path) -> None:
    accepted = POOL.replace("None))", "None))  # resplint: ignore[RL102] small")
    put(project, {"app/pool.py": accepted})
    git(project, "checkout", "--quiet", "-B", "main")
    commit(project)
    assert run("scan", *DIFF).exit_code == 0
    assert report(*DIFF)["results"] == []
    put(project, {"app/pool.py": POOL})
    assert news() == [("app/pool.py", 5)]


def test_a_comment_that_comes_suppresses_as_ever(project: Path) -> None:
    put(project, {"app/pool.py": POOL.replace("None))", "None))  # resplint: ignore[RL102] small")})
    assert report(*DIFF)["results"] == []
    put(project, {"app/new.py": POOL.replace("None))", "None))  # resplint: ignore[RL102] small")})
    assert [each["suppression"]["kind"] for each in report(*DIFF)["results"]] == ["inSource"]
    assert run("scan", *DIFF).exit_code == 0


def test_the_configuration_of_now_holds_for_both_times(project: Path) -> None:
    put(project, {"resplint.toml": 'ignore = ["RL104"]\n'})
    commit(project)
    put(project, {"resplint.toml": '[level]\nRL102 = "error"\n'})
    assert news() == []


def test_what_git_tracks_counts_at_both_times_whatever_ignore_files_say(project: Path) -> None:
    put(project, {".gitignore": "/lib/\n", "lib/pool.py": POOL})
    git(project, "add", "--force", "lib/pool.py")
    git(project, "checkout", "--quiet", "-B", "main")
    commit(project)
    assert news() == []
    put(project, {"lib/pool.py": POOL.replace("make", "other") + POOL})
    assert {path for path, _ in news()} == {"lib/pool.py"}
    put(project, {".gitignore": "", "lib/pool.py": POOL})
    assert news() == []


# -- parts, folders, work trees -------------------------------------------------------------------------------------


def test_from_a_folder_below_the_top(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, {"app/more.py": LONE, ".gitignore": "ignored.py\n", "app/ignored.py": LONE})
    monkeypatch.chdir(project / "app")
    assert news() == [("app/more.py", 4)]
    assert news("more.py", "pool.py") == [("app/more.py", 4)]
    assert news("--whole-project", ".") == [("app/more.py", 4)]
    assert news("--whole-project", "queue.py") == []
    monkeypatch.chdir(project.parent)
    assert news(str(project)) == [("app/more.py", 4)]


def test_single_files_that_were_renamed_or_added(project: Path) -> None:
    git(project, "mv", "app/queue.py", "app/jobs.py")
    put(project, {"lib/pool.py": LONE})
    for flags in (["--isolated"], ["--whole-project"]):
        assert news(*flags, "app/jobs.py") == []
        assert news(*flags, "lib/pool.py") == [("lib/pool.py", 4)]
        assert [path.rpartition("/")[2] for path, _ in news(*flags, "app/jobs.py", "lib/pool.py")] == ["pool.py"]
    git(project, "mv", "app", "shop")
    assert news("shop") == []


def test_standard_input_takes_the_place_of_its_file(project: Path) -> None:
    text = QUEUE + "\n\nclient.brpop('x', timeout=90)\n"
    arguments = ("scan", *DIFF, "--format", "json", "-", "--stdin-filename", "app/queue.py")
    found = json.loads(run(*arguments, stdin=text).stdout)["results"]
    assert [(each["path"], each["region"]["start_line"]) for each in found] == [("app/queue.py", 14)]


def test_in_a_further_work_tree(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    tree = tmp_path_factory.mktemp("trees") / "other"
    git(project, "worktree", "add", "--quiet", str(tree), "-b", "third")
    put(tree, {"app/more.py": POOL})
    assert news(str(tree)) == [("app/more.py", 5)]


def test_other_repositories_inside_are_left_out_and_named(project: Path, tmp_path: Path) -> None:
    library = repository(tmp_path.parent / f"{tmp_path.name}-library", {"pool.py": POOL})
    git(project, "submodule", "--quiet", "add", str(library), "vendor/library")
    put(repository(project / "lib" / "nested", {}), {"pool.py": POOL})
    put(project, {"app/more.py": POOL})
    assert news() == [("app/more.py", 5)]
    notes = [each["message"] for each in report(*DIFF)["notifications"] if each["kind"] == "limit"]
    assert [note.split("'")[1] for note in notes] == ["lib/nested", "vendor/library"]
    assert open_results("--diff-base", "HEAD", "vendor/library") == []


def test_files_that_look_odd(project: Path) -> None:
    odd = ["with space.py", "quote'\".py", "tab\there.py", "new\nline.py", "日本.py", "-dash.py", ":(top)x.py", "*.py"]
    put(project, {f"odd/{name}": POOL for name in odd})
    (project / "odd" / "link.py").symlink_to("with space.py")
    (project / "odd" / "out.py").symlink_to("/etc/passwd")
    git(project, "checkout", "--quiet", "-B", "main")
    commit(project)
    assert news() == []
    put(project, {"odd/*.py": POOL + POOL.replace("make", "again")})
    assert news() == [("odd/*.py", 10)]


def test_the_second_scan_is_spared_if_the_first_finds_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = []
    monkeypatch.setattr(diff_base, "scan", lambda request: scans.append(request) or engine(request))
    put(project, {"app/queue.py": QUIET, "app/pool.py": QUIET})
    assert news() == []
    assert len(scans) == 1
    put(project, {"app/pool.py": POOL})
    assert news() == []
    assert len(scans) == 3


def test_nothing_is_left_behind(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = sorted((project / ".git").rglob("*"))
    put(project, {"app/more.py": POOL})
    assert len(news()) == 1
    assert list(folder.iterdir()) == []
    assert sorted((project / ".git").rglob("*")) == before


def test_a_temporary_folder_inside_an_ignored_one_changes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    put(project, {".gitignore": "*\n!app\n!app/*\n", ".tmp/x": ""})
    monkeypatch.setattr(tempfile, "tempdir", str(project / ".tmp"))
    assert news() == []


# -- with a baseline, with fixes ------------------------------------------------------------------------------------


def test_with_a_baseline_what_it_accepts_does_not_count(project: Path) -> None:
    put(project, {"app/more.py": POOL, "app/other.py": POOL.replace("make", "other")})
    assert run("baseline", "app/more.py", "requirements.txt", "--whole-project").exit_code == 0
    base = ("--baseline", "resplint-baseline.jsonl")
    assert len(entries(project / "resplint-baseline.jsonl")) == 1
    assert news(*base) == [("app/other.py", 5)]
    results = report(*DIFF, *base)["results"]
    assert [(each["path"], each["baseline"]) for each in results] == [
        ("app/more.py", "unchanged"),
        ("app/other.py", "new"),
    ]
    done = run("scan", *DIFF, *base)
    assert "3 findings were there before" in done.output
    assert "1 finding is in the baseline" in done.output


def test_an_entry_that_has_expired_does_not_make_old_findings_news(project: Path) -> None:
    assert run("baseline", "--expires", "2001-01-01").exit_code == 0
    assert run("scan", "--baseline", "resplint-baseline.jsonl").exit_code == 1
    done = run("scan", "--baseline", "resplint-baseline.jsonl", *DIFF)
    assert done.exit_code == 0
    assert "counts again" not in done.output


def test_only_what_is_new_is_fixed(project: Path) -> None:
    put(project, {"app/more.py": POOL})
    fixable = [
        each
        for each in json.loads(run("scan", "--exit-zero", "--format", "sarif").stdout)["runs"][0]["results"]
        if "fixes" in each
    ]
    assert len(fixable) > 1
    done = run("scan", *DIFF, "--unsafe-fixes", "--diff")
    assert "+++ b/app/more.py" in done.output
    assert "app/pool.py" not in done.output
    assert "app/queue.py" not in done.output
