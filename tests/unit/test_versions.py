"""Versions: what manifests and lock files of every format say, and which of them counts for a source file."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from resplint.contracts.findings import NotificationKind
from resplint.knowledge.ranges import version_in
from resplint.versions import VersionFact
from resplint.versions.ranges import is_exact, newest_allowed, poetry_to_pep440
from tests.version_facts import VersionIndex

KNOWN = (
    "2.10.6", "3.0.0", "3.5.3", "4.0.0", "4.5.0", "4.5.5", "4.6.0", "5.0.0", "5.0.1", "5.0.8", "5.1.0",
    "5.2.1", "6.0.0", "6.4.0", "7.0.0b1",
)  # fmt: skip


def write(root: Path, files: dict[str, str | bytes]) -> VersionIndex:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return VersionIndex(str(root))


def fact(root: Path, files: dict[str, str | bytes], path: str = "app.py", name: str = "redis") -> VersionFact:
    return write(root, files).lookup(path, name, KNOWN)


@pytest.mark.parametrize(
    ("spec", "newest"),
    [
        (">=5.0.2", "6.4.0"), (">=4.5,<6", "5.2.1"), ("~=5.0", "5.2.1"), ("==5.*", "5.2.1"), ("~=5.0.0", "5.0.8"),
        ("==5.0.1", "5.0.1"),
        ("<6", "5.2.1"), ("!=4.6.0,<5", "4.5.5"), (">4.5.0", "6.4.0"), (">=99", "99"), ("==5.0.2", "5.0.2"),
        ("===5.0.1", "5.0.1"), ("", "6.4.0"), (">=7.0.0b1", "7.0.0b1"), ("==3.0.*||<3.6,>=3.1", "3.5.3"),
    ],
)  # fmt: skip
def test_the_newest_version_of_a_range(spec: str, newest: str) -> None:
    assert newest_allowed(spec, KNOWN) == newest
    assert newest_allowed(spec, [*reversed(KNOWN), "not a version"]) == newest


@pytest.mark.parametrize(
    ("spec", "newest"),
    [(">=5.0.2", "5.0.2"), (">=4.5,<6", "4.5"), ("~=5.0", "5.0"), ("==5.*", "5"), ("<6", None), ("", None)],
)
def test_without_known_versions_the_bound_itself_counts(spec: str, newest: str | None) -> None:
    assert newest_allowed(spec, ()) == newest


@pytest.mark.parametrize(
    ("poetry", "pep440"),
    [
        ("^5.2.1", ">=5.2.1,<6"), ("^0.2.3", ">=0.2.3,<0.3"), ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"), ("^5", ">=5,<6"), ("~4.1.2", ">=4.1.2,<4.2"), ("~4.1", ">=4.1,<4.2"),
        ("~4", ">=4,<5"),
        ("*", ""), ("", ""), ("5.0.1", "==5.0.1"), ("5.*", "==5.*"), ("~5.*", ">=5,<6"), (">=4 <6", ">=4,<6"),
        (">= 4.5, != 4.6.0", ">=4.5,!=4.6.0"), ("~=5.0", "~=5.0"), ("^3.5 || ^5.0", ">=3.5,<4||>=5.0,<6"),
        ("=5.0.1", "==5.0.1"), ("^5.0.0b1", ">=5.0.0b1,<6"), ("nonsense", ""), ("^", ""), (">=4.*", ">=4"),
    ],
)  # fmt: skip
def test_constraints_of_poetry(poetry: str, pep440: str) -> None:
    assert poetry_to_pep440(poetry) == pep440


def test_exactness() -> None:
    assert is_exact("==5.0.1")
    assert not any(map(is_exact, ("==5.*", ">=5", "", "==5||==6", "<6")))


PYPROJECT = """\
[project]
name = "redis-shop"
keywords = ["redis"]
dependencies = [
  "fastapi>=0.110",
  "redis[hiredis] >=4.5, <6 ; python_version > '3.8'",
]

[project.optional-dependencies]
cache = ["django-redis>=5.4"]
dev = ["fakeredis==2.21"]

[dependency-groups]
test = ["redis==6.0.0", {include-group = "cache"}, "coredis>=4"]
"""

POETRY = """\
[tool.poetry]
name = "shop"

[tool.poetry.dependencies]
python = "^3.11"
redis = {version = "^5.0.1", extras = ["hiredis"]}
aioredis = [
  {version = "1.3.1", python = "<3.8"},
  {version = "^2.0", python = ">=3.8"},
]
valkey = {git = "https://github.com/valkey-io/valkey-py", tag = "v6.0.2"}
django-redis = "*"

