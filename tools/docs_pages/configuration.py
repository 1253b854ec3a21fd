"""The page about the configuration, from the records that the loader reads it with."""

from __future__ import annotations

from docs_pages.config_schema import default_of
from docs_pages.markdown import code, page, table
from resplint.config.keys import KEYS, Key
from resplint.starter.plan import in_toml
from resplint.starter.texts import SCHEMA

INTRODUCTION = """\
# Configuration

`resplint.toml`, or the table `[tool.resplint]` of `pyproject.toml` with the same keys. Everything is optional, and
`resplint init` writes a file that explains every key.

A scan begins with the nearest one from the scanned folder upwards, up to the folder of the repository; where a whole
repository is analysed for some of its files (`--whole-project`, hooks, the action, files that are named), with the
nearest one from the current folder upwards. Of two in one folder `resplint.toml` counts.

Folders below may have their own. For what is found in a folder the nearest configuration above it holds, as a whole:
several are not merged, unless one names another with [`extends`](#extends). What is about the run comes from the one
that the scan begins with alone: `fail-on`, `jobs`, `baseline`, `max-file-size`, `include-minified` and the timeouts.
Rules of your own (`forbid`, `forbid-from`) hold like everything else: those of a folder below it, those of the root
elsewhere; `extends` adds them up, and a code means one rule only. `client-factories` are known in all folders, wherever
they stand. `--config FILE` names one that holds for everything.

Options of [`resplint scan`](cli.md#resplint-scan) win over the file. An unknown key or a wrong value ends the scan with
one line that names file, line and key."""

SUPPRESSION = """\
## Suppressions

Single findings are taken back by a comment in the code, on the line of the finding or on a line of its own above it:

```python
client.blpop("jobs", timeout=0)  # resplint: ignore[RL104] the supervisor kills stuck workers
# resplint: ignore[pipeline-transaction] readers must never see half of it
pipe = client.pipeline()
```

```java
String job = jedis.blpop(0, "jobs").get(1); // resplint: ignore[RL104] the supervisor kills stuck workers
```

`resplint scan --add-ignore REASON` writes such a comment at each finding; with `--diff` it only shows them.

`# resplint: ignore-file[RL104] reason` covers a file; without brackets every rule is meant. Suppressed findings stay in
the machine-readable reports with their reason, and a suppression that suppresses nothing is reported."""


def configuration_pages() -> dict[str, str]:
    """The text of the page, by its path in `docs/`."""
    overview = table(
        ["Key", "Default", "Meaning"],
        [[f"[{code(key.name)}](#{key.name})", _default(key), key.summary] for key in KEYS],
    )
    editors = (
        "## In an editor\n\nA [JSON Schema](https://json-schema.org/) gives completion, hover and checks as you type. "
        "Editors that use taplo (Even Better TOML and others) find it by the first line of the file:\n\n"
        f"```toml\n#:schema {SCHEMA}\n```\n\n"
        "It says what resplint accepts, but for what JSON Schema cannot say or does not check: `4.0` is no whole "
        "number, the brackets and backslashes of a pattern must fit, and rules of your own must exist where they are "
        "named, and name commands and options that exist."
    )
    keys = (_section(key) for key in KEYS)
    return {"configuration.md": page(INTRODUCTION, overview, "## Keys", *keys, SUPPRESSION, editors)}


def _default(key: Key) -> str:
    default = default_of(key)
    if default is None:
        return "none"
    return code(in_toml(default) if not isinstance(default, (str, tuple, list)) else _quoted(default))


def _quoted(value: object) -> str:
    return in_toml(tuple(value)) if isinstance(value, list | tuple) else f'"{value}"'


def _section(key: Key) -> str:
    facts = f"{key.kind[0].upper()}{key.kind[1:]}; without it {_default(key)}."
    return f"### {key.name}\n\n{key.summary} {key.details}\n\n{facts}\n\n```toml\n{_example(key)}\n```"


def _example(key: Key) -> str:
    if key.is_table:
        return f"{key.header(f'tool.resplint.{key.name}')}\n{key.example}"
    return f"[tool.resplint]\n{key.name} = {key.example}"
