"""Writes the page of `benchmarks/coverage/sites.jsonl`: `python tools/traced_sites.py`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parents[1] / "benchmarks" / "coverage"
SITES, PAGE = FOLDER / "sites.jsonl", FOLDER / "README.md"
LANGUAGES = {
    "python": "Python", "java": "Java", "kotlin": "Kotlin", "javascript": "JavaScript", "typescript": "TypeScript",
}  # fmt: skip


class Repository(msgspec.Struct, frozen=True, tag="repository", tag_field="kind", forbid_unknown_fields=True):
    """A repository: by language, how many call sites there are and how many of them resplint traces."""

    repository: str
    commit: str
    sites: dict[str, int]
    traced: dict[str, int]


class Struck(msgspec.Struct, frozen=True, tag="struck", tag_field="kind", forbid_unknown_fields=True):
    """A call site that is not traced and should not be: why."""

    repository: str
    path: str
    line: int
    language: str
    reason: str


def read(text: str) -> tuple[list[Repository], list[Struck]]:
    """The records of the file."""
    lines = [msgspec.json.decode(line, type=Repository | Struck) for line in text.splitlines()]
    return (
        [line for line in lines if isinstance(line, Repository)],
        [line for line in lines if isinstance(line, Struck)],
    )


def render(repositories: Sequence[Repository], struck: Sequence[Struck]) -> str:
    """The page."""
    return "\n".join([*_HEAD, "", *_by_language(repositories, struck), *_reasons(struck), *_all(repositories)])


_HEAD = """\
# How much of the Redis work in unknown code is traced

Written by `python tools/traced_sites.py` from [sites.jsonl](sites.jsonl).

A finding needs a client: a call site that resplint does not trace to one is a call site about which it is silent. In
public repositories that nobody looked at while resplint was written (no fixture, label, verdict or other benchmark
names them, and the SHA-256 of `owner/name` ends in an even hexadecimal digit), a textual search listed the calls of
methods whose names hardly anything but a Redis client has (`.hgetall(`, `.zadd(`, `.opsForHash(`, …), and
`.pipeline(`, `.multi(` and `.eval(` in files that name Redis or a client. Tests, benchmarks, generated and vendored
code, comments and texts were left out. A site counts as traced when `resplint clients --format json` lists a call site
of a client on its line, or on the line before or behind. Repositories with fewer than two sites were left out, and so
were copies of client libraries. One more, TencentBlueKing/bk-ci with 143 sites in 7,622 files of Kotlin, is missing:
its scan needs more than 4 GB of memory.

The search knows no types. What it lists although there is nothing to trace is struck, site by site with the reason, in
`sites.jsonl`: methods of something else that have such a name, calls of the project's own methods (the call inside them
is a site of its own), and clients that come from where nobody can see.
""".splitlines()


def _by_language(repositories: Sequence[Repository], struck: Sequence[Struck]) -> list[str]:
    out = ["| Language | Repositories | Call sites | Traced | Share | Struck | Share of the rest |"]
    out.append("|---|---:|---:|---:|---:|---:|---:|")
    away = Counter(one.language for one in struck)
    for language, title in (*LANGUAGES.items(), ("", "All")):
        chosen = [language] if language else list(LANGUAGES)
        count = sum(any(one.sites.get(each) for each in chosen) for one in repositories)
        sites = sum(one.sites.get(each, 0) for one in repositories for each in chosen)
        traced = sum(one.traced.get(each, 0) for one in repositories for each in chosen)
        gone = sum(away[each] for each in chosen)
        shares = (f"{traced / total:.3f}" if total else "" for total in (sites, sites - gone))
        out.append(f"| {title} | {count} | {sites} | {traced} | {next(shares)} | {gone} | {next(shares)} |")
    return [*out, ""]


def _reasons(struck: Sequence[Struck]) -> list[str]:
    out = ["| Why sites were struck | Sites | Repositories |", "|---|---:|---:|"]
    for reason, count in sorted(Counter(one.reason for one in struck).items(), key=lambda pair: (-pair[1], pair[0])):
        where = {one.repository for one in struck if one.reason == reason}
        out.append(f"| {reason} | {count} | {len(where)} |")
    return [*out, ""]


def _all(repositories: Sequence[Repository]) -> list[str]:
    out = ["## Repositories", "", "Traced of all call sites, at the commit that was read.", ""]
    out += [f"| Repository | Commit | {' | '.join(LANGUAGES.values())} |", f"|---|---|{'---:|' * len(LANGUAGES)}"]
    for one in sorted(repositories, key=lambda each: each.repository.lower()):
        cells = [f"{one.traced.get(each, 0)} of {one.sites[each]}" if one.sites.get(each) else "" for each in LANGUAGES]
        out.append(f"| {one.repository} | `{one.commit[:10]}` | {' | '.join(cells)} |")
    return [*out, ""]


def main() -> int:
    """Write the page."""
    PAGE.write_text(render(*read(SITES.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
