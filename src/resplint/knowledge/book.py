"""The rule book: pages with front matter, fixed sections and examples that are taken from the fixtures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from resplint.contracts.errors import KnowledgeError
from resplint.contracts.findings import RuleInfo, Status
from resplint.knowledge.compiled import stored
from resplint.knowledge.files import fixtures_dir, parse_document, read_text, rules_dir, to_record
from resplint.knowledge.records.page_records import Page

SECTIONS = (
    "What it finds",
    "Why it hurts",
    "Bad",
    "Good",
    "Fix and its safety",
    "When it is fine",
    "References",
)
"""Level-2 headings of every page, in their order."""

LANGUAGE_OF_SUFFIX = {
    ".py": "python",
    ".java": "java",
    ".kt": "kotlin",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".go": "go",
    ".php": "php",
    ".cs": "csharp",
    ".rb": "ruby",
    ".rs": "rust",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".txt": "text",
}

LANGUAGE_TITLES = {
    "python": "Python",
    "java": "Java",
    "kotlin": "Kotlin",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
}
"""Level-3 headings of the sections with examples, by the language whose examples stand below them."""

FAMILIES = {
    "1": "Connections",
    "2": "Round trips",
    "3": "Lua scripts",
    "4": "Data and commands",
    "5": "Server",
    "6": "Security",
}
"""What the rules of a family are about, by the first digit of their codes."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INCLUDE = re.compile(r"^[ \t]*<!--[ \t]*include:[ \t]*(?P<path>\S+)[ \t]*-->[ \t]*$")
_EXPECTATION = re.compile(
    r"[ \t]*(?:#|//)[ \t]*"
    r"(?:(?:expect|ok|known-miss|known-false):[ \t]*RL\d{3}\b|(?:versions|traced|known-untraced):).*$"
)
_SEVERITY = re.compile(r"(?!0\.0)\d\.\d|10\.0")
_INVALID_NAME = "the file name must be <code>-<name>.md"


@cache
def load_book(directory: Path | None = None, fixtures: Path | None = None) -> dict[str, RuleInfo]:
    """Every rule of ``book/`` below `directory` (default: `rules_dir()`), by code, in order of the codes."""
    known = stored("book", dict[str, RuleInfo]) if directory is None and fixtures is None else None
    return known or {
        page.code: _rule(page, path, body, fixtures or fixtures_dir())
        for path, page, body in _pages(directory or rules_dir())
    }


@cache
def load_pages(directory: Path | None = None) -> dict[str, Page]:
    """The front matter of every page, by code."""
    known = stored("pages", dict[str, Page]) if directory is None else None
    return known or {page.code: page for _, page, _ in _pages(directory or rules_dir())}


def _pages(rules: Path) -> Iterator[tuple[Path, Page, str]]:
    seen: dict[str, Path] = {}
    for path in sorted((rules / "book").glob("RL*.md")):
        page, body = _split(path)
        if page.code in seen:
            raise KnowledgeError(f"{path}: code {page.code} is also that of {seen[page.code].name}")
        seen[page.code] = path
        yield path, page, body


def _split(path: Path) -> tuple[Page, str]:
    """The front matter between two lines ``+++``, and what follows."""
    lines = read_text(path).split("\n")
    if lines[0].rstrip() != "+++":
        raise KnowledgeError(f"{path}:1: the page must begin with front matter between lines of +++")
    end = next((number for number in range(1, len(lines)) if lines[number].rstrip() == "+++"), 0)
    if not end:
        raise KnowledgeError(f"{path}:1: the front matter has no closing +++")
    page = to_record(parse_document("\n".join(lines[1:end]).encode(), path, lines_before=1), Page, path)
    if path.stem != f"{page.code}-{page.name}":
        raise KnowledgeError(f"{path}: {_INVALID_NAME}, here {page.code}-{page.name}.md")
    if not page.languages:
        raise KnowledgeError(f"{path}: languages names no language")
    if ("security" in page.tags) != bool(page.security_severity):
        raise KnowledgeError(f"{path}: security_severity: expected if, and only if, the rule is tagged security")
    if page.code in page.yields_to:
        raise KnowledgeError(f"{path}: yields_to: names the rule itself")
    if page.security_severity and not _SEVERITY.fullmatch(page.security_severity):
        raise KnowledgeError(f'{path}: security_severity: expected a number from "0.1" to "10.0"')
    return page, "\n".join(lines[end + 1 :])


def _rule(page: Page, path: Path, body: str, fixtures: Path) -> RuleInfo:
    sections = {heading: _with_examples(text, path, fixtures) for heading, text in _sections(body, path).items()}
    parts = [f"# {page.code} {page.name}", page.summary, *status_note(page.code, page.status)]
    parts += [f"## {heading}\n\n{text}" for heading, text in sections.items()]
    return RuleInfo(
        code=page.code,
        name=page.name,
        title=page.title,
        summary=page.summary,
        level=page.level,
        precision=page.precision,
        since=page.since,
        tags=page.tags,
        references=page.references,
        sections=sections,
        help_markdown="\n\n".join(parts) + "\n",
        security_severity=page.security_severity,
        status=page.status,
        yields_to=page.yields_to,
        yields_up_to=page.yields_up_to,
    )


