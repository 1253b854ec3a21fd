"""Reading a git repository without trusting it.

Only plumbing that looks at commits and objects is called: nothing that touches the index or the work tree, so that no
hook, file system monitor, filter, text conversion or external diff has a part in it. What a repository's configuration
could still run is switched off, objects that are missing are never fetched, and what the environment says about
repositories is not passed on. Whether git trusts the owner of the repository stays git's own decision.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO

import msgspec

from resplint.contracts.errors import UserError
from resplint.diff_base.process_output import Output
from resplint.discovery.gitignore import enclosing_repository
from resplint.files.regular_files import is_inside, shown

_SWITCHED_OFF = (
    "core.fsmonitor=", f"core.hooksPath={os.devnull}", "core.pager=cat", "core.askPass=", "core.alternateRefsCommand=",
    "protocol.allow=never", "safe.bareRepository=explicit",
)  # fmt: skip
_KEPT = re.compile(r"GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)")
"""Of the variables that git reads, those in which users and CI systems say which folders are safe."""
_SET = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # Stronger than any configuration, and obeyed by versions that do not know GIT_NO_LAZY_FETCH: no transport at all.
    "GIT_ALLOW_PROTOCOL": "none",
}
_SHORTER = re.compile(rb"has only (\d{1,12}) lines?")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
MOST_FILES = 2_000_000
"""Files of a commit."""
MOST_BYTES = 4_000_000_000
"""What may be written of a commit; it is compared as files."""
_MOST_LISTED = 500_000_000
_LONGEST_NAME = 1 << 20
_LONGEST_S = 1_800
_PATIENCE_S = 60
"""What takes git a moment, and a few seconds where there are a million files; it waits forever for a pipe in .git."""
_FETCH_ALL = (
    "the clone is shallow: fetch the whole history (with actions/checkout: 'fetch-depth: 0'; by hand: "
    "git fetch --unshallow)"
)


class TreeFile(msgspec.Struct, frozen=True):
    """A file of a commit. `path` is relative to the top of the repository, as `os.fsdecode` has it."""

    path: str
    mode: str
    object_id: str

    @property
    def is_link(self) -> bool:
        """Whether the content is where a symbolic link leads to."""
        return self.mode == "120000"


class LastChange(msgspec.Struct, frozen=True):
    """Who changed a line last: as the commit has it, `time` in seconds since 1970."""

    commit: str
    author: str
    time: int


class Repository:
    """A repository whose work tree is the folder `top` (absolute, resolved)."""

    def __init__(self, top: str, program: str) -> None:
        self.top = top
        self._program = program

    @classmethod
    def around(cls, folder: str) -> Repository:
        """The repository that `folder` (absolute, resolved) is in. Raises `UserError` if git reads none there."""
        top = enclosing_repository(folder)
        if top is None:
            raise UserError(f"{shown(folder)}: is in no git repository, so there is nothing to compare it with.")
        repository = cls(top, _program(top, os.environ))
        # An unusable .git makes git look further up: then it is not this one.
        if repository._run("rev-parse", "--show-prefix").strip(b"\n"):
            raise UserError(f"{shown(top)}: is no git repository: what is called .git there is none.")
        return repository

    def commit(self, ref: str) -> str:
        """The hash of the commit that a branch, tag or other revision stands for. Raises `UserError`."""
        # A revision may hold blanks (":/fixed a bug"), but nothing that git could take for an option or a second line.
        if not ref or ref.startswith("-") or not ref.isprintable():
            raise UserError(f"{ref[:80]!r} is no revision: give a branch, tag or commit, such as 'origin/main'.")
        named = self._answer("rev-parse", "--verify", "--quiet", ref)
        # In two steps, as what follows ":/fixed a bug" would belong to the text that is looked for.
        found = self._answer("rev-parse", "--verify", "--quiet", f"{named}^{{commit}}") if named else None
        if found is None or not _HASH.fullmatch(found):
            remedy = _FETCH_ALL if self._is_shallow() else "give a branch, tag or commit, and fetch it first"
            raise UserError(f"{shown(ref)!r}: no such commit in the repository {shown(self.top)}; {remedy}.")
        return found

    def merge_base(self, ref: str) -> str:
        """The commit at which `ref` and HEAD went separate ways. Raises `UserError`."""
        other = self.commit(ref)
        head = self._answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if head is None:
            raise UserError(f"{shown(self.top)}: the repository has no commit yet, so everything is new.")
        base = self._answer("merge-base", other, head)
        if base is None or not _HASH.fullmatch(base):
            remedy = _FETCH_ALL if self._is_shallow() else "choose a revision that HEAD descends from"
            raise UserError(f"{shown(ref)!r} and HEAD have no commit in common; {remedy}.")
        return base

    def files(self, commit: str) -> list[TreeFile]:
        """All files and links of a commit; submodules are left out. Raises `UserError` if there are too many."""
        found = []
        for record in self._records("ls-tree", "-r", "-z", "--full-tree", commit):
            # <mode> SP <type> SP <object> TAB <path>
            head, tab, path = record.partition(b"\t")
            parts = head.split(b" ")
            if tab and len(parts) == 3 and parts[1] == b"blob":
                mode, _, object_id = (part.decode("ascii") for part in parts)
                found.append(TreeFile(os.fsdecode(path), sys.intern(mode), object_id))
            if len(found) > MOST_FILES:
                raise self._too_much(f"{MOST_FILES:,} files")
        return found

    def last_changes(self, path: str, lines: Sequence[int], seconds: float) -> dict[int, LastChange]:
        """Who changed lines (from 1) of a file last, as HEAD has it; empty if it has no such file or lines.

        Raises `TimeoutError` if git needs more than `seconds`.
        """
        if not lines or not path.isprintable() or os.path.isabs(path) or ".." in path.split("/"):
            return {}
        ranges = [f"-L{line},{line}" for line in sorted(set(lines))]
        options = ["--porcelain", "--no-textconv", "--no-ext-diff", *ranges]
        with self._start("blame", *options, "HEAD", "--", path, stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                raise TimeoutError from None
        if process.returncode == 0:
            return _blamed(output)
        shorter = _SHORTER.search(errors)
        known = [line for line in lines if line <= int(shorter[1])] if shorter else []
        return self.last_changes(path, known, seconds) if len(known) < len(lines) else {}

    def contents(self, object_ids: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        """Each object with its content, once, but for those of more than `limit` bytes. Raises `UserError` if objects
        are missing, or if so many bytes would have to be written that it is no use.
        """
        # Sizes first: git would begin to send what is too large, and all of it would have to be read.
        times = Counter(object_ids)
        sizes = {each: size for each, size in self._sizes(list(times)) if size <= limit}
        if sum(size * times[each] for each, size in sizes.items()) > MOST_BYTES:
            raise self._too_much(f"{MOST_BYTES / 1e9:g} GB")
        with self._asked("cat-file", "--batch", about=list(sizes)) as output:
            for each, size in sizes.items():
                if self._size(output) != size:
                    raise self._incomplete()
                data = output.exactly(size)
                if len(data) < size:
                    raise self._incomplete()
                output.exactly(1)  # the line end behind the content
                yield each, data

    def _sizes(self, object_ids: Sequence[str]) -> Iterator[tuple[str, int]]:
        with self._asked("cat-file", "--batch-check", about=object_ids) as output:
            for each in object_ids:
                yield each, self._size(output)

    def _size(self, output: Output) -> int:
        head = output.line().split()
        if len(head) != 3 or head[1] != b"blob":
            raise self._incomplete()
        return int(head[2])

    @contextlib.contextmanager
    def _asked(self, *arguments: str, about: Sequence[str]) -> Iterator[Output]:
        """The output of git, asked about objects."""
        # From a file, not a pipe: git may begin to answer, and wait for us to read, before it has read everything.
        with tempfile.TemporaryFile() as wanted:
            wanted.write("".join(f"{each}\n" for each in about).encode("ascii"))
            wanted.seek(0)
            process = self._start(*arguments, stdin=wanted)
            with self._patiently(arguments[0]), Output(process, _PATIENCE_S, _LONGEST_S) as output:
                yield output

    def _records(self, *arguments: str) -> Iterator[bytes]:
        """What git prints, cut at each zero byte."""
        size, rest = 0, b""
        process = self._start(*arguments, stderr=subprocess.PIPE)
        with self._patiently(arguments[0]), Output(process, _PATIENCE_S, _LONGEST_S) as output:
            for chunk in output.chunks():
                *records, rest = (rest + chunk).split(b"\0")
                size += len(chunk)
                if size > _MOST_LISTED or len(rest) > _LONGEST_NAME:
                    raise self._too_much(f"{_MOST_LISTED / 1e6:g} MB of names")
                yield from records
            if output.status():
                raise _failure(output.errors(), self.top, arguments[0])

    @contextlib.contextmanager
    def _patiently(self, command: str) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise UserError(
                f"{shown(self.top)}: git {command} gave no answer within {_PATIENCE_S} s, or not all of it within "
                f"{_LONGEST_S} s: look what is wrong with the repository (git fsck)."
            ) from None

    def _too_much(self, what: str) -> UserError:
        return UserError(
            f"{shown(self.top)}: the commit to compare with holds more than {what}: compare with another one, or use a "
            "baseline."
        )

    def _incomplete(self) -> UserError:
        return UserError(
            f"{shown(self.top)}: the repository does not hold all files of the commit to compare with (a partial "
            "clone?): fetch them first, for example with 'git fetch --refetch --no-filter'."
        )

    def _is_shallow(self) -> bool:
        return self._answer("rev-parse", "--is-shallow-repository") == "true"

    def _answer(self, *arguments: str) -> str | None:
        """The one line that git prints; None if it fails, which is then an answer as well."""
        done = self._finished(*arguments)
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None

    def _run(self, *arguments: str) -> bytes:
        done = self._finished(*arguments)
        if done.returncode:
            raise _failure(done.stderr, self.top, arguments[0])
        return done.stdout

    def _finished(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        with self._start(*arguments, stderr=subprocess.PIPE) as process:
            try:
                stdout, stderr = process.communicate(timeout=_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise UserError(
                    f"{shown(self.top)}: git {arguments[0]} gave no answer within {_PATIENCE_S} s: "
                    "look what is wrong with the repository (git fsck)."
                ) from None
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    def _start(
        self, *arguments: str, stdin: IO[bytes] | int = subprocess.DEVNULL, stderr: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        settings = [part for setting in _SWITCHED_OFF for part in ("-c", setting)]
        command = [self._program, "-C", self.top, "--no-pager", "--no-optional-locks", *settings, *arguments]
        try:
            return subprocess.Popen(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=_environment(os.environ)
            )
        except OSError as error:
            raise UserError(f"git cannot be started: {error.strerror}.") from error


def _blamed(output: bytes) -> dict[int, LastChange]:
    """What `git blame --porcelain` says: of each commit its facts, at the first of its lines."""
    found: dict[int, str] = {}
    facts: dict[str, dict[str, str]] = {}
    commit = ""
    for raw in output.split(b"\n"):
        if raw.startswith(b"\t"):  # the line itself
            continue
        key, _, rest = raw.decode("utf-8", "replace").partition(" ")
        if _HASH.fullmatch(key):
            commit = key
            found[int(rest.split(" ")[1])] = commit
        elif commit:
            facts.setdefault(commit, {})[key] = rest
    return {
        line: LastChange(each, facts[each].get("author", ""), int(facts[each].get("author-time", "0") or 0))
        for line, each in found.items()
    }


def _program(top: str, environment: Mapping[str, str]) -> str:
    """The git that the user has installed; never one that lies in the repository or the current folder."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    trusted = [each for each in folders if os.path.isabs(each) and not is_inside(os.path.realpath(each), top)]
    program = shutil.which("git", path=os.pathsep.join(trusted)) if trusted else None
    if program is None or is_inside(os.path.realpath(program), top):
        raise UserError("git was not found: to compare with a revision, install it and put it on the PATH.")
    return program


def _environment(inherited: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in inherited.items() if not key.startswith("GIT_") or _KEPT.fullmatch(key)}
    return {**kept, **_SET}


def _failure(stderr: bytes, top: str, command: str) -> UserError:
    text = stderr.decode("utf-8", "replace")
    if "dubious ownership" in text or "safe.directory" in text:
        return UserError(
            f"{shown(top)}: belongs to another user, so git does not read it: if you trust it, "
            f"git config --global --add safe.directory {shown(top)}"
        )
    lines: Iterable[str] = (line for line in text.splitlines() if line.strip())
    return UserError(f"{shown(top)}: git {command} failed: {shown(next(iter(lines), 'without a word'))}")
