"""Rules of a user's own, as people meet them: through the command line, with real code."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

EXAMPLES, EVERYWHERE = (Path(__file__).parent / name for name in ("examples", "everywhere"))
PAGE = Path(__file__).parents[2] / "docs" / "own-rules.md"

ALONE = 'ignore = ["RL"]\n'
"""Leaves out the rules that everybody has."""
NO_KEYS = """\
[[forbid]]
code = "SHOP001"
name = "no-keys"
command = "KEYS"
message = "KEYS walks over every key. Nobody else is served"
help = "Use SCAN.\\n\\nAsk for pages of a **hundred** keys."
url = "https://wiki.example.com/redis#keys"
"""
NO_FLUSH = """\
[[forbid]]
code = "SHOP002"
name = "no-flush"
command = ["FLUSHALL", "FLUSHDB"]
level = "error"
message = "This empties the server."
"""
CODE = """\
import redis

client = redis.Redis(socket_timeout=5, max_connections=8)


def names():
    return client.keys("user:*")


def forget():
    client.flushall()
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def report(*arguments: str | Path) -> dict[str, Any]:
    """What a scan reports, as JSON."""
    result = run("scan", "--exit-zero", "--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def found(*arguments: str | Path) -> list[tuple[str, str, int]]:
    """Rule, file and line of what a scan reports."""
    results = report(*arguments)["results"]
    return [(one["rule"], one["path"], one["region"]["start_line"]) for one in results]


def documented() -> str:
    """All rules of the page, as `resplint.toml` has them."""
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    rules = [block for block in blocks if block.startswith("[[tool.resplint.forbid]]")]
    return "\n".join(rules).replace("tool.resplint.", "")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "resplint.toml").write_text(ALONE + NO_KEYS + NO_FLUSH)
    (tmp_path / "users.py").write_text(CODE)
    return tmp_path


# -- what they find -------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the rules of the page and their examples."""
    shutil.copytree(EXAMPLES, tmp_path / "redis-rules")
    (tmp_path / "redis-rules" / "shop.toml").write_text(documented())
    return tmp_path / "redis-rules"


def test_the_documented_rules_find_what_their_examples_say(folder: Path) -> None:
    rules = documented().count("\ncode = ")
    assert rules >= 11
    result = run("rules", "test", folder)
    assert (result.exit_code, result.output) == (0, f"{rules} rules, 95 examples: all as expected.\n")


def test_commands_options_and_databases_however_a_client_spells_them() -> None:
    """Direct, through a wrapper, as words, in Lua; in Python, Java, Kotlin and JavaScript with several libraries."""
    result = run("rules", "test", EVERYWHERE)
    assert (result.exit_code, result.output) == (0, "8 rules, 120 examples: all as expected.\n")


def test_an_option_of_a_client_that_no_rule_of_ours_is_about_is_taken_as_written(tmp_path: Path) -> None:
    (tmp_path / "resplint.toml").write_text(
        NO_KEYS.replace('command = "KEYS"', 'make = "client"\nwithout = "client_cert_reqs"')
    )
    (tmp_path / "store.py").write_text(
        "import redis\n\nloans = redis.Redis()\nreaders = redis.Redis(client_cert_reqs='required')\n"
        "branches = redis.Redis(**settings)\n"
    )
    assert found("--select", "SHOP", tmp_path) == [("SHOP001", "store.py", 3)]


@pytest.mark.parametrize("suffix", [".py", ".js", ".ts", ".java"])
@pytest.mark.parametrize("rule", ["SHOP001", "SHOP002", "SHOP003", "SHOP004"])
def test_keys_flushall_setnx_and_set_without_expiry_in_each_language(folder: Path, rule: str, suffix: str) -> None:
    (folder / "resplint.toml").write_text(documented())
    (folder / "shop.toml").unlink()
    reported = {(path, line) for code, path, line in found("--include-tests", "--select", rule, folder)}
    here = list(folder.rglob(f"*{suffix}"))
    lines = {
        (path.relative_to(folder).as_posix(), number + 1)
        for path in here
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.match(rf"\s*(#|//) expect: {rule}\b", line)
    }
    assert lines
    assert lines == {(path, line) for path, line in reported if path.endswith(suffix)}


