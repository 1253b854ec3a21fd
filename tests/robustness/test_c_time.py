"""Points 10, 12 and 13: large files, many files, and what has no end: in time and memory, and never in silence."""

from __future__ import annotations

import gc
import itertools
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from runs import FINDING, FINDING_LINE, SAMPLES, SECONDS, Outcome, run, scan_report, write_files

from resplint.checks import blocking_timeout, missing_backoff, unparameterized_eval
from resplint.languages import lower
from resplint.scan import analysis, lowering_pool
from resplint.scan.kept.memory import FactsMemory
from resplint.scan.lowering_pool import lower_here
from resplint.selection.ways_out import WaysOut
from resplint.workers.time_limits import Deadline, within

TYPESCRIPT = SAMPLES["typescript"].code.replace("const queue", "export const queue")

# -- 10 -------------------------------------------------------------------------------------------------------------

BUNDLE = 'var Redis=require("ioredis"),q=new Redis({commandTimeout:5e3});'
BUNDLE += "function f(a,b){return a?b:q.get(a+b)}" * 80_000


@pytest.mark.parametrize(
    ("options", "reason"),
    [((), "are over the limit of 1,000,000 (max-file-size)"), (("--max-file-size", "5000000"), "minified")],
)
def test_10_three_megabytes_of_a_bundle_are_listed(tmp_path: Path, options: tuple[str, ...], reason: str) -> None:
    assert len(BUNDLE) > 3_000_000
    write_files(tmp_path, {"bundle.js": BUNDLE, "module.py": FINDING})
    outcome = run(tmp_path / "bundle.js", tmp_path / "module.py", options=options)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    ((kind, said),) = outcome.remarks("bundle.js")
    assert kind == "skipped"
    assert reason in said
    assert outcome.seconds <= 10


def test_10_minified_files_are_analysed_when_asked_for(tmp_path: Path) -> None:
    """Whatever an earlier scan has kept of them."""
    lines = ("import redis;q=redis.Redis(socket_timeout=5)", "a=1;" * 1_000 + "q.blpop('a',30)")
    write_files(tmp_path, {"module.py": "\n".join(lines), "resplint.toml": ""})
    for include in (False, True, False):
        (tmp_path / "resplint.toml").write_text(f"include-minified = {str(include).lower()}\n")
        outcome = run(tmp_path)
        assert [(path, rule) for path, rule, _ in outcome.findings] == [("module.py", "RL104")] * include
        assert [kind for kind, _ in outcome.remarks("module.py")] == ["skipped"] * (not include)


# -- 11 -------------------------------------------------------------------------------------------------------------


def test_11_an_import_is_not_compared_with_every_alias(tmp_path: Path) -> None:
    paths = {f"@{number}/*": [f"lib/{number}/*", f"lib/m{number}"] for number in range(15_000)}
    write_files(tmp_path, {"tsconfig.json": json.dumps({"compilerOptions": {"paths": paths}})})
    imports = "".join(f"import a{number} from '@{number}/a';\n" for number in range(40))
    taking = "export async function take() {\n  return client.blpop('jobs', 30);\n}\n"
    for number in range(100):
        write_files(tmp_path, {f"m{number}.ts": f"{imports}import {{ client }} from '@7/queue';\n{taking}"})
    exported = TYPESCRIPT.replace("queue", "client")
    write_files(tmp_path, {"lib/7/queue.ts": exported})
    outcome = run(tmp_path)
    assert len(outcome.findings) == 101
    assert outcome.seconds <= SECONDS


# -- 12 -------------------------------------------------------------------------------------------------------------


def megabytes() -> float:
    """Memory of this process, without what is garbage."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def code_of(number: int) -> tuple[str, str, str]:
    """Language, file and code of a file that is like no other."""
    language = list(SAMPLES)[number % len(SAMPLES)]
    sample = SAMPLES[language]
    code = sample.code.replace("jobs", f"jobs_{number}").replace("take", f"take_{number}")
    return language, f"part_{number % 20}/{sample.file}", code + sample.filler.replace("#", str(number))


def test_12_files_that_were_read_leave_nothing_behind() -> None:
    """As in a worker: after ten times as many files it needs as much memory, give or take a tenth."""

    def lower_some(numbers: range) -> float:
        for number in numbers:
            language, path, code = code_of(number)
            assert lower_here(path, language, code.encode()).facts is not None
        return megabytes()

    before = lower_some(range(250))
    assert lower_some(range(250, 2_500)) <= 1.1 * before


def test_12_scans_of_one_process_leave_nothing_behind(tmp_path: Path) -> None:
    """As in an editor's server, which runs for days."""

    def scan_some(numbers: range) -> float:
        for number in numbers:
            write_files(tmp_path, {path: code for _, path, code in map(code_of, range(20 * number, 20 * number + 20))})
            assert len(scan_report(tmp_path, root=tmp_path).results) == 20
        return megabytes()

    before = scan_some(range(4))
    assert scan_some(range(4, 40)) <= 1.1 * before


