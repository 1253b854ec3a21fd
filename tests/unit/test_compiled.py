"""Knowledge in its quick form says the same as the files it is made from, and is never older than they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from resplint.contracts.findings import RuleInfo
from resplint.knowledge import book, compiled, compiling, files, load, platforms
from resplint.knowledge.platforms import Platform
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.knowledge.records.command_records import CommandModel
from resplint.knowledge.records.page_records import Page
from resplint.knowledge.records.role_records import Roles
from resplint.knowledge.records.spelling_records import Spelling

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "rules"


@pytest.fixture(scope="module")
def sections() -> dict[str, msgspec.Raw]:
    return msgspec.msgpack.decode(compiling.compiled(), type=compiled.Compiled).sections


@pytest.mark.parametrize(
    ("section", "record", "read"),
    [
        ("libraries", dict[str, ClientLibrary], lambda: load.load_libraries(RULES)),
        ("commands", dict[str, CommandModel], lambda: load.load_commands(RULES)),
        ("book", dict[str, RuleInfo], lambda: book.load_book(RULES)),
        ("pages", dict[str, Page], lambda: book.load_pages(RULES)),
        ("platforms", tuple[Platform, ...], lambda: platforms.load_platforms(RULES)),
        ("roles typescript", Roles, lambda: load.load_roles("typescript", RULES)),
        ("spelling kotlin", Spelling, lambda: load.load_spelling("kotlin", RULES)),
    ],
)  # fmt: skip
def test_every_section_is_what_the_rules_say(sections: dict, section: str, record: type, read: object) -> None:
    assert msgspec.msgpack.decode(sections[section], type=record) == read()  # type: ignore[operator]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of its own, whose resplint is imported from its `src`."""
    for name in ("src", "rules", "fixtures"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "app.py").write_text("import redis\n\nredis.Redis().blpop('jobs', 0)\n")
    return tmp_path


def _libraries_asked(checkout: Path) -> str:
    """The title of redis-py that a scan knows, and whether it came from the compiled form."""
    code = (
        "from resplint.cli import main\nimport sys\n"
        "sys.argv = ['resplint', 'scan', 'app.py', '--exit-zero', '-o', 'out']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "from resplint.knowledge import compiled, load\n"
        "print(load.load_libraries()['redis-py'].library.title, bool(compiled.sections()))"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(checkout / "src")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_checkout_keeps_it_until_the_rules_change(checkout: Path) -> None:
    kept = checkout / "src/resplint/__pycache__/rules.msgpack"
    first, second = _libraries_asked(checkout), _libraries_asked(checkout)
    assert (first, second) == ("redis-py True", "redis-py True")
    assert kept.is_file()
    client = checkout / "rules/clients/redis-py.toml"
    client.write_text(client.read_text("utf-8").replace('title = "redis-py"', 'title = "changed"', 1), "utf-8")
    assert [_libraries_asked(checkout) for _ in range(2)] == ["changed True"] * 2
    whole = kept.read_bytes()
    kept.write_bytes(whole[:1000])
    assert _libraries_asked(checkout) == "changed True"
    assert kept.read_bytes() == whole
    (checkout / "rules/clients/new.toml").write_text("[library]\n")
    shutil.rmtree(kept.parent)
    kept.parent.touch()  # nowhere to write to
    (checkout / "rules/clients/new.toml").unlink()
    assert [_libraries_asked(checkout) for _ in range(2)] == ["changed False"] * 2


def test_a_wheel_needs_no_stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_rules").mkdir()
    (tmp_path / "_rules/compiled.msgpack").write_bytes(compiling.compiled())
    monkeypatch.setattr(files, "PACKAGE", tmp_path)
    compiled.sections.cache_clear()
    try:
        assert compiled.stored("libraries", dict[str, ClientLibrary]) == load.load_libraries(RULES)
        assert compiled.stored("nothing", dict[str, ClientLibrary]) is None
        assert compiled.stored("libraries", Roles) is None
    finally:
        compiled.sections.cache_clear()
