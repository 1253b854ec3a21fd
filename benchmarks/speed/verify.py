"""What makes a comparison fair: every rule finds what it is for, and all tools look at the same files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import yaml

from speed.corpus import ROOT
from speed.process import BenchError, Run
from speed.tools import AST_GREP, COLD, RULE_BOOK, RULES, SEMGREP, TIMED, Tools

SLUGS: Mapping[str, str] = {code: RULE_BOOK[code] for code in TIMED}
"""The anti-patterns that all tools are timed with."""

_SUMMARY = re.compile(rb"scannedFileCount=(\d+)")


def rule_ids(tool: str) -> dict[str, Path]:
    """The rules that a tool ("semgrep", "ast-grep") is given: their names end with the language."""
    if tool == "semgrep":
        files = sorted((RULES / tool).glob("*.yml"))
        return {rule["id"]: path for path in files for rule in yaml.safe_load(path.read_text("utf-8"))["rules"]}
    files = sorted((RULES / tool / "rules").glob("*.yml"))
    return {rule["id"]: path for path in files for rule in yaml.safe_load_all(path.read_text("utf-8"))}


def split(rule: str) -> tuple[str, str]:
    """`hgetall-large-hash-python` -> anti-pattern and language."""
    slug, _, language = rule.rpartition("-")
    return slug, language


def bad_fixtures(rule: str) -> list[Path]:
    """The bad examples that a rule is tried on."""
    slug, language = split(rule)
    folder = ROOT / "fixtures" / slug / ("typescript" if language == "tsx" else language)
    return sorted(path for path in folder.glob("bad_*") if path.suffix != ".fixed")


def check_rules(tools: Tools) -> None:
    """Every rule must find something in a bad example of its anti-pattern and language (there is none in TSX)."""
    fixtures = ROOT / "fixtures"
    for name, run, found in (
        ("semgrep", tools.semgrep(fixtures).run(ROOT), _semgrep),
        ("ast-grep", tools.ast_grep(fixtures).run(ROOT), _ast_grep),
    ):
        hits = {rule for rule, path in found(run.output) if _is_its_example(rule, PurePosixPath(path))}
        if missing := sorted(rule for rule in rule_ids(name) if rule not in hits and not rule.endswith("-tsx")):
            raise BenchError(f"rules of {name} that find nothing in their fixtures: {', '.join(missing)}")


def _is_its_example(rule: str, path: PurePosixPath) -> bool:
    slug, language = split(rule)
    folder, languages = path.parts[path.parts.index("fixtures") + 1 :], {language}
    if language == "javascript":  # Semgrep's rules for it are for TypeScript as well
        languages.add("typescript")
    return folder[0] == slug and folder[1] in languages and folder[2].startswith("bad_")


def findings(tool: str, run: Run) -> dict[str, int]:
    """How often each anti-pattern was found, by what a tool printed."""
    if tool == COLD:
        codes = (each["rule"] for each in json.loads(run.output)["results"])
        counted = Counter(SLUGS[code] for code in codes if code in SLUGS)
    else:
        found = _semgrep(run.output) if tool == SEMGREP else _ast_grep(run.output)
        counted = Counter(split(rule)[0] for rule, _ in found)
    return {slug: counted[slug] for slug in SLUGS.values()}


def looked_at(tool: str, run: Run) -> int:
    """How many files a tool says it has looked at."""
    if tool == COLD:
        return int(json.loads(run.output)["counts"]["files_discovered"])
    if tool == SEMGREP:
        return len(json.loads(run.output)["paths"]["scanned"])
    if tool == AST_GREP:
        return int(_SUMMARY.findall(run.errors)[-1])
    return run.output.count(b"\n")


def _semgrep(output: bytes) -> Iterator[tuple[str, str]]:
    """Rule and path of each finding. The rule's name is behind those of the folders that its file is in."""
    for each in json.loads(output)["results"]:
        yield each["check_id"].rpartition(".")[2], each["path"]


def _ast_grep(output: bytes) -> Iterator[tuple[str, str]]:
    for line in output.splitlines():
        each = json.loads(line)
        yield each["ruleId"], each["file"]
