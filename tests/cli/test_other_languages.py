"""Nothing is silently clean: what a scan cannot read is named and counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

PHP = "<?php\n$redis = new Redis();\n$redis->keys('user:*');\n"
GO = 'package jobs\n\nimport "github.com/valkey-io/valkey-go"\n'
USES = "import redis\n\nclient = redis.Redis(max_connections=8, socket_timeout=5)\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def report(*arguments: str | Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run("scan", "--format", "json", *arguments).output)
    return document


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop in PHP with a worker in Go and one in Python."""
    write(
        tmp_path,
        {
            "shop/Cart.php": PHP,
            "shop/Stock.php": PHP,
            "shop/Price.php": "<?php\n// Redistribution is permitted. Prices are redisplayed and rediscovered.\n",
            "jobs/main.go": GO,
            "worker.py": USES,
            "web/Cart.vue": "<script>import { createClient } from 'redis'</script>\n",
            "notes.ipynb": '{"cells": [{"source": ["import redis"]}]}\n',
        },
    )
    return tmp_path


def test_each_language_is_named_with_the_number_of_its_files(shop: Path) -> None:
    output = run("scan", shop).output
    assert output.startswith("No findings in what could be analysed; 1 of 1 file uses Redis\n")
    for said in (
        "2 PHP files mention Redis and are not analysed (such as shop/Cart.php).",
        "1 Go file mentions Redis and is not analysed (jobs/main.go).",
        "1 Vue file mentions Redis and is not analysed (web/Cart.vue).",
        "1 Jupyter file mentions Redis and is not analysed (notes.ipynb).",
    ):
        assert said in output


def test_it_does_not_fail_a_scan_unless_it_is_strict(shop: Path) -> None:
    assert run("scan", shop).exit_code == 0
    assert run("scan", shop, "--strict").exit_code == 3
    assert run("scan", shop / "worker.py", "--strict").exit_code == 0


def test_scripts_get_the_numbers(shop: Path) -> None:
    document = report(shop)
    assert document["version"] == "1.1"
    assert document["counts"]["files_unsupported"] == {"PHP": 2, "Go": 1, "Jupyter": 1, "Vue": 1}
    assert {each["kind"] for each in document["notifications"]} == {"unsupported"}


def test_code_scanning_gets_notifications(shop: Path) -> None:
    run_ = json.loads(run("scan", shop, "--format", "sarif").output)["runs"][0]
    told = run_["invocations"][0]["toolExecutionNotifications"]
    assert [each["descriptor"]["id"] for each in told] == ["unsupported"] * 4
    assert "2 PHP files mention Redis" in " ".join(each["message"]["text"] for each in told)


def test_pull_requests_are_spared_annotations_and_the_summary_has_them(shop: Path) -> None:
    log = run("scan", shop, "--format", "github").output
    assert "2 PHP files mention Redis" in log
    assert "::" not in log
    assert "2 PHP files mention Redis" in run("scan", shop, "--format", "markdown").output


def test_what_is_left_out_never_counts(shop: Path) -> None:
    write(
        shop,
        {
            "tests/CartTest.php": PHP,
            "shop/StockTest.php": PHP,
            "jobs/main_test.go": GO,
            "vendor/lib/Client.php": PHP,
            "generated/Api.php": PHP,
            ".gitignore": "vendor/\n",
            "resplint.toml": 'exclude = ["generated/", "jobs/", "*.ipynb"]\n',
        },
    )
    (shop / ".git").mkdir()
    assert report(shop, "--exclude", "web/")["counts"]["files_unsupported"] == {"PHP": 2}
    assert report(shop, "--exclude", "web/", "--include-tests")["counts"]["files_unsupported"] == {"PHP": 4}


@pytest.mark.parametrize("cache", [True, False])
def test_a_second_scan_says_the_same_and_sees_what_has_changed(shop: Path, tmp_path: Path, cache: bool) -> None:
    write(shop, {f"shop/many/C{number}.php": PHP for number in range(40)})
    options = ["--cache-dir", tmp_path.parent / f"{tmp_path.name}-cache"] if cache else ["--no-cache"]
    assert report(shop, *options)["counts"]["files_unsupported"]["PHP"] == 42
    write(shop, {"shop/Cart.php": "<?php // no more of it\n", "shop/Price.php": PHP, "shop/New.php": PHP})
    (shop / "shop/many/C7.php").unlink()
    assert report(shop, *options)["counts"]["files_unsupported"]["PHP"] == 42
    write(shop, {"shop/New.php": "<?php\n"})
    assert report(shop, *options)["counts"]["files_unsupported"]["PHP"] == 41


