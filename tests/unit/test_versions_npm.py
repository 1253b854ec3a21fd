"""Versions of npm's world: `package.json`, workspaces and catalogues, and the lock files of npm, Yarn and pnpm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resplint.contracts.findings import NotificationKind
from resplint.versions import VersionFact
from resplint.versions.comparing import comparable
from resplint.versions.ranges import sort_key
from resplint.versions.semver import semver_to_pep440
from tests.version_facts import VersionIndex

KNOWN = {
    "ioredis": ("4.0.0", "4.19.4", "4.28.5", "5.0.6", "5.3.2", "5.4.2", "5.8.2", "6.0.0"),
    "redis": ("3.1.2", "4.0.6", "4.6.7", "4.7.1", "5.0.0-next.5", "5.0.0", "5.8.3"),
    "@redis/client": ("1.0.6", "1.5.17", "1.6.1", "5.0.1"),
}

Files = dict[str, str | bytes]


def write(root: Path, files: Files) -> VersionIndex:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return VersionIndex(str(root))


def ask(index: VersionIndex, name: str, path: str = "src/cache.ts") -> VersionFact:
    return index.lookup(path, name, KNOWN.get(name, ()), ecosystem="npm")


def package(**sections: object) -> str:
    return json.dumps({"name": "shop", "version": "5.0.0", **sections}, indent=2)


# -- ranges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "pep440"),
    [
        ("^5.3.2", ">=5.3.2,<6"), ("^0.2.3", ">=0.2.3,<0.3"), ("^0.0.3", ">=0.0.3,<0.0.4"), ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"), ("^0.x", ">=0,<1"), ("^4.6", ">=4.6,<5"), ("~4.1.2", ">=4.1.2,<4.2"), ("~4.1", ">=4.1,<4.2"),
        ("~4", ">=4,<5"), ("~>4.1", ">=4.1,<4.2"), ("4", ">=4,<5"), ("4.x", ">=4,<5"), ("4.*.*", ">=4,<5"),
        ("4.1.X", ">=4.1,<4.2"), ("4.1.2", "==4.1.2"), ("=v4.1.2", "==4.1.2"), (">=4 <6", ">=4,<6"),
        (">= 4.5.0 < 6.0.0", ">=4.5.0,<6.0.0"), (">4", ">=5"), ("<=4.1", "<4.2"), (">4.1.2", ">4.1.2"),
        ("1.2 - 2.3", ">=1.2,<2.4"), ("1.2.3 - 2.3.4", ">=1.2.3,<=2.3.4"), ("^3 || ^4.0.1", ">=3,<4||>=4.0.1,<5"),
        ("^3 || *", ""), ("*", ""), ("", ""), ("x", ""), ("latest", ""), ("next", ""), ("^4.0.0-rc.2", ">=4.0.0rc2,<5"),
        ("5.0.0-next.5", "==5.0.0a5"), ("<2.0.0-0", "<2.0.0.dev0"), ("4.6.7+build.1", "==4.6.7"), ("5.0.0 oops", ""),
    ],
)  # fmt: skip
def test_ranges_of_npm(written: str, pep440: str) -> None:
    assert semver_to_pep440(written) == pep440


def test_early_versions_come_before_the_final_one() -> None:
    written = ["4.6.7", "4.10.0", "5.0.0-0", "5.0.0-next.5", "5.0.0-beta.1", "5.0.0-rc.1", "5.0.0", "5.0.1"]
    versions = [comparable(each, semver=True) for each in written]
    assert versions == sorted(versions, key=sort_key)


# -- package.json -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "newest", "shown", "exact"),
    [
        ("^5.3.0", "5.8.2", "^5.3.0", False),
        ("5.3.2", "5.3.2", "5.3.2", True),
        ("~4.19 || ^5", "5.8.2", "~4.19 || ^5", False),
        ("*", "6.0.0", "", False),
        ("latest", "6.0.0", "", False),
        ("npm:ioredis@^4.19.0", "4.28.5", "^4.19.0", False),
        ("npm:^4.19.0", "4.28.5", "^4.19.0", False),
        ("workspace:*", "6.0.0", "", False),
        ("workspace:^5.4.0", "5.8.2", "^5.4.0", False),
        ("catalog:", "6.0.0", "", False),
        ("file:../ioredis", "6.0.0", "", False),
        ("git+https://token@github.com/redis/ioredis.git", "6.0.0", "", False),
        ("git+ssh://git@github.com/redis/ioredis.git#v5.3.2", "5.3.2", "@ 5.3.2", True),
        ("redis/ioredis#semver:^5.4.0", "5.8.2", "@ ^5.4.0", False),
        ("https://user:secret@registry.example.org/ioredis/-/ioredis-4.28.5.tgz", "4.28.5", "@ 4.28.5", True),
    ],
)
def test_what_a_manifest_may_ask_for(tmp_path: Path, spec: str, newest: str, shown: str, exact: bool) -> None:
    index = write(tmp_path, {"package.json": package(dependencies={"express": "^4", "ioredis": spec})})
    expected = VersionFact("ioredis", newest, shown, exact, "manifest", "package.json", 6)
    assert ask(index, "ioredis") == expected
    assert index.notifications == ()


def test_sections_of_a_manifest(tmp_path: Path) -> None:
    text = package(
        keywords=["redis"],
        config={"dependencies": {"ioredis": "1.0.0"}},
        dependencies={"redis": "^4.6.0"},
        peerDependencies={"ioredis": ">=4.19"},
        optionalDependencies={"@redis/client": "^1.5.8"},
        devDependencies={"ioredis": "5.3.2", "redis": "3.1.2", "ioredis-mock": "^8"},
        bundledDependencies=["redis"],
    )
    index = write(tmp_path, {"package.json": text})
    assert [ask(index, each).version for each in ("redis", "ioredis", "@redis/client")] == ["4.7.1", "6.0.0", "1.6.1"]
    assert ask(index, "ioredis-mock").version == "8"
    assert ask(index, "shop").source == "none"


def test_aliases_mean_the_package_behind_them(tmp_path: Path) -> None:
    files: Files = {
        "a/package.json": package(dependencies={"redis-v3": "npm:redis@^3.1.0", "client": "npm:@redis/client@1.6.1"}),
        "b/package.json": package(dependencies={"redis-v3": "npm:redis@^3.1.0", "redis": "^5.0.0"}),
    }
    index = write(tmp_path, files)
    assert ask(index, "redis", "a/x.js").version == "3.1.2"
    assert (ask(index, "@redis/client", "a/x.js").version, ask(index, "client", "a/x.js").source) == ("1.6.1", "none")
    assert ask(index, "redis", "b/x.js").version == "5.8.3"


@pytest.mark.parametrize(
    "forced",
    [
        {"overrides": {"ioredis": "4.28.5"}},
        {"overrides": {"ioredis": {".": "4.28.5", "denque": "2"}}},
        {"resolutions": {"**/ioredis": "4.28.5"}},
        {"pnpm": {"overrides": {"ioredis": "4.28.5"}}},
    ],
)
def test_forced_versions(tmp_path: Path, forced: dict[str, object]) -> None:
    index = write(tmp_path, {"package.json": package(dependencies={"ioredis": "^5.0.0"}, **forced)})
    assert ask(index, "ioredis").version == "4.28.5"


def test_the_nearest_manifest_that_names_the_package_counts(tmp_path: Path) -> None:
    files: Files = {
        "package.json": package(workspaces=["apps/*"], dependencies={"ioredis": "^4.0.0", "redis": "^4.6.0"}),
        "apps/api/package.json": package(dependencies={"ioredis": "^5.0.0"}),
        "apps/api/src/esm/package.json": '{"type": "module"}',
    }
    index = write(tmp_path, files)
    found = ask(index, "ioredis", "apps/api/src/esm/cache.mjs")
    assert (found.version, found.manifest_path) == ("5.8.2", "apps/api/package.json")
    assert ask(index, "redis", "apps/api/src/esm/cache.mjs").manifest_path == "package.json"
    assert ask(index, "ioredis", "tool.js").version == "4.28.5"


CATALOGUES = "catalog:\n  ioredis: ^5.3.0 # pinned\ncatalogs:\n  old: {redis: ~3.1.0}\n"
BUN = {"catalog": {"ioredis": "^5.3.0"}, "catalogs": {"old": {"redis": "~3.1.0"}}}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pnpm-workspace.yaml", f"packages:\n  - 'apps/*'\n{CATALOGUES}"),
        (".yarnrc.yml", f"nodeLinker: node-modules\n{CATALOGUES}"),
        ("package.json", package(workspaces=BUN)),
    ],
)
def test_catalogues(tmp_path: Path, file: str, text: str) -> None:
    app = package(dependencies={"ioredis": "catalog:", "redis": "catalog:old", "@redis/client": "catalog:nope"})
    index = write(tmp_path, {file: text, "apps/api/package.json": app})
    path = "apps/api/x.ts"
    assert (ask(index, "ioredis", path).version, ask(index, "redis", path).version) == ("5.8.2", "3.1.2")
    assert ask(index, "@redis/client", path).spec == ""
    assert index.notifications == ()


# -- package-lock.json ------------------------------------------------------------------------------------------------

PACKAGES = {
    "": {"name": "shop", "workspaces": ["apps/*"], "dependencies": {"redis": "^4.6.0"}},
    "apps/api": {"dependencies": {"ioredis": "^4.19.0", "bull": "^4"}},
    "apps/api/node_modules/ioredis": {"version": "4.28.5"},
    "apps/web": {"devDependencies": {"ioredis": "^5"}},
    "node_modules/api": {"resolved": "apps/api", "link": True},
    "node_modules/bull": {"version": "4.10.0"},
    "node_modules/bull/node_modules/ioredis": {"version": "5.0.6"},
    "node_modules/ioredis": {"version": "5.3.2", "dev": True},
    "node_modules/redis": {"version": "4.6.7"},
    "node_modules/redis-v3": {"name": "redis", "version": "3.1.2"},
}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ["package-lock.json", "npm-shrinkwrap.json"])
def test_package_locks_of_workspaces(tmp_path: Path, version: int, name: str) -> None:
    lock = {"lockfileVersion": version, "packages": PACKAGES, "dependencies": {"redis": {"version": "0.0.1"}}}
    files: Files = {
        name: json.dumps(lock, indent=2),
        "package.json": package(workspaces=["apps/*"], dependencies={"redis": "^4.6.0"}),
        "apps/api/package.json": package(dependencies={"ioredis": "^4.19.0", "bull": "^4"}),
        "apps/web/package.json": package(devDependencies={"ioredis": "^5"}),
        "examples/package.json": package(dependencies={"ioredis": "^4.0.0"}),
    }
    index = write(tmp_path, files)
    line = json.dumps(lock, indent=2).split("apps/api/node_modules/ioredis")[0].count("\n") + 1
    expected = VersionFact("ioredis", "4.28.5", "==4.28.5", True, "lock", name, line)
    assert ask(index, "ioredis", "apps/api/src/x.ts") == expected
    assert ask(index, "bull", "apps/api/x.ts").version == "4.10.0"
    assert ask(index, "ioredis", "apps/web/x.ts").version == "5.3.2"
    assert ask(index, "redis", "apps/api/x.ts").version == "4.6.7"
    assert ask(index, "ioredis", "tool.js").version == "5.3.2"
    # Not a workspace, so the lock file says nothing about it.
    assert (ask(index, "ioredis", "examples/x.js").version, ask(index, "ioredis", "examples/x.js").source) == (
        "4.28.5",
        "manifest",
    )
    assert index.notifications == ()


def test_the_first_package_lock(tmp_path: Path) -> None:
    lock = {
        "lockfileVersion": 1,
        "dependencies": {
            "bull": {"version": "3.0.0", "dependencies": {"ioredis": {"version": "3.2.2"}}},
            "ioredis": {"version": "4.28.5", "dev": True},
            "redis-v3": {"version": "npm:redis@3.1.2"},
            "fork": {"version": "github:redis/fork#abc"},
        },
    }
    text = json.dumps(lock, indent=2)
    manifest = package(dependencies={"ioredis": "^4.0.0", "fork": "^1.0.0"})
    index = write(tmp_path, {"package-lock.json": text, "package.json": manifest})
    line = text[: text.index('"4.28.5"')].count("\n")
    assert ask(index, "ioredis") == VersionFact(
        "ioredis", "4.28.5", "==4.28.5", True, "lock", "package-lock.json", line
    )
    assert ask(index, "redis").version == "3.1.2"
    assert ask(index, "fork").manifest_path == "package.json"


# -- yarn.lock --------------------------------------------------------------------------------------------------------

CLASSIC = """\
# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.
# yarn lockfile v1


