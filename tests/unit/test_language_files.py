"""A language's profile, frameworks and library become one record, in which every name has one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.cache.identity import tool_identity
from resplint.contracts.errors import KnowledgeError
from resplint.knowledge.language_files import language_files, load_language
from resplint.knowledge.load import load_roles, rules_dir

LANGUAGES = ("python", "java", "kotlin", "javascript", "typescript")


def language(folder: Path, **files: str) -> Path:
    """A folder with a profile and these files (`frameworks_spring` is frameworks/spring.toml)."""
    for name, text in {"profile": "", **files}.items():
        path = folder / f"{name.replace('_', '/')}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def refused(folder: Path) -> str:
    with pytest.raises(KnowledgeError) as error:
        load_language(folder)
    return str(error.value).replace(f"{folder}/", "")


def test_files_add_to_the_profile(tmp_path: Path) -> None:
    roles = load_language(
        language(
            tmp_path,
            profile='clock = ["now"]\n[words]\nconstructor = "init"\n',
            frameworks_web='singletons = ["web.Service"]\n[[role]]\nrole = "handler"\ndecorators = ["web.get"]\n',
            library_time='clock = ["time.now"]\n[delays]\n"time.sleep" = "s"\n',
        )
    )
    assert roles.words.constructor == "init"
    assert roles.clock == ("now", "time.now")
    assert roles.singletons == ("web.Service",)
    assert [(one.role, one.decorators) for one in roles.role] == [("handler", ("web.get",))]
    assert roles.delays == {"time.sleep": "s"}


def test_a_prefix_stands_in_front_of_what_begins_with_a_dot_or_slash(tmp_path: Path) -> None:
    text = """
        prefix = "@nestjs"
        singletons = ["/common.Injectable", "tsyringe.singleton", ".."]
        [[role]]
        role = "handler"
        decorators = ["/common.Get"]
        exports = ["default"]
        paths = ["/middleware.ts"]
        [waits]
        "/common.pause" = "constant"
    """
    roles = load_language(language(tmp_path, frameworks_nest=text))
    assert roles.singletons == ("@nestjs/common.Injectable", "tsyringe.singleton", "..")
    assert roles.role[0].decorators == ("@nestjs/common.Get",)
    assert roles.role[0].paths == ("/middleware.ts",)
    assert roles.waits == {"@nestjs/common.pause": "constant"}


def test_several_prefixes_give_several_names(tmp_path: Path) -> None:
    text = 'prefix = ["javax", "jakarta"]\ninjected = [".inject.Inject", "javax.sql.Pool"]\n[waits]\n".x" = "none"\n'
    roles = load_language(language(tmp_path, frameworks_jakarta=text))
    assert roles.injected == ("javax.inject.Inject", "jakarta.inject.Inject", "javax.sql.Pool")
    assert roles.waits == {"javax.x": "none", "jakarta.x": "none"}


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ('clock = ["time.now"]', 'clock = ["time.now"]', "clock: time.now"),
        ('[delays]\n"a.wait" = "s"', '[delays]\n"a.wait" = "ms"', "delays: a.wait"),
        ('prefix = "a"\nlazy = [".once"]', 'lazy = ["a.once"]', "lazy: a.once"),
        (
            '[[role]]\nrole = "task"\nbases = ["a.Job"]\nmethods = ["run"]',
            '[[role]]\nrole = "task"\nbases = ["a.Job"]\nmethods = ["stop"]',
            "role task: bases: a.Job",
        ),
        (
            '[[retry_function]]\nnames = ["a.again"]\ngrowth = "none"',
            '[[retry_function]]\nnames = ["a.again"]\ngrowth = "constant"',
            "retry_function: a.again",
        ),
    ],
)
def test_what_two_files_say_is_refused_with_both(tmp_path: Path, first: str, second: str, what: str) -> None:
    message = refused(language(tmp_path, frameworks_one=first, library_two=second))
    assert message == f"library/two.toml: {what}: frameworks/one.toml says it already"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[words]\nconstructor = "init"', "words: belongs to profile.toml"),
        ('inherits = "java"', "inherits: belongs to profile.toml"),
        ('clock = [".now"]', ".now: the file has no prefix that it could stand behind"),
        ('prefix = 3\nclock = [".now"]', "prefix: must be a name, or several"),
        ('clock = ["now", "now"]', "clock: now twice"),
        ('clocks = ["now"]', "Object contains unknown field `clocks`"),
        ('clock = ["now"', "Unclosed array"),
    ],
)
def test_what_a_framework_cannot_say(tmp_path: Path, text: str, message: str) -> None:
    told = refused(language(tmp_path, frameworks_web=text))
    assert told.startswith("frameworks/web.toml")
    assert message in told


def test_which_role_goes_first_does_not_depend_on_the_files(tmp_path: Path) -> None:
    def pattern(role: str, more: str = "") -> str:
        return f'[[role]]\nrole = "{role}"\n{more}'

    folder = language(
        tmp_path,
        frameworks_a=pattern("test", 'decorators = ["a.test"]') + "\n" + pattern("provider", 'calls = ["a.make"]'),
        frameworks_b=pattern("handler", 'decorators = ["b.get"]'),
        frameworks_c=pattern("startup", 'registrars = ["c.on"]\nevents = ["ready"]'),
    )
    assert [one.role for one in load_language(folder).role] == ["startup", "handler", "provider", "test"]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_is_read_from_the_same_files_in_the_same_order(name: str) -> None:
    folder = rules_dir() / name
    read = [path.relative_to(folder).as_posix() for path in language_files(folder)]
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.toml")} - {"spelling.toml"}
    assert set(read) == there
    assert read == ["profile.toml", *sorted(read[1:])]
    assert load_roles(name).words.runtime


def test_an_inherited_language_comes_behind(tmp_path: Path) -> None:
    for name in ("java", "kotlin"):
        (tmp_path / name).mkdir()
    language(tmp_path / "java", profile='clock = ["a"]\n[constants]\nMAX = 1\n')
    language(tmp_path / "kotlin", profile='inherits = "java"\nclock = ["b"]\n[constants]\nMAX = 2\n')
    roles = load_roles("kotlin", tmp_path)
    assert roles.clock == ("b", "a")
    assert roles.constants == {"MAX": 2}


def test_a_change_in_any_file_makes_what_was_kept_worthless(tmp_path: Path) -> None:
    language(tmp_path, library_time='clock = ["now"]\n')
    before = tool_identity(str(tmp_path))
    (tmp_path / "library/time.toml").write_text('clock = ["never"]\n', "utf-8")
    assert tool_identity(str(tmp_path)) != before