# -- nothing to scan --------------------------------------------------------------------------------------------------


def test_a_folder_that_has_no_source_is_wrong_usage(shop: Path) -> None:
    (shop / "empty").mkdir()
    result = run("scan", shop / "empty")
    assert result.exit_code == 2
    assert result.output.endswith(
        "no source file of a language that resplint reads (Python, Java, Kotlin, JavaScript, TypeScript). "
        "Name a file or folder with source code.\n"
    )
    for command in ("scan", "baseline", "clients"):
        result = run(command, shop / "shop")
        assert result.exit_code == 2
        assert "2 PHP files mention Redis and are not analysed (such as Cart.php)." in result.output


def test_a_file_that_is_no_source_is_wrong_usage(shop: Path) -> None:
    result = run("scan", shop / "shop" / "Cart.php")
    assert result.exit_code == 2
    assert "PHP is not supported." in result.output


def test_a_hook_that_is_handed_no_source_does_not_fail(shop: Path) -> None:
    assert run("scan", "--whole-project", "--", shop / "shop" / "Cart.php").exit_code == 0


@pytest.mark.parametrize("name", ["plain.py", "tests/test_jobs.py", "ignored/jobs.py"])
def test_source_without_redis_or_left_out_is_fine(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: "x = 1\n", ".gitignore": "ignored/\n"})
    (tmp_path / ".git").mkdir()
    result = run("scan", tmp_path)
    assert result.exit_code == 0
    assert result.output.startswith("No findings; ")


# -- what is counted ---------------------------------------------------------------------------------------------------


def test_files_that_only_hand_on_a_client_are_analysed_and_do_not_use_redis(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/store.py": USES,
            "app/shared.py": "from app.store import client\n\nSHARED = {'store': client}\n",
            "app/jobs.py": "from app.shared import client\n\n\ndef run():\n    client.get('job')\n",
            "app/other.py": "x = 1\n",
        },
    )
    counts = report(tmp_path)["counts"]
    assert (counts["files_discovered"], counts["files_using_redis"]) == (4, 2)
    assert counts["files_analysed"] > counts["files_using_redis"]
    assert "2 of 4 files use Redis, 3 were analysed" in run("scan", tmp_path).output


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A project in which one expression may stand for more clients than are looked at."""
    made = "\n".join(f"client{n} = redis.Redis(db={n}, max_connections=8, socket_timeout=5)" for n in range(20))
    calls = "\n".join(f"ping(client{n})" for n in range(20))
    write(tmp_path, {"many.py": f"import redis\n\n{made}\n\n\ndef ping(client):\n    client.ping()\n\n\n{calls}\n"})
    return tmp_path


def test_limits_are_counted_and_shown_on_request(crowded: Path) -> None:
    quiet = run("scan", crowded).output
    assert "1 limit of the analysis was met; --verbose shows it" in quiet
    assert "12 clients" not in quiet
    for option in ("--verbose", "-v", "--statistics", "--strict"):
        assert "12 clients" in run("scan", crowded, option).output
    assert "::warning" not in run("scan", crowded, "--format", "github").output
    assert "12 clients" in run("scan", crowded, "--format", "sarif").output


def test_init_names_what_will_not_be_read(shop: Path) -> None:
    said = run("init", shop, "--dry-run").output
    assert "Files that mention Redis in languages that are not supported: PHP (2), Go (1), Jupyter (1), Vue (1)" in said


@pytest.mark.skipif(os.name == "nt", reason="a pipe with a name")
def test_what_is_no_regular_file_is_not_waited_for(shop: Path) -> None:
    os.mkfifo(shop / "shop" / "pipe.php")
    command = [sys.executable, "-m", "resplint", "scan", "--no-cache", str(shop)]
    assert subprocess.run(command, timeout=60, check=False, capture_output=True).returncode == 0