[tool.poetry.group.dev.dependencies]
redis = "6.0.0"
coredis = "~4.16"

[tool.poetry.dependencies.rq]
version = ">=1.15 <2"
"""

SETUP_PY = '''\
"""Set-up of the shop."""
from setuptools import setup, find_packages

EXTRAS: dict = {"cache": ["django-redis>=5"], "test": ["fakeredis"]}
BASE = ["six"]
requirements = BASE + [
    "redis>=3.5.3,<5",
    f"computed=={VERSION}",
]

setup(name="shop", packages=find_packages(), install_requires=requirements, extras_require=EXTRAS)
raise SystemExit("never executed")
'''

SETUP_CFG = """\
[metadata]
name = redis

[options]
packages = find:
install_requires =
    django>=4
    redis~=4.5  # pinned by the platform
    # redis==1.0

[options.extras_require]
test = fakeredis>=2
cache =
    django-redis>=5
"""

PIPFILE = """\
[[source]]
url = "https://pypi.org/simple"
name = "pypi"

[packages]
redis = {version = "==4.5.5", extras = ["hiredis"]}
django-redis = "*"
rq = {ref = "main", git = "https://example.org/rq.git"}

[dev-packages]
fakeredis = "~=2.20"

[requires]
python_version = "3.11"
"""

ENVIRONMENT = """\
name: shop
channels: [conda-forge]
dependencies:
  - python=3.11
  - redis=7.2
  - conda-forge::redis-py=5.0.1=pyhd8ed1ab_0  # the client; "redis" is the server
  - pip:
      - coredis==4.16.0
      - "django-redis>=5"
"""


@pytest.mark.parametrize(
    ("file", "text", "name", "expected"),
    [
        ("pyproject.toml", PYPROJECT, "redis", ("5.2.1", ">=4.5,<6", False, 6)),
        ("pyproject.toml", PYPROJECT, "django_redis", ("5.4", ">=5.4", False, 10)),
        ("pyproject.toml", PYPROJECT, "fakeredis", ("2.21", "==2.21", True, 11)),
        ("pyproject.toml", PYPROJECT, "coredis", ("6.4.0", ">=4", False, 14)),
        ("pyproject.toml", POETRY, "redis", ("5.2.1", "^5.0.1", False, 6)),
        ("pyproject.toml", POETRY, "aioredis", ("1.3.1", "1.3.1", True, 7)),
        ("pyproject.toml", POETRY, "valkey", ("6.0.2", "v6.0.2", True, 11)),
        ("pyproject.toml", POETRY, "django-redis", ("6.4.0", "", False, 12)),
        ("pyproject.toml", POETRY, "coredis", ("4.16", "~4.16", False, 16)),
        ("pyproject.toml", POETRY, "rq", ("1.15", ">=1.15 <2", False, 18)),
        (
            "pyproject.toml",
            '[tool.pdm.dev-dependencies]\nx = ["redis>=5"]\n',
            "redis",
            ("6.4.0", ">=5", False, 2),
        ),
        (
            "pyproject.toml",
            '[tool.uv]\ndev-dependencies = ["redis>=5"]\n',
            "redis",
            ("6.4.0", ">=5", False, 2),
        ),
        ("setup.py", SETUP_PY, "redis", ("4.6.0", ">=3.5.3,<5", False, 7)),
        ("setup.py", SETUP_PY, "django-redis", ("6.4.0", ">=5", False, 4)),
        ("setup.cfg", SETUP_CFG, "redis", ("4.6.0", "~=4.5", False, 8)),
        ("setup.cfg", SETUP_CFG, "django-redis", ("6.4.0", ">=5", False, 14)),
        ("Pipfile", PIPFILE, "redis", ("4.5.5", "==4.5.5", True, 6)),
        ("Pipfile", PIPFILE, "django-redis", ("6.4.0", "", False, 7)),
        ("Pipfile", PIPFILE, "fakeredis", ("2.20", "~=2.20", False, 11)),
        ("environment.yml", ENVIRONMENT, "redis", ("5.0.1", "==5.0.1", True, 6)),
        ("environment.yml", ENVIRONMENT, "coredis", ("4.16.0", "==4.16.0", True, 8)),
        ("environment.yml", ENVIRONMENT, "django-redis", ("6.4.0", ">=5", False, 9)),
    ],
)
def test_manifests(tmp_path: Path, file: str, text: str, name: str, expected: tuple[str, str, bool, int]) -> None:
    index = write(tmp_path, {file: text})
    # Where no listed version is in the range, its bound counts: the list is that of `redis`.
    known = KNOWN if expected[0] in KNOWN else ()
    found = index.lookup("app/models.py", name, known)
    assert (found.version, found.spec, found.exact, found.line) == expected
    assert (found.source, found.manifest_path) == ("manifest", file)
    assert index.notifications == ()


REQUIREMENTS = """\
# compiled
--index-url https://user:secret@example.org/simple
-e .
./local/package
celery[redis]==5.3.6 \\
    --hash=sha256:0000 \\
    --hash=sha256:1111
