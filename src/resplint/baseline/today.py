"""Which day it is: the one question whose answer is not in the files."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping

from resplint.contracts.errors import UserError

_VARIABLE = "SOURCE_DATE_EPOCH"


def current_date(environment: Mapping[str, str] = os.environ) -> datetime.date:
    """The current day in UTC, so that it is the same on all machines; that of ``SOURCE_DATE_EPOCH`` (seconds since
    1970) if it is set, so that a scan can be repeated. Raises `UserError`.
    """
    given = environment.get(_VARIABLE)
    if not given:
        return datetime.datetime.now(datetime.timezone.utc).date()
    try:
        return datetime.datetime.fromtimestamp(int(given), datetime.timezone.utc).date()
    except (ValueError, OverflowError, OSError) as error:
        raise UserError(f"{_VARIABLE}={given[:40]!r}: expected a number of seconds since 1970.") from error
