"""The script behind `make scan`: it unpacks nothing outside its folder, and says in one line what went wrong."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import sys
import tarfile
import urllib.error
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOSTILE = ("../above.txt", "/absolute.txt", "a/../../above.txt", "..\\above.txt", "c:drive.txt")


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_packages", ROOT / "tools" / "fetch_packages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tool: Any = _load()


def package(data: bytes) -> Any:
    return tool.Package("npm", "@acme/queue", "1.2.0", (hashlib.sha256(data).hexdigest(),))


def tarball(*names: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = 2, 0o777
            tar.addfile(entry, io.BytesIO(b"x\n"))
        link = tarfile.TarInfo("package/link.js")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No client of a registry is there, and nobody waits before trying again."""
    monkeypatch.setattr(tool.shutil, "which", lambda name: None)
    monkeypatch.setattr(tool, "PAUSE_S", 0)


def client(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, script: str) -> None:
    """A program that stands for the client of a registry."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport pathlib, re, sys\n{script}\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(tool.shutil, "which", lambda wanted: str(path) if wanted == name else None)


def served(monkeypatch: pytest.MonkeyPatch, data: bytes) -> list[str]:
    """Answers every request with `data`, and keeps the addresses."""
    asked: list[str] = []

    def urlopen(address: str, timeout: int) -> io.BytesIO:
        asked.append(address)
        return io.BytesIO(data)

    monkeypatch.setattr(tool.urllib.request, "urlopen", urlopen)
    return asked


def test_the_list_of_the_repository_is_read() -> None:
    packages = tool.read_list((ROOT / "tools" / "packages.txt").read_text("utf-8"))
    assert {each.ecosystem for each in packages} == {"pypi", "maven", "npm"}
    assert len({each.folder for each in packages}) == len(packages)


@pytest.mark.parametrize(
    "line", ["npm bull", f"npm bull 1.0 {'0' * 63}", f"cran r 1.0 {'0' * 64}", f"maven a:b 1 {'0' * 64}"]
)
def test_a_wrong_line_of_the_list_is_told(line: str) -> None:
    with pytest.raises(tool.FetchError, match="line 2 of the list"):
        tool.read_list(f"# packages\n{line}\n")


def test_a_package_is_unpacked_without_its_top_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tarball("package/index.js", "package/lib/queue.js")
    asked = served(monkeypatch, data)
    wanted = package(data)
    tool.fetch(wanted, tmp_path / wanted.folder)
    assert asked == ["https://registry.npmjs.org/@acme/queue/-/queue-1.2.0.tgz"]
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"acme-queue-1.2.0/index.js", "acme-queue-1.2.0/lib/queue.js"}
    assert not (tmp_path / "acme-queue-1.2.0/index.js").stat().st_mode & 0o111


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    into = tmp_path / "inner" / "unpacked"
    into.mkdir(parents=True)
    (tmp_path / "a.tgz").write_bytes(tarball(name, "package/index.js"))
    tool.unpack_tar(tmp_path / "a.tgz", into)
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as jar:
        jar.writestr(name, "x")
        jar.writestr("com/acme/Queue.java", "x")
    tool.unpack_zip(tmp_path / "a.jar", into)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files - {"a.tgz", "a.jar"} == {
        "inner/unpacked/package/index.js", "inner/unpacked/com/acme/Queue.java",
    }  # fmt: skip
    assert not list(tmp_path.rglob("link.js"))


def test_an_archive_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "MAX_UNPACKED", 3)
    (tmp_path / "a.tgz").write_bytes(tarball("package/a.js", "package/b.js"))
    with pytest.raises(tool.FetchError, match="more than 3 bytes"):
        tool.unpack_tar(tmp_path / "a.tgz", tmp_path)


def test_another_file_than_the_expected_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served(monkeypatch, tarball("package/changed.js"))
    wanted = package(tarball("package/index.js"))
    with pytest.raises(tool.FetchError, match="not the file that is expected"):
        tool.fetch(wanted, tmp_path / wanted.folder)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_network_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def offline(address: str, timeout: int) -> io.BytesIO:
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(tool.urllib.request, "urlopen", offline)
    (tmp_path / "list").write_text(f"npm bull 4.16.5 {'0' * 64}\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["fetch_packages", "--into", str(tmp_path / "into"), str(tmp_path / "list")])
    assert tool.main() == 1
    error = capsys.readouterr().err
    assert "Is there a network?" in error
    assert "npm_config_registry" in error
    assert "Traceback" not in error


def test_a_list_may_be_toml() -> None:
    text = f"""