Redis[hiredis] >= 4.5.0 , < 6   # the client
coredis==3.0; python_version < "3"
coredis==4.16.0; python_version >= "3"
django-redis @ https://example.org/wheels/django_redis-5.4.0-py3-none-any.whl
git+https://token@github.com/valkey-io/valkey-py@v6.0.2#egg=valkey
aioredis>=1.*
rq --no-binary rq
pywin-redis==1.0 ; sys_platform == "win32"
"""


@pytest.mark.parametrize(
    ("name", "version", "spec", "exact", "line"),
    [
        ("redis", "4.5.0", ">=4.5.0,<6", False, 8),
        ("celery", "5.3.6", "==5.3.6", True, 5),
        ("coredis", "4.16.0", "==4.16.0", True, 10),
        ("django-redis", "5.4.0", "@ 5.4.0", True, 11),
        ("valkey", "6.0.2", "@ 6.0.2", True, 12),
        ("aioredis", "1", ">=1.*", False, 13),
        ("rq", None, "", False, 14),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_requirement_files(
    tmp_path: Path, encoding: str, name: str, version: str | None, spec: str, exact: bool, line: int
) -> None:
    index = write(tmp_path, {"requirements.txt": REQUIREMENTS.replace("\n", "\r\n").encode(encoding)})
    expected = VersionFact(name, version, spec, exact, "manifest", "requirements.txt", line)
    assert index.lookup("app.py", name) == expected
    assert index.notifications == ()
    assert index.lookup("app.py", "pywin-redis").source == "none"


def test_included_files_and_constraints(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "api/requirements.txt": "-r ../base.in\n--requirement=self.txt\n-c constraints/all.txt\nrq\n",
        "api/self.txt": "-r requirements.txt\n-r ../../../etc/passwd\n-r https://example.org/r.txt\n",
        "base.in": "redis>=4\ncoredis>=4\n",
        "api/constraints/all.txt": "redis==5.0.8\ncoredis<5,>=4.5\n",
    }
    index = write(tmp_path, files)
    found = index.lookup("api/app.py", "redis", KNOWN)
    assert (found.version, found.exact, found.manifest_path) == ("5.0.8", True, "api/constraints/all.txt")
    found = index.lookup("api/app.py", "coredis", ())
    assert (found.version, found.spec, found.manifest_path) == ("4.5", ">=4", "base.in")
    assert index.notifications == ()


UV = """\
version = 1
requires-python = ">=3.11"

[[package]]
name = "django-redis"
version = "5.4.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "redis" },
]

[[package]]
name = "redis"
version = "5.0.8"
source = { registry = "https://pypi.org/simple" }

[package.metadata]
requires-dist = [{ name = "redis", specifier = ">=5" }]
"""

POETRY_LOCK = """\
[[package]]
name = "fakeredis"
version = "2.21.0"
category = "dev"

[package.dependencies]
redis = ">=4"

[[package]]
name = "redis"
version = "5.0.8"
description = "Python client"
optional = false

