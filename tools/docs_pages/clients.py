"""Pages of client libraries, from `rules/clients/`: what is modelled, and which defaults hold in which version."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from docs_pages.markdown import code, codes, page, sentence_list, table
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.knowledge.load import load_libraries
from resplint.knowledge.records.base_records import Scalar
from resplint.knowledge.records.client_records import ClientLibrary, ConstructorModel, MethodModel, OptionModel
from resplint.output.about import INFORMATION_URI

REGISTRIES = {"pypi": "PyPI", "maven": "Maven Central", "npm": "npm"}
ROLES = {
    "read_timeout": "read timeout",
    "connect_timeout": "connect timeout",
    "pool_max": "bound of the pool",
    "pool": "the pool to use",
    "single_connection": "one connection instead of a pool",
    "retry": "retry policy",
    "retry_on_timeout": "retry after a timeout",
    "retry_on_error": "errors to retry after",
    "backoff": "delay between retries",
    "retries": "number of retries",
    "retry_delay": "delay before it connects again",
    "blocking_limit": "bound of waits without end",
    "blocking_timeout": "read timeout while a command blocks",
    "block": "wait of a blocking read",
    "key": "key that is read",
}
"""What options set, in words."""

_LONG = 40
"""Characters of a name that a column has room for."""

INTRODUCTION = """\
# Client libraries

What resplint knows of a client library stands in one file of data for each, and these pages show it: which calls make
clients and pools, which options they take, and **which default holds in which version**. Every entry cites the release,
file and line of the library's source that was read.

