"""The inventory for scripts: JSON of a documented, versioned form (``docs/inventory.md``)."""

from __future__ import annotations

import json
from typing import Any

from resplint.inventory.records import ClientEntry, Inventory, Setting, Site, Spot
from resplint.output.escape import escape, inert_json
from resplint.output.json import exact_path

FORM_VERSION = "1.0"

_Object = dict[str, Any]


def render(inventory: Inventory) -> bytes:
    """The inventory as ASCII JSON; texts of the scanned code come without control characters."""
    document = {
        "version": FORM_VERSION,
        "counts": {"call_sites": inventory.call_sites, "files": inventory.files},
        "clients": [client_object(entry) for entry in inventory.clients],
    }
    text = json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)
    return (inert_json(text) + "\n").encode("ascii")


def client_object(entry: ClientEntry) -> _Object:
    """What is known of one client."""
    return {
        "kind": entry.kind,
        "name": escape(entry.name),
        "type": entry.type,
        "async": entry.is_async,
        "place": _spot(entry.spot),
        "symbol": escape(entry.symbol),
        "library": {
            "name": entry.version.library,
            "version": escape(entry.version.number),
            "source": entry.version.source,
            "phrase": escape(entry.version.phrase),
        },
        "made": {"kind": entry.made.kind, "why": escape(entry.made.why)},
        "pool": [_setting(setting) for setting in entry.pool],
        "timeouts": [_setting(setting) for setting in entry.timeouts],
        "retry": [_setting(setting) for setting in entry.retry],
        "shares": _spot(entry.shares),
        "shared_by": [_spot(spot) for spot in entry.shared_by],
        "call_sites": entry.use.call_sites,
        "commands": {escape(command): count for command, count in entry.use.commands.items()},
        "users": [
            {
                "path": exact_path(user.path),
                "call_sites": user.call_sites,
                "symbols": [escape(symbol) for symbol in user.symbols],
            }
            for user in entry.use.users
        ],
        "sites": [_site(site) for site in entry.use.sites],
    }


def _site(site: Site) -> _Object:
    return {
        "path": exact_path(site.path),
        "line": site.line,
        "column": site.column,
        "command": escape(site.command) if site.command else None,
        "grade": site.grade.value,
    }


def _setting(setting: Setting) -> _Object:
    return {
        "option": escape(setting.option),
        "text": escape(setting.text),
        "value": setting.value,
        "origin": setting.origin.value,
        "place": _spot(setting.spot),
    }


def _spot(spot: Spot | None) -> _Object | None:
    return None if spot is None else {"path": exact_path(spot.path), "line": spot.line}