[pypi]
huey = {{ version = "3.5.4", sha256 = ["{"a" * 64}"] }}
[maven]
"net.greghaines:jesque" = {{ version = "2.2.0", sha256 = ["{"b" * 64}", "{"c" * 64}"] }}
"""
    assert [(each.ecosystem, each.folder, len(each.hashes)) for each in tool.read_toml(text)] == [
        ("pypi", "huey-3.5.4", 1), ("maven", "jesque-2.2.0", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "entry",
    [
        f'[cran]\nr = {{ version = "1", sha256 = ["{"a" * 64}"] }}',
        f'[npm]\nr = {{ sha256 = ["{"a" * 64}"] }}',
        '[npm]\nr = { version = "1", sha256 = ["abc"] }',
        f'[maven]\nr = {{ version = "1", sha256 = ["{"a" * 64}"] }}',
    ],
)
def test_a_wrong_entry_of_a_toml_list_is_told_by_its_name(entry: str) -> None:
    with pytest.raises(tool.FetchError, match=r"\] r: expected"):
        tool.read_toml(entry)


def test_npm_is_asked_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tarball("package/index.js")
    (tmp_path / "reply").write_bytes(data)
    client(
        monkeypatch,
        tmp_path,
        "npm",
        f"""
arguments = sys.argv[1:]
assert arguments[-1] == "@acme/queue@1.2.0" and "--ignore-scripts" in arguments
into = pathlib.Path(arguments[arguments.index("--pack-destination") + 1])
(into / "acme-queue-1.2.0.tgz").write_bytes(pathlib.Path({str(tmp_path / "reply")!r}).read_bytes())
""",
    )
    tool.fetch(package(data), tmp_path / "got")
    assert (tmp_path / "got" / "index.js").is_file()
    with pytest.raises(tool.FetchError, match="not the file that is expected"):
        tool.fetch(package(b"other"), tmp_path / "other")


def test_maven_is_asked_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "reply.jar", "w") as jar:
        jar.writestr("com/acme/Queue.java", "class Queue {}")
    monkeypatch.delenv("MAVEN_REPOSITORY", raising=False)
    client(
        monkeypatch,
        tmp_path,
        "mvn",
        f"""
project = pathlib.Path(sys.argv[sys.argv.index("--file") + 1]).read_text()
into = pathlib.Path(re.search("<outputDirectory>(.*)</outputDirectory>", project)[1])
assert project.count("<artifactId>queue</artifactId><version>1.2.0</version>") == 2
(into / "queue-sources.jar").write_bytes(pathlib.Path({str(tmp_path / "reply.jar")!r}).read_bytes())
(into / "queue.pom").write_text("<project/>")
""",
    )
    hashes = (hashlib.sha256((tmp_path / "reply.jar").read_bytes()), hashlib.sha256(b"<project/>"))
    wanted = tool.Package("maven", "com.acme:queue", "1.2.0", tuple(each.hexdigest() for each in hashes))
    tool.fetch(wanted, tmp_path / "got")
    assert sorted(path.name for path in (tmp_path / "got").rglob("*") if path.is_file()) == ["Queue.java", "pom.xml"]


def test_what_a_client_says_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client(monkeypatch, tmp_path, "npm", "sys.exit('npm ERROR! 404 no such package\\nnpm ERROR! more')")
    (got,) = tool.fetch_all([package(b"")], lambda package: tmp_path / package.folder)
    assert got.error.startswith("@acme/queue 1.2.0: npm could not download it: npm ERROR! 404 no such package.")
    assert "\n" not in got.error


def test_a_failure_does_not_end_the_others_and_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tarball("package/index.js")
    asked: list[str] = []

    def urlopen(address: str, timeout: int) -> io.BytesIO:
        asked.append(address)
        if "gone" in address:
            raise urllib.error.HTTPError(address, 404, "Not Found", None, None)  # type: ignore[arg-type]
        if len([each for each in asked if "queue" in each]) < 3:
            raise urllib.error.URLError("connection reset")
        return io.BytesIO(data)

    monkeypatch.setattr(tool.urllib.request, "urlopen", urlopen)
    gone = tool.Package("npm", "gone", "1.0.0", ("0" * 64,))
    fetched = tool.fetch_all([gone, package(data)], lambda package: tmp_path / package.folder)
    assert [each.error.partition(":")[0] for each in fetched] == ["https", ""]
    assert len([each for each in asked if "gone" in each]) == 1
    assert (tmp_path / "acme-queue-1.2.0" / "index.js").is_file()


def test_a_folder_may_be_named_from_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The clients of the registries are started in another folder: a relative path would mean something else to them.
    data = tarball("package/index.js")
    (tmp_path / "reply").write_bytes(data)
    client(
        monkeypatch,
        tmp_path,
        "npm",
        f"""
into = pathlib.Path(sys.argv[sys.argv.index("--pack-destination") + 1])
(into / "acme-queue-1.2.0.tgz").write_bytes(pathlib.Path({str(tmp_path / "reply")!r}).read_bytes())
""",
    )
    (tmp_path / "packages").mkdir()
    monkeypatch.chdir(tmp_path)
    tool.fetch(package(data), Path("packages", "got"))
    assert (tmp_path / "packages" / "got" / "index.js").is_file()