def test_12_files_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    memory = FactsMemory()
    write_files(tmp_path, {"here.py": FINDING, "gone.py": FINDING})
    scan_report(tmp_path, root=tmp_path, memory=memory)
    assert memory.newest("gone.py") is not None
    (tmp_path / "gone.py").unlink()
    scan_report(tmp_path, root=tmp_path, memory=memory)
    assert memory.newest("gone.py") is None
    assert memory.newest("here.py") is not None


# -- 13 -------------------------------------------------------------------------------------------------------------


def spin() -> None:
    for _ in itertools.count():
        pass


def sleep() -> None:
    time.sleep(10_000)


WITHOUT_END = pytest.mark.parametrize("endless", [spin, sleep])


@pytest.mark.parametrize(("others", "jobs"), [(1, "1"), (60, "2")], ids=["here", "workers"])
@WITHOUT_END
def test_13_a_file_without_end_is_listed_and_the_others_are_analysed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: Callable[[], None], others: int, jobs: str
) -> None:
    def lowering(path: str, *rest: Any, **named: Any) -> Any:
        if path == "endless.py":
            endless()
        return lower(path, *rest, **named)

    monkeypatch.setattr(lowering_pool, "lower", lowering)
    write_files(tmp_path, {f"m{number:02}.py": FINDING for number in range(others)} | {"endless.py": FINDING})
    started = time.monotonic()
    outcome = run(tmp_path, options=("--jobs", jobs, "--file-timeout", "1", "--strict"))
    assert time.monotonic() - started < 60
    assert {path for path, _, _ in outcome.findings} == {f"m{number:02}.py" for number in range(others)}
    said = "Not analysed: it takes longer than 1 s: exclude it, or raise file-timeout."
    assert outcome.remarks("endless.py") == [("skipped", said)]
    assert outcome.exit_code == 3


@WITHOUT_END
def test_13_a_rule_without_end_is_named_and_the_others_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: Callable[[], None]
) -> None:
    def check(project: object) -> Iterator[object]:
        endless()
        yield

    monkeypatch.setattr(unparameterized_eval, "check", check)
    monkeypatch.setattr(analysis, "within", lambda seconds, work: within(seconds / 600, work))
    write_files(tmp_path, {"module.py": FINDING})
    outcome = run(tmp_path)
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    (note,) = outcome.document["notifications"]
    assert (note["kind"], note["rule"]) == ("internal-error", "RL301")
    assert "was stopped and may have missed findings: it took longer than 300 s." in note["message"]
    assert note["message"].endswith("or raise rule-timeout.")
    assert outcome.exit_code == 3


@WITHOUT_END
def test_13_all_stages_share_one_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: Callable[[], None]
) -> None:
    """Linking that does not end, and rules that do not end: what is there is reported, and what was cut."""

    def check(project: object) -> Iterator[object]:
        endless()
        yield

    monkeypatch.setattr(WaysOut, "exported", lambda *_: endless())
    monkeypatch.setattr(unparameterized_eval, "check", check)
    monkeypatch.setattr(missing_backoff, "check", check)
    write_files(tmp_path, {"module.py": FINDING})
    started = time.monotonic()
    outcome = run(tmp_path, options=("--no-cache", "--config", str(short(tmp_path))))
    assert time.monotonic() - started < 3 * SHORT
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    assert sorted(note["rule"] for note in outcome.document["notifications"] if note["rule"]) == ["RL103", "RL301"]
    assert any("handed a client took too long and was cut short" in said for said in outcome.limits)
    assert outcome.exit_code == 3


@WITHOUT_END
def test_13_what_a_rule_found_before_it_was_stopped_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: Callable[[], None]
) -> None:
    real = blocking_timeout.check

    def check(project: Any) -> Iterator[object]:
        yield from real(project)
        endless()

    monkeypatch.setattr(blocking_timeout, "check", check)
    write_files(tmp_path, {"module.py": FINDING})
    outcome = run(tmp_path, options=("--no-cache", "--config", str(short(tmp_path))))
    assert outcome.findings == [("module.py", "RL104", FINDING_LINE)]
    (note,) = (note for note in outcome.document["notifications"] if note["rule"])
    assert "was stopped and may have missed findings" in note["message"]
    assert note["message"].endswith("or raise scan-timeout.")
    assert outcome.exit_code == 3


