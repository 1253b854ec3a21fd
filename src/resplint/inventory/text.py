"""The inventory for people."""

from __future__ import annotations

from collections.abc import Sequence

from resplint.inventory.records import ClientEntry, Inventory, Origin, Setting, Spot
from resplint.output.escape import escape
from resplint.output.page import Page

_COMMANDS, _USERS = 12, 8
"""Commands and files named of one client."""
_LABEL = 10
_MADE = {"once": "once", "operation": "again and again", "unknown": ""}


def render(inventory: Inventory, *, color: bool) -> bytes:
    """The inventory as UTF-8 text."""
    page = Page()
    for entry in inventory.clients:
        add_client(page, entry)
        page.add()
    made = len([entry for entry in inventory.clients if entry.spot is not None])
    if inventory.clients:
        text = f"{_count(made, 'client')} made here"
        if len(inventory.clients) > made:
            text += f", {len(inventory.clients) - made:,} provided from outside"
        sites = f"; {_count(inventory.call_sites, 'call site')} in {_count(inventory.files, 'file')}"
        page.add((text, "strong"), (sites, ""))
    else:
        page.add(("No Redis clients found", "strong"))
    return page.render(color=color)


def add_client(page: Page, entry: ClientEntry) -> None:
    """Add what is known of one client."""
    where = f"{_place(entry.spot)}  " if entry.spot is not None else ""
    asynchronous = ", async" if entry.is_async else ""
    page.add((f"{where}{escape(entry.name)}", "strong"), (f"  ({escape(entry.kind)}{asynchronous})", "faint"))
    _row(page, "library", entry.version.phrase)
    made = ", ".join(text for text in (_MADE[entry.made.kind], entry.made.why) if text)
    if entry.symbol:
        made = f"{made} (in {entry.symbol})" if made else f"in {entry.symbol}"
    _row(page, "made", made.replace("again and again, ", "again and again: "))
    if entry.shares is not None:
        _row(page, "pool", f"that of {entry.shares.path}:{entry.shares.line}")
    else:
        _row(page, "pool", _listed(entry.pool, entry))
    if entry.shared_by:
        _row(page, "shared by", ", ".join(f"{spot.path}:{spot.line}" for spot in entry.shared_by))
    _row(page, "timeouts", _listed(entry.timeouts, entry))
    _row(page, "retry", _listed(entry.retry, entry))
    _row(page, "used by", _used(entry))
    for user in entry.use.users[:_USERS]:
        inside = ", ".join(user.symbols[:3]) + (", …" if len(user.symbols) > 3 else "")
        _row(page, "", f"{user.path}: {user.call_sites:,} in {inside}")
    if len(entry.use.users) > _USERS:
        _row(page, "", f"and {_count(len(entry.use.users) - _USERS, 'more file')}")


def _row(page: Page, label: str, text: str) -> None:
    if text:
        page.add((f"    {label:<{_LABEL}}", "faint"), (escape(text), ""))


def _listed(settings: Sequence[Setting], entry: ClientEntry) -> str:
    return "; ".join(_setting(setting, entry) for setting in settings)


def _setting(setting: Setting, entry: ClientEntry) -> str:
    where = ""
    if setting.origin is Origin.DEFAULT:
        where = " by default"
    elif setting.origin is Origin.CONFIGURATION:
        where = " (set in the configuration)"
    elif setting.spot is not None and entry.spot is not None and setting.spot.path == entry.spot.path:
        # That it is set in the call itself goes without saying.
        where = f" (line {setting.spot.line})" if setting.spot.line != entry.spot.line else ""
    elif setting.spot is not None:
        where = f" ({setting.spot.path}:{setting.spot.line})"
    return f"{setting.option} {setting.text}{where}"


def _used(entry: ClientEntry) -> str:
    if not entry.use.call_sites:
        return "no command that could be traced to it" if not entry.shared_by else ""
    named = [f"{command} {count:,}" for command, count in list(entry.use.commands.items())[:_COMMANDS]]
    left = len(entry.use.commands) - len(named)
    more = f", and {left:,} more" if left else ""
    return f"{_count(entry.use.call_sites, 'call site')}: {', '.join(named)}{more}"


def _place(spot: Spot) -> str:
    # As in the report: never so that a CI runner takes it for one of its commands.
    shown = escape(spot.path)
    return f"{'./' if shown.startswith(('::', '##[')) else ''}{shown}:{spot.line}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
