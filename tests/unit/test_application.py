"""The application's settings files: what they say, where they are looked for, and that bad ones do no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.application import SettingsIndex
from resplint.application.placeholders import filled
from resplint.application.properties import parse_properties
from resplint.application.records import MAX_ENTRIES, BrokenSettingsError
from resplint.application.yaml_files import parse_yaml_settings
from resplint.config.loading import Config
from resplint.contracts.findings import Report
from resplint.flow import durations
from resplint.knowledge.load import load_book
from resplint.knowledge.numbering import known_numbers, library_number
from resplint.knowledge.records.client_records import Renumbered
from resplint.scan import ScanRequest, scan

QUEUE = """package shop;
import org.springframework.data.redis.core.StringRedisTemplate;
import java.time.Duration;
public class Queue {
    private final StringRedisTemplate redis;
    public Queue(StringRedisTemplate redis) { this.redis = redis; }
    public String next() { return redis.opsForList().leftPop("jobs", Duration.ofSeconds(5)); }
}
"""


def index(files: dict[str, str], sources: tuple[str, ...] = ()) -> SettingsIndex:
    """Settings of a project that is only in memory."""

    def names(folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        return [path[len(prefix) :] for path in files if path.startswith(prefix) and "/" not in path[len(prefix) :]]

    return SettingsIndex(
        "/", sources, lambda path: files[path].encode("utf-8", "surrogateescape") if path in files else None, names
    )


def said(settings: SettingsIndex, path: str, key: str) -> list[tuple[str | None, str, int]]:
    return [(one.text, one.profile, one.line) for one in settings.get(path, key)]


def scanned(root: Path, files: dict[str, str]) -> Report:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    rules = {code: info.name for code, info in load_book().items()}
    return scan(ScanRequest([str(root)], Config(rules=rules, jobs=1), root=root))


def test_properties_have_continuations_escapes_documents_and_profiles() -> None:
    text = (
        "a.b : 1\n# c=2\nlong.\\\n   key=x\\u0041\\ty\n#---\nspring.config.activate.on-profile=prod\na.b=3\n%dev.z=4\n"
    )
    found = [(one.key, one.text, one.line, one.profile) for one in parse_properties(text)]
    assert found == [
        ("a.b", "1", 1, ""),
        ("long.key", "xA\ty", 3, ""),
        ("spring.config.activate.on-profile", "prod", 6, "prod"),
        ("a.b", "3", 7, "prod"),
        ("z", "4", 8, "dev"),
    ]


def test_yaml_has_nested_keys_lists_documents_and_anchors() -> None:
    text = (
        "base: &base\n  timeout: 1s\nspring.data:\n  redis:\n    <<: *base\n    nodes: [a, b]\n"
        "version: @project.version@\n"
        "---\nspring:\n  config.activate.on-profile: [prod, eu]\n  data.redis.timeout: 2s\n"
    )
    found = {(one.key, one.profile): one.text for one in parse_yaml_settings(text)}
    assert found["spring.data.redis.timeout", ""] == "1s"
    assert found["spring.data.redis.nodes[1]", ""] == "b"
    assert found["version", ""] == "@project.version@"
    assert found["spring.data.redis.timeout", "prod,eu"] == "2s"


@pytest.mark.parametrize("text", ["a: [", "a:\n\tb: 1", "[" * 200_000, "a: " + "{a: " * 5_000, "\x07"])
def test_yaml_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BrokenSettingsError):
        parse_yaml_settings(text)


def test_aliases_do_not_grow_without_bound() -> None:
    lines = ["a0: &a0 [" + ",".join("x" * 9) + "]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 15)]
    assert len(parse_yaml_settings("\n".join(lines))) <= MAX_ENTRIES


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${A:2s}", "2s"), ("${A:${B:3s}}", "3s"), ("x${known}y", "x1y"), ("${A}", None), ("#{1 + 1}", None),
        ("@a.b@", None), ("plain", "plain"), ("${loop}", None), ("me@example.org", "me@example.org"),
    ],
)  # fmt: skip
def test_placeholders(text: str, result: str | None) -> None:
    assert filled(text, {"known": "1", "loop": "${loop}"}.get) == result


def test_the_nearest_module_counts_and_the_strongest_file() -> None:
    settings = index(
        {
            "a/src/main/resources/application.yml": "x: {maxActive: 1}\ny: 1",
            "a/src/main/resources/application.properties": "x.max-active=2",
            "a/src/main/resources/application-prod.yaml": "x.max_active: 3",
            "a/src/main/resources/application-test.yml": "x.max-active: 4",
            "b/src/main/resources/META-INF/microprofile-config.properties": "x.max-active=5",
        },
        ("a/src/main/java/A.java", "b/src/main/java/B.java", "c/src/main/java/C.java"),
    )
    assert said(settings, "a/src/main/java/A.java", "x.max-active") == [("2", "", 1), ("3", "prod", 1)]
    assert said(settings, "a/src/main/java/A.java", "y") == [("1", "", 2)]
    assert said(settings, "b/src/main/java/B.java", "x.maxActive") == [("5", "", 1)]
    # A module without settings is part of applications that have some.
    assert [text for text, _, _ in said(settings, "c/src/main/java/C.java", "x.max-active")] == ["2", "3", "5"]


def test_broken_files_are_told_and_the_others_count() -> None:
    settings = index({"application.yml": "a: [\n", "application.properties": "b=1"})
    assert said(settings, "X.java", "b") == [("1", "", 1)]
    (note,) = settings.notifications
    assert (note.path, note.line) == ("application.yml", 1)
    assert "is not valid YAML" in note.message
    assert "correct it" in note.message


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2s", 2.0), ("500ms", 0.5), ("PT1M30S", 90.0), ("-PT2S", -2.0), ("P1D", 86400.0), ("5", None), ("PT", None)],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert durations.seconds(text) == seconds


def test_a_timeout_of_one_profile_decides_and_is_named(tmp_path: Path) -> None:
    report = scanned(
        tmp_path,
        {
            "src/main/java/shop/Queue.java": QUEUE,
            "src/main/resources/application.yml": "spring.data.redis.timeout: 30s\n",
            "src/main/resources/application-eu.yml": "spring:\n  data:\n    redis:\n      timeout: ${EU:900ms}\n",
        },
    )
    (finding,) = (one for one in report.results if one.rule == "RL104")
    assert "`spring.data.redis.timeout` is 900 ms" in finding.message
    assert "application-eu.yml:4 for the profile `eu`" in finding.message
    assert finding.trail[0].snippet.strip() == "timeout: ${EU:900ms}"


def test_an_unbounded_pool_is_reported_where_the_settings_say_so(tmp_path: Path) -> None:
    settings = "spring.data.redis.lettuce.pool.max-active=-1\n"
    files = {"src/main/java/shop/Queue.java": QUEUE, "src/main/resources/application.properties": settings}
    (finding,) = (one for one in scanned(tmp_path, files).results if one.rule == "RL102")
    assert (finding.path, finding.region.start_line) == ("src/main/resources/application.properties", 1)


def test_other_numbers_of_a_distribution_lead_to_those_of_the_library() -> None:
    steps = (Renumbered("d", "1.0.0", "4.0.0"), Renumbered("d", "1.2.0", "4.2.0"), Renumbered("d", "5.0.0"))
    assert known_numbers(steps, ["4.0.0", "4.2.0", "5.1.0"]) == ["1.0.0", "1.2.0", "5.0.0", "5.1.0"]
    numbers = [library_number(one, steps) for one in ("0.9.0", "1.1.5", "1.3.0", "5.1.0")]
    assert numbers == ["", "4.0.0", "4.2.0", "5.1.0"]


def in_folders(files: dict[str, str]) -> SettingsIndex:
    """Settings of a project in memory whose folders can be listed."""

    def names(folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        return sorted({path[len(prefix) :].split("/")[0] for path in files if path.startswith(prefix)})

    return SettingsIndex("/", (), lambda path: files[path].encode() if path in files else None, names)


BEANS = """<?xml version="1.0"?>
<!DOCTYPE beans PUBLIC "-//SPRING//DTD BEAN//EN"
  "http://www.springframework.org/dtd/spring-beans.dtd">
