"""Functions of a test framework below ``src/main`` are tests as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.scan import ScanRequest, scan
from tests.rules.fixture_cases import config

BENCH = """package com.lumen.meters;

import org.junit.Test;
import redis.clients.jedis.Jedis;

public class MeterReadings {
    private static final Jedis JEDIS = new Jedis("meters", 6379);

    public void forget() {
        for (String key : JEDIS.keys("reading:*")) {
            JEDIS.persist(key);
        }
    }

    @Test
    public void listsReadings() {
        JEDIS.keys("reading:*").forEach(key -> JEDIS.persist(key));
    }
}
"""


@pytest.mark.parametrize(("include", "lines"), [(False, {11}), (True, {11, 17})])
def test_methods_of_tests_are_left_out(tmp_path: Path, include: bool, lines: set[int]) -> None:
    source = tmp_path / "src" / "main" / "java" / "MeterReadings.java"
    source.parent.mkdir(parents=True)
    source.write_text(BENCH)
    settings = config(select=("RL202",), include_tests=include)
    report = scan(ScanRequest([str(tmp_path)], settings, root=tmp_path))
    assert {result.region.start_line for result in report.results} == lines


def test_a_file_of_tests_that_is_named_is_scanned(tmp_path: Path) -> None:
    source = tmp_path / "MeterReadingsTest.java"
    source.write_text(BENCH.replace("class MeterReadings", "class MeterReadingsTest"))
    report = scan(ScanRequest([str(source)], config(select=("RL202",), include_tests=False), root=tmp_path))
    assert len(report.results) == 2
