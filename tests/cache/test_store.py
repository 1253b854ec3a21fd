"""Entries: what comes back, what does not, and how many are kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cache import Store, folders, open_store
from resplint.cache.sealing import OVERHEAD
from resplint.cli.app import cli


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path), os.environ)


@pytest.mark.parametrize("content", [b"", b"\0", b"text", bytes(100_000), os.urandom(2_000_001)], ids=len)
def test_what_was_put_comes_back(store: Store, content: bytes) -> None:
    assert store.get("scan", b"key") is None
    assert store.put("scan", b"key", content)
    assert store.get("scan", b"key") == content
    assert store.get("scan", b"another key") is None
    assert store.get("tree", b"key") is None


def test_the_newest_content_counts(store: Store) -> None:
    for number in range(3):
        store.put("scan", b"key", b"%d" % number)
    assert store.get("scan", b"key") == b"2"
    assert store.usage().entries == 1


def test_the_same_content_never_looks_the_same(store: Store) -> None:
    """Or else who sees the folder could tell that nothing has changed, and compare two contents."""
    seen = set()
    for _ in range(3):
        store.put("scan", b"key", bytes(100))
        (path,) = (path for path in Path(store.folder).iterdir() if path.name.startswith("scan-"))
        seen.add(path.read_bytes()[-100:])
    assert len(seen) == 3


def test_every_single_byte_of_an_entry_counts(store: Store) -> None:
    store.put("scan", b"key", b"content")
    (path,) = (path for path in Path(store.folder).iterdir() if path.name.startswith("scan-"))
    whole = path.read_bytes()
    assert len(whole) == OVERHEAD + len(b"content")
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert store.get("scan", b"key") is None
        path.write_bytes(whole[:at])
        assert store.get("scan", b"key") is None
    path.write_bytes(whole + b"\0")
    assert store.get("scan", b"key") is None
    path.write_bytes(whole)
    assert store.get("scan", b"key") == b"content"


def test_too_large_is_not_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from resplint.cache import store as module

    monkeypatch.setattr(module, "MAX_ENTRY_BYTES", 1_000)
    assert not store.put("scan", b"key", bytes(1_000))
    assert store.put("scan", b"key", bytes(900))
    assert store.get("scan", b"key") == bytes(900)


def test_the_oldest_go_first(store: Store) -> None:
    now = time.time()
    for number in range(10):
        store.put("scan", b"%d" % number, bytes(1_000))
        path = Path(store._path("scan", b"%d" % number))
        os.utime(path, (now - 1_000 + number, now - 1_000 + number))
    store.get("scan", b"0")
    store.sweep(max_bytes=5 * (1_000 + OVERHEAD))
    assert [number for number in range(10) if store.get("scan", b"%d" % number)] == [5, 6, 7, 8, 9]
    store.sweep(max_entries=2)
    assert [number for number in range(10) if store.get("scan", b"%d" % number)] == [8, 9]


def test_a_use_makes_an_entry_young(store: Store) -> None:
    long_ago = time.time() - 10 * 86_400
    for name in (b"used", b"unused"):
        store.put("scan", name, b"content")
        os.utime(store._path("scan", name), (long_ago, long_ago))
    store.get("scan", b"used")
    store.sweep(max_entries=1)
    assert store.get("scan", b"used") == b"content"
    assert store.get("scan", b"unused") is None


def test_what_a_killed_process_left_is_removed(store: Store) -> None:
    left, fresh = Path(store.folder, "new-0123.new"), Path(store.folder, "new-4567.new")
    for path in (left, fresh):
        path.write_bytes(b"incomplete")
    os.utime(left, (0, time.time() - 7_200))
    store.sweep()
    assert not left.exists()
    assert fresh.exists()


def test_the_secret_is_made_once_and_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    secret = folders.installation_secret({})
    assert len(secret) == 32
    assert folders.installation_secret({}) == secret
    path = tmp_path / "resplint" / "cache-key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert folders.installation_secret({}) != secret, "others may have read it"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"short")
    assert len(folders.installation_secret({})) == 32


def test_the_secret_of_the_environment_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert folders.installation_secret({"RESPLINT_CACHE_KEY": "one"}) != folders.installation_secret(
        {"RESPLINT_CACHE_KEY": "two"}
    )
    assert list(tmp_path.iterdir()) == []


def test_the_command_shows_and_clears(tmp_path: Path) -> None:
    store = open_store(str(tmp_path), os.environ)
    store.put("scan", b"key", bytes(1_000))
    shown = CliRunner().invoke(cli, ["cache", "--cache-dir", str(tmp_path)])
    assert shown.exit_code == 0
    assert shown.stdout == f"{store.folder}: 1 entry, {1_000 + OVERHEAD:,} bytes\n"
    cleared = CliRunner().invoke(cli, ["cache", "--cache-dir", str(tmp_path), "--clear"])
    assert cleared.stdout.endswith("bytes removed\n")
    assert store.get("scan", b"key") is None
    assert sorted(path.name for path in Path(store.folder).iterdir()) == [".gitignore", "CACHEDIR.TAG"]


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(cli, ["cache", "--cache-dir", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
