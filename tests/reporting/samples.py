"""SARIF files to report on: of a real scan, of hostile hands, of other tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from resplint.config.loading import Config
from resplint.discovery.discover import find_root
from resplint.knowledge.load import load_book
from resplint.output import FORMATS, OutputOptions
from resplint.scan import ScanRequest, scan

ROOT = Path(__file__).parents[2]

Log = dict[str, Any]


@cache
def scanned() -> bytes:
    """The SARIF of a scan of bad examples, several rules and languages, about 80 findings."""
    folders = (
        "blocking-timeout/python",
        "unparameterized-eval/javascript",
        "unbounded-pool/java",
        "missing-backoff/kotlin",
    )
    paths = [str(path) for folder in folders for path in sorted((ROOT / "fixtures" / folder).glob("bad_*"))]
    rules = {code: info.name for code, info in load_book().items()}
    request = ScanRequest(tuple(paths), Config(rules=rules, include_tests=True), root=find_root(paths))
    return FORMATS["sarif"](scan(request), OutputOptions())


def log(*results: dict[str, Any], tool: str = "resplint", rules: Sequence[dict[str, Any]] = (), **run: Any) -> Log:
    """A SARIF file with one run."""
    driver = {"name": tool, "version": "1.2.3", "rules": list(rules)}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": list(results), **run}]}


def result(rule: str = "RL104", path: str = "app/queue.py", line: int = 3, **changes: Any) -> dict[str, Any]:
    """A result at a place."""
    place = {"artifactLocation": {"uri": path}, "region": {"startLine": line}}
    return {
        "ruleId": rule,
        "level": "error",
        "message": {"text": "It waits. Forever."},
        "locations": [{"physicalLocation": place}],
        **changes,
    }


def save(folder: Path, content: Log | bytes, name: str = "resplint.sarif") -> str:
    """The path of the file with `content`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


ATTACKS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "' onmouseover='window.pwned=1",
    "</title></style></script><script>window.pwned=1</script>",
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "<iframe src=https://evil.example/></iframe>",
    "\u202egnp.exe\u0007\u001b[31m\u2028",
)
LINKS = (
    "[click](javascript:window.pwned=1)",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](JaVaScRiPt:window.pwned=1)",
    "[click](vbscript:x) ![i](https://evil.example/t.png) <https://evil.example/auto>",
    "[1](2)",
    "[text](https://example.org/fine)",
)
EVIL = " ".join((*ATTACKS, *LINKS))


def hostile() -> Log:
    """Every text of the file is an attack, in several forms."""
    rule = {
        "id": f"RL1{ATTACKS[0]}",
        "name": ATTACKS[1],
        "shortDescription": {"text": EVIL},
        "fullDescription": {"text": EVIL},
        "help": {
            "text": EVIL,
            "markdown": f"# {EVIL}\n\n{EVIL}\n\n```{ATTACKS[1]}\n{EVIL}\n```\n\n| {EVIL} |\n|---|\n",
        },
        "helpUri": "javascript:window.pwned=1",
    }
    wide = "x" * 3000
    results = []
    for number, attack in enumerate((*ATTACKS, *LINKS, EVIL, wide)):
        place = {
            "artifactLocation": {"uri": attack if attack is wide else f"{attack}/{number}.py"},
            "region": {"startLine": 2, "startColumn": 3, "endColumn": 9, "snippet": {"text": attack}},
            "contextRegion": {"startLine": 1, "endLine": 3, "snippet": {"text": f"{attack}\n{attack * 3}\n\t{attack}"}},
        }
        spot = {"physicalLocation": place, "message": {"text": attack}}
        results.append(
            {
                "ruleId": rule["id"],
                "ruleIndex": 0,
                "level": "error",
                "message": {"text": f"{attack} {EVIL}"},
                "locations": [{**spot, "logicalLocations": [{"fullyQualifiedName": attack}]}],
                "relatedLocations": [spot],
                "codeFlows": [{"threadFlows": [{"locations": [{"location": spot}]}]}],
                "fixes": [_fix(place["artifactLocation"], attack)],
                "partialFingerprints": {"resplint/v1": attack},
                "properties": {"precision": attack, "security-severity": attack},
                "suppressions": [{"kind": "external", "justification": attack}] if number % 5 == 4 else [],
            }
        )
    said = {
        "message": {"text": EVIL},
        "descriptor": {"id": ATTACKS[0]},
        "level": "error",
        "locations": [{"physicalLocation": results[0]["locations"][0]["physicalLocation"]}],
    }
    run = log(*results, tool=ATTACKS[0], rules=[rule], invocations=[{"toolExecutionNotifications": [said]}])
    run["runs"][0]["tool"]["driver"]["version"] = ATTACKS[1]
    return run


def _fix(location: dict[str, Any], text: str) -> dict[str, Any]:
    region = {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 5}
    replacement = {"deletedRegion": region, "insertedContent": {"text": text}}
    return {
        "description": {"text": text},
        "artifactChanges": [{"artifactLocation": location, "replacements": [replacement]}],
    }
