"""The benchmark's arithmetic, its page, its rules and its trees; it times nothing and needs no network."""

from __future__ import annotations

import asyncio
import math
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from speed import applications, corpus, editing, figures, goals, growing, plot, records, render, trees, verify
from speed.process import BenchError, Sample, run
from speed.tools import AST_GREP, COLD, PARSING, RG, RULE_BOOK, SEMGREP, WARM, Tools

MACHINE = records.Machine(processors=2, memory_gb=24.0, system="Linux x86_64", python="3.11.7", load=0.1)
SECONDS = {COLD: 1.0, WARM: 0.3, SEMGREP: 16.0, AST_GREP: 12.0, RG: 0.2, PARSING: 0.5}


def samples(*walls: float, peak_mb: float = 100.0) -> list[Sample]:
    return [Sample(wall_s, wall_s * 1.5, peak_mb) for wall_s in walls]


def contest(name: str, changes: Mapping[str, float] | None = None) -> records.Contest:
    """Two rounds; the machine was half as fast in the second."""
    seconds = {**SECONDS, **(changes or {})}
    group = corpus.Group(name, files=5000, size=30_000_000, lines=900_000, naming=60)
    found = {tool: dict.fromkeys(verify.SLUGS.values(), 3) for tool in (COLD, SEMGREP, AST_GREP)}
    runs = {tool: samples(wall_s, 2 * wall_s) for tool, wall_s in seconds.items()}
    return records.Contest(group, selected=80, looked_at=dict.fromkeys(found, 5000), findings=found, samples=runs)


def results(*contests: records.Contest, hook_s: float = 0.2, peak_mb: float = 250.0) -> records.Results:
    return records.Results(
        date="2026-01-02",
        commit="abc1234",
        machine=MACHINE,
        versions={"semgrep": "1.0"},
        rounds=2,
        contests=list(contests),
        hook=records.Hook(5000, {"nothing changed": samples(hook_s)}),
        growth=[
            records.Size(
                files, files * 3500, files // 67, samples(files / 10_000, peak_mb=peak_mb), samples(files / 40_000)
            )
            for files in (1_000, 10_000, 100_000)
        ],
    )


GOOD = results(contest("sparse-python"), contest("dense-python"))


# -- arithmetic -----------------------------------------------------------------------------------------------------


def test_a_ratio_is_taken_within_a_round() -> None:
    slow_afterwards = figures.ratios([10.0, 40.0, 12.0], [1.0, 4.0, 1.0])
    assert slow_afterwards == figures.Spread(10.0, 10.0, 12.0)


def test_rounds_must_be_as_many_on_both_sides() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        figures.ratios([1.0, 2.0], [1.0])


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_slope_is_the_exponent_of_growth(power: float) -> None:
    sizes = [1_000, 5_000, 20_000]
    assert math.isclose(figures.slope(sizes, [3e-4 * size**power for size in sizes]), power)


def test_every_goal_has_a_verdict_and_the_worst_group_decides() -> None:
    found = goals.verdicts(results(contest("sparse-a"), contest("sparse-b", {AST_GREP: 2.4}), contest("dense-a")))
    assert len(found) == 9
    ast_grep = found[0]
    assert (ast_grep.figure, ast_grep.where, ast_grep.words) == ("2.4 times", "sparse-b", "missed by 25 %")
    # Fast enough in a sparse repository, and therefore in the dense one; parsing takes half as long.
    assert [each.words for each in found[1:]] == ["met"] * 8


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        (results(contest("sparse-a", {SEMGREP: 10.0})), "15 times as fast as Semgrep"),
        (results(contest("sparse-a", {RG: 0.1})), "6 times `rg"),
        (results(contest("dense-a", {AST_GREP: 0.9})), "not slower than ast-grep"),
        (results(contest("dense-a", {PARSING: 0.09})), "10 times the CPU of bare parsing"),
        (results(contest("dense-a", {WARM: 0.4})), "a third of cold"),
        (results(hook_s=0.4), "0.25 s"),
        (results(peak_mb=301.0), "300 MB"),
    ],
)
def test_a_goal_that_is_not_reached_is_missed(changed: records.Results, missed: str) -> None:
    (verdict,) = [each for each in goals.verdicts(changed) if each.words != "met"]
    assert missed in verdict.goal
    assert verdict.words.startswith("missed by ")


