"""Point 38: broken versions of the fixtures, by the thousand; and the tools that make them see what they look for."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from fuzzing import campaign, trial
from fuzzing.lowering import BrokenFactsError, check
from fuzzing.mutations import MUTATORS, mutated
from hostile import ROOT, environment

import resplint.scan.analysis
from resplint.contracts.findings import Finding
from resplint.languages import registry

SEED = 20261121
"""Fixed, so that a failure here is the same everywhere; `make fuzz` takes another one each time."""
INPUTS = 500
CHUNK = 250
LANGUAGES = sorted(trial.SUFFIXES)


@pytest.mark.parametrize("start", range(0, INPUTS, CHUNK))
@pytest.mark.parametrize("language", LANGUAGES)
def test_38_mutations(language: str, start: int) -> None:
    inputs = [campaign.Input(language, SEED, number) for number in range(start, start + CHUNK)]
    found = campaign.examine_all(inputs)
    again = f"python -m fuzzing --language {language} --seed {SEED} --only"
    assert [f"{again} {each.input.number}: {each.what}" for each in found] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_38_target_of_the_guided_fuzzer(language: str) -> None:
    """What `python -m fuzzing.guided` demands of facts holds for every fixture and for 300 mutations."""
    texts = trial.corpus(language)
    facts = [check(language, data) for data in texts]
    assert all(facts)
    for number in range(300):
        check(language, mutated(SEED + 1, language, number, texts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_38_the_guided_fuzzer_sees_the_lowering(language: str) -> None:
    """It sees what is imported together with its target, in a process that knew nothing of it."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("src", "tools"))
    program = (
        "import sys; from fuzzing import guided; before = set(sys.modules)\n"
        f"guided.target({language!r}); print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment(PYTHONPATH=path)
    )
    seen = done.stdout.split()
    expected = {"registry", "lowering", language.replace("typescript", "javascript")}
    assert {f"resplint.languages.{name}" for name in expected} <= set(seen)


@pytest.mark.parametrize("mutator", MUTATORS, ids=lambda mutator: mutator.__name__)
def test_every_mutation_changes_code(mutator: object) -> None:
    texts = trial.corpus("python")
    assert callable(mutator)
    changed = sum(mutator(random.Random(number), text, texts) != text for number, text in enumerate(texts))
    assert changed > len(texts) * 0.7


def test_a_seed_always_gives_the_same_inputs() -> None:
    texts = trial.corpus("java")
    assert mutated(1, "java", 2, texts) == mutated(1, "java", 2, texts)
    assert len({mutated(seed, "java", number, texts) for seed in (1, 2) for number in range(50)}) > 95


# -- the trial notices faults ----------------------------------------------------------------------------------------

FINDING = b'import redis\n\nqueue = redis.Redis(socket_timeout=5)\nqueue.blpop("jobs", timeout=30)\n'


def spoilt(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    load = resplint.scan.analysis.load_check

    def spoiling(name: str) -> object:
        def check(project: object) -> Iterator[Finding]:
            for finding in load(name)(project):  # type: ignore[arg-type]
                yield msgspec.structs.replace(finding, **changes)

        return check

    monkeypatch.setattr(resplint.scan.analysis, "load_check", spoiling)


def test_a_rule_that_raises_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trial.examine(tmp_path, {"a.py": FINDING}) == []

    def failing(name: str) -> object:
        return lambda project: {}["a bug"]

    monkeypatch.setattr(resplint.scan.analysis, "load_check", failing)
    assert "KeyError" in trial.examine(tmp_path, {"a.py": FINDING})[0].what


def test_a_crash_of_the_lowering_is_noticed_and_its_input_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lower_facts = registry._facts

    def failing(path: str, language: str, source: registry.DecodedSource, budget_s: float) -> object:
        if b"hgetall" in source.data:
            raise ValueError("too much hash")
        return lower_facts(path, language, source, budget_s)

    monkeypatch.setattr(registry, "_facts", failing)
    inputs = [campaign.Input("python", 3, each) for each in range(60)]
    found = [each for each in campaign.examine_all(inputs) if "too much hash" in each.what]
    assert found
    assert all(b"hgetall" in each.data for each in found)
    assert b"hgetall" in campaign.shrunk(found[0], seconds=5).data
    assert len(campaign.shrunk(found[0], seconds=5).data) < len(found[0].data)


def test_a_place_outside_the_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_lines", lambda data, name: ["import redis"])
    assert "not in the file" in trial.examine(tmp_path, {"a.py": FINDING})[0].what


def test_half_a_character_is_no_place() -> None:
    assert trial._on_character("a\U0001f9c2b", 2)
    assert not trial._on_character("a\U0001f9c2b", 3)
    assert trial._on_character("a\U0001f9c2b", 4)
    assert not trial._on_character("ab", 4)


def test_a_raw_control_character_in_a_report_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt(monkeypatch, message="A message\x1b[2J with a sting.")
    monkeypatch.setattr("resplint.output.escape._visible", lambda match: match[0], raising=True)
    assert any("control character" in each.what for each in trial.examine(tmp_path, {"a.py": FINDING}))


def test_unsound_facts_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = check("python", FINDING)
    assert facts is not None
    for broken in (
        msgspec.structs.replace(facts, bindings=(msgspec.structs.replace(facts.bindings[0], value=len(facts.exprs)),)),
        msgspec.structs.replace(facts, errors=((0, len(FINDING) + 1),)),
    ):
        monkeypatch.setattr(
            "fuzzing.lowering.lower", lambda path, language, data, facts=broken: registry.Lowered(facts)
        )
        with pytest.raises(BrokenFactsError):
            check("python", FINDING)


def test_a_process_that_dies_or_hangs_costs_its_input_only(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import time

    examine = trial.examine

    def deadly(folder: Path, inputs: dict[str, bytes]) -> list[trial.Failure]:
        if "input_000003.py" in inputs:
            os._exit(9)
        if "input_000025.py" in inputs:
            time.sleep(600)
        return examine(folder, inputs)

    monkeypatch.setattr(campaign, "examine", deadly)
    monkeypatch.setattr(campaign, "_GRACE_S", 3.0)
    monkeypatch.setattr(campaign, "SECONDS", 0.1)
    found = campaign.run([campaign.Input("python", 1, number) for number in range(40)], 2, lambda count: None)
    whats = {each.input.number: each.what for each in found}
    assert set(whats) == {3, 25}
    assert "died" in whats[3]
    assert "no end" in whats[25]
