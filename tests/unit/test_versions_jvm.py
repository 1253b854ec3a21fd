"""Versions of the JVM: POMs, Gradle's scripts, catalogues and lock files, and what Spring Boot decides for both."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.contracts.errors import KnowledgeError
from resplint.contracts.findings import NotificationKind
from resplint.knowledge.load import load_platforms, rules_dir
from resplint.knowledge.platforms import release_of
from resplint.versions import VersionFact
from resplint.versions.comparing import comparable
from resplint.versions.maven_ranges import maven_to_pep440
from resplint.versions.ranges import sort_key
from tests.version_facts import VersionIndex

JEDIS = "redis.clients:jedis"
LETTUCE = "io.lettuce:lettuce-core"
SPRING_DATA = "org.springframework.data:spring-data-redis"
POOL = "org.apache.commons:commons-pool2"
REDISSON = "org.redisson:redisson"

KNOWN = {
    JEDIS: ("2.9.0", "2.9.3", "3.0.0", "3.1.0", "3.6.3", "3.10.0", "4.0.0-beta4", "4.0.0", "4.3.2", "5.2.0"),
    LETTUCE: ("5.3.7.RELEASE", "6.0.0.RELEASE", "6.1.0.RELEASE", "6.1.10.RELEASE", "6.3.2.RELEASE", "6.5.0.RELEASE"),
}

Files = dict[str, str | bytes]


def write(root: Path, files: Files) -> VersionIndex:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return VersionIndex(str(root))


def ask(index: VersionIndex, name: str, path: str = "src/main/java/Shop.java") -> VersionFact:
    return index.lookup(path, name, KNOWN.get(name, ()), ecosystem="maven")


def dependency(name: str, version: str = "", rest: str = "") -> str:
    group, artifact = name.split(":")
    number = f"<version>{version}</version>" if version else ""
    return f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{number}{rest}</dependency>\n"


def pom(*parts: str, name: str = "shop", parent: str = "") -> str:
    """A POM of com.acme; `parent` is an artifact of com.acme, or a whole element."""
    if parent and not parent.startswith("<"):
        parent = f"<parent><groupId>com.acme</groupId><artifactId>{parent}</artifactId><version>1</version></parent>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
        f"{parent}\n<groupId>com.acme</groupId><artifactId>{name}</artifactId><version>1</version>\n"
        + "\n".join(parts)
        + "\n</project>\n"
    )


def needs(*entries: str) -> str:
    return f"<dependencies>\n{''.join(entries)}</dependencies>"


def manages(*entries: str) -> str:
    return f"<dependencyManagement>{needs(*entries)}</dependencyManagement>"


def boot_parent(version: str) -> str:
    return (
        "<parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>"
        f"<version>{version}</version><relativePath/></parent>"
    )


BOOT_BOM = "org.springframework.boot:spring-boot-dependencies"
STARTER = "org.springframework.boot:spring-boot-starter-data-redis"
IMPORT = "<type>pom</type><scope>import</scope>"


# -- versions ---------------------------------------------------------------------------------------------------------


def test_versions_with_qualifiers_have_an_order() -> None:
    written = [
        "2.9.0",
        "2.10.0",
        "3.1.5.RELEASE",
        "4.0.0.M1",
        "4.0.0-beta4",
        "4.0.0-RC1",
        "4.0.0",
        "6.1.0.RELEASE",
        "6.2-jre8",
    ]
    versions = [comparable(each) for each in written]
    assert versions == sorted(versions, key=sort_key)
    assert versions[2::5] == ["3.1.5", "6.1.0"]
    assert [comparable(each) for each in ("Ingalls-SR3", "", "x", "${v}", "٣.1")] == [""] * 5


@pytest.mark.parametrize(
    ("written", "pep440"),
    [
        ("3.1.5.RELEASE", "==3.1.5"), ("[1,2)", ">=1,<2"), ("[1,2]", ">=1,<=2"), ("(,1.0],[1.2,)", "<=1.0||>=1.2"),
        ("[3.6]", "==3.6"), ("(3.0,)", ">3.0"), ("3.+", "==3.*"), ("+", ""), ("latest.release", ""), ("RELEASE", ""),
        ("]1,2[", ">1,<2"), ("[3.0, 4[!!3.8", ">=3.0,<4"), ("3.8!!", "==3.8"), ("(,)", ""), ("unknown", ""), ("", ""),
        ("4.0.0-beta4", "==4.0.0b4"),
    ],
)  # fmt: skip
def test_ranges_of_maven_and_gradle(written: str, pep440: str) -> None:
    assert maven_to_pep440(written) == pep440


def test_known_versions_come_back_as_they_are_spelt(tmp_path: Path) -> None:
    index = write(tmp_path, {"pom.xml": pom(needs(dependency(LETTUCE, "[6,)"), dependency(JEDIS, "4.0.0-beta4")))})
    assert (ask(index, LETTUCE).version, ask(index, JEDIS).version) == ("6.5.0.RELEASE", "4.0.0-beta4")
    assert ask(index, REDISSON) == VersionFact(REDISSON, None, "", False, "none")
    assert index.lookup("A.java", "no:such", ("1.0.Final", "2.0-alpha"), ecosystem="maven").version == "1.0.Final"


# -- Maven ------------------------------------------------------------------------------------------------------------


def test_a_plain_pom(tmp_path: Path) -> None:
    text = pom(needs(dependency(JEDIS, "3.6.3"), dependency("org.junit:junit", "5.0", "<scope>test</scope>")))
    index = write(tmp_path, {"pom.xml": text})
    line = text[: text.index("3.6.3")].count("\n") + 1
    assert ask(index, JEDIS) == VersionFact(JEDIS, "3.6.3", "3.6.3", True, "manifest", "pom.xml", line)
    assert ask(index, "org.junit:junit").exact
    assert ask(index, "com.acme:shop").source == "none"
    assert index.notifications == ()


def test_ranges_exclusions_and_plugins(tmp_path: Path) -> None:
    names = "<groupId>io.lettuce</groupId><artifactId>lettuce-core</artifactId>"
    exclusion = f"<exclusions><exclusion>{names}</exclusion></exclusions>"
    plugin = f"<build><plugins><plugin>{needs(dependency(POOL, '2.0'))}</plugin></plugins></build>"
    index = write(tmp_path, {"pom.xml": pom(needs(dependency(JEDIS, "[3.1,4)", exclusion)), plugin)})
    found = ask(index, JEDIS)
    assert (found.version, found.spec, found.exact) == ("3.10.0", "[3.1,4)", False)
    assert ask(index, LETTUCE).source == ask(index, POOL).source == "none"


@pytest.mark.parametrize(
    ("properties", "version", "lowest"),
    [
        ("<jedis.version>3.6.3</jedis.version>", "${jedis.version}", "3.6.3"),
        ("<a>${b}.${c}</a><b>3</b><c>6.3</c>", "${a}", "3.6.3"),
        ("<revision>3.6.3</revision>", "${revision}", "3.6.3"),
        ("", "${project.version}", "1"),
        ("", "${project.parent.version}", None),
        ("", "${env.JEDIS}", None),
        ("<a></a>", "${a}", None),
    ],
)
def test_properties(tmp_path: Path, properties: str, version: str, lowest: str | None) -> None:
    index = write(
        tmp_path, {"pom.xml": pom(f"<properties>{properties}</properties>", needs(dependency("x:y", version)))}
    )
    found = ask(index, "x:y")
    assert (found.version, found.exact, found.source) == (lowest, lowest is not None, "manifest")
    assert index.notifications == ()


@pytest.mark.parametrize(
    "properties",
    [
        "<a>${b}</a><b>${a}</b>",
        "<a>${a}</a>",
        "".join(f"<p{n}>${{p{n + 1}}}${{p{n + 1}}}</p{n}>" for n in range(40)) + "<a>${p0}</a>",
    ],
)
def test_properties_in_a_circle_are_refused(tmp_path: Path, properties: str) -> None:
    index = write(
        tmp_path, {"pom.xml": pom(f"<properties>{properties}</properties>", needs(dependency(JEDIS, "${a}")))}
    )
    found = ask(index, JEDIS)
    assert (found.version, found.spec, found.source) == ("5.2.0", "", "manifest")
    (remark,) = index.notifications
    assert (remark.path, remark.line, remark.kind) == ("pom.xml", 7, NotificationKind.MANIFEST)
    assert "circle" in remark.message


def test_parents_are_found_by_path_by_default_and_among_the_modules(tmp_path: Path) -> None:
    elsewhere = (
        "<parent><groupId>com.acme</groupId><artifactId>base</artifactId><version>1</version>"
        "<relativePath>../../build/base</relativePath></parent>"
    )
    files: Files = {
        "pom.xml": pom(
            "<modules><module>build/base</module><module>api</module><module>web/pom.xml</module></modules>",
            "<properties><jedis.version>3.1.0</jedis.version></properties>",
            manages(dependency(JEDIS, "${jedis.version}")),
        ),
        "api/pom.xml": pom("<properties><jedis.version>3.6.3</jedis.version></properties>",
                           needs(dependency(JEDIS)), name="api", parent="shop"),
        "build/base/pom.xml": pom(needs(dependency(LETTUCE, "6.1.0.RELEASE")), name="base", parent="shop").replace(
            "</parent>", "<relativePath>../..</relativePath></parent>"),
        "tools/job/pom.xml": pom(name="job", parent=elsewhere),
        "web/pom.xml": pom(name="web", parent="base"),
    }  # fmt: skip
    index = write(tmp_path, files)
    # The child's property counts in what it inherits.
    found = ask(index, JEDIS, "api/src/A.java")
    assert (found.version, found.manifest_path) == ("3.6.3", "pom.xml")
    for folder in ("tools/job", "web"):
        found = ask(index, LETTUCE, f"{folder}/src/A.java")
        assert (found.version, found.manifest_path) == ("6.1.0.RELEASE", "build/base/pom.xml")
        assert ask(index, JEDIS, f"{folder}/src/A.java").version == "3.1.0"


def test_parents_in_a_circle_and_out_of_the_root(tmp_path: Path) -> None:
    files: Files = {
        "root/a/pom.xml": pom(needs(dependency(JEDIS, "3.6.3")), name="a", parent="b").replace(
            "</parent>", "<relativePath>../b</relativePath></parent>"
        ),
        "root/b/pom.xml": pom(name="b", parent="a").replace("</parent>", "<relativePath>../a</relativePath></parent>"),
        "root/pom.xml": pom(name="shop", parent="outer"),
        "pom.xml": pom(needs(dependency(POOL, "2.9.0")), name="outer"),
    }
    write(tmp_path, files)
    index = VersionIndex(str(tmp_path / "root"))
    assert ask(index, JEDIS, "b/A.java").version == "3.6.3"
    assert ask(index, POOL, "A.java").source == "none"


def test_lists_of_versions_in_the_project_are_imported(tmp_path: Path) -> None:
    files: Files = {
        "pom.xml": pom("<modules><module>versions</module><module>app</module></modules>"),
        "versions/pom.xml": pom(
            "<properties><v>3.6.3</v></properties>", manages(dependency(JEDIS, "${v}")), name="versions", parent="shop"
        ),
        "app/pom.xml": pom(
            manages(dependency("com.acme:versions", "${project.version}", IMPORT), dependency("x:bom", "1", IMPORT)),
            needs(dependency(JEDIS), dependency("x:y")),
            name="app",
            parent="shop",
        ),
    }
    index = write(tmp_path, files)
    assert (ask(index, JEDIS, "app/A.java").version, ask(index, JEDIS, "app/A.java").manifest_path) == (
        "3.6.3",
        "versions/pom.xml",
    )
    unknown = ask(index, "x:y", "app/A.java")
    assert (unknown.version, unknown.spec, unknown.source) == (None, "", "manifest")


def test_a_managed_version_counts_for_what_comes_with_other_modules(tmp_path: Path) -> None:
    files: Files = {
        "pom.xml": pom("<modules><module>core</module><module>web</module></modules>",
                       manages(dependency(JEDIS, "3.1.0"))),
        "core/pom.xml": pom(needs(dependency(LETTUCE, "6.1.0.RELEASE"), dependency("t:t", "1", "<scope>test</scope>")),
                            name="core", parent="shop"),
        "web/pom.xml": pom(needs(dependency("${project.groupId}:core", "1")), name="web", parent="shop"),
    }  # fmt: skip
    index = write(tmp_path, files)
    assert ask(index, JEDIS, "web/A.java").manifest_path == "pom.xml"
    assert ask(index, LETTUCE, "web/A.java").manifest_path == "core/pom.xml"
    assert ask(index, "t:t", "web/A.java").source == "none"


def test_profiles_are_optional_unless_active(tmp_path: Path) -> None:
    def profile(inner: str, active: bool = False) -> str:
        condition = "<activation><activeByDefault>true</activeByDefault></activation>" if active else ""
        return f"<profile>{condition}{inner}</profile>"

    text = pom(
        needs(dependency(JEDIS, "3.6.3"), dependency(LETTUCE, "${lettuce}")),
        "<profiles>"
        + profile(needs(dependency(JEDIS, "2.9.0"), dependency(POOL, "2.9.0")))
        + profile("<properties><lettuce>6.1.0.RELEASE</lettuce></properties>", active=True)
        + profile("<properties><lettuce>5.3.7.RELEASE</lettuce></properties>")
        + "</profiles>",
    )
    index = write(tmp_path, {"pom.xml": text})
    assert [ask(index, each).version for each in (JEDIS, LETTUCE, POOL)] == ["3.6.3", "6.1.0.RELEASE", "2.9.0"]


# -- Spring Boot ------------------------------------------------------------------------------------------------------


def test_the_table_of_boot_is_complete() -> None:
    (boot,) = load_platforms()
    assert [each.version for each in boot.release] == [
        "1.2", "1.3", "1.4", "1.5", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "3.0", "3.1",
        "3.2", "3.3", "3.4", "3.5", "4.0", "4.1",
    ]  # fmt: skip
    for release in boot.release:
        managed = {SPRING_DATA, JEDIS, POOL} | (set() if release.version.startswith("1.") else {LETTUCE})
        assert set(release.versions) == managed
        assert release.read.startswith(release.version)
    at = {each: release_of(boot, each) for each in ("1.1.12", "1.4.7", "2.7.3", "2.10", "3", "3.0.0-RC1", "9.0")}
    assert [each and each.version for each in at.values()] == [None, "1.4", "2.7", "2.7", "3.0", "3.0", "4.1"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('title = "Spring Boot"', 'titel = "Spring Boot"', "titel"),
        ('version = "2.0"', 'version = "1.0"', "oldest first"),
        ('"2.9.3"', '"none"', "no version"),
        ('brings = ["org.springframework.data:spring-data-redis"', 'brings = ["x:y"', "x:y"),
        ('versions = "<2"', 'versions = "2"', "range of versions"),
        ('"redis.clients:jedis" = "jedis.version"', '"x:y" = "jedis.version"', "properties names"),
    ],
)
def test_mistakes_in_the_table_are_told(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = (rules_dir() / "managed" / "spring-boot.toml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "managed" / "spring-boot.toml"
    file.parent.mkdir()
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(KnowledgeError, match=expected) as told:
        load_platforms(tmp_path)
    assert str(file) in str(told.value)


def test_boot_as_the_parent(tmp_path: Path) -> None:
    index = write(tmp_path, {"pom.xml": pom(needs(dependency(STARTER)), parent=boot_parent("2.7.18"))})
    expected = VersionFact(
        LETTUCE, "6.1.10.RELEASE", "6.1.10.RELEASE", True, "manifest", "pom.xml", 3, "Spring Boot 2.7.18"
    )
    assert ask(index, LETTUCE) == expected
    assert ask(index, SPRING_DATA).version == "2.7.18"
    # Not brought by the starter, but managed if something else brings it.
    assert (ask(index, JEDIS).version, ask(index, JEDIS).managed_by) == ("3.8.0", "Spring Boot 2.7.18")
    assert ask(index, REDISSON).source == "none"


def test_the_nearest_boot_release_at_or_below(tmp_path: Path) -> None:
    index = write(tmp_path, {"pom.xml": pom(needs(dependency(STARTER)), parent=boot_parent("2.7.3"))})
    found = ask(index, LETTUCE)
    assert (found.version, found.exact, found.managed_by) == ("6.1.10.RELEASE", False, "Spring Boot 2.7.3")


def test_boot_1_brings_jedis(tmp_path: Path) -> None:
    index = write(tmp_path, {"pom.xml": pom(needs(dependency(STARTER)), parent=boot_parent("1.5.22.RELEASE"))})
    assert ask(index, JEDIS).version == "2.9.3"
    assert ask(index, LETTUCE).source == "none"


def test_properties_override_a_parent_but_not_an_imported_list(tmp_path: Path) -> None:
    override = "<properties><lettuce.version>6.5.0.RELEASE</lettuce.version></properties>"
    files: Files = {
        "a/pom.xml": pom(override, needs(dependency(STARTER)), parent=boot_parent("3.2.12")),
        "b/pom.xml": pom(override, manages(dependency(BOOT_BOM, "3.2.12", IMPORT)), needs(dependency(STARTER))),
    }
    index = write(tmp_path, files)
    assert ask(index, LETTUCE, "a/A.java").version == "6.5.0.RELEASE"
    assert ask(index, LETTUCE, "b/A.java").version == "6.3.2.RELEASE"


def test_boot_through_parents_lists_and_own_versions(tmp_path: Path) -> None:
    files: Files = {
        "pom.xml": pom("<modules><module>bom</module><module>app</module></modules>",
                       parent=boot_parent("2.3.12.RELEASE")),
        "bom/pom.xml": pom("<properties><boot>2.7.18</boot></properties>",
                           manages(dependency(BOOT_BOM, "${boot}", IMPORT)), name="bom"),
        "app/pom.xml": pom(manages(dependency("com.acme:bom", "1", IMPORT)),
                           needs(dependency(LETTUCE), dependency(JEDIS, "3.1.0")), name="app", parent="shop"),
        "old/pom.xml": pom(needs(dependency(LETTUCE)), name="old", parent="shop"),
        "lone/pom.xml": pom(needs(dependency(STARTER, "2.7.18")), name="lone"),
    }  # fmt: skip
    index = write(tmp_path, files)
    assert ask(index, LETTUCE, "app/A.java").managed_by == "Spring Boot 2.7.18"
    assert ask(index, JEDIS, "app/A.java").version == "3.1.0"
    assert ask(index, LETTUCE, "old/A.java").version == "5.3.7.RELEASE"
    assert ask(index, SPRING_DATA, "lone/A.java").version == "2.7.18"


# -- Gradle -----------------------------------------------------------------------------------------------------------

GROOVY = """\
// implementation 'commented:out:1.0'
plugins { id 'java' }
def lettuceVersion = "6.1.0.RELEASE"
ext {
    poolVersion = '2.9.0'
    versions = [jedis: '3.6.3', "spring": '5.3']
}
dependencies {
    implementation 'org.redisson:redisson:3.17.7'
    implementation("io.lettuce:lettuce-core:$lettuceVersion") { exclude group: 'redis.clients', module: 'jedis' }
    api group: 'org.apache.commons', name: 'commons-pool2', version: poolVersion
    runtimeOnly "redis.clients:jedis:${versions.jedis}:tests@jar"
    compile 'a:plus:' + versions['jedis'], 'a:second:1.0'
    implementation "a:root:${rootProject.ext.versions.jedis}"
    implementation 'a:prefix:3.+'
    implementation('a:strict') { version { strictly '[1.1, 2[' } }
    implementation 'a:unknown:' + project.findProperty('nowhere')
    testImplementation "com.github.kstyrc:embedded-redis:0.6"
    /* implementation 'commented:out:1.0' */
}
"""

KOTLIN = """\
plugins { kotlin("jvm") version "1.9.20" }
val lettuceVersion: String by extra("6.1.0.RELEASE")
val versions = mapOf("jedis" to "3.6.3")
extra["poolVersion"] = "2.9.0"
dependencies {
    implementation("org.redisson:redisson:3.17.7")
    implementation("io.lettuce:lettuce-core:$lettuceVersion") { exclude(group = "redis.clients", module = "jedis") }
    api(group = "org.apache.commons", name = "commons-pool2", version = property("poolVersion") as String)
    "runtimeOnly"("redis.clients:jedis:${versions["jedis"]}")
    implementation("a:plus:" + versions["jedis"], "a:second:1.0")
    implementation("a", "root", "3.6.3")
    implementation("a:prefix:3.+")
    implementation("a:strict") { version { strictly("[1.1, 2[") } }
    implementation("a:unknown:${findProperty("nowhere")}")
    testImplementation("com.github.kstyrc:embedded-redis:0.6") // 'unclosed
}
"""


@pytest.mark.parametrize(("file", "text"), [("build.gradle", GROOVY), ("build.gradle.kts", KOTLIN)])
@pytest.mark.parametrize(
    ("name", "lowest", "exact"),
    [
        (REDISSON, "3.17.7", True), (LETTUCE, "6.1.0.RELEASE", True), (POOL, "2.9.0", True), (JEDIS, "3.6.3", True),
        ("a:plus", "3.6.3", True), ("a:second", "1.0", True), ("a:root", "3.6.3", True), ("a:prefix", "3", False),
        ("a:strict", "1.1", False), ("a:unknown", None, False), ("com.github.kstyrc:embedded-redis", "0.6", True),
    ],
)  # fmt: skip
def test_gradle_scripts(tmp_path: Path, file: str, text: str, name: str, lowest: str | None, exact: bool) -> None:
    index = write(tmp_path, {file: text})
    found = ask(index, name)
    assert (found.version, found.exact, found.source, found.manifest_path) == (lowest, exact, "manifest", file)
    assert ask(index, "commented:out").source == "none"
    assert index.notifications == ()


def test_places_in_gradle_scripts(tmp_path: Path) -> None:
    index = write(tmp_path, {"build.gradle": GROOVY})
    assert [ask(index, each).line for each in (REDISSON, LETTUCE, POOL, JEDIS)] == [9, 10, 11, 12]


CATALOGUE = """\
[versions]
redisson = "3.20.0"
lettuce = { strictly = "[6.0, 7[", prefer = "6.1.0.RELEASE" }
boot = "3.2.12"

