"""Points 5 to 8: bytes, line ends and texts that are not what a parser hopes for. Every file is analysed with right
columns, or listed with a reason.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from runs import FINDING, SAMPLES, SECONDS, run, scan_bytes, write_files

from resplint.cli import app

EVERY_LANGUAGE = pytest.mark.parametrize("language", SAMPLES)
LINE_END = re.compile(r"\r\n|\r|\n")


def marked(folder: Path) -> list[str]:
    """What stands at the places that SARIF gives for the findings, by its own way of counting: lines end with LF, CRLF
    or CR, and columns are UTF-16 units.
    """
    result = CliRunner().invoke(app.cli, ["scan", str(folder), "--format", "sarif", "--no-cache"])
    texts = []
    for found in json.loads(result.stdout)["runs"][0]["results"]:
        place = found["locations"][0]["physicalLocation"]
        data = (folder / place["artifactLocation"]["uri"]).read_bytes()
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        region = place["region"]
        assert region.get("endLine", region["startLine"]) == region["startLine"]
        line = LINE_END.split(text)[region["startLine"] - 1].encode("utf-16-le")
        texts.append(line[2 * region["startColumn"] - 2 : 2 * region["endColumn"] - 2].decode("utf-16-le"))
    return texts


# -- 5: encodings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
@EVERY_LANGUAGE
def test_05_columns_are_right_in_every_encoding(tmp_path: Path, language: str, encoding: str) -> None:
    sample = SAMPLES[language]
    code = sample.code.replace("return", sample.declaration % "ß日😀" + "return")
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    (tmp_path / sample.file).write_bytes(mark + code.encode(encoding))
    assert marked(tmp_path) == [sample.culprit]


@pytest.mark.parametrize(
    "tail",
    [b"\xe6\x97", b"'\xe9'", b"'\xc0\x80'", b"'\xed\xa0\x80'"],
    ids=["truncated", "latin-1", "overlong", "surrogate"],
)
@EVERY_LANGUAGE
def test_05_bytes_that_are_no_utf_8_leave_the_finding_and_a_remark(tmp_path: Path, language: str, tail: bytes) -> None:
    sample = SAMPLES[language]
    comment = b"# " if language == "python" else b"// "
    outcome = scan_bytes(tmp_path, sample.code.encode() + comment + tail, sample.file)
    assert outcome.findings == [(sample.file, "RL104", sample.line)]
    offset = len(sample.code.encode()) + len(comment) + (tail[:1] == b"'")
    reason = f"not valid UTF-8 at offset {offset}; undecodable bytes were replaced"
    assert outcome.remarks(sample.file) == [("partial", f"Analysed only in part: {reason}.")]


@pytest.mark.parametrize("offset", [0, 4_095, -1], ids=["first", "at-4095", "last"])
@EVERY_LANGUAGE
def test_05_a_nul_byte_anywhere_means_binary(tmp_path: Path, language: str, offset: int) -> None:
    sample = SAMPLES[language]
    data = sample.padded().encode()
    at = offset if offset >= 0 else len(data)
    outcome = scan_bytes(tmp_path, data[:at] + b"\0" + data[at:], sample.file)
    assert outcome.findings == []
    assert outcome.remarks(sample.file) == [("skipped", f"Not analysed: binary: NUL byte at offset {at}.")]
    assert outcome.exit_code == 0


# -- 6: line ends and widths ---------------------------------------------------------------------------------

ENDS = {
    "lf": ["\n"],
    "crlf": ["\r\n"],
    "cr": ["\r"],
    "mixed": ["\n", "\r\n", "\r"],
}
WIDTHS = {
    "tabs": "\t\t",
    "astral": "\U0001d11e\U0001f600",
    "combining": "e\u0301a\u0308\u20dd",
    "separators": "a\u2028b\u2029c\u0085d",
    "form-feed": "a\fb\vc",
    "wide": "日本語",
    "joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
}


@pytest.mark.parametrize("final", [True, False], ids=["ended", "no-final-line-end"])
@pytest.mark.parametrize("ends", ENDS)
@EVERY_LANGUAGE
def test_06_columns_are_right_with_any_line_ends(tmp_path: Path, language: str, ends: str, final: bool) -> None:
    sample = SAMPLES[language]
    lines = sample.code.replace("return", sample.declaration % "é😀" + "return").split("\n")
    lines = lines if final else lines[:-1]
    pairs = zip(lines, itertools.cycle(ENDS[ends]), strict=False)
    text = "".join(line + end for line, end in list(pairs)[:-1]) + lines[-1]
    (tmp_path / sample.file).write_bytes(text.encode())
    assert marked(tmp_path) == [sample.culprit]


@pytest.mark.parametrize("width", WIDTHS)
@EVERY_LANGUAGE
def test_06_columns_are_right_behind_any_text(tmp_path: Path, language: str, width: str) -> None:
    sample = SAMPLES[language]
    code = sample.code.replace("return", sample.declaration % WIDTHS[width] + "return")
    (tmp_path / sample.file).write_bytes(code.encode())
    assert marked(tmp_path) == [sample.culprit]


# -- 7: little or nothing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", " " * 900_000, "\n" * 100_000, "x" * 900_000, "// redis\n" * 1_000])
@EVERY_LANGUAGE
def test_07_next_to_nothing_is_clean_or_listed(tmp_path: Path, language: str, text: str) -> None:
    sample = SAMPLES[language]
    outcome = scan_bytes(tmp_path, text, sample.file)
    assert outcome.findings == []
    assert outcome.exit_code == 0
    assert outcome.seconds <= SECONDS


def test_07_a_megabyte_of_one_name_is_listed(tmp_path: Path) -> None:
    outcome = scan_bytes(tmp_path, FINDING + "x" * 999_000)
    assert outcome.findings or [kind for kind, _ in outcome.remarks("module.py")] == ["skipped"]


# -- 8: bytes that are no text where a query looks -----------------------------------------------------------


@EVERY_LANGUAGE
def test_08_undecodable_bytes_where_predicates_look_leave_the_other_findings(tmp_path: Path, language: str) -> None:
    """Comments are what the queries compare with a regular expression; the library gives up on all of them if one is no
    text.
    """
    sample = SAMPLES[language]
    comment = b"#" if language == "python" else b"//"
    bad = b"".join(
        comment + b" resplint: ignore[" + byte + b"] \xff\xfe\n" for byte in (b"\xe9", b"\xc0\x80", b"\xed\xa0\x80")
    )
    outcome = scan_bytes(tmp_path, bad + sample.code.encode() + bad, sample.file)
    assert outcome.findings == [(sample.file, "RL104", sample.line + 3)]
    kinds = [kind for kind, _ in outcome.remarks(sample.file)]
    assert "partial" in kinds
    assert "internal-error" not in kinds


# -- numbers --------------------------------------------------------------------------------------------------------

WAITS = {
    "module.py": (
        "import redis\nimport time\n\nqueue = redis.Redis(socket_timeout=5)\n\n\ndef take():\n"
        '    queue.blpop("jobs", timeout=30)\n    queue.blpop("jobs", timeout=#)\n    for _ in range(#):\n'
        '        try:\n            return queue.get("a")\n        except redis.ConnectionError:\n'
        "            time.sleep(#)\n",
        8,
        ("1e999", "-1e999", 'float("nan")', 'float("inf")', "1e308 * 10", "0x" + "f" * 30, "10**400"),
    ),
    "worker.js": (
        "const Redis = require('ioredis');\nconst queue = new Redis({ commandTimeout: 5000 });\n"
        "queue.blpop('jobs', 30);\nqueue.blpop('jobs', #);\nconst other = new Redis({ commandTimeout: # });\n"
        "other.blpop('jobs', #);\n",
        3,
        ("1e999", "-1e999", "Infinity", "-Infinity", "NaN", "1e308 * 10", "9" * 40 + "n", "0x" + "f" * 30),
    ),
    "Worker.java": (
        "import redis.clients.jedis.Jedis;\n\nclass Worker {\n    void take(Jedis other) throws Exception {\n"
        '        Jedis queue = new Jedis("localhost", 6379);\n        queue.blpop(0, "jobs");\n'
        '        queue.blpop(#, "jobs");\n        new Jedis("localhost", 6379, #).blpop(#, "jobs");\n'
        "        for (int i = 0; i < #; i++) {\n            Thread.sleep(#);\n        }\n    }\n}\n",
        6,
        ("1e999", "Double.NaN", "Long.MAX_VALUE", "0x" + "f" * 30 + "L", "java.time.Duration.ofDays(99999999999L)"),
    ),
    "Worker.kt": (
        "import redis.clients.jedis.Jedis\n\nfun take() {\n"
        '    val queue = Jedis("localhost", 6379)\n    queue.blpop(0, "jobs")\n    queue.blpop(#, "jobs")\n'
        '    repeat(#) {\n        try {\n            queue.get("a")\n            return\n'
        "        } catch (e: Exception) {\n            Thread.sleep(#)\n        }\n    }\n}\n",
        5,
        ("1e999", "Long.MAX_VALUE", "0x" + "f" * 30, "java.time.Duration.ofSeconds(Long.MAX_VALUE)"),
    ),
}


@pytest.mark.parametrize("name", WAITS)
def test_20_numbers_without_end_or_meaning_are_numbers(tmp_path: Path, name: str) -> None:
    """Waits, time limits and attempts that no machine can count to."""
    code, line, numbers = WAITS[name]
    for at, number in enumerate(numbers):
        folder = tmp_path / str(at)
        write_files(folder, {name: code.replace("#", number)})
        outcome = run(folder, options=("--level", "note", "--min-precision", "low"))
        assert ("RL104", line) in {(rule, place) for _, rule, place in outcome.findings}, number
        assert outcome.document["notifications"] == [], number
        messages = " ".join(result["message"] for result in outcome.document["results"])
        assert " inf " not in messages, messages
        assert "nan " not in messages, messages