def test_the_trail_leads_from_the_client_through_the_wrapper(tmp_path: Path) -> None:
    (tmp_path / "resplint.toml").write_text(NO_KEYS)
    (tmp_path / "store.py").write_text(
        "import redis\n\nclient = redis.Redis()\n\n\ndef run(*words):\n    return client.execute_command(*words)\n"
    )
    (tmp_path / "users.py").write_text("from store import run\n\n\ndef names():\n    return run('KEYS', 'user:*')\n")
    (result,) = report("--select", "SHOP", tmp_path)["results"]
    assert (result["path"], result["region"]["start_line"], result["precision"]) == ("users.py", 5, "high")
    trail = [(step["path"], step["region"]["start_line"], step["message"]) for step in result["trail"]]
    assert trail == [
        ("store.py", 3, "the client is made here"),
        ("store.py", 7, "the command that is named is sent here"),
        ("users.py", 5, "KEYS is named here"),
    ]


def test_a_method_of_another_class_is_none_of_redis(project: Path) -> None:
    (project / "users.py").write_text("import redis\n\n\ndef names(table: dict):\n    return table.keys()\n")
    assert found(project) == []


def test_a_rule_for_requests_shows_the_way_from_the_handler(folder: Path) -> None:
    (folder / "resplint.toml").write_text(documented())
    (folder / "shop.toml").unlink()
    (result,) = report("--select", "SHOP009", folder)["results"]
    messages = [step["message"] for step in result["trail"]]
    assert messages[0].startswith("`next_job` is a request handler")
    assert messages[1:] == ["`waited` is called here", "the client is made here", "BLPOP is sent here"]


# -- like every other rule ------------------------------------------------------------------------------------------


def test_they_are_reported_with_message_and_level(project: Path) -> None:
    result = run("scan", project)
    assert result.exit_code == 1
    assert (
        "users.py:7:12: warning SHOP001 no-keys\n  KEYS walks over every key. Nobody else is served." in result.output
    )
    assert "users.py:11:5: error SHOP002 no-flush" in result.output
    assert "2 findings (1 error, 1 warning)" in result.output


def test_sarif_describes_them(project: Path) -> None:
    (run_,) = json.loads(run("scan", "--exit-zero", "--format", "sarif", project).stdout)["runs"]
    rule = next(one for one in run_["tool"]["driver"]["rules"] if one["id"] == "SHOP001")
    assert rule["name"] == "no-keys"
    assert rule["shortDescription"]["text"] == "KEYS walks over every key."
    assert "Ask for pages of a **hundred** keys." in rule["help"]["markdown"]
    assert rule["helpUri"] == "https://wiki.example.com/redis#keys"
    assert rule["properties"]["tags"] == ["own-rule"]
    other = next(one for one in run_["tool"]["driver"]["rules"] if one["id"] == "SHOP002")
    assert other["helpUri"].endswith("/docs/own-rules.md")
    assert other["defaultConfiguration"]["level"] == "error"
    assert sorted(one["ruleId"] for one in run_["results"]) == ["SHOP001", "SHOP002"]


@pytest.mark.parametrize("format_", ["github", "gitlab", "junit", "markdown", "json", "sonar"])
def test_every_format_has_them(project: Path, format_: str) -> None:
    output = run("scan", "--exit-zero", "--format", format_, project).output
    assert "SHOP001" in output
    assert "KEYS walks over every key" in output