<beans>
  <bean id="config" class="a.Config">
    <property name="size" value="${pool.size}"/>
    <property name="name"><value> books </value></property>
  </bean>
  <bean class="a.Pool"><constructor-arg ref="config"/>
    <property name="inner"><bean parent="config" p:size="${other:7}"/></property>
  </bean>
</beans>
"""


def test_beans_have_the_texts_of_their_properties_and_who_is_given_them() -> None:
    files = {"src/main/resources/spring/ctx.xml": BEANS, "src/main/resources/conf/db.properties": "pool.size = 40\n"}
    settings = in_folders(files)
    found = settings.beans("src/main/java/a/Book.java", "xml")
    assert [(one.class_name, one.key, one.text, one.line, one.users) for one in found] == [
        ("a.Config", "size", "40", 6, ("a.Pool",)),
        ("a.Config", "name", "books", 7, ("a.Pool",)),
        ("a.Config", "size", "7", 10, ("a.Pool",)),
    ]
    assert found[0].origin is not None
    assert found[0].origin.place.path == "src/main/resources/conf/db.properties"
    assert settings.text(found[0].place.path) is not None


def test_xml_that_is_no_beans_is_nobodys_matter_and_broken_beans_are_named() -> None:
    files = {
        "src/main/resources/mapper.xml": "<mapper", "src/main/resources/test/ctx.xml": BEANS,
        "src/main/resources/ctx.xml": "<beans><bean class='a'>",
    }  # fmt: skip
    settings = in_folders(files)
    assert settings.beans("src/main/java/a/Book.java", "xml") == []
    assert [one.path for one in settings.notifications] == ["src/main/resources/ctx.xml"]


def test_a_key_that_code_looks_up_is_read_from_the_file_that_it_names() -> None:
    files = {
        "src/main/resources/redis.properties": "size=-1\na.b=3\n",
        "src/main/resources/mail.properties": "size=4\n",
    }
    settings = in_folders(files)
    path = "src/main/java/a/Book.java"
    assert settings.property_texts(path, "size", frozenset({"redis"})) == ["-1"]
    assert settings.property_texts(path, "size", frozenset()) == []
    assert settings.property_texts(path, "a.b", frozenset()) == ["3"]
