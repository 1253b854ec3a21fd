"""RL601: the certificate of a Redis server is not checked."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.credentials.secrets import Unchecked

RULE = "RL601"


def check(project: Project) -> Iterator[Finding]:
    """Report clients of servers on other machines whose TLS takes any certificate."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other clients are fine."""
    users = set()
    for one in project.secrets.unchecked():
        if one.user.made is not None:
            users.add(one.user.made)
            yield _finding(project, one)
    for value in project.made:
        if value.made is not None and value.made not in users:
            yield Silence(RULE, project.place(value.made), "Nothing is known to switch the check of certificates off.")


def _finding(project: Project, one: Unchecked) -> Finding:
    assert one.user.made is not None
    name = project.callee_name(one.user.made)
    takes = "takes" if one.sure else "may take"
    message = (
        f"`{name}` {takes} any certificate (`{one.name}`): whoever stands between can pose as the server, read the "
        "password and all data, and answer with data of their own."
    )
    if one.opt_in:
        message += " That takes a setting which is off by default."
    place = one.ref or one.user.made
    trail = [project.step(one.user.made, f"`{name}` connects")]
    if one.ref is not None:
        trail.append(project.step(one.ref, f"`{one.name}` switches the check off"))
    authority = project.catalogue.advice(one.user.origin.library).own_authority
    help_ = "Leave the check on" + (
        f"; if an authority of your own has signed the server's certificate, {authority}." if authority else "."
    )
    at, symbol = project.place(place), project.symbol(place)
    level = Level.NOTE if one.opt_in else Level.WARNING
    return Finding(RULE, level, Precision.HIGH, message, at, tuple(trail), symbol, help=help_)
