"""The page of how much of the Redis work in unknown code is traced agrees with its file, and the file with itself."""

from __future__ import annotations

import hashlib
from collections import Counter

import traced_sites


def test_the_page_is_what_the_file_says() -> None:
    repositories, struck = traced_sites.read(traced_sites.SITES.read_text(encoding="utf-8"))
    assert traced_sites.PAGE.read_text(encoding="utf-8") == traced_sites.render(repositories, struck)


def test_only_sites_that_are_not_traced_are_struck_and_each_once() -> None:
    repositories, struck = traced_sites.read(traced_sites.SITES.read_text(encoding="utf-8"))
    left = {
        (one.repository, language): count - one.traced.get(language, 0)
        for one in repositories
        for language, count in one.sites.items()
    }
    for place, count in Counter((one.repository, one.language) for one in struck).items():
        assert count <= left[place], place
    assert all(one.reason and one.line > 0 for one in struck)
    assert len({one.repository for one in repositories}) == len(repositories)


def test_repositories_were_chosen_by_their_names_alone() -> None:
    repositories, _ = traced_sites.read(traced_sites.SITES.read_text(encoding="utf-8"))
    digests = (hashlib.sha256(one.repository.encode()).hexdigest() for one in repositories)
    assert all(int(digest[-1], 16) % 2 == 0 for digest in digests)


def test_shares_before_and_after_strikes() -> None:
    one = traced_sites.Repository("a/b", "0" * 40, {"java": 4, "python": 2}, {"java": 3, "python": 2})
    gone = traced_sites.Struck("a/b", "A.java", 3, "java", "not Redis")
    page = traced_sites.render([one], [gone])
    assert "| Java | 1 | 4 | 3 | 0.750 | 1 | 1.000 |" in page
    assert "| All | 1 | 6 | 5 | 0.833 | 1 | 1.000 |" in page
    assert "| not Redis | 1 | 1 |" in page
