"""Changes after which findings of some fixtures are lost or new today, and why: each of these is a defect."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """One cause, and the fixtures that show it."""

    changes: tuple[str, ...]
    cause: str
    fixtures: tuple[str, ...]


KNOWN = (
    Known(
        ("rename-fields", "rename-locals"),
        "of a client that a foreign method hands to a function nothing but the name of the parameter says what it is",
        ("hgetall-large-hash/kotlin/bad_command_lambda_of_a_foreign_api.kt",),
    ),
    Known(
        ("make-in-helper",),
        "a `while` loop repeats what it makes itself, but not what a function makes that it calls",
        (
            "connection-per-command/java/bad_client_inside_data_loop.java",
            "missing-backoff/kotlin/ok_backoff_elsewhere",
        ),
    ),
    Known(
        ("make-in-helper",),
        "RL106 yields to RL101 at the same call only, not where a helper makes the client",
        (
            "blocking-timeout/kotlin/bad_client_by_branch.kt",
            "connection-per-command/javascript/bad_serial_line.js",
            "connection-leak/typescript/bad_object_of_each_request.ts",
        ),
    ),
    Known(
        ("make-in-helper",),
        "RL106 looks whether callers say the address only where the function itself makes the client",
        ("blocking-timeout/kotlin/bad_callback_gets_client.kt",),
    ),
    Known(
        ("make-in-helper",),
        "a loop does not count that is three calls away from where the client is made",
        ("connection-per-command/typescript/bad_promise_all_over_ids.ts",),
    ),
    Known(
        ("make-in-helper",),
        "private methods of an RPC service count as methods that callers run",
        ("connection-per-command/java/ok_rpc_service_constructor.java",),
    ),
    Known(
        ("make-in-helper",),
        "a delay that is a parameter of the function which sets it is not followed to the caller",
        ("missing-backoff/java/bad_lettuce_constant_reconnect_delay.java",),
    ),
    Known(
        ("wrap-in-block",),
        "RL202 does not see a command in a `run` block of a function that is handed to a loop by name",
        ("dangerous-command/kotlin/bad_flush_in_listener.kt",),
    ),
    Known(
        ("make-in-helper",),
        "RL101 knows what is kept until it is lost (`!client.isReady`) only where the function itself makes the client",
        ("connection-leak/javascript/ok_closed_before_the_next.js",),
    ),
    Known(
        ("wrap-module",),
        "a function that a module hands out from inside another function is reported itself, not those that call it",
        ("unbounded-read/javascript/bad_one_record_for_each_process",),
    ),
)

WITHOUT_LIBRARY = frozenset(
    {
        "blocking-timeout/python/bad_decorator_passes_client.py",
        "blocking-timeout/python/bad_lambda_typed_by_callable.py",
        "blocking-timeout/typescript/bad_lambda_for_declared_function",
        "blocking-timeout/typescript/bad_method_decorator_passes_client.ts",
        "blocking-timeout/typescript/bad_mixin_in_another_file",
        "keys-command/javascript/bad_pool_with_callbacks.js",
        "keys-command/python/bad_maker_that_is_not_there",
        "unbounded-read/javascript/bad_clients_known_by_use",
        "unbounded-read/python/bad_client_known_by_use.py",
        "unbounded-read/typescript/bad_interface_of_a_client.ts",
    }
)
"""Fixtures of which commands alone say that they use Redis: nobody is seen to make their clients."""


def known(fixture: str, change: str) -> Known | None:
    """Why a fixture does not stand a change, if that is known."""
    return next((each for each in KNOWN if change in each.changes and fixture in each.fixtures), None)