[libraries]
redisson-core = { module = "org.redisson:redisson", version.ref = "redisson" }
lettuce_core = { group = "io.lettuce", name = "lettuce-core", version.ref = "lettuce" }
jedis = "redis.clients:jedis:3.6.3"
spring-boot-starter-redis = { module = "org.springframework.boot:spring-boot-starter-data-redis" }
pool = { module = "org.apache.commons:commons-pool2", version = { require = "2.9.0" } }

[bundles]
redis = ["redisson-core", "pool"]

[plugins]
spring-boot = { id = "org.springframework.boot", version.ref = "boot" }
"""


def test_version_catalogues(tmp_path: Path) -> None:
    files: Files = {
        "settings.gradle.kts": 'include(":app", ":bare")\n',
        "gradle/libs.versions.toml": CATALOGUE,
        "gradle/tools.versions.toml": '[libraries]\nx = "x:x:7"\n',
        "app/build.gradle.kts": "dependencies {\n  api(libs.bundles.redis)\n  implementation(libs.lettuce.core)\n"
        '  implementation(libs.findLibrary("jedis").get())\n  implementation("a:b:${libs.versions.redisson.get()}")\n'
        "  implementation(tools.x)\n}\n",
        "boot/build.gradle": "plugins { alias(libs.plugins.spring.boot) }\n"
        "dependencies { implementation libs.spring.boot.starter.redis }\n",
        "bare/build.gradle.kts": "dependencies { }\n",
    }
    index = write(tmp_path, files)
    names = (REDISSON, POOL, LETTUCE, JEDIS, "a:b", "x:x")
    found = [ask(index, name, "app/src/A.kt") for name in names]
    assert [each.version for each in found] == ["3.20.0", "2.9.0", "6.5.0.RELEASE", "3.6.3", "3.20.0", "7"]
    assert (found[0].manifest_path, found[0].line) == ("gradle/libs.versions.toml", 7)
    # An entry alone is a mention, too, but not what a starter brings.
    assert ask(index, JEDIS, "bare/A.kt").version == "3.6.3"
    assert ask(index, LETTUCE, "boot/A.kt").managed_by == "Spring Boot 3.2.12"
    assert index.notifications == ()


def test_gradle_lock_files_come_first(tmp_path: Path) -> None:
    lock = (
        "# generated\nredis.clients:jedis:3.10.0=compileClasspath,runtimeClasspath\n"
        "a:t:1=testRuntimeClasspath\nempty=\n"
    )
    files: Files = {
        "a/build.gradle": "dependencies { implementation 'redis.clients:jedis:3.+' }",
        "a/gradle.lockfile": lock,
        "b/build.gradle": "dependencies { implementation 'redis.clients:jedis:3.+' }",
        "b/gradle/dependency-locks/compileClasspath.lockfile": "redis.clients:jedis:3.1.0\n",
    }
    index = write(tmp_path, files)
    expected = VersionFact(JEDIS, "3.10.0", "==3.10.0", True, "lock", "a/gradle.lockfile", 2)
    assert ask(index, JEDIS, "a/src/A.java") == expected
    assert ask(index, "a:t", "a/A.java").line == 3
    found = ask(index, JEDIS, "b/A.java")
    assert (found.version, found.source) == ("3.1.0", "lock")


BUILD: dict[str, str] = {
    "settings.gradle": "include ':app', ':libs:cache'\n",
    "gradle.properties": "# versions\nredissonVersion = 3.17.7\npoolVersion: 2.9.0\n",
    "build.gradle": """\
