"""Fixed fixtures as the front ends of their own languages see them: no syntax error."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import tooling
from tests.rules.fixture_cases import FIXTURES
from tests.tooling import npm_package

VERSION = "5.9.3"
TYPED = (".ts", ".tsx")
FIXED = sorted(path for path in FIXTURES.rglob("*.fixed") if path.suffixes[-2] in (".js", ".mjs", ".cjs", *TYPED))
ERRORS = """
const ts = require(process.argv[1]);
const fs = require('fs');
const found = {};
for (const [file, fileName] of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const compilerOptions = { target: ts.ScriptTarget.ESNext, experimentalDecorators: true };
  const options = { fileName, reportDiagnostics: true, compilerOptions };
  const { diagnostics } = ts.transpileModule(fs.readFileSync(file, 'utf8'), options);
  found[file] = diagnostics.map((one) => ts.flattenDiagnosticMessageText(one.messageText, ' '));
}
console.log(JSON.stringify(found));
"""


def node(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tooling.node(), *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
    )


def typescript_errors(names: dict[Path, str]) -> dict[str, list[str]]:
    """What TypeScript says about the syntax of files, by their path; `names` is what they would be called."""
    compiler = npm_package("typescript", VERSION) / "typescript"
    done = node("-e", ERRORS, str(compiler), text=json.dumps([[str(path), name] for path, name in names.items()]))
    assert done.returncode == 0, done.stderr
    errors: dict[str, list[str]] = json.loads(done.stdout)
    return errors


@pytest.fixture(scope="module")
def of_typescript() -> dict[str, list[str]]:
    """Of all files at once, as the compiler takes long to start."""
    return typescript_errors({path: path.stem for path in FIXED if path.suffixes[-2] in TYPED})


@pytest.mark.parametrize("path", FIXED, ids=[path.relative_to(FIXTURES).as_posix() for path in FIXED])
def test_a_fixed_file_parses(path: Path, of_typescript: dict[str, list[str]], tmp_path: Path) -> None:
    if path.suffixes[-2] in TYPED:
        assert of_typescript[str(path)] == []
        return
    copy = tmp_path / path.stem
    shutil.copyfile(path, copy)
    done = node("--check", str(copy))
    assert done.returncode == 0, done.stderr


def test_syntax_errors_are_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("const a: number = (1;\n", encoding="utf-8")
    assert typescript_errors({broken: "broken.ts"})[str(broken)]