"@redis/client@1.6.1", "@redis/client@^1.5.8":
  version "1.6.1"
  resolved "https://registry.yarnpkg.com/@redis/client/-/client-1.6.1.tgz#0"

ioredis@^4.19.0, ioredis@^4.27.0:
  version "4.28.5"
  dependencies:
    version "^9.9.9"

ioredis@^5.0.0:
  version "5.3.2"

"redis-v3@npm:redis@^3.1.0":
  version "3.1.2"
"""

BERRY = """\
__metadata:
  version: 8
  cacheKey: 10

"@redis/client@npm:1.6.1, @redis/client@npm:^1.5.8":
  version: 1.6.1
  resolution: "@redis/client@npm:1.6.1"

"api@workspace:apps/api":
  version: 0.0.0-use.local
  resolution: "api@workspace:apps/api"

"ioredis@npm:^4.19.0, ioredis@npm:^4.27.0":
  version: 4.28.5
  resolution: "ioredis@npm:4.28.5"

"ioredis@npm:^5.0.0":
  version: 5.3.2
  resolution: "ioredis@npm:5.3.2"

"redis-v3@npm:redis@^3.1.0":
  version: 3.1.2
  resolution: "redis@npm:3.1.2"
"""


@pytest.mark.parametrize(("text", "lines"), [(CLASSIC, (9, 14, 17)), (BERRY, (13, 17, 21))])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_yarn_locks(tmp_path: Path, text: str, lines: tuple[int, int, int], ends: str) -> None:
    files: Files = {
        "yarn.lock": text.replace("\n", ends),
        "package.json": package(
            workspaces=["apps/*"], dependencies={"ioredis": "^5.0.0", "redis-v3": "npm:redis@^3.1.0"}
        ),
        "apps/api/package.json": package(dependencies={"ioredis": "^4.19.0"}),
    }
    index = write(tmp_path, files)
    assert ask(index, "ioredis") == VersionFact("ioredis", "5.3.2", "==5.3.2", True, "lock", "yarn.lock", lines[1])
    found = ask(index, "ioredis", "apps/api/src/x.ts")
    assert (found.version, found.line) == ("4.28.5", lines[0])
    assert (ask(index, "redis").version, ask(index, "redis").line) == ("3.1.2", lines[2])
    # Only other packages ask for it, but it is there.
    assert ask(index, "@redis/client", "apps/api/x.ts").version == "1.6.1"
    assert index.notifications == ()


@pytest.mark.parametrize("text", [CLASSIC, BERRY])
def test_a_yarn_lock_covers_workspaces_only(tmp_path: Path, text: str) -> None:
    files: Files = {
        "yarn.lock": text,
        "package.json": package(dependencies={"ioredis": "^5.0.0"}),
        "examples/package.json": package(dependencies={"ioredis": "^4.0.0"}),
    }
    index = write(tmp_path, files)
    assert ask(index, "ioredis", "examples/x.js").version == "4.28.5"
    # Without the range that was asked for, the lowest entry is meant.
    (tmp_path / "package.json").write_text(package(dependencies={"ioredis": "^4"}), encoding="utf-8")
    assert ask(VersionIndex(str(tmp_path)), "ioredis").version == "4.28.5"


# -- pnpm-lock.yaml ---------------------------------------------------------------------------------------------------

PNPM_5 = """\
lockfileVersion: 5.4