The version that a project uses comes from its manifests and lock files ([what is read](../architecture.md#knowledge)),
or from [`client-versions`](../configuration.md#client-versions). Of a range the newest release that
it allows and that has what the code calls is assumed, without any the newest known one."""

INDEX_END = """\
*Read timeout* and *bound of the pool* are the defaults of the newest version that is known, of the usual client.

A library that is missing can be [added with one TOML file](../extending/client-library.md)."""


def client_pages() -> dict[str, str]:
    """The text of every page, by its path in `docs/`."""
    libraries = load_libraries()
    rows = [
        [
            f"[{titled(library)}]({name}.md)",
            ", ".join(LANGUAGE_TITLES.get(each, each) for each in library.library.languages),
            _known(library),
            _newest(library, "read_timeout"),
            _newest(library, "pool_max"),
        ]
        for name, library in sorted(libraries.items(), key=lambda entry: (entry[1].library.ecosystem, entry[0]))
    ]
    headings = ["Library", "Languages", "Versions", "Read timeout", "Bound of the pool"]
    index = page(INTRODUCTION, table(headings, rows), INDEX_END)
    return {"clients/index.md": index, **{f"clients/{name}.md": _page(each) for name, each in libraries.items()}}


def titled(library: ClientLibrary) -> str:
    """The title of a library; its name where the title is merely what its registry calls it, and with its languages
    where several have the same title."""
    section = library.library
    title = section.name if section.title in ("", *section.distributions) else section.title
    same = [each for each in load_libraries().values() if each.library.title == library.library.title]
    languages = "/".join(LANGUAGE_TITLES.get(each, each) for each in library.library.languages)
    return title if len(same) == 1 else f"{title} for {languages}"


def _known(library: ClientLibrary) -> str:
    versions = library.library.versions
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def _newest(library: ClientLibrary, role: str) -> str:
    """The default of an option in the newest version, of the first set of options that has it."""
    for options in library.option_set.values():
        found = [option for option in options if option.role == role]
        if found:
            return _in_seconds(found[-1].default, found[-1].unit)
    return ""


def _in_seconds(value: Scalar, unit: str) -> str:
    if unit == "ms" and isinstance(value, int) and value >= 1000:
        return _value(value / 1000, "s")
    return _value(value, unit)


def _page(library: ClientLibrary) -> str:
    return page(
        f"# {titled(library)}",
        _facts(library),
        _section("Clients and pools", _CLIENTS, _constructors(library)),
        _section("Options and defaults", "", _options(library)),
        _section("Blocking commands", _blocking(library), _waits(library)),
        _section("Batches and transactions", "", _batches(library)),
        _section("Retries", "", _retries(library)),
        _section("Settings of the application", "", _settings(library)),
        _section("Lua scripts", "", _scripts(library)),
        f"---\n\n[The data of this page]({INFORMATION_URI}/blob/main/rules/clients/{library.library.name}.toml), "
        "with positions of arguments and types.",
    )


def _section(heading: str, text: str, content: str) -> str:
    return f"## {heading}\n\n" + "\n\n".join(part for part in (text, content) if part) if text or content else ""


# -- the library ------------------------------------------------------------------------------------------------------


def _facts(library: ClientLibrary) -> str:
    section = library.library
    others = load_libraries()
    facts = {
        "Languages": ", ".join(LANGUAGE_TITLES.get(each, each) for each in section.languages),
        REGISTRIES[section.ecosystem]: codes(section.distributions),
        "Imports": codes(section.imports),
        "Known versions": ", ".join(section.versions),
        "Without a manifest": f"{section.versions[-1]} is assumed",
        "In the configuration": f"{code(section.name)}, as in [`client-versions`](../configuration.md#client-versions)",
    }
    for words, name in (("Has the methods of", section.inherits), ("Takes defaults from", section.version_owner)):
        if name:
            facts[words] = f"[{titled(others[name])}]({name}.md)"
    return "\n".join(f"- **{name}**: {text}" for name, text in facts.items())


# -- clients and options ----------------------------------------------------------------------------------------------

_CLIENTS = "Calls that make something that talks to Redis, or that configures it."


def _constructors(library: ClientLibrary) -> str:
    sets = library.option_set
    rows = [
        [
            _names(each.names),
            _names([each.makes]) if each.makes not in each.names else "itself",
            _connections(each),
            f"[{each.options}](#{_anchor(each.options)})" if each.options in sets else "",
            _range(each.versions),
            _source(each.source),
        ]
        for each in library.constructor
    ]
    return table(["Call", "Gives", "Connections", "Options", "Versions", "Source"], rows)


def _connections(constructor: ConstructorModel) -> str:
    words = [
        (constructor.own_pool, "its own, unless it is given some"),
        (constructor.connects, "opened by the call"),
        (constructor.shared, "shared: the library keeps the object"),
    ]
    return "; ".join(text for holds, text in words if holds)


def _options(library: ClientLibrary) -> str:
    parts = []
    for name, options in library.option_set.items():
        users = [one for each in library.constructor if each.options == name for one in each.names]
        users += [f"{one}()" for each in library.method if each.options == name for one in each.names]
        of = f"Of {codes(dict.fromkeys(users))}.\n\n" if users else ""
        parts.append(f"### {name}\n\n{of}{_option_table(options)}")
    return "\n\n".join(parts)


def _option_table(options: Sequence[OptionModel]) -> str:
    rows = []
    for name in dict.fromkeys(option.name for option in options):
        same = [option for option in options if option.name == name]
        for number, option in enumerate(same):
            rows.append(
                [
                    code(name) if number == 0 else "",
                    ROLES.get(option.role, option.role.replace("_", " ")),
                    option.unit,
                    _default(option),
                    _range(option.versions),
                    _also(option),
                    _source(option.source),
                ]
            )
    return table(["Option", "Sets", "Unit", "Default", "Versions", "Also set by", "Source"], rows)


def _default(option: OptionModel) -> str:
    text = _value(option.default, option.unit)
    if option.none_means not in ("none", option.default):
        text += f"; null means {_value(option.none_means, option.unit)}"
    if option.negative_means != "none":
        text += f"; below zero means {_value(option.negative_means, option.unit)}"
    return text


def _value(value: Scalar, unit: str) -> str:
    if value in ("none", ""):
        return str(value) or "depends"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value.replace("+jitter", ", with jitter")
    return f"{value:g} {unit}".strip() if unit in ("s", "ms") else f"{value:g}"


def _also(option: OptionModel) -> str:
    """Setters of builders and keys of settings files."""
    return codes([*(f"{name}()" for name in option.setters), *option.settings])


# -- commands ---------------------------------------------------------------------------------------------------------


def _blocking(library: ClientLibrary) -> str:
    """Whether a read timeout cuts commands that wait."""
    if not any(option.role == "read_timeout" for options in library.option_set.values() for option in options):
        return ""
    section = library.library
    cut, left = "cut off by the read timeout", "not cut off by the read timeout: their own wait is added to it"
    usual = f"Commands that block are {cut if section.blocking_uses_read_timeout else left}."
    ranges = (
        f"In {_range(each.versions)} they are {cut if each.value else left}." for each in section.blocking_by_version
    )
    return " ".join([usual, *ranges])


def _waits(library: ClientLibrary) -> str:
    rows = [
        [
            _names([f"{name}()" for name in method.names]),
            code(method.command) if method.command else "",
            _names(method.of),
            method.wait.parameter and code(method.wait.parameter),
            method.wait.unit,
            _wait_default(method),
            _range(method.versions),
            _source(method.source),
        ]
        for method in library.method
        if method.wait is not None
    ]
    return table(["Method", "Command", "Of", "Wait", "Unit", "Without it", "Versions", "Source"], rows)


def _wait_default(method: MethodModel) -> str:
    assert method.wait is not None
    default = method.wait.default
    words = {"none": "does not block", "required": "required", 0: "waits forever"}
    text = words.get(default, f"{default} {method.wait.unit}")
    return text if method.read_timeout_cuts is None else text + ("; cut" if method.read_timeout_cuts else "; not cut")


def _batches(library: ClientLibrary) -> str:
    rows = [
        [
            f"{code(each.method + '()')} of {sentence_list([_names(each.of)] if each.of else list(each.on))}",
            "yes" if each.transaction_default else "no",
            _transaction(each.parameter, each.setters, each.advice),
            codes(f"{name}()" for name in each.execute),
            _range(each.versions),
            _source(each.source),
        ]
        for each in library.pipeline
    ]
    headings = ["Starts", "`MULTI`/`EXEC` by default", "Without a transaction", "Sent by", "Versions", "Source"]
    return table(headings, rows)


def _transaction(parameter: str, setters: Sequence[str], advice: str) -> str:
    if advice:
        return advice
    if parameter:
        return f"{code(parameter)} set to false"
    return codes(f"{name}()" for name in setters)


def _retries(library: ClientLibrary) -> str:
    words = {"policy": "as the policy it is given", "none": "no delay"}
    rows = [
        [
            _names(each.names),
            words.get(each.growth, each.growth) + (", with jitter" if each.jitter else ""),
            _range(each.versions),
            _source(each.source),
        ]
        for each in library.retry
    ]
    return table(["Policy", "Delay", "Versions", "Source"], rows)


def _settings(library: ClientLibrary) -> str:
    mappings = [
        [code(each.name), codes(each.backends), codes(each.keys), _source(each.source)] for each in library.settings
    ]
    drivers = [
        [each.name, codes(each.distributions), codes(each.settings), _source(each.source)] for each in library.driver
    ]
    parts = [
        table(["Mapping", "Backends", "Keys that set options", "Source"], mappings),
        table(["Runs on", "When the project depends on", "Or when set by", "Source"], drivers),
    ]
    return "\n\n".join(part for part in parts if part)


def _scripts(library: ClientLibrary) -> str:
    rows = [
        [
            _names([f"{name}()" for name in method.names]),
            code(method.command) if method.command else "",
            _source(method.source),
        ]
        for method in library.method
        if method.script_index >= 0 or method.script_path
    ]
    return table(["Method that takes Lua text", "Command", "Source"], rows)


# -- words ------------------------------------------------------------------------------------------------------------


def _names(names: Iterable[str]) -> str:
    """Import paths, one on each line; long ones may be broken behind their dots."""
    return "<br>".join(code(name) if len(name) <= _LONG else _breakable(name) for name in dict.fromkeys(names))


def _breakable(name: str) -> str:
    return f"<code>{html.escape(name).replace('.', '.<wbr>')}</code>"


def _range(versions: str) -> str:
    """A range of versions in words: "from 4.2.0, before 8.0.0"."""
    words = {">=": "from ", "<": "before ", "==": "", ">": "after ", "<=": "up to ", "!=": "not "}
    parts = re.findall(r"(>=|<=|==|!=|<|>)\s*([^,\s]+)", versions)
    return ", ".join(words[sign] + version for sign, version in parts)


def _source(text: str) -> str:
    return "<br>".join(f"<small>{each.strip()}</small>" for each in text.split(";")) if text else ""


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")
