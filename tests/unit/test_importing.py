"""Who imports whom: what is found by looking for words is what looking at every import finds."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from resplint.bind.modules import ModuleTable, dotted_path
from resplint.config.loading import Config
from resplint.discovery.discover import SourceFile, discover
from resplint.files.module_aliases import Aliases, AliasTable, module_aliases
from resplint.languages import EXTENSIONS, named_modules
from resplint.scan.importing import Importers
from resplint.scan.request import ScanState

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("path", "code", "named"),
    [
        ("vats.py", "import registry\n", "registry"),
        ("Vats.java", "import com.lumen.Registry;\n", "com.lumen.Registry"),
        ("Vats.kt", "import com.lumen.Registry\n", "com.lumen.Registry"),
    ],
)
def test_an_import_behind_a_byte_order_mark_is_seen(path: str, code: str, named: str) -> None:
    language = EXTENSIONS[Path(path).suffix]
    assert named in named_modules(code.encode("utf-8-sig"), path, language)


def state_of(root: Path) -> ScanState:
    found = discover([root], root, extensions=EXTENSIONS, include_tests=True).files
    files: dict[str, SourceFile] = {file.path: file for file in found}
    return ScanState(root, Config(rules={}), files, aliases=module_aliases(root, files))


def imports(state: ScanState, aliases: Aliases) -> dict[str, set[str]]:
    """What every file imports, found without any shortcut."""
    table = ModuleTable(state.files, aliases=aliases)
    found = {}
    for path, file in state.files.items():
        modules = named_modules(Path(file.absolute).read_bytes(), path, file.language)
        for name in {prefix.rstrip("/*") for prefix, _ in aliases}:
            dotted = name.replace("/", ".")
            for module in [one for one in modules if one == dotted or one.startswith(dotted + ".")]:
                behind = table.resolve(name + module[len(dotted) :].replace(".", "/"), path)
                modules |= {dotted_path(behind)} if behind else set()
        found[path] = modules
    return found


def importers(known: dict[str, set[str]], path: str) -> set[str]:
    dotted = dotted_path(path)
    return {
        importer for importer, names in known.items() if any(f".{dotted}".endswith(f".{one}") for one in names if one)
    }


@pytest.mark.parametrize(("size", "asked"), [(1, 25), (60, 120)])
def test_every_question_about_the_fixtures_has_the_full_answer(size: int, asked: int) -> None:
    state = state_of(FIXTURES)
    known = imports(state, state.aliases)
    paths = random.Random(size).sample(sorted(state.files), asked)
    with_importers = 0
    for at in range(0, len(paths), size):
        group = paths[at : at + size]
        found = Importers(state_of_same(state), state.aliases, state.files)
        assert found.of(group) == set().union(*(importers(known, path) for path in group))
        with_importers += sum(bool(found.asked[path]) for path in group)
    assert with_importers


def state_of_same(state: ScanState) -> ScanState:
    return ScanState(state.root, state.config, state.files, aliases=state.aliases)


TREE = {
    "package.json": (
        '{"name": "@acme/shop", "main": "dist/entry.js", '
        '"imports": {"#cache/*": {"types": "./t/*", "default": ["./dist/cache/*.js"]}, "#*": "./packages/*"}}'
    ),
    "tsconfig.json": (
        '{"compilerOptions": {"paths": {"@app*": ["src/app*"], "~lib/*": ["packages/*/src"], "one": ["src/x"]}}}'
    ),
    "src/entry.ts": "export const a = 1;",
    "src/x.ts": "export * from './cache';",
    "src/cache/index.ts": "export * from '.';\nexport * from '..';",
    "src/cache/redis.service.ts": "import { a } from './index';",
    "src/uses.ts": "import c from '#cache/redis.service';\nimport p from '#pool/use.js';",
    "src/appcore.ts": "import * as one from 'one';",
    "packages/pool/src/index.ts": "import s from '@acme/shop';\nimport c from '@appcore';",
    "packages/pool/use.ts": "import p from '~lib/pool';\nimport r from '../../src/cache/redis.service.js';",
    "py/pkg/__init__.py": "",
    "py/pkg/a.py": "from . import b\n",
    "py/pkg/b.py": "from .. import pkg\nimport pkg.a as redis_b\n",
    "py/pkg/redis_a.py": "from pkg import (b as c,\n  redis_a)\n",
    "java/com/x/Pool.java": "package com.x;\nclass Pool { Jobs jobs; }",
    "java/com/x/Jobs.java": "package com.x;\nclass Jobs {}",
    "kt/q/My Pool.kt": "package q\nimport com.x.`Jobs`\nfun take() = Pool()",
}


def test_what_no_word_gives_away_is_found(tmp_path: Path) -> None:
    """Imports of folders, through aliases, and of neighbours of a package."""
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    state = state_of(tmp_path)
    known = imports(state, state.aliases)
    assert sum(bool(importers(known, path)) for path in state.files) >= 8
    for path in state.files:
        found = Importers(state_of_same(state), state.aliases, state.files)
        assert found.of([path]) == importers(known, path), path
    one_by_one = Importers(state, state.aliases, state.files)
    assert all(one_by_one.of([path]) == importers(known, path) for path in state.files)


def test_names_that_are_no_text_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"q\xff.py")).write_text("import redis\n")
    (tmp_path / "a.py").write_bytes(b"import q\xff\n")
    state = state_of(tmp_path)
    assert Importers(state, (), state.files).of(list(state.files)) == set()


def test_many_questions_at_once_are_answered_alike(tmp_path: Path) -> None:
    """Words that are parts of other words count for themselves."""
    names = ["redis", "redis_client", "client", *(f"unit_{number}" for number in range(60))]
    for at, name in enumerate(names):
        (tmp_path / f"{name}.py").write_text(f"import {names[at - 1]}\n", encoding="utf-8")
    state = state_of(tmp_path)
    found = Importers(state, (), state.files)
    found.of([f"{name}.py" for name in names])
    assert {path: answer for path, answer in found.asked.items() if len(answer) != 1} == {}


def test_names_that_only_a_package_knows_lead_to_its_sources(tmp_path: Path) -> None:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    state = state_of(tmp_path)
    table = ModuleTable(state.files, aliases=state.aliases)
    leads = {"#cache/redis.service": "src/cache/redis.service.ts", "#pool/use.js": "packages/pool/use.ts"}
    for name in ("#cache/redis.service", "#pool/use.js", "#poo", "#x"):
        assert table.resolve(name, "src/uses.ts") == leads.get(name)


def test_the_longest_alias_comes_first_and_each_target_in_turn() -> None:
    table = AliasTable(
        (("@app/*", "src/*"), ("@app/db", "db/index"), ("@app/db/*", "db/*"), ("@app/*", "lib/*"), ("one", "two"))
    )
    assert list(table.targets("@app/db/pool")) == ["db/pool", "src/db/pool", "lib/db/pool"]
    assert list(table.targets("@app/db")) == ["db/index", "src/db", "lib/db"]
    assert list(table.targets("one")) == ["two"]
    assert list(table.targets("one/more")) == list(table.targets("@application/db")) == []


def test_a_file_that_runs_as_it_is_means_the_one_that_does_too() -> None:
    table = ModuleTable(["src/pool.js", "src/pool.ts", "src/only.ts", "src/use.js", "src/use.ts"])
    assert table.resolve("./pool", "src/use.js") == "src/pool.js"
    assert table.resolve("./pool", "src/use.ts") == "src/pool.ts"
    assert table.resolve("./only", "src/use.js") == "src/only.ts"