def application(
    name: str, cold_s: float, *, linking: float | None = None, edit_s: float | None = None
) -> records.Application:
    """A tree on which ast-grep takes a second, linking and judging the half of a cold scan, and parsing 0.1 s."""
    scans = contest(name, {COLD: cold_s, AST_GREP: 1.0, SEMGREP: 3.0})
    stages = [{"lower": cold_s / 2, "link": cold_s / 4, "judge": cold_s / 4}] * 2
    scans = msgspec.structs.replace(scans, stages=stages, parsing=[0.1, 0.1])
    if edit_s is None:
        return records.Application(scans, "c0ffee", linking)
    edits = samples(edit_s / 1.5)
    hook = records.Hook(700, {growing.UNCHANGED: samples(0.1), growing.REDIS: edits})
    return records.Application(scans, "c0ffee", linking, hook, edits)


def with_trees(*trees: records.Application, peak_mb: float = 350.0) -> records.Results:
    memory = [records.Size(200_000, 1, 1, samples(9.0, peak_mb=peak_mb), samples(1.0))]
    found = records.Applications("2026-01-03", "def5678", MACHINE, 2, list(trees), memory)
    return msgspec.structs.replace(GOOD, applications=found)


@pytest.mark.parametrize(
    ("changed", "missed", "figure"),
    [
        (with_trees(application("a", 0.5), application("b", 0.8), application("c", 0.9)), "0.6 times ast-grep", "0.80"),
        (with_trees(application("a", 0.5), application("b", 0.5), application("c", 2.5)), "twice ast-grep", "2.50"),
        (with_trees(application("a", 0.4, linking=1.5)), "Linking and judging: at most 1.5 times", "2.0 times"),
        (with_trees(application("a", 0.4, edit_s=0.7)), "Editor: at most 0.4 s", "0.70 s"),
        (with_trees(application("a", 0.4), peak_mb=401.0), "400 MB a process at 200,000", "401 MB"),
    ],
)
def test_a_goal_of_the_applications_that_is_not_reached_is_missed(
    changed: records.Results, missed: str, figure: str
) -> None:
    (verdict,) = [each for each in goals.verdicts(changed) if each.words != "met"]
    assert missed in verdict.goal
    assert verdict.figure.startswith(figure)


def test_a_slow_hook_in_an_application_misses_both_goals_of_an_edit() -> None:
    found = goals.verdicts(with_trees(application("a", 0.4, edit_s=0.3), application("b", 0.4, edit_s=1.6)))
    missed = [(each.goal.partition(":")[0], each.where) for each in found if each.words != "met"]
    assert missed == [("Hook", "b"), ("Editor", "b")]


def test_growth_with_the_square_is_missed() -> None:
    square = [
        records.Size(files, files, 1, samples((files / 1_000) ** 2), samples(1.0)) for files in (1_000, 5_000, 20_000)
    ]
    (verdict,) = goals.verdicts(records.Results("", "", MACHINE, {}, 1, [], None, square))
    assert (verdict.figure, verdict.words) == ("slope 2.00", "missed by 82 %")


# -- the page -------------------------------------------------------------------------------------------------------


def test_the_page_says_what_was_measured() -> None:
    page = render.page(GOOD, "## What was tried\n\nEverything.\n")
    assert "| sparse-python | 0.30 (0.30–0.30) | 16.0 (16.0–16.0) | 12.0 (12.0–12.0) | 0.20" in page
    assert "1.50 / 2.25 s, 100 MB" in page  # the median of two rounds, of which one was slow
    assert "| 100,000 | 350.0 | 1,492 | 10.00 s | 100 | 1.00 | 250 |" in page
    assert "Slope of all (log-log, least squares): 1.00." in page
    assert page.endswith("Everything.\n")
    assert page.startswith("# Benchmark results\n")


