"""What holds for all tests: results are kept between runs in a folder of each test's own, never in the user's.

Processes that tests start may keep their bytecode, whatever the environment says: compiling resplint takes longer than
what most of them are started for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

_numbers = itertools.count()


def _set(patch: pytest.MonkeyPatch, factory: pytest.TempPathFactory) -> None:
    # The folder is made by whoever needs it first.
    patch.setenv("RESPLINT_CACHE_DIR", str(factory.getbasetemp() / "caches" / str(next(_numbers))))
    patch.setenv("RESPLINT_CACHE_KEY", "a secret of the tests")
    patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


@pytest.fixture(autouse=True, scope="session")
def cache_of_larger_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For fixtures that several tests share."""
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, tmp_path_factory)
        yield


@pytest.fixture(autouse=True)
def own_cache(cache_of_larger_fixtures: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One test never sees what another one found."""
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, tmp_path_factory)
        yield