ext.jedisVersion = '3.6.3'
apply from: "$rootDir/gradle/deps.gradle"
subprojects {
    dependencies {
        constraints { implementation 'biz:bound:4.5' }
        implementation 'biz:all:1.0'
    }
}
""",
    "gradle/deps.gradle": """\
ext.deps = [
    lettuce: "io.lettuce:lettuce-core:6.1.0.RELEASE",
    nested: [a: "n:a:1"]
]
""",
    "buildSrc/src/main/kotlin/Deps.kt": """\
object Versions { const val x = "9.1" }
object Deps { object Redis { const val x = "o:x:${Versions.x}" } }
""",
    "app/build.gradle.kts": """\
dependencies {
    implementation(Deps.Redis.x)
    implementation(project(":libs:cache"))
}
""",
    "libs/cache/build.gradle": """\
dependencies {
    implementation "redis.clients:jedis:$jedisVersion"
    implementation deps.lettuce
    implementation deps.nested['a']
    implementation "org.redisson:redisson:$redissonVersion"
    implementation "org.apache.commons:commons-pool2:${property('poolVersion')}"
    implementation 'biz:bound'
}
""",
}


def test_what_the_root_and_other_scripts_define(tmp_path: Path) -> None:
    index = write(tmp_path, dict(BUILD))
    names = (JEDIS, LETTUCE, "n:a", REDISSON, POOL, "biz:bound", "biz:all")
    found = [ask(index, name, "libs/cache/A.java").version for name in names]
    assert found == ["3.6.3", "6.1.0.RELEASE", "1", "3.17.7", "2.9.0", "4.5", "1.0"]
    assert ask(index, "o:x", "app/A.java").version == "9.1"
    # What another project of the build brings.
    assert ask(index, REDISSON, "app/A.java").manifest_path == "libs/cache/build.gradle"
    assert index.notifications == ()


BOOT = "org.springframework.boot"


@pytest.mark.parametrize(
    "files",
    [
        {"build.gradle": f"plugins {{\n id '{BOOT}' version '2.7.18'\n id 'io.spring.dependency-management' }}\n"},
        {"build.gradle.kts": f'plugins {{ id("{BOOT}") version "2.7.18" apply false }}\n'},
        {"settings.gradle": f"pluginManagement {{ plugins {{ id '{BOOT}' version \"${{bootVersion}}\" }} }}\n",
         "gradle.properties": "bootVersion=2.7.18\n"},
        {"build.gradle": "buildscript {\n ext { springBootVersion = '2.7.18' }\n dependencies {\n"
         f"  classpath(\"{BOOT}:spring-boot-gradle-plugin:${{springBootVersion}}\") }} }}\n"},
        {"build.gradle": f'dependencyManagement {{ imports {{ mavenBom "{BOOT_BOM}:2.7.18" }} }}\n'},
        {"build.gradle.kts": f'dependencies {{ implementation(platform("{BOOT_BOM}:2.7.18")) }}\n'},
        {"buildSrc/build.gradle.kts": f'dependencies {{ implementation("{BOOT}:spring-boot-gradle-plugin:2.7.18") }}\n',
         "build.gradle.kts": "\n"},
    ],
)  # fmt: skip
def test_boot_in_gradle(tmp_path: Path, files: Files) -> None:
    app = "dependencies { implementation('org.springframework.boot:spring-boot-starter-data-redis') }\n"
    index = write(tmp_path, {**files, "app/build.gradle": app, "lib/build.gradle": ""})
    found = ask(index, LETTUCE, "app/src/A.java")
    assert (found.version, found.managed_by) == ("6.1.10.RELEASE", "Spring Boot 2.7.18")
    assert ask(index, SPRING_DATA, "app/src/A.java").version == "2.7.18"
    assert ask(index, REDISSON, "app/src/A.java").source == "none"


def test_versions_that_override_boot_in_gradle(tmp_path: Path) -> None:
    boot = "plugins { id 'org.springframework.boot' version '2.7.18' }\n"
    starter = "dependencies { implementation 'org.springframework.boot:spring-boot-starter-data-redis' }\n"
    files: Files = {
        "a/build.gradle": f"{boot}ext['lettuce.version'] = '6.3.2.RELEASE'\n{starter}",
        "b/build.gradle": f"{boot}{starter}dependencyManagement {{\n dependencies {{\n"
        "  dependency 'io.lettuce:lettuce-core:6.3.2.RELEASE'\n } }\n",
        "c/build.gradle": f"{boot}{starter}dependencies {{ implementation 'io.lettuce:lettuce-core:6.3.2.RELEASE' }}\n",
    }
    index = write(tmp_path, files)
    assert {ask(index, LETTUCE, f"{folder}/A.java").version for folder in "abc"} == {"6.3.2.RELEASE"}


def test_a_script_may_have_the_name_of_its_folder(tmp_path: Path) -> None:
    files: Files = {
        "settings.gradle": 'rootProject.children.each { it.buildFileName = "${it.name}.gradle" }\n',
        "shop-redis/shop-redis.gradle": "dependencies { api('redis.clients:jedis:3.6.3') }\n",
        "shop-web/shop-web.gradle": "dependencies { implementation project(':shop-redis') }\n",
        ".gradle/caches/x": "",
        "shop-web/other.gradle": "dependencies { api('redis.clients:jedis:2.9.0') }\n",
    }
    index = write(tmp_path, files)
    assert {ask(index, JEDIS, f"{folder}/A.java").version for folder in ("shop-redis", "shop-web")} == {"3.6.3"}
    assert ask(index, LETTUCE).source == "none"
    assert index.notifications == ()


def test_maven_and_gradle_side_by_side_mean_the_lowest(tmp_path: Path) -> None:
    files: Files = {
        "pom.xml": pom(needs(dependency(JEDIS, "3.6.3"))),
        "build.gradle": "dependencies { implementation 'redis.clients:jedis:3.1.0' }",
    }
    assert ask(write(tmp_path, files), JEDIS).manifest_path == "build.gradle"
    files["build.gradle"] = "ext.jedis = 'redis.clients:jedis:3.1.0'\n"
    assert ask(write(tmp_path, files), JEDIS).manifest_path == "pom.xml"


# -- hostile and broken files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "content", "line", "reason"),
    [
        ("pom.xml", '<!DOCTYPE p [\n<!ENTITY a "aaa">\n<!ENTITY b "&a;&a;">]><project>&b;</project>', 2, "entities"),
        ("pom.xml", '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><project>&a;</project>', 1, "entities"),
        ("pom.xml", '<!DOCTYPE project SYSTEM "http://127.0.0.1:9/x.dtd"><project/>', 1, "further file"),
        ("pom.xml", "<project>" + "<a>" * 200_000, 1, "deep"),
        ("pom.xml", "<project>\n<version>1</project>", 2, "XML"),
        ("pom.xml", "<html/>", 1, "root element"),
        ("pom.xml", '<?xml version="1.0" encoding="klingon"?><project/>', 1, "XML"),
        ("pom.xml", "", 1, "XML"),
        ("pom.xml", b"\0" * 9, 1, "XML"),
        ("pom.xml", b" " * 1_000_001, 0, "larger"),
        ("build.gradle", "(" * 900_000, 1, "too long"),
        ("gradle/libs.versions.toml", "[libraries\n", 1, "TOML"),
        ("gradle/libs.versions.toml", "x = " + "[" * 200_000, 0, "deep"),
        ("gradle.lockfile", "a:b:1=c\n<<<<<<< HEAD\n", 2, "merge conflict"),
    ],
)  # fmt: skip
def test_a_broken_manifest_is_told_and_stops_nothing(
    tmp_path: Path, file: str, content: str | bytes, line: int, reason: str
) -> None:
    index = write(tmp_path, {f"api/{file}": content, "pom.xml": pom(needs(dependency(JEDIS, "3.6.3")))})
    assert ask(index, JEDIS, "api/src/A.java").version == "3.6.3"
    assert ask(index, LETTUCE, "api/src/A.java").source == "none"
    (remark,) = index.notifications
    assert (remark.kind, remark.path, remark.line) == (NotificationKind.MANIFEST, f"api/{file}", line)
    assert reason in remark.message
    assert "correct it" in remark.message
    assert remark.message.isprintable()


def test_documents_with_a_type_but_no_entities_are_read(tmp_path: Path) -> None:
    text = pom(needs(dependency(JEDIS, "3.6.3"))).replace("<project", "<!DOCTYPE project><project", 1)
    index = write(tmp_path, {"pom.xml": text})
    assert ask(index, JEDIS).version == "3.6.3"


@pytest.mark.parametrize(
    "text",
    [
        "a = [" * 15_000, "[a:" * 15_000, "a {" * 20_000, '"' * 90_000, "'''" * 20_000, '"' + "${" * 100_000,
        '"' + "\\" * 99_999,
        "/*" * 90_000, "'a:b:c' + " * 9_000, "group: " * 30_000, "dependencies { i(" + "'a'," * 30_000, ")]}" * 30_000,
        "dependencies {" * 20_000 + "i 'a:b:c'", "$" * 90_000, "=" * 90_000, "id version " * 9_000, "project(" * 20_000,
    ],
)  # fmt: skip
def test_strange_scripts_cost_little(tmp_path: Path, text: str) -> None:
    index = write(tmp_path, {"build.gradle": text, "pom.xml": pom(needs(dependency(JEDIS, "3.6.3")))})
    assert ask(index, JEDIS).version == "3.6.3"
    assert index.notifications == ()


def test_gradle_variables_in_a_circle(tmp_path: Path) -> None:
    text = 'ext.a = "$b"\next.b = "${a}"\ndependencies { implementation "redis.clients:jedis:$a" }\n'
    index = write(tmp_path, {"build.gradle": text})
    assert (ask(index, JEDIS).version, ask(index, JEDIS).spec) == ("5.2.0", "")
    (remark,) = index.notifications
    assert (remark.path, remark.line) == ("build.gradle", 3)


def test_scripts_out_of_the_root_are_not_taken_in(tmp_path: Path) -> None:
    (tmp_path / "evil.gradle").write_text("dependencies { i 'redis.clients:jedis:3.6.3' }", encoding="utf-8")
    lines = [
        "../evil.gradle",
        f"{tmp_path}/evil.gradle",
        "https://example.org/evil.gradle",
        "$unknown/evil.gradle",
        "a\\0b",
    ]
    text = "\n".join(f'apply from: "{each}"' for each in lines)
    index = write(tmp_path / "root", {"build.gradle": text, "settings.gradle": ""})
    assert ask(index, JEDIS).source == "none"
    assert index.notifications == ()


def test_many_modules_are_quick(tmp_path: Path) -> None:
    count = 150
    modules = "".join(f"<module>m{n}</module>" for n in range(count))
    files: Files = {"pom.xml": pom(f"<modules>{modules}</modules>", manages(dependency(JEDIS, "3.6.3")))}
    for n in range(count):
        entries = [dependency(f"com.acme:m{(n + step) % count}", "1") for step in range(1, 20)]
        files[f"m{n}/pom.xml"] = pom(needs(*entries), name=f"m{n}", parent="shop")
    read: list[str] = []

    def reader(path: str) -> bytes | None:
        read.append(path)
        return str(files[path]).encode()

    names = {"": ["pom.xml", *(f"m{n}" for n in range(count))], **{f"m{n}": ["pom.xml"] for n in range(count)}}
    index = VersionIndex("/nowhere", reader, lambda folder: names.get(folder, []))
    assert {ask(index, JEDIS, f"m{n}/src/A.java").version for n in range(count)} == {"3.6.3"}
    assert {ask(index, LETTUCE, f"m{n}/src/A.java").source for n in range(count)} == {"none"}
    assert sorted(read) == sorted(files)
