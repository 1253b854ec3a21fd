"""How tests are distinguished from other code: by the names of folders and files, in every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

TEST_FOLDERS = frozenset({
    "tests", "test", "testing", "testings", "__tests__", "spec", "unittests", "unit_tests", "integration_tests", "e2e",
    "functional_tests", "__mocks__", "integrationTest", "functionalTest", "androidTest", "testFixtures", "benchmarks",
    "benchmark", "jmh",
})  # fmt: skip
"""Folders that hold tests or benchmarks, in every language (Java's `src/test/` is one of them)."""


def _test_and_spec(*suffixes: str) -> tuple[str, ...]:
    return tuple(
        f"*{dot}{kind}.{suffix}" for dot, kind in ((".", "test"), (".", "spec"), ("_", "test")) for suffix in suffixes
    )


_TEST_NAMES: Mapping[str, tuple[str, ...]] = {
    "python": ("test_*.py", "*_test.py", "test.py", "tests.py", "conftest.py"),
    "java": ("*Test.java", "*Tests.java", "*IT.java"),
    "kotlin": ("*Test.kt", "*Tests.kt"),
    "javascript": _test_and_spec("js", "jsx", "mjs", "cjs"),
    "typescript": (*_test_and_spec("ts", "tsx", "mts", "cts"), "*.test-d.ts", "*.test-d.tsx"),  # those of tsd
    "Go": ("*_test.go",),
    "PHP": ("*Test.php", "*Cest.php"),
    "Ruby": ("*_spec.rb", "*_test.rb"),
    "C#": ("*Test.cs", "*Tests.cs"),
    "Rust": ("tests.rs", "*_test.rs"),
    "Scala": ("*Test.scala", "*Spec.scala", "*Suite.scala"),
    "Groovy": ("*Test.groovy", "*Spec.groovy"),
    "Elixir": ("*_test.exs",),
    "Dart": ("*_test.dart",),
    "C++": ("*_test.cc", "*_test.cpp"),
}
"""For each language, how the names of test files look."""

_MOSTLY_TESTS = 2 / 3
"""Share of tests among the modules of a folder from which on the others are there to help them."""


def is_test_name(name: str, language: str) -> bool:
    """Whether a file of this name is a test."""
    names = _NAMES.get(language)
    return names is not None and names.hold(name)


def holds_tests(names: Set[str]) -> bool:
    """Whether a folder with these files is there for tests, whatever its name: pytest's own, few modules beside."""
    if "conftest.py" not in names:
        return False
    modules = [name for name in names if name.endswith(".py") and not name.startswith("__")]
    tests = sum(is_test_name(name, "python") for name in modules)
    return tests >= _MOSTLY_TESTS * len(modules)


class _Names:
    """Patterns of names with one star at most, which every file of a tree is compared with."""

    def __init__(self, patterns: Sequence[str]) -> None:
        parted = [pattern.partition("*") for pattern in patterns]
        self._whole = frozenset(name for name, star, _ in parted if not star)
        self._endings = tuple(end for begin, star, end in parted if star and not begin)
        self._begun = tuple((begin, end) for begin, star, end in parted if star and begin)

    def hold(self, name: str) -> bool:
        if name.endswith(self._endings) or name in self._whole:
            return True
        return any(name.startswith(begin) and name[len(begin) :].endswith(end) for begin, end in self._begun)


_NAMES = {language: _Names(patterns) for language, patterns in _TEST_NAMES.items()}