def test_the_page_says_what_was_measured_on_applications() -> None:
    page = render.page(with_trees(application("shop", 0.4, edit_s=0.3)), "")
    assert "commit def5678, rounds: 2;" in page
    assert "| tree | lower | link | judge |" in page
    assert "| shop | 0.90 (0.60–1.20) | 0.40 (0.40–0.40) | 0.13 (0.13–0.13) |" in page
    assert "| 2.00 (2.00–2.00) | 80 of 5,000 |" in page
    assert "| shop | 0.15 (0.15–0.15) | 0.30 (0.30–0.30) | 0.30 (0.30–0.30) | 0.20 (0.20–0.20) |" in page
    assert "| 200,000 | 350 | 13.5 (13.5–13.5) |" in page


def test_the_page_says_what_more_rules_cost() -> None:
    costs = [
        records.RuleCost("shop", "abc", [2.0, 4.0], [2.5, 5.0]),
        records.RuleCost("bank", "def", [1.0, 2.0], [2.0, 4.0]),
    ]
    changed = msgspec.structs.replace(GOOD, rules=records.RuleCosts("2026-01-04", "0123abc", MACHINE, 2, costs))
    page = render.page(changed, "")
    assert "commit 0123abc, rounds: 2;" in page
    assert "with RL101, RL102, RL103, RL104, RL201, RL301\nand RL401" in page
    assert "| shop | 3.00 (2.00–4.00) | 3.75 (2.50–5.00) | +25% (+25% to +25%) |" in page
    assert "| all together | 4.50 (3.00–6.00) | 6.75 (4.50–9.00) | +50% (+50% to +50%) |" in page


def test_every_table_of_the_page_has_as_many_cells_in_each_row() -> None:
    changed = with_trees(application("shop", 0.4, edit_s=0.3), application("bank", 0.4))
    costs = records.RuleCosts("2026-01-04", "0", MACHINE, 1, [records.RuleCost("shop", "abc", [2.0], [2.5])])
    changed = msgspec.structs.replace(changed, rules=costs)
    for table in re.findall(r"(?:^\|.*\n)+", render.page(changed, ""), re.MULTILINE):
        assert len({row.count("|") for row in table.splitlines()}) == 1


def test_results_survive_their_file(tmp_path: Path) -> None:
    records.save(GOOD, tmp_path / "results.json")
    assert records.load(tmp_path / "results.json") == GOOD


def test_the_page_in_the_repository_is_that_of_its_results() -> None:
    folder = corpus.ROOT / "benchmarks"
    kept = records.load(folder / "results.json")
    assert (folder / "RESULTS.md").read_text("utf-8") == render.page(kept, (folder / "tried.md").read_text("utf-8"))


def test_plots_are_svg_that_names_its_groups(tmp_path: Path) -> None:
    plot.speed(GOOD.contests, tmp_path / "speed.svg")
    plot.growth(GOOD.growth, tmp_path / "growth.svg")
    assert "sparse-python" in (tmp_path / "speed.svg").read_text("utf-8")
    for name in ("speed.svg", "growth.svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")


# -- rules, corpus, trees -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["semgrep", "ast-grep"])
def test_every_anti_pattern_that_is_timed_has_a_rule_for_every_language(tool: str) -> None:
    found = {verify.split(rule) for rule in verify.rule_ids(tool)}
    languages = {"python", "java", "kotlin", "javascript"} | ({"typescript", "tsx"} if tool == "ast-grep" else set())
    assert found >= {(slug, language) for slug in verify.SLUGS.values() for language in languages}


def test_every_rule_of_another_tool_is_for_an_anti_pattern_of_the_rule_book() -> None:
    semgrep, ast_grep = ({verify.split(rule)[0] for rule in verify.rule_ids(tool)} for tool in ("semgrep", "ast-grep"))
    assert semgrep == ast_grep
    # Which parser is installed stands in no source code.
    assert set(RULE_BOOK.values()) - semgrep == {"slow-parser"}