[metadata]
lock-version = "2.0"
"""

PIPFILE_LOCK = """\
{
    "_meta": {"hash": {"sha256": "0"}, "sources": []},
    "default": {
        "redis": {
            "extras": ["hiredis"],
            "version": "==5.0.8"
        }
    },
    "develop": {"redis": {"version": "==3.0.0"}, "fakeredis": {"version": "==2.21.0"}}
}
"""


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("uv.lock", UV, 13),
        ("poetry.lock", POETRY_LOCK, 10),
        ("pdm.lock", POETRY_LOCK.replace('category = "dev"', 'groups = ["test"]'), 10),
        ("pylock.toml", UV.replace("[[package]]", "[[packages]]"), 13),
        ("Pipfile.lock", PIPFILE_LOCK, 4),
        ("uv.lock", UV.replace("\n", "\r\n"), 13),
    ],
)
def test_a_lock_beats_a_manifest_of_the_same_folder(tmp_path: Path, file: str, text: str, line: int) -> None:
    index = write(tmp_path, {"pyproject.toml": PYPROJECT, file: text})
    expected = VersionFact("redis", "5.0.8", "==5.0.8", True, "lock", file, line)
    assert index.lookup("src/shop/cache.py", "redis", KNOWN) == expected
    assert index.lookup("src/shop/cache.py", "coredis", ()).source == "manifest"


def test_several_versions_in_a_lock_mean_the_lowest(tmp_path: Path) -> None:
    fork = '[[package]]\nname = "redis"\nversion = "4.6.0"\n'
    assert fact(tmp_path, {"uv.lock": UV + fork}).version == "4.6.0"


def test_the_nearest_manifest_that_names_the_library_counts(tmp_path: Path) -> None:
    index = write(
        tmp_path,
        {
            "requirements.txt": "redis==4.6.0\n",
            "services/api/pyproject.toml": '[project]\ndependencies = ["redis>=5.0.1"]\n',
            "services/web/pyproject.toml": '[project]\ndependencies = ["fastapi"]\n',
        },
    )
    assert index.lookup("services/api/app/db.py", "redis", KNOWN).version == "6.4.0"
    assert index.lookup("services/web/app.py", "redis", KNOWN).version == "4.6.0"
    assert index.lookup("tool.py", "redis", KNOWN).manifest_path == "requirements.txt"


def test_a_manifest_in_a_folder_without_code_counts_where_none_stands_above(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"config/python/requirements.txt": "redis==5.0.1\n", "shop/app.py": ""}
    found = fact(tmp_path, files, "shop/app.py")
    assert (found.version, found.manifest_path) == ("5.0.1", "config/python/requirements.txt")
    index = write(tmp_path, {"deploy/requirements.txt": "redis==5.0.1\n", "other/requirements.txt": "redis==4.5.0\n"})
    assert index.lookup("shop/app.py", "redis", KNOWN).source == "none"  # they do not agree
    index = write(tmp_path, {"other/main.py": ""})
    assert index.lookup("shop/app.py", "redis", KNOWN).version == "5.0.1"  # the other one is that of other code
    assert index.lookup("other/main.py", "redis", KNOWN).version == "4.5.0"
    index = write(tmp_path, {"third/main.py": "", "third/config/requirements.txt": "redis==4.6.0\n"})
    assert index.lookup("third/main.py", "redis", KNOWN).version == "4.6.0"  # and the nearer one counts
    assert index.lookup("shop/app.py", "redis", KNOWN).source == "none"
    index = write(tmp_path, {"third/config/main.py": ""})
    assert index.lookup("shop/app.py", "redis", KNOWN).version == "5.0.1"
    index = write(tmp_path, {"config/python/tools/deep/main.py": "", "deploy/hooks/main.py": ""})
    assert index.lookup("shop/app.py", "redis", KNOWN).source == "none"


def test_code_that_programs_share_has_the_version_on_which_they_agree(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"shared/cache.py": "", "api/main.py": "", "worker/main.py": ""}
    files |= {"api/requirements.txt": "redis==5.0.1\n", "worker/requirements.txt": "fastapi\nredis==5.0.1\n"}
    found = fact(tmp_path, files, "shared/cache.py")
    assert (found.version, found.manifest_path) == ("5.0.1", "api/requirements.txt")
    assert fact(tmp_path, {}, "manage.py").source == "none"  # nobody shares what stands above them
    index = write(tmp_path, {"worker/requirements.txt": "redis==4.6.0\n"})
    assert index.lookup("shared/cache.py", "redis", KNOWN).source == "none"  # they do not
    index = write(tmp_path, {"worker/requirements.txt": "redis==5.0.1\n", "shared/setup.py": "setup()"})
    assert index.lookup("shared/cache.py", "redis", KNOWN).source == "none"  # it is a package of its own


def test_folders_beyond_what_is_looked_at_may_hold_code(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"notes/{number:03}/x.txt": "" for number in range(400)}
    files |= {"notes/requirements.txt": "redis==5.0.1\n", "shop/app.py": ""}
    assert fact(tmp_path, files, "shop/app.py").source == "none"
    assert fact(tmp_path, {"a/requirements.txt": "redis==4.5.0\n"}, "shop/app.py").version == "4.5.0"


def test_nothing_found_means_the_newest(tmp_path: Path) -> None:
    assert fact(tmp_path, {}) == VersionFact("redis", "6.4.0", "", False, "none")
    for path in ("../../x.py", "/x.py", "//a/x.py", ""):
        assert VersionIndex(str(tmp_path)).lookup(path, "redis").version is None
    unpinned = fact(tmp_path, {"requirements.txt": "redis\n"})
    assert unpinned == VersionFact("redis", "6.4.0", "", False, "manifest", "requirements.txt", 1)


@pytest.mark.parametrize(
    ("files", "version", "path"),
    [
        ({"requirements.txt": "redis==5.0.1", "requirements-dev.txt": "redis==3.0.0"}, "5.0.1",
         "requirements.txt"),
        ({"dev-requirements.txt": "redis==3.0.0"}, "3.0.0", "dev-requirements.txt"),
        ({"requirements/base.txt": "redis==5.0.1", "requirements/test.txt": "redis==3.0.0"}, "5.0.1",
         "requirements/base.txt"),
        ({"requirements/prod.txt": "-r base.txt", "requirements/base.txt": "redis==5.0.1"}, "5.0.1",
         "requirements/base.txt"),
        ({"requirements-a.txt": "redis==5.0.1", "requirements-b.txt": "redis==4.6.0"}, "4.6.0",
         "requirements-b.txt"),
        ({"requirements.in": "redis>=4", "requirements.txt": "redis==5.0.8"}, "5.0.8", "requirements.txt"),
        ({"requirements.in": "redis>=4"}, "6.4.0", "requirements.in"),
        ({"setup.py": "from setuptools import setup\nsetup(install_requires=['redis>=3'])",
          "requirements.txt": "redis==5.0.8"}, "5.0.8", "requirements.txt"),
        ({"requirements.txt": "redis", "setup.cfg": "[options]\ninstall_requires = redis>=4,<6"}, "5.2.1",
         "setup.cfg"),
        ({"requirements.txt": "redis>=4", "constraints.txt": "redis>=4.6,<5"}, "4.6.0", "requirements.txt"),
        ({"constraints.txt": "redis==4.6.0"}, "4.6.0", "constraints.txt"),
    ],
)  # fmt: skip
def test_several_manifests_in_one_folder(
    tmp_path: Path, files: dict[str, str | bytes], version: str, path: str
) -> None:
    found = fact(tmp_path, files)
    assert (found.version, found.manifest_path) == (version, path)


@pytest.mark.parametrize(
    ("file", "content", "line"),
    [
        ("pyproject.toml", b"[project]\ndependencies = [\n", 3),
        ("pyproject.toml", b"\xff\xff", 1),
        ("pyproject.toml", b"x = " + b"[" * 50_000, 0),
        ("pyproject.toml", b'[project]\ndependencies = ["redis", ">>1"]\n', 0),
        ("Pipfile", b"[packages\n", 1),
        ("setup.py", b"print 'python 2'\n", 1),
        ("setup.py", b"x = " + b"(" * 50_000, 1),
        ("setup.py", b"\0", 0),
        ("setup.py", b"x = " + b"-" * 400_000 + b"1\n", 0),
        ("setup.cfg", b"no section\n", 1),
        ("uv.lock", b"<<<<<<< HEAD\n", 1),
        ("Pipfile.lock", b"{", 0),
        ("Pipfile.lock", b"[" * 500_000, 0),
        ("requirements.txt", b"redis\n{{ templated }}\n==1\n", 2),
        ("requirements.txt", b"#" * 1_000_001, 0),
    ],
)
def test_a_broken_manifest_is_told_and_stops_nothing(tmp_path: Path, file: str, content: bytes, line: int) -> None:
    index = write(tmp_path, {f"api/{file}": content, "Pipfile": '[packages]\nredis = "==5.0.1"\n'})
    index.lookup("api/app.py", "redis", KNOWN)
    assert index.lookup("api/app.py", "unknown", KNOWN).source == "none"
    (remark,) = index.notifications
    assert (remark.kind, remark.path) == (NotificationKind.MANIFEST, f"api/{file}")
    assert remark.line == line or (file == "setup.py" and remark.line in (0, 1))
    assert remark.message.isprintable()
    assert "correct it" in remark.message


def test_special_files_and_links_out_of_the_root_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("redis==1.0\n", encoding="utf-8")
    (root / "requirements.txt").symlink_to("../secret.txt")
    (root / "requirements").symlink_to("..")
    os.mkfifo(root / "pyproject.toml")
    (root / "Pipfile").mkdir()
    index = VersionIndex(str(root))
    assert index.lookup("a.py", "redis").source == "none"
    assert [remark.path for remark in index.notifications] == [
        "Pipfile",
        "pyproject.toml",
        "requirements.txt",
    ]
    assert str(tmp_path) not in "".join(remark.message for remark in index.notifications)


def test_manifests_are_read_once_and_only_when_asked() -> None:
    files = {"requirements.txt": b"redis==5.0.1\n", "a/pyproject.toml": b"[project]\n"}
    read: list[str] = []

    def reader(path: str) -> bytes | None:
        read.append(path)
        return files.get(path)

    def listing(folder: str) -> list[str]:
        return {"": ["a", "requirements.txt"], "a": ["pyproject.toml", "x.py"]}.get(folder, [])

    index = VersionIndex("/nowhere", reader, listing)
    assert read == []
    for name in ("x.py", "y.py", "b/c/z.py"):
        assert index.lookup(f"a/{name}", "redis", KNOWN).version == "5.0.1"
    assert index.lookup("a/x.py", "redis", ecosystem="npm").source == "none"
    assert sorted(read) == ["a/pyproject.toml", "requirements.txt"]


@pytest.mark.parametrize("file", ["poetry.lock", "Pipfile.lock"])
@pytest.mark.parametrize("digits", [101, 20_000])
def test_a_version_of_many_digits_in_a_lock_can_be_compared(tmp_path: Path, file: str, digits: int) -> None:
    version = "9" * digits
    text = f'[[package]]\nname = "redis"\nversion = "{version}"\n'
    if file == "Pipfile.lock":
        text = f'{{"default": {{"redis": {{"version": "=={version}"}}}}}}'
    version = fact(tmp_path, {file: text}).version
    assert version is not None
    assert version_in(version, ">=8")


def test_a_line_of_blanks_behind_a_bracket_is_read_in_no_time(tmp_path: Path) -> None:
    text = PYPROJECT.replace("[project]", "[project]\ndescription = '''\n[" + " " * 20_000 + "\n'''", 1)
    started = time.process_time()
    assert fact(tmp_path, {"pyproject.toml": text}).version == "5.2.1"
    assert time.process_time() - started < 2


@pytest.mark.parametrize("header", ["[project]", "  [ project ]  # what we sell", "[ project ]"])
def test_headers_of_tables_are_read_however_they_are_written(tmp_path: Path, header: str) -> None:
    text = f'{header}\nname = "shop"\nkeywords = ["redis"]\ndependencies = [\n  "redis>=4.5,<6",\n]\n'
    found = fact(tmp_path, {"pyproject.toml": text})
    assert (found.version, found.line) == ("5.2.1", 5)


def test_a_lock_file_of_many_packages_is_quick(tmp_path: Path) -> None:
    text = "".join(f'[[package]]\nname = "p{n}"\nversion = "1.{n}"\n\n' for n in range(60_000)) + UV
    index = write(tmp_path, {"uv.lock": text})
    assert index.lookup("a.py", "redis").version == "5.0.8"


@pytest.mark.parametrize(
    ("files", "line", "extras"),
    [
        ({"requirements.txt": "flask\nredis[hiredis] == 5.0.8\n"}, 2, {"hiredis"}),
        ({"requirements.txt": "redis\r\n", "requirements-dev.txt": "redis[hiredis]\r\n"}, 1, set()),
        ({"pyproject.toml": '[project]\ndependencies = [\n  "redis>=5",\n]\n', "uv.lock": ""}, 3, set()),
        ({"pyproject.toml": '[tool.poetry.dependencies]\nredis = {version = "^5", extras = ["X"]}\n'}, 2, {"x"}),
    ],
)  # fmt: skip
def test_where_a_distribution_is_asked_for_and_with_what(
    tmp_path: Path, files: dict[str, str | bytes], line: int, extras: set[str]
) -> None:
    declared = write(tmp_path, files).declared("app/store.py", "redis")
    assert declared is not None
    assert (declared.line, declared.extras) == (line, extras)
    assert declared.place.path == next(iter(files))
    spelled = declared.text.encode()[declared.place.start : declared.place.end].decode()
    assert "redis" in spelled
    assert "\n" not in spelled


def test_what_is_optional_or_for_development_is_not_asked_for(tmp_path: Path) -> None:
    text = '[project]\ndependencies = ["flask"]\n[project.optional-dependencies]\ncache = ["redis"]\n'
    assert write(tmp_path, {"pyproject.toml": text}).declared("app.py", "redis") is None