def status_note(code: str, status: Status) -> list[str]:
    """What a page says of a rule that does not run by default: a paragraph, or none."""
    how = f'select it with `--select {code}` or `select = ["default", "{code}"]`.'
    return {
        Status.DEFAULT: [],
        Status.PREVIEW: [f"This rule is a preview and off by default: {how}"],
        Status.OFF: [f"This rule is off by default, as it is wrong too often: {how}"],
    }[status]


def _sections(body: str, path: Path) -> dict[str, str]:
    """Heading -> text. The headings must be exactly `SECTIONS`; a heading inside a code block is text."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line, in_code in _lines(body):
        if not in_code and line.startswith("## "):
            heading = line[3:].strip()
            expected = SECTIONS[len(found)] if len(found) < len(SECTIONS) else ""
            if heading != expected:
                wanted = f"expected {expected!r}" if expected else "no more headings are expected"
                raise KnowledgeError(f"{path}: heading {heading!r}: {wanted}")
            current = found[heading] = []
        elif current is not None:
            current.append(line)
        elif line.strip():
            raise KnowledgeError(f"{path}: text before the first heading {SECTIONS[0]!r}")
    if len(found) < len(SECTIONS):
        raise KnowledgeError(f"{path}: heading {SECTIONS[len(found)]!r} is missing")
    sections = {heading: "\n".join(lines).strip("\n") for heading, lines in found.items()}
    for heading, text in sections.items():
        if not text.strip():
            raise KnowledgeError(f"{path}: section {heading!r} is empty")
    return sections


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced code block."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
            yield line, True
        elif fence:
            yield line, True
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            yield line, False


def family_of(code: str) -> str:
    """What the rules that a rule stands with are about ("Round trips")."""
    return FAMILIES.get(code[2:3], "") if code.startswith("RL") else "Your own"


def in_language(markdown: str, language: str) -> str:
    """A page without the examples of other languages."""
    others = {f"### {title}" for name, title in LANGUAGE_TITLES.items() if name != language}
    kept: list[str] = []
    left_out = False
    for line, in_code in _lines(markdown):
        if not in_code and line.startswith(("# ", "## ", "### ")):
            left_out = line.rstrip() in others
        if not left_out:
            kept.append(line)
    return "\n".join(kept)


# -- examples -----------------------------------------------------------------------------------------------


def _with_examples(text: str, path: Path, fixtures: Path) -> str:
    """`text` with each include line replaced by the fixture (a folder: by all its files)."""
    lines: list[str] = []
    for line, in_code in _lines(text):
        match = None if in_code else _INCLUDE.match(line)
        lines.append(_example(match["path"], path, fixtures) if match else line)
    return "\n".join(lines)


def example_paths() -> set[Path]:
    """The fixtures, and folders of fixtures with their content, that the pages show."""
    found: set[Path] = set()
    for _, _, body in _pages(rules_dir()):
        for line in body.split("\n"):
            if match := _INCLUDE.match(line):
                target = fixtures_dir() / match["path"]
                found.update((target, *target.rglob("*")) if target.is_dir() else (target,))
    return found


def _example(name: str, page: Path, fixtures: Path) -> str:
    target = fixtures / name
    if ".." in Path(name).parts or not target.resolve().is_relative_to(fixtures.resolve()):
        raise KnowledgeError(f"{page}: include {name}: leads out of the fixtures")
    if target.is_file():
        return _code_block(target)
    files = sorted(each for each in target.rglob("*") if each.suffix in LANGUAGE_OF_SUFFIX and each.is_file())
    if not files:
        raise KnowledgeError(f"{page}: include {name}: no such fixture")
    blocks = (f"`{each.relative_to(target).as_posix()}`:\n\n{_code_block(each)}" for each in files)
    return "\n\n".join(blocks)


def _code_block(path: Path) -> str:
    code = without_expectations(read_text(path)).strip("\n")
    runs = re.findall(r"`{3,}", code)
    fence = "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"
    return f"{fence}{LANGUAGE_OF_SUFFIX.get(path.suffix, '')}\n{code}\n{fence}"


def without_expectations(code: str) -> str:
    """The code of a fixture without the comments that say what is expected of it."""
    kept: list[str] = []
    for line in code.split("\n"):
        match = _EXPECTATION.search(line)
        if match is None:
            kept.append(line)
        elif line[: match.start()].strip():
            kept.append(line[: match.start()].rstrip())
    return "\n".join(kept)
