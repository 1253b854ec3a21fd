"""RL602: a password of a Redis server is written into the code or a settings file."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.model.project import Project
from resplint.redis.credentials.secrets import Secret

RULE = "RL602"


def check(project: Project) -> Iterator[Finding]:
    """Report passwords that are written out for a server on another machine, without showing them."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other clients are fine."""
    seen: set[Place] = set()
    users = set()
    for secret in project.secrets.passwords():
        users.add(secret.user)
        place = secret.place or project.place(secret.ref or secret.user)
        if place not in seen:
            seen.add(place)
            yield _finding(project, secret, place)
    for value in project.made:
        if value.made is not None and value.made not in users:
            yield Silence(RULE, project.place(value.made), "No password that is written out is known to come to it.")


def _finding(project: Project, secret: Secret, place: Place) -> Finding:
    user = project.callee_name(secret.user)
    if secret.said is not None:
        profile = f" for the profile `{secret.said.profile}`" if secret.said.profile else ""
        where = f"This setting holds the password of Redis{profile} as plain text"
    elif not secret.sure:
        where = f"If nothing else is set, the password of `{user}` is one that stands in the code"
    else:
        where = f"The {'address' if secret.in_url else 'password'} of `{user}` is written into the code" + (
            ", with the password in it" if secret.in_url else ""
        )
    message = (
        f"{where}: whoever can read the repository, a copy of it or an image can read and change all data, and the "
        "password stays in the history."
    )
    trail: tuple[Step, ...] = (Step(place, "the password stands here"),)
    if not secret.by_key:
        trail = (project.step(secret.user, f"`{user}` connects with it"), *trail)
    precision = Precision.HIGH if secret.sure or secret.likely else Precision.LOW
    symbol = project.symbol(secret.ref) if secret.ref is not None else ""
    help_ = "Read it from the environment or a secret store, and change the password on the server."
    return Finding(RULE, Level.WARNING, precision, message, place, trail, symbol, help=help_, is_secret=True)
