"""What calls of foreign methods give."""

from __future__ import annotations

from resplint.knowledge.chains import Chains
from resplint.knowledge.records.role_records import RolePattern, Roles

ROLES = Roles(
    role=(
        RolePattern(role="handler", registrars=("web.App.get", "web.App.route.get"), fluent=True),
        RolePattern(role="handler", registrars=("queue.process",)),
        RolePattern(role="startup", registrars=("line.command.action",)),
    ),
    fluent=("line.command", "web.App.set"),
)


def test_a_fluent_method_gives_its_object() -> None:
    chains = Chains(ROLES)
    assert chains.given("web.App().get") == ("web.App()",)
    assert chains.given("web.App().route().get") == ("web.App().route()",)
    assert chains.given("web.App().set") == ("web.App()",)


def test_other_calls_are_spelled() -> None:
    chains = Chains(ROLES)
    assert chains.given("web.App") == ("web.App()",)
    assert chains.given("queue.process") == ("queue.process()",)
    assert chains.given("web.App().get()") == ("web.App().get()()",)


def test_a_fluent_method_whose_result_is_known_gives_both() -> None:
    assert Chains(ROLES).given("line.command") == ("line", "line.command()")


def test_names_of_fluent_methods() -> None:
    chains = Chains(ROLES)
    assert chains.may_return_itself("get")
    assert not chains.may_return_itself("process")
