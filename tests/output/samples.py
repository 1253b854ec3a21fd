"""Reports to render: one as a scan makes it, one made of nothing but hostile text."""

from __future__ import annotations

from resplint.contracts.findings import (
    BaselineState,
    Finding,
    FixSafety,
    Level,
    LocatedEdit,
    LocatedFix,
    LocatedStep,
    Notification,
    NotificationKind,
    Place,
    Precision,
    Region,
    Report,
    Result,
    RuleInfo,
    SourceLine,
    Step,
    Suppression,
)
from resplint.results.locate import locate

QUEUE = (
    "class Worker:\n"
    "\tdef pop(self):\n"
    "\t\tname = '日本'; item = self.client.blpop('jobs', timeout=30)\n"
    "\t\treturn item\n"
)
FACTORY = """\
import redis


def make():
    return redis.Redis(
        host='cache',
        socket_timeout=5,
    )
"""
FILES = {"app/queue.py": QUEUE.encode(), "app/redis.py": FACTORY.encode()}


def rule(code: str, name: str, level: Level, **changes: object) -> RuleInfo:
    fields: dict[str, object] = {
        "code": code,
        "name": name,
        "title": f"About {name}",
        "summary": f"Finds {name}.",
        "level": level,
        "precision": Precision.HIGH,
        "since": "0.1.0",
        "tags": ("redis", "latency"),
        "references": ("https://redis.io/docs/",),
        "sections": {"Why it hurts": "It is slow."},
        "help_markdown": "# Why it hurts\n\nIt is slow.\n",
    }
    return RuleInfo(**{**fields, **changes})  # type: ignore[arg-type]


RULES = (
    rule("RL105", "missing-timeout", Level.NOTE),
    rule("RL104", "blocking-timeout", Level.ERROR),
    rule("RL102", "unbounded-pool", Level.WARNING),
)


def place(path: str, code: str) -> Place:
    start = FILES[path].index(code.encode())
    return Place(path, start, start + len(code.encode()))


def scan_report() -> Report:
    """One error with a trail, one warning over several lines, one note."""
    made = place("app/redis.py", "redis.Redis(\n        host='cache',\n        socket_timeout=5,\n    )")
    findings = [
        Finding(
            "RL104",
            Level.ERROR,
            Precision.HIGH,
            "BLPOP waits up to 30 s, but `socket_timeout` is 5 s.",
            place("app/queue.py", "self.client.blpop('jobs', timeout=30)"),
            (Step(made, "The client is made here."), Step(place("app/redis.py", "socket_timeout=5"), "5 s.")),
            "Worker.pop",
            help="Wait less than 5 s.",
        ),
        Finding("RL102", Level.WARNING, Precision.MEDIUM, "The pool has no bound.", made, (), "make"),
        Finding("RL105", Level.NOTE, Precision.HIGH, "No timeout is set.", place("app/redis.py", "redis.Redis(")),
    ]
    results = locate(findings, FILES.get, lambda _: "python")
    return Report(tuple(results), (), RULES, files_discovered=4012, files_analysed=14, files_using=14)


def result(number: int = 1, **changes: object) -> Result:
    fields: dict[str, object] = {
        "rule": "RL104",
        "level": Level.WARNING,
        "precision": Precision.HIGH,
        "message": "Something waits.",
        "path": "app/x.py",
        "region": Region(number, 1, number, 5),
        "symbol": "",
        "frame": (SourceLine(number, "wait()"),),
        "trail": (),
        "fingerprints": {"resplint/v1": f"{number:032x}"},
    }
    return Result(**{**fields, **changes})  # type: ignore[arg-type]


EVIL = (
    "a\x1b[31mred\x07\x00 b\r\n::error file=x::forged\x7f\x9b2J\u202egpj.exe\u2066 \u2028 "
    "[bold]x[/bold] [link](1) \t {0} ##[error]forged ##vso[task.setvariable variable=x]y ##teamcity[x] @octocat #1 "
    "GH-2 joe@e.invalid '@octocat http://e.invalid' | `a` ``` "
    "</details></code></td> ![image](http://e.invalid/p.png) <img src=x onerror=y> www.e.invalid "
    "https://e.invalid *b* _i_ $x$ :smile: [[ATTACHMENT|/etc/passwd]] ]]> -->\ufffe."
)
EVIL_PATH = "dir é/a b%20#?\n::error::x\x1b]0;pwned\x07\u202e\x85:1,|`##[error]\udcff'\".py"
FORGED_PATH = "::error::forged.py"
FORGED_MESSAGE = "::add-mask::e"


def hostile_report() -> Report:
    """Every field that can come from the scanned tree is as nasty as it can be."""
    nasty = result(
        message=EVIL,
        help=EVIL,
        path=EVIL_PATH,
        region=Region(1, 1, 1, 200),
        symbol=EVIL,
        frame=(SourceLine(1, EVIL.replace("\r\n", " ")),),
        trail=(LocatedStep(EVIL_PATH, Region(3, 1, 4, 2), EVIL, EVIL.replace("\r\n", " ")),),
        suppression=None,
        fix=LocatedFix(EVIL, FixSafety.UNSAFE, (LocatedEdit(EVIL_PATH, Region(1, 3, 1, 5), EVIL),)),
    )
    forged = result(
        message=FORGED_MESSAGE, path=FORGED_PATH, symbol="::", frame=(SourceLine(1, "::error::forged"),),
        trail=(LocatedStep(FORGED_PATH, Region(1, 1, 1, 2), FORGED_MESSAGE, "::error::forged"),),
    )  # fmt: skip
    suppressed = result(2, path=EVIL_PATH, message=EVIL, suppression=Suppression("inSource", EVIL))
    notifications = tuple(Notification(kind, EVIL, EVIL_PATH, line=3, rule="RL104\x1b[0m") for kind in NotificationKind)
    # The title, summary and help stand for those of a rule that a user added.
    rules = (
        rule(
            "RL104",
            "blocking-timeout",
            Level.ERROR,
            title=EVIL,
            summary=EVIL,
            help_markdown=EVIL,
            tags=(EVIL,),
        ),
    )
    return Report((forged, nasty, suppressed), notifications, rules, 2, 2, statistics={"a\x1b": 1.5})


def fix(safety: FixSafety = FixSafety.SAFE, *edits: LocatedEdit) -> LocatedFix:
    """A fix of `result()`: its call gets an argument."""
    return LocatedFix("Wait no longer", safety, edits or (LocatedEdit("app/x.py", Region(1, 6, 1, 6), "timeout=1"),))


def settled_report() -> Report:
    """Every standing and level that a result can have, with and without fixes."""
    levels = (Level.ERROR, Level.WARNING, Level.NOTE)
    results = [
        result(10 * number + offset, level=level, **changes)
        for number, level in enumerate(levels)
        for offset, changes in enumerate(
            (
                {"baseline": BaselineState.NEW, "fix": fix()},
                {"baseline": BaselineState.UNCHANGED, "suppression": Suppression("external", "planned for May")},
                {"baseline": BaselineState.UNCHANGED},
                {"baseline": BaselineState.NEW, "suppression": Suppression("inSource", "known to be short")},
                {"baseline": BaselineState.UNCHANGED, "suppression": Suppression("inSource")},
            ),
            1,
        )
    ]
    return Report(tuple(sorted(results, key=Result.sort_key)), (), RULES, 20, 10)