def test_all_tools_are_timed_with_the_same_rules(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    ours, semgrep, ast_grep = (" ".join(tools.commands[name](tmp_path).arguments) for name in (WARM, SEMGREP, AST_GREP))
    assert "--select RL101,RL102,RL103,RL104,RL201,RL301,RL401 " in ours
    assert re.findall(r"semgrep/([a-z-]+)\.yml", semgrep) == list(verify.SLUGS.values())
    (pattern,) = re.findall(r"--filter (\S+)", ast_grep)
    run = {verify.split(rule)[0] for rule in verify.rule_ids("ast-grep") if re.search(pattern, rule)}
    assert run == set(verify.SLUGS.values())


@pytest.mark.parametrize("tool", ["semgrep", "ast-grep"])
def test_every_rule_stands_in_the_file_of_its_name_and_has_bad_examples(tool: str) -> None:
    for rule, path in verify.rule_ids(tool).items():
        assert verify.split(rule)[0] == path.stem
        assert verify.bad_fixtures(rule), rule


def test_the_corpus_has_sparse_and_dense_groups_of_all_languages() -> None:
    groups = corpus.group_names()
    assert {name.partition("-")[0] for name in groups} == {"sparse", "dense", corpus.ALL}
    for density in ("sparse", "dense"):
        endings = {suffix for name in groups if name.startswith(density) for suffix in corpus.suffixes(name)}
        assert endings == {suffix for suffixes in corpus.SUFFIXES.values() for suffix in suffixes}


def test_a_group_takes_source_that_all_tools_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packages" / "shop-1.0"
    for name in ("shop/cart.py", "shop/tests/test_cart.py", "shop/.hidden/x.py", "shop/page.js", "pyproject.toml"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("import redis  # may be redistributed\n", "utf-8")
    (package / "shop" / "large.py").write_text("#" * corpus.MAX_BYTES + "\n", "utf-8")
    (package / "shop" / "plain.py").write_text("# may be redistributed\n", "utf-8")
    (package / "shop" / "link.py").symlink_to("cart.py")
    fetched = [package]
    monkeypatch.setattr(corpus, "_fetched", lambda names, work: dict.fromkeys(names, fetched))
    (group,) = corpus.prepare(["sparse-python"], tmp_path).values()
    names = {path.name for path in (tmp_path / "corpus" / "sparse-python").rglob("*.*") if ".git" not in path.parts}
    assert names >= {"cart.py", "plain.py", "pyproject.toml"}
    assert not names & {"test_cart.py", "x.py", "page.js", "large.py", "link.py"}
    assert (group.files, group.naming) == (2, 1)


def test_trees_grow_by_the_same_files_and_are_as_sparse_as_they_say(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    size = trees.grow(first, 0, 450)
    assert size == trees.grow(second, 0, 200) + trees.grow(second, 200, 450)
    files = {path.relative_to(first): path.read_bytes() for path in first.rglob("*.*")}
    assert files == {path.relative_to(second): path.read_bytes() for path in second.rglob("*.*")}
    assert len(files) == 450
    assert sum(b"redis" in data.lower() for data in files.values()) == trees.naming(450)


# -- applications ---------------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> applications.Tree:
    """The only tree of the list; `tmp_path / "trees"` holds a checkout of it that has moved on since."""
    root = tmp_path / "trees" / "smith+shop"
    root.mkdir(parents=True)
    corpus.git(root, "init", "--quiet")
    (root / "cart.py").write_text("import redis\n\nclient = redis.Redis()\n", "utf-8")
    corpus.git(root, "add", "--all")
    corpus.git(root, "commit", "--quiet", "--message", "The cart")
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    (root / "cart.py").write_text("import later\n", "utf-8")
    corpus.git(root, "commit", "--quiet", "--all", "--message", "Without Redis")
    tree = applications.Tree("smith", "shop", commit, "cart.py")
    monkeypatch.setattr(applications, "listed", lambda: [tree])
    return tree


def test_a_tree_is_copied_at_its_commit_and_the_checkout_stays(tmp_path: Path, checkout: applications.Tree) -> None:
    copies = applications.prepare(tmp_path / "trees", tmp_path / "work")
    assert (copies[checkout] / "cart.py").read_text("utf-8").startswith("import redis\n")
    (copies[checkout] / "cart.py").write_text("", "utf-8")
    again = applications.prepare(tmp_path / "trees", tmp_path / "work")
    assert (again[checkout] / "cart.py").read_text("utf-8").startswith("import redis\n")
    assert (tmp_path / "trees" / "smith+shop" / "cart.py").read_text("utf-8") == "import later\n"


def test_a_bare_copy_of_a_tree_will_do(tmp_path: Path, checkout: applications.Tree) -> None:
    (tmp_path / "bare" / "smith+shop").mkdir(parents=True)
    source, target = tmp_path / "trees" / "smith+shop", tmp_path / "bare" / "smith+shop" / "repo"
    corpus.git(tmp_path, "clone", "--quiet", "--bare", str(source), str(target))
    assert (applications.prepare(tmp_path / "bare", tmp_path / "work")[checkout] / "cart.py").is_file()


def test_a_tree_that_is_missing_is_named_with_the_remedy(tmp_path: Path, checkout: applications.Tree) -> None:
    with pytest.raises(BenchError, match=r"git clone https://github\.com/smith/shop \S+/nowhere/smith\+shop"):
        applications.prepare(tmp_path / "nowhere", tmp_path / "work")
    corpus.git(tmp_path / "trees" / "smith+shop", "update-ref", "-d", "HEAD")
    shutil.rmtree(tmp_path / "trees" / "smith+shop" / ".git" / "objects")
    (tmp_path / "trees" / "smith+shop" / ".git" / "objects").mkdir()
    with pytest.raises(BenchError, match=rf"smith\+shop fetch origin {checkout.commit}"):
        applications.prepare(tmp_path / "trees", tmp_path / "work")


def test_every_tree_of_the_list_has_a_commit_and_a_line_to_append() -> None:
    trees = applications.listed()
    assert len({each.name for each in trees}) == len(trees) == 8
    assert all(re.fullmatch("[0-9a-f]{40}", each.commit) for each in trees)
    edited = [Path(each.edit) for each in trees if each.edit is not None]
    assert len(edited) == 4
    assert all(applications.line(path, 1) != applications.line(path, 2) for path in edited)


@pytest.mark.skipif(not editing.CAN_MEASURE, reason="the system does not tell what other processes use")
def test_an_edit_in_the_editor_costs_the_server_time(tmp_path: Path) -> None:
    path = tmp_path / "cart.py"
    path.write_text("import redis\n\nclient = redis.Redis()\nclient.blpop('jobs', timeout=30)\n", "utf-8")
    edits = asyncio.run(editing.session(tmp_path, path, ["FIRST = 1\n", "SECOND = 2\n"]))
    assert len(edits) == 2
    assert all(0 <= each.cpu_s < each.wall_s < 60 and each.peak_mb > 20 for each in edits)


# -- processes ------------------------------------------------------------------------------------------------------


def test_a_run_counts_the_whole_process(tmp_path: Path) -> None:
    code = "import sys; data = b'x' * 200_000_000; sum(range(2_000_000)); print('done')"
    done = run([sys.executable, "-c", code], cwd=tmp_path)
    assert done.output == b"done\n"
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # what a process is started from counts as its own
    assert 200 < done.sample.peak_mb < max(400, ours * 1.1)
    assert 0 < done.sample.cpu_s <= done.sample.wall_s * 1.5


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="ended with 3: no such rule"):
        run(["sh", "-c", "echo no such rule >&2; exit 3"], cwd=tmp_path)
    with pytest.raises(BenchError, match="cannot be run"):
        run([str(tmp_path / "missing")], cwd=tmp_path)