def test_rules_and_explain_show_them(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert "SHOP001" in run("rules").output
    rows = {row["code"]: row for row in json.loads(run("rules", "--format", "json").output)}
    assert rows["SHOP002"]["name"] == "no-flush"
    assert {"python", "java", "typescript"} <= set(rows["SHOP002"]["languages"])
    assert "RL104" in rows
    page = run("explain", "no-keys").output
    assert page.startswith("# SHOP001 no-keys\n\nKEYS walks over every key. Nobody else is served.")
    assert "Ask for pages" in page
    assert "No rule is called 'no-kees'. Did you mean no-keys?" in run("explain", "no-kees").output


def test_explain_of_a_rule_of_ours_needs_no_configuration(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "resplint.toml").write_text("forbid = 3\n")
    monkeypatch.chdir(project)
    assert run("explain", "RL104").exit_code == 0
    assert run("explain", "SHOP001").exit_code == 2


def test_why_says_what_they_decide(project: Path) -> None:
    (project / "resplint.toml").write_text(NO_KEYS + 'path-not = "users.py"\n')
    output = run("why", f"{project}/users.py:7", "--project", project).output
    assert "SHOP001 reports nothing: It is allowed in users.py." in output
    (project / "resplint.toml").write_text(NO_KEYS)
    assert "SHOP001 reports: KEYS walks" in run("why", f"{project}/users.py:7", "--project", project).output


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (("--select", "SHOP"), ["SHOP001", "SHOP002"]),
        (("--select", "no-keys"), ["SHOP001"]),
        (("--ignore", "SHOP002"), ["SHOP001"]),
        (("--ignore", "SHOP"), []),
        (("--select", "RL1"), []),
    ],
)
def test_they_are_selected_by_code_name_and_beginning(
    project: Path, options: tuple[str, ...], codes: list[str]
) -> None:
    assert [code for code, _, _ in found(*options, project)] == codes


def test_the_configuration_names_them(project: Path) -> None:
    file = project / "resplint.toml"
    file.write_text(ALONE + 'level = { SHOP001 = "note", no-flush = "off" }\n' + NO_KEYS + NO_FLUSH)
    assert [(one["rule"], one["level"]) for one in report("--level", "note", project)["results"]] == [
        ("SHOP001", "note")
    ]
    file.write_text(ALONE + '[per-path-ignores]\n"users.py" = ["no-keys"]\n' + NO_KEYS + NO_FLUSH)
    assert found(project) == [("SHOP002", "users.py", 11)]


def test_comments_take_them_back(project: Path) -> None:
    (project / "users.py").write_text(
        CODE.replace('"user:*")', '"user:*")  # resplint: ignore[no-keys] a few names').replace(
            "    client.flush", "    # resplint: ignore[SHOP002, SHOP001] a test server\n    client.flush"
        )
    )
    result = run("scan", project)
    assert result.exit_code == 0
    assert "Unused suppression: SHOP001 reports nothing here." in result.output
    assert "2 findings are suppressed" in result.output


def test_a_baseline_accepts_them(project: Path) -> None:
    assert run("baseline", project, "--output", project / "accepted.jsonl").exit_code == 0
    (project / "users.py").write_text("# moved\n" + CODE + "\n\ndef more():\n    return client.keys('*')\n")
    result = run("scan", "--baseline", project / "accepted.jsonl", project)
    assert result.exit_code == 1
    assert "1 finding (1 warning)" in result.output
    assert "users.py:16" in result.output


@pytest.mark.parametrize("place", ["configuration", "file"])
def test_a_changed_rule_counts_although_results_are_kept(tmp_path: Path, place: str) -> None:
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    (project / "users.py").write_text(CODE)
    rules = project / "resplint.toml"
    if place == "file":
        rules.write_text('forbid-from = "team.toml"\n')
        rules = project / "team.toml"

    def scanned() -> list[tuple[str, str]]:
        results = report("--cache-dir", cache, "--select", "SHOP", project)["results"]
        return [(one["rule"], one["message"]) for one in results]

    rules.write_text(NO_KEYS)
    first = [("SHOP001", "KEYS walks over every key. Nobody else is served.")]
    assert scanned() == first
    assert scanned() == first
    rules.write_text(NO_KEYS.replace("Nobody else is served", "Ask the team"))
    assert scanned() == [("SHOP001", "KEYS walks over every key. Ask the team.")]
    rules.write_text(NO_FLUSH)
    assert scanned() == [("SHOP002", "This empties the server.")]


