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
POOL = """package shop;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
@Configuration
public class Pools {
    @Value("${stock.redis.host}") private String host;
    @Value("${stock.redis.password:}") private String password;
    @Bean public JedisPool pool() { return new JedisPool(new JedisPoolConfig(), host, 6379, 2000, password); }
}
"""
TEMPLATES = """package shop.MODULE;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
@Configuration
public class Templates {
    @Bean public RedisTemplate<String, Object> redisTemplate(RedisConnectionFactory factory) {
        RedisTemplate<String, Object> template = new RedisTemplate<>();
        template.setConnectionFactory(factory);
        return template;
    }
}
"""
TOKENS = """package shop.MODULE;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.stereotype.Service;
@Service
public class Tokens {
    @Autowired private RedisTemplate<String, Object> redisTemplate;
    public void revoke(String token) { redisTemplate.delete(token); }
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


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (f"stock.redis.host=stock.internal\nstock.redis.password={SECRET}\n", 2),
        (f"stock.redis.host=localhost\nstock.redis.password={SECRET}\n", 0),
        ("stock.redis.host=stock.internal\nstock.redis.password=${STOCK_PASSWORD}\n", 0),
        ("stock.redis.host=stock.internal\n", 0),
    ],
)
def test_a_password_that_a_setting_fills_in_is_reported_where_it_is_set(
    tmp_path: Path, settings: str, line: int
) -> None:
    files = {"src/main/java/shop/Pools.java": POOL, "src/main/resources/application.properties": settings}
    output = scanned(tmp_path, files)
    assert output.count("RL602") == (1 if line else 0)
    assert f"application.properties:{line}:" in output or not line
    assert SECRET not in scanned(tmp_path, files, "json", "RL6")


BUILT_BY_XML = """package shop;
import org.springframework.context.support.ClassPathXmlApplicationContext;
import redis.clients.jedis.JedisPool;
public class Visits {
    private final JedisPool pool = new ClassPathXmlApplicationContext("redis.xml").getBean(JedisPool.class);
    public void count(String page) { try (var jedis = pool.getResource()) { jedis.incr(page); } }
}
"""


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        (f"redis.host=stock.internal\nredis.password={SECRET}\n", True),
        (f"redis.pool.server=10.4.0.9\nredis.pool.pwd={SECRET}\n", True),
        (f"redis.password={SECRET}\n", False),
        (f"redis.host=127.0.0.1\nredis.password={SECRET}\n", False),
        (f"redis.host=stock.internal\nmysql.password={SECRET}\n", False),
        (f"redis.host=stock.internal\nredis.password=${{STOCK_PASSWORD:{SECRET}}}\n", False),
        ("redis.host=stock.internal\nredis.password=test123\n", False),
        ("redis.host=203.0.113.9\nredis.password=test123\n", False),
        ("redis.host=10.4.0.9\nredis.password=test123\n", True),
        ("redis.host=10.4.0.9\nredis.password=Redis-kennwört\n", False),
    ],
)
def test_a_key_that_names_redis_is_enough_whatever_reads_it(tmp_path: Path, settings: str, reported: bool) -> None:
    files = {"src/main/java/shop/Visits.java": BUILT_BY_XML, "src/main/resources/redis.properties": settings}
    assert ("redis.properties:2:" in scanned(tmp_path, files)) == reported


def test_passwords_of_test_environments_count_and_each_environment_has_its_own_server(tmp_path: Path) -> None:
    files = {"src/main/java/shop/Counter.java": COUNTER}
    for profile, host in (("test", "10.4.0.9"), ("dev", "localhost"), ("prod", "pages.internal")):
        text = f"spring:\n  redis:\n    host: {host}\n    password: {SECRET}-{profile} # of the server\n"
        files[f"src/main/resources/application-{profile}.yml"] = text
    output = scanned(tmp_path, files)
    assert [name for name in ("test", "dev", "prod") if f"application-{name}.yml:4:" in output] == ["test", "prod"]


@pytest.mark.parametrize(
    ("address", "secret", "reported"),
    [
        ("cache.example.net", "lone-heron", True),
        ("redis", "lone-heron", False),
        ("10.0.0.7", "lone-heron", False),
        ("localhost", "lone-heron", False),
        ("localhost", "Lone-Heron7", True),
    ],
)
def test_a_default_for_the_environment_is_left_out_beside_a_local_address_if_it_is_easy_to_guess(
    tmp_path: Path, address: str, secret: str, reported: bool
) -> None:
    client = f"""import os, redis
    pages = redis.Redis(
        host=os.getenv("PAGES_HOST", "{address}"),
        password=os.getenv("PAGES_PASSWORD", "{secret}"),
    )
    pages.get("page:1")
    """.replace("\n    ", "\n")
    assert ("pages.py:4:" in scanned(tmp_path, {"pages.py": client})) == reported


def test_settings_may_stand_in_a_file_of_the_projects_own(tmp_path: Path) -> None:
    files = {
        "src/main/java/shop/Pools.java": POOL.replace(
            "@Configuration", '@PropertySource("classpath:/redis.properties")'
        ),
        "src/main/resources/redis.properties": f"stock.redis.host=stock.internal\nstock.redis.password={SECRET}\n",
    }
    assert "redis.properties:2:" in scanned(tmp_path, files)
    files["src/main/resources/application.properties"] = "stock.redis.password=${STOCK_PASSWORD}\n"
    assert "RL602" not in scanned(tmp_path, files)


def test_each_module_has_settings_of_its_own(tmp_path: Path) -> None:
    files = {}
    for number, module in enumerate(("carts", "stock")):
        java, resources = f"{module}/src/main/java/shop/{module}", f"{module}/src/main/resources"
        files[f"{module}/pom.xml"] = "<project/>"
        files[f"{java}/Templates.java"] = TEMPLATES.replace("MODULE", module)
        files[f"{java}/Tokens.java"] = TOKENS.replace("MODULE", module)
        files[f"{resources}/application.properties"] = (
            f"spring.data.redis.host={module}.internal\nspring.data.redis.password={SECRET}{number}\n"
        )
    output = scanned(tmp_path, files)
    assert output.count("RL602") == 2
    assert "carts/src/main/resources/application.properties:2:" in output
    assert "stock/src/main/resources/application.properties:2:" in output


INJECTED = """package shop;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
@Configuration
public class Pools {
    @Value("${shop.redis.host}") private String host;
    @Value("${shop.redis.password}") private String password;
    @Bean public JedisPool pool() { return new JedisPool(new JedisPoolConfig(), host, 6379, 2000, password); }
}
"""
FILLED = """package shop;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
@ConfigurationProperties(prefix = "shop.redis")
class Access {
    private String host;
    private String password;
    public String getHost() { return host; }
    public void setHost(String host) { this.host = host; }
    public String getPassword() { return password; }
    public void setPassword(String password) { this.password = password; }
}
@Configuration
public class Pools {
    @Bean public JedisPool pool(Access access) {
        return new JedisPool(new JedisPoolConfig(), access.getHost(), 6379, 2000, access.getPassword());
    }
}
"""


@pytest.mark.parametrize("code", [INJECTED, FILLED], ids=["annotation", "class of settings"])
def test_a_password_that_the_framework_puts_in_is_reported_where_it_stands(tmp_path: Path, code: str) -> None:
    source, settings = "src/main/java/shop/Pools.java", "src/main/resources/application.properties"
    host = "shop.redis.host=pages.internal\n"
    output = scanned(tmp_path / "said", {source: code, settings: f"{host}shop.redis.password={SECRET}\n"})
    assert "application.properties:2:" in output
    output = scanned(tmp_path / "referred", {source: code, settings: host + "shop.redis.password=${REDIS_PASSWORD}\n"})
    assert "RL602" not in output


@pytest.mark.parametrize(
    "nodes", ["cluster:\n        nodes: {0}:7000,{0}:7001", "sentinel:\n        nodes:\n          - {0}:26379"]
)
def test_the_servers_of_a_cluster_say_that_a_password_is_one_of_another_machine(tmp_path: Path, nodes: str) -> None:
    begins = f"spring:\n  data:\n    redis:\n      password: {SECRET}\n      "
    for host, expected in (("pages.internal", True), ("localhost", False)):
        files = {
            "src/main/java/shop/Counter.java": COUNTER,
            "src/main/resources/application.yml": begins + nodes.format(host) + "\n",
        }
        assert ("application.yml:4:" in scanned(tmp_path / host, files)) == expected


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "markdown", "github", "gitlab", "junit", "sonar"])
def test_no_report_shows_a_password(tmp_path: Path, form: str) -> None:
    output = scanned(tmp_path, {"pages.py": CLIENT}, form, "RL602,RL101")
    assert "RL602" in output
    assert "RL101" in output
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