importers:

  .:
    specifiers:
      redis: ^4.6.0
    dependencies:
      redis: 4.6.7

  apps/api:
    specifiers:
      '@redis/client': ^1.5.8
      ioredis: ^5.0.0
      redis-v3: npm:redis@^3.1.0
    dependencies:
      '@redis/client': 1.6.1
      ioredis: 5.3.2_abcdef
      redis-v3: /redis/3.1.2
      shared: link:../shared

packages:

  /ioredis/4.28.5:
    dev: false
"""

PNPM_9 = """\
lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

catalogs:
  default:
    ioredis:
      specifier: ^5.0.0
      version: 5.8.2

importers:

  .:
    dependencies:
      redis:
        specifier: ^4.6.0
        version: 4.6.7

  apps/api:
    dependencies:
      '@redis/client':
        specifier: ^1.5.8
        version: 1.6.1
      ioredis:
        specifier: 'catalog:'
        version: 5.3.2(supports-color@8.0.0)
      redis-v3:
        specifier: npm:redis@^3.1.0
        version: redis@3.1.2
      shared:
        specifier: workspace:*
        version: link:../shared

packages:

  ioredis@4.28.5:
    resolution: {integrity: sha512-0}

snapshots:

  ioredis@4.28.5: {}
"""


@pytest.mark.parametrize(("text", "line"), [(PNPM_5, 18), (PNPM_9, 27)])
def test_pnpm_locks(tmp_path: Path, text: str, line: int) -> None:
    names = {"ioredis": "catalog:", "@redis/client": "^1.5.8", "redis-v3": "npm:redis@^3.1.0", "shared": "workspace:*"}
    files: Files = {
        "pnpm-lock.yaml": text,
        "pnpm-workspace.yaml": "packages: ['apps/*']\n",
        "package.json": package(dependencies={"redis": "^4.6.0"}),
        "apps/api/package.json": package(dependencies=names),
        "apps/new/package.json": package(dependencies={"ioredis": "^4.0.0"}),
    }
    index = write(tmp_path, files)
    expected = VersionFact("ioredis", "5.3.2", "==5.3.2", True, "lock", "pnpm-lock.yaml", line)
    assert ask(index, "ioredis", "apps/api/src/x.ts") == expected
    found = [ask(index, name, "apps/api/x.ts").version for name in ("@redis/client", "redis")]
    assert found == ["1.6.1", "3.1.2"]
    assert (ask(index, "redis").version, ask(index, "ioredis").source) == ("4.6.7", "none")
    assert ask(index, "shared", "apps/api/x.ts").source == "manifest"
    assert ask(index, "ioredis", "apps/new/x.ts").version == "4.28.5"
    assert index.notifications == ()


def test_a_pnpm_lock_without_workspaces(tmp_path: Path) -> None:
    old = "lockfileVersion: 5.3\nspecifiers:\n  ioredis: ^4\ndependencies:\n  ioredis: 4.28.5\n"
    old += "devDependencies:\n  redis: 3.1.2\n"
    six = "lockfileVersion: '6.0'\n\ndependencies:\n  ioredis:\n    specifier: ^4\n    version: 4.28.5\n"
    files: Files = {
        "a/pnpm-lock.yaml": old,
        "a/package.json": package(dependencies={"ioredis": "^4"}),
        "b/pnpm-lock.yaml": six,
        "b/package.json": package(dependencies={"ioredis": "^4"}),
    }
    index = write(tmp_path, files)
    assert (ask(index, "ioredis", "a/x.js").line, ask(index, "ioredis", "b/x.js").line) == (5, 6)
    assert ask(index, "redis", "a/x.js").version == "3.1.2"


def test_a_lock_file_nearer_to_the_source_comes_first(tmp_path: Path) -> None:
    files: Files = {
        "yarn.lock": CLASSIC,
        "package.json": package(workspaces=["apps/*"], dependencies={"ioredis": "^5.0.0"}),
        "apps/api/package.json": package(dependencies={"ioredis": "^4.19.0"}),
        "apps/api/package-lock.json": json.dumps({"packages": {"node_modules/ioredis": {"version": "4.19.4"}}}),
    }
    found = ask(write(tmp_path, files), "ioredis", "apps/api/x.ts")
    assert (found.version, found.manifest_path) == ("4.19.4", "apps/api/package-lock.json")


# -- hostile and broken files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "content", "line", "reason"),
    [
        ("package.json", '{\n"dependencies": {,}}', 2, "JSON"),
        ("package.json", "[1]", 1, "object"),
        ("package.json", '{"a":' * 150_000, 0, "JSON"),
        ("package.json", '{\n<<<<<<< HEAD\n"a": 1}', 2, "merge conflict"),
        ("package.json", b" " * 1_000_001, 0, "larger"),
        ("package-lock.json", "[" * 1_000_000, 0, "JSON"),
        ("package-lock.json", b"", 0, "JSON"),
        ("yarn.lock", "ioredis@^5:\n<<<<<<< HEAD\n", 2, "merge conflict"),
        ("pnpm-lock.yaml", "importers:\n<<<<<<< HEAD\n", 2, "merge conflict"),
        ("pnpm-lock.yaml", b" " * 10_000_001, 0, "larger"),
        ("pnpm-workspace.yaml", "catalog: &a {x: y}\nother: *a\n", 2, "alias"),
        ("pnpm-workspace.yaml", "catalog:\n\t- x\n", 2, "YAML"),
        ("pnpm-workspace.yaml", "[" * 199_000, 1, "deep"),
        ("pnpm-workspace.yaml", "- " * 99_000, 1, "deep"),
        ("pnpm-workspace.yaml", "#" * 200_001, 0, "larger"),
    ],
)
def test_a_broken_manifest_is_told_and_stops_nothing(
    tmp_path: Path, file: str, content: str | bytes, line: int, reason: str
) -> None:
    files: Files = {
        "package.json": package(dependencies={"ioredis": "5.3.2"}),
        "api/package.json": package(dependencies={"redis": "catalog:"}),
        f"api/{file}": content,
    }
    index = write(tmp_path, files)
    assert ask(index, "ioredis", "api/src/x.js").version == "5.3.2"
    assert ask(index, "@redis/client", "api/src/x.js").source == "none"
    (remark,) = index.notifications
    assert (remark.kind, remark.path, remark.line) == (NotificationKind.MANIFEST, f"api/{file}", line)
    assert reason in remark.message
    assert "correct it" in remark.message
    assert remark.message.isprintable()


@pytest.mark.parametrize(
    "content",
    [
        {"dependencies": ["ioredis"], "devDependencies": None, "workspaces": 7, "overrides": "x", "pnpm": []},
        {"dependencies": {"ioredis": 5, "": "", "x": ["y"]}, "overrides": {"ioredis": [1], "a": {"b": {}}}},
        {"catalog": {"ioredis": 1}, "catalogs": {"a": 2, "b": {"c": []}}, "workspaces": {"catalog": 3, "catalogs": []}},
    ],
)  # fmt: skip
def test_manifests_with_other_things_in_them(tmp_path: Path, content: dict[str, object]) -> None:
    index = write(tmp_path, {"package.json": json.dumps(content)})
    assert ask(index, "ioredis").source == "none"
    assert index.notifications == ()


@pytest.mark.parametrize(
    "content",
    [
        {"packages": {"": [], "node_modules/": {"version": "1.0.0"}, "node_modules/ioredis": {"version": 5}, "x": 3}},
        {"packages": [], "dependencies": {"ioredis": "5.0.0", "redis": {"version": None}}},
        {"packages": None, "dependencies": 7, "lockfileVersion": {}},
    ],
)
def test_locks_with_other_things_in_them(tmp_path: Path, content: dict[str, object]) -> None:
    index = write(tmp_path, {"package-lock.json": json.dumps(content)})
    assert ask(index, "ioredis").source == "none"
    assert index.notifications == ()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("yarn.lock", '"' * 500_000), ("yarn.lock", "@" * 500_000 + ":\n"), ("yarn.lock", "a@1, " * 100_000 + ":\n"),
        ("pnpm-lock.yaml", "\n".join(" " * depth + "a:" for depth in range(1_000))), ("pnpm-lock.yaml", "'" * 500_000),
        ("pnpm-lock.yaml", "importers:\n" + "  'a:\n" * 100_000), ("yarn.lock", "  version " * 50_000),
    ],
)  # fmt: skip
def test_strange_locks_cost_little(tmp_path: Path, file: str, text: str) -> None:
    index = write(tmp_path, {file: text, "package.json": package(dependencies={"ioredis": "^5.0.0"})})
    assert ask(index, "ioredis").version == "5.8.2"


def test_lock_files_of_many_packages_are_quick(tmp_path: Path) -> None:
    packages = {f"node_modules/p{n}": {"version": f"1.0.{n}"} for n in range(40_000)}
    packages["node_modules/ioredis"] = {"version": "5.3.2"}
    classic = "".join(f'p{n}@^1.0.0:\n  version "1.0.{n}"\n\n' for n in range(40_000)) + CLASSIC
    index = write(
        tmp_path, {"a/package-lock.json": json.dumps({"packages": packages}, indent=2), "b/yarn.lock": classic}
    )
    assert ask(index, "ioredis", "a/x.js").line == 120_002 + 1
    assert ask(index, "@redis/client", "b/x.js").version == "1.6.1"


def test_manifests_are_read_once_and_only_when_asked() -> None:
    files: dict[str, bytes] = {
        "package.json": package(workspaces=["a"]).encode(),
        "yarn.lock": CLASSIC.encode(),
        "a/package.json": package(dependencies={"ioredis": "^4.19.0"}).encode(),
    }
    read: list[str] = []

    def reader(path: str) -> bytes | None:
        read.append(path)
        return files.get(path)

    def listing(folder: str) -> list[str]:
        return {"": ["a", "package.json", "yarn.lock"], "a": ["package.json", "x.js"]}.get(folder, [])

    index = VersionIndex("/nowhere", reader, listing)
    assert read == []
    for name in ("x.js", "y.js", "src/z.js"):
        assert ask(index, "ioredis", f"a/{name}").version == "4.28.5"
        assert ask(index, "redis", f"a/{name}").version == "3.1.2"
    assert sorted(read) == sorted(files)
    assert index.lookup("a/x.js", "ioredis").source == "none"
    assert index.lookup("a/x.js", "ioredis", ecosystem="nuget").source == "none"
    assert sorted(read) == sorted(files)
