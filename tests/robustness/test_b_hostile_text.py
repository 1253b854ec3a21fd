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
from runs import FINDING, SAMPLES, SECONDS, scan_bytes

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