SHORT = 5


def short(folder: Path) -> Path:
    """A configuration with little time for all of a scan."""
    file = folder / "resplint.toml"
    file.write_text(f"scan-timeout = {SHORT}\n")
    return file


class Impatient(Deadline):
    """A deadline that passes when it has been asked so often."""

    patience = 0
    asked = 0

    def passed(self, stage: str) -> bool:
        Impatient.asked += 1
        if Impatient.asked > Impatient.patience:
            self._end = -math.inf
        return super().passed(stage)


STARS = {"all.ts": "export * from './queue';\nexport * from './user';\n"}
USER = "import { queue } from './all';\n\nexport async function other() {\n  return queue.blpop('jobs', 30);\n}\n"
MANIFEST = '{"dependencies": {"ioredis": "^5"}}'
MIXED = {sample.file: sample.code for sample in SAMPLES.values()}
MIXED |= {**STARS, "queue.ts": TYPESCRIPT, "user.ts": USER, "package.json": MANIFEST}
MIXED |= {"pooled.py": "import redis\n\n\ndef handle(request):\n    redis.Redis().get(request.path)\n"}
MIXED |= {"kept.py": "import functools\nimport redis\n\n\n@functools.cache\ndef client():\n    return redis.Redis()\n"}


def test_13_whenever_the_time_is_up_what_is_there_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was cut is said; nothing is reported only because something was not looked at."""
    write_files(tmp_path, MIXED)
    monkeypatch.setattr(analysis, "Deadline", Impatient)

    def scanned(patience: int, *options: str) -> Outcome:
        Impatient.patience, Impatient.asked = patience, 0
        return run(tmp_path, options=options)

    full = scanned(10**9, "--no-cache")
    assert len(full.findings) >= len(SAMPLES) + 1
    assert not full.limits
    steps, found = Impatient.asked, []
    for patience in (*range(0, steps, max(1, steps // 25)), steps - 1):
        cut = scanned(patience, "--no-cache")
        assert set(cut.findings) <= set(full.findings)
        assert any("took too long and was cut short (scan-timeout" in said for said in cut.limits)
        left_out = {note["path"] for note in cut.document["notifications"] if note["kind"] == "skipped"}
        assert all("raise scan-timeout" in said for path in left_out for _, said in cut.remarks(path))
        found.append(len(cut.findings))
    assert found[0] == 0
    assert found[-1] > 0
    # What was cut is not taken for the whole the next time.
    assert scanned(steps // 2).limits
    assert scanned(10**9).findings == full.findings


def test_13_modules_that_all_try_each_other_for_a_name_end(tmp_path: Path) -> None:
    """There are more ways through them than can be walked."""
    attempt = "try:\n    from m{} import gone\nexcept ImportError:\n    pass\n"
    for mine in range(12):
        attempts = "".join(attempt.format(other) for other in range(12) if other != mine)
        write_files(tmp_path, {f"m{mine}.py": f"import redis\n\n{attempts}\ngone.blpop('jobs', timeout=30)\n"})
    write_files(tmp_path, {"a.py": FINDING, "z.py": FINDING})
    outcome = run(tmp_path)
    assert [path for path, _, _ in outcome.findings] == ["a.py", "z.py"]
    assert outcome.limits == []
    assert outcome.exit_code == 1
    assert outcome.seconds <= SECONDS


@pytest.mark.parametrize(
    ("files", "options", "code"),
    [
        ({"binary.py": "redis\0"}, (), 0),
        ({"binary.py": "redis\0"}, ("--strict",), 3),
        ({"broken.py": "import redis\n\ndef (\n"}, ("--strict", "--exit-zero"), 3),
        ({"large.py": FINDING * 20}, ("--strict", "--max-file-size", "100"), 3),
        ({"module.py": FINDING}, ("--strict",), 1),
        ({"module.py": FINDING}, ("--strict", "--exit-zero"), 0),
    ],
)
def test_13_strict_is_about_what_was_not_analysed(
    tmp_path: Path, files: dict[str, str], options: tuple[str, ...], code: int
) -> None:
    write_files(tmp_path, files)
    assert run(tmp_path, options=options).exit_code == code
