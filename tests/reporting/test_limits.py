"""What strangers can make a report cost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from resplint.reporting import highlight, html
from resplint.reporting.collect import collect
from resplint.reporting.reading import read_files
from resplint.reporting.records import Line
from tests.reporting.samples import log, result, save


def rendered(folder: Path, content: dict[str, Any]) -> bytes:
    return html.render(collect(read_files([save(folder, content)])))


def test_colours_run_out_before_time_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "_BUDGET", 10_000_000)
    painter = highlight.Painter()
    texts = ['"\\' * 1000 + f"'{number}'" for number in range(9)]
    coloured = ["<i" in painter.code([Line(1, text)], "a.ts") for text in texts]
    assert coloured == [True, True, False, False, False, False, False, False, False]
    assert "<i" in painter.code([Line(1, texts[0])], "a.ts"), "what is known costs nothing"
    assert "<i" in painter.code([Line(1, "return 'x'")], "a.ts"), "and what is short little"
    assert "<i" not in highlight.Painter().code([Line(1, '"' * 9000)], "a.py")


def test_what_is_long_is_cut(tmp_path: Path) -> None:
    text = "> " * 30_000 + "[" * 30_000
    rules = [{"id": f"R{number}", "help": {"text": text, "markdown": text}} for number in range(30)]
    results = [result(rule["id"], message={"text": "m" * 100_000}, line=1) for rule in rules]
    steps = [{"location": {"message": {"text": "s" * 10_000}}}] * 1000
    results[0]["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    place = {"artifactLocation": {"uri": "a.py"}}
    inserted = {"text": "i" * 100_000 + "\ni" * 1000}
    edit = {"deletedRegion": {"startLine": 1, "endLine": 10**12}, "insertedContent": inserted}
    results[1]["fixes"] = [{"artifactChanges": [{**place, "replacements": [edit]}]}] * 100
    results[2]["locations"] = [{"physicalLocation": {**place, "region": {"startLine": 1, "endLine": 10**12}}}] * 10_000
    said = [{"message": {"text": f"File {number}."}} for number in range(5000)]
    began = time.process_time()
    page = rendered(tmp_path, log(*results, rules=rules, invocations=[{"toolExecutionNotifications": said}]))
    assert time.process_time() - began < 30
    assert len(page) < 5_000_000
    assert page.count(b"The help is left out") == 10
    assert b"and 4,800 more" in page
    assert page.count(b'class="sub">Fix:') == 10


def test_the_same_files_make_the_same_page(tmp_path: Path) -> None:
    content = log(result(), result(line=4, level="warning"), result("RL102", path="other/x.py"))
    assert rendered(tmp_path / "a", content) == rendered(tmp_path / "b", content)