def test_an_edit_is_judged_anew(tmp_path: Path) -> None:
    """What is kept of a file may only be used where a rule of one's own comes to the same."""
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    rule = NO_KEYS.replace('"KEYS"', '"SET"') + 'without = "EX"\n'
    (project / "resplint.toml").write_text(rule)
    file = project / "app.py"
    text = "import redis\n\nclient = redis.Redis()\n\n\ndef put(key):\n    client.set(key, 1, {})\n"
    for arguments, count in (("ex=3", 0), ("px=3", 1), ("ex=None", 1), ("ex=key", 0)):
        file.write_text(text.format(arguments))
        assert len(found("--cache-dir", cache, "--select", "SHOP", project)) == count, arguments


# -- files ----------------------------------------------------------------------------------------------------------


def test_rules_stand_in_the_files_of_a_folder(tmp_path: Path) -> None:
    rules = tmp_path / "redis-rules"
    rules.mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.resplint]\nselect = ["no-keys"]\nforbid-from = ["redis-rules"]\n')
    (rules / "keys.toml").write_text(NO_KEYS)
    (rules / "flush.toml").write_text(NO_FLUSH)
    (rules / "example.py").write_text(CODE)
    (tmp_path / "users.py").write_text(CODE)
    assert found(tmp_path) == [("SHOP001", "users.py", 7)]


def test_a_pattern_of_a_rule_starts_at_the_configuration(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "resplint.toml").write_text(NO_KEYS + 'path-not = "/services/admin/"\n')
    for name in ("admin", "shop"):
        (tmp_path / "services" / name).mkdir(parents=True)
        (tmp_path / "services" / name / "users.py").write_text(CODE)
    (one,) = found("--select", "SHOP", tmp_path / "services")
    assert one[1].endswith("shop/users.py")


# -- examples -------------------------------------------------------------------------------------------------------


def test_examples_tell_what_is_missing_wrong_and_untested(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(NO_KEYS + NO_FLUSH)
    (tmp_path / "users.py").write_text(
        "import redis\n\nclient = redis.Redis()\n\n"
        "# ok: SHOP001\nclient.keys()\n"
        "# expect: SHOP001\nclient.scan()\n"
        "# expect: no-keys error\nclient.keys('*')\n"
        "client.keys('a*')\n"
        "# expect: SHOP003\nclient.get('a')\n"
        "# traced: HGET\nclient.get('b')\n"
    )
    result = run("rules", "test", tmp_path)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "users.py:13 names SHOP003, which is no rule that is tested here",
        "users.py:10 is warning, expected error (SHOP001)",
        "users.py:11 was not announced: KEYS walks over every key. Nobody else is served. (SHOP001)",
        "users.py:6 must not be reported: KEYS walks over every key. Nobody else is served. (SHOP001)",
        "users.py:8 expected SHOP001",
        "users.py:15 is not traced to HGET",
        "SHOP002 no-flush has no example that it must report: write `# expect: SHOP002` above one",
        "2 rules, 4 examples: 7 problems.",
    ]


