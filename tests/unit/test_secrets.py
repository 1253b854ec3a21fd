"""Passwords: where they are reported, and that no report shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli

SECRET = "Zq7-lone-heron"
COUNTER = """package shop;
import org.springframework.data.redis.core.StringRedisTemplate;
public class Counter {
    private final StringRedisTemplate redis;
    public Counter(StringRedisTemplate redis) { this.redis = redis; }
    public Long count(String page) { return redis.opsForValue().increment(page); }
}
"""
MADE = """package shop;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
public class Counter {
    private final RedisTemplate<String, String> redis = new RedisTemplate<>();
    public Counter(RedisConnectionFactory factory) { redis.setConnectionFactory(factory); }
    public Long count(String page) { return redis.opsForValue().increment(page); }
}
"""
CLIENT = f"""import redis


def pages():
    return redis.Redis(
        host="pages.internal",
        password="{SECRET}",
        max_connections=2**31,
    )


def page(path):
    return pages().get(path)
"""


def scanned(folder: Path, files: dict[str, str], form: str = "concise", select: str = "RL602") -> str:
    """What a scan of these files prints."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    options = [
        "scan",
        "--no-cache",
        "--exit-zero",
        "--select",
        select,
        "--level",
        "note",
        "--format",
        form,
        str(folder),
    ]
    return CliRunner().invoke(cli, options).output


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (f"spring.data.redis.host=cache.internal\nspring.data.redis.password={SECRET}\n", 2),
        (f"spring.data.redis.url=redis://:{SECRET}@cache.internal:6379\n", 1),
        ("spring.data.redis.host=cache.internal\nspring.data.redis.password=${REDIS_PASSWORD:hush-12}\n", 0),
        (f"spring.data.redis.host=localhost\nspring.data.redis.password={SECRET}\n", 0),
        ("spring.data.redis.host=cache.internal\nspring.data.redis.password=changeme\n", 0),
    ],
)
def test_a_password_in_a_settings_file_is_reported_at_its_line(tmp_path: Path, settings: str, line: int) -> None:
    files = {"src/main/java/shop/Counter.java": COUNTER, "src/main/resources/application.properties": settings}
    output = scanned(tmp_path, files)
    assert output.count("RL602") == (1 if line else 0)
    assert f"application.properties:{line}:" in output or not line


def test_a_template_that_is_given_the_connections_of_the_framework_counts(tmp_path: Path) -> None:
    settings = f"spring.data.redis.host=cache.internal\nspring.data.redis.password={SECRET}\n"
    files = {"src/main/java/shop/Counter.java": MADE, "src/main/resources/application.properties": settings}
    assert "application.properties:2:" in scanned(tmp_path, files)


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "markdown", "github", "gitlab", "junit", "sonar"])
def test_no_report_shows_a_password(tmp_path: Path, form: str) -> None:
    output = scanned(tmp_path, {"pages.py": CLIENT}, form, "RL602,RL101,RL102")
    assert "RL602" in output
    assert "RL102" in output
    assert SECRET not in output


def test_asterisks_stand_in_the_place_of_a_password(tmp_path: Path) -> None:
    assert f"password={'*' * (len(SECRET) + 2)}," in scanned(tmp_path, {"pages.py": CLIENT}, "text")


@pytest.mark.parametrize("rules", [[], ["--select", "RL102"], ["--select", "RL602"], ["--select", "all"]])
def test_nor_does_a_report_of_other_rules(tmp_path: Path, rules: list[str]) -> None:
    (tmp_path / "pages.py").write_text(CLIENT)
    shown = CliRunner().invoke(cli, ["scan", str(tmp_path), "--level", "note", "--exit-zero", *rules]).output
    assert "pages.py" in shown
    assert SECRET not in shown


@pytest.mark.parametrize("place", ["5", "7:18", "13"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_nor_does_why(tmp_path: Path, place: str, form: str) -> None:
    path = tmp_path / "pages.py"
    path.write_text(CLIENT + "\ndef names():\n    return pages().get('names')\n")
    shown = CliRunner().invoke(cli, ["why", f"{path}:{place}", "--format", form, "--project", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    assert "pages.py" in shown.output
    assert SECRET not in shown.output