def test_examples_of_the_rules_of_a_configuration(project: Path) -> None:
    examples = project / "examples"
    examples.mkdir()
    (examples / "users.py").write_text(
        CODE.replace("    return", "    # expect: SHOP001\n    return").replace(
            "    client.f", "    # expect: SHOP002 error\n    client.f"
        )
    )
    assert run("rules", "test", examples).output == "2 rules, 2 examples: all as expected.\n"
    here = run("rules", "test", project)  # the same code without comments, and a configuration with other keys
    assert here.exit_code == 1, here.output


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no rule; expected [[forbid]] tables in a .toml file of this folder"),
        ({"rules.toml": NO_KEYS}, "no example; expected source files with comments such as `# expect: SHOP001`"),
        ({"rules.toml": "[[forbids]]\n"}, 'rules.toml:1: forbids: unknown key; did you mean "forbid"?'),
    ],
)
def test_a_folder_without_rules_or_examples(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = run("rules", "test", tmp_path)
    assert result.exit_code == 2
    assert said in result.output


# -- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "to", "said"),
    [
        ('command = "KEYS"', 'command = "KEYZ"', '4: forbid[0].command: unknown command "KEYZ"; did you mean "KEYS"?'),
        ('command = "KEYS"', 'comand = "KEYS"', '4: forbid[0].comand: unknown key; did you mean "command"?'),
        ('command = "KEYS"', "command = 3", "4: forbid[0].command: expected a Redis command"),
        ('command = "KEYS"', "", "1: forbid[0]: does not say what is forbidden; expected command, method or make"),
        ('command = "KEYS"', 'command = "KEYS"\nmake = "pool"', "a rule with command has no make; expected two rules"),
        ('command = "KEYS"', 'command = "SET"\nwithout = "EXP"', 'no option of SET that is known; did you mean "EX"?'),
        ('command = "KEYS"', 'command = "GET"\nwith = "EX"', "5: forbid[0].with: "),
        ('command = "KEYS"', 'make = "redis.Rediss"', 'unknown client "redis.Rediss"; did you mean "redis.Redis"?'),
        ('command = "KEYS"', 'make = "pool"\nkey = "a*"', "goes with command, not with make"),
        (
            'command = "KEYS"',
            'make = "client"\nwithout = "socket_timeot"',
            'no option of a client that is known; did you mean "socket_timeout"?',
        ),
        ('command = "KEYS"', 'method = "redis.Rediss.lock"', 'unknown type of a client "redis.Rediss"'),
        ('command = "KEYS"', 'command = "KEYS"\nlibrary = "redispy"', 'library "redispy"; did you mean "redis-py"?'),
        ('command = "KEYS"', 'command = "KEYS"\nlanguage = "pyton"', 'language "pyton"; did you mean "python"?'),
        ('command = "KEYS"', 'command = "KEYS"\nrole = "requests"', 'unknown role "requests"; did you mean "request"?'),
        ('command = "KEYS"', 'command = "KEYS"\npath = "["', "a pattern as in .gitignore"),
        ('command = "KEYS"', 'command = "KEYS"\nlevel = "fatal"', 'expected one of "note", "warning", "error"'),
        ('"SHOP001"', '"RL900"', "2: forbid[0].code: expected capital letters and a number, not RL"),
        ('"no-keys"', '"blocking-timeout"', "is the name of another rule already; expected one of its own"),
        ('code = "SHOP001"', "", 'has no code; expected one, such as code = "SHOP001"'),
        ('message = "KEYS walks over every key. Nobody else is served"', "", "has no message"),
        ('"https://wiki', '"ftp://wiki', "7: forbid[0].url: expected an address"),
        ("[[forbid]]", "[forbid]", "1: forbid: expected tables, each below a line [[forbid]]"),
    ],
)
def test_mistakes_name_the_place_and_the_remedy(project: Path, changed: str, to: str, said: str) -> None:
    assert changed in NO_KEYS
    (project / "resplint.toml").write_text(NO_KEYS.replace(changed, to, 1))
    result = run("scan", project)
    assert result.exit_code == 2
    assert f"{project}/resplint.toml:" in result.output
    assert said in result.output
    assert len(result.output.splitlines()) == 1


def test_two_rules_with_one_code(project: Path) -> None:
    (project / "more.toml").write_text(NO_FLUSH)
    (project / "resplint.toml").write_text('forbid-from = "more.toml"\n' + NO_KEYS + NO_FLUSH)
    output = run("scan", project).output
    assert output.startswith(f'resplint: {project}/more.toml:2: forbid[0].code: "SHOP002" is the code of another rule')


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('"nothing"', "resplint.toml:1: forbid-from: 'nothing' is no file and holds none that ends in"),
        ("3", "resplint.toml:1: forbid-from: expected the name of a folder or file"),
        ('"broken.toml"', "broken.toml:1:5: not valid TOML"),
    ],
)
def test_files_that_hold_no_rules(project: Path, value: str, said: str) -> None:
    (project / "broken.toml").write_text("forb")
    (project / "resplint.toml").write_text(f"forbid-from = {value}\n")
    result = run("scan", project)
    assert result.exit_code == 2
    assert said in result.output
