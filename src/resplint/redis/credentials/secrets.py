"""How a client shows who it is and finds out who the server is: passwords that are written down, certificates that
nobody checks, and whether the server is on the same machine.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import (
    CollectionValue,
    Const,
    External,
    Frame,
    Instance,
    LibraryObject,
    ParameterValue,
    Ref,
    Text,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Place
from resplint.flow.graph import Graph
from resplint.redis.credentials.composed_addresses import composed
from resplint.redis.credentials.credentials import (
    host_of,
    is_hard_to_guess,
    is_local,
    is_local_list,
    is_local_url,
    is_password,
    is_public,
    is_real,
    password_of,
)
from resplint.redis.credentials.written_settings import is_beside_local, passwords_of_beans, written_passwords
from resplint.redis.options.arguments import Option
from resplint.redis.options.options import Options
from resplint.redis.options.said import SettingValue
from resplint.redis.usage import CommandSite, Usage

_SCHEMES = ("redis://", "rediss://", "valkey://", "valkeys://", "redis-socket://", "redis-sentinel://")
_AUTH = "AUTH"


@dataclass(frozen=True, slots=True)
class Secret:
    """A password that is written down. `ref` is the text in the code, or `said` the line of a settings file; `user` is
    what connects with it. `sure` says that nothing else may be used instead; `in_url` that it is a part of an address;
    `likely` that it is more than what developers use: it is hard to guess, or an address outside the local network is
    written down with it; `by_key` that the key of the setting says what it is for, and `user` is just some client.
    """

    user: Ref
    ref: Ref | None
    said: SettingValue | None = None
    sure: bool = True
    in_url: bool = False
    likely: bool = False
    by_key: bool = False

    @property
    def place(self) -> Place | None:
        """Where it stands in a settings file."""
        return self.said.place if self.said is not None else None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A certificate that is not checked: what connects, and the option that says so."""

    user: LibraryObject
    name: str
    ref: Ref | None
    sure: bool
    opt_in: bool = False
    """Whether only a setting that nobody has by default leaves it unchecked."""


class Secrets:
    """Looks at everything that connects."""

    def __init__(self, evaluator: Graph, usage: Usage, options: Options) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options

    def passwords(self) -> Iterator[Secret]:
        """Every password that is written down for a server on another machine."""
        for value in self._usage.made:
            if not self._is_local(value):
                yield from self._known_to(value)
            else:
                yield from self._handed_in(value)
        asked: set[tuple[LibraryObject, int]] = set()
        for site in self._usage.commands:
            if site.command == _AUTH and not self._is_local(site.receiver):
                yield from self._sent(site)
            if site.receiver.origin.type.ambient_options and (site.receiver, site.file) not in asked:
                asked.add((site.receiver, site.file))
                yield from self._in_settings(site)
        yield from self._by_key()

    def _known_to(self, value: LibraryObject) -> Iterator[Secret]:
        """The passwords that are written down for something that connects."""
        if value.made is None:
            return
        for role in ("password", "url"):
            for option in self._given(value, role):
                found = self._literals(option.values, option.ref)
                others = [one for one in option.values if one not in found and not _is_empty(one)]
                made = len(option.values) == 1  # RedisPassword.of("…")
                sure, hosts = not others or made, self._hosts(value)
                yield from self._of(value.made, found, sure, role == "url", hosts)
                defaults = self._defaults(option.values)
                yield from self._of(value.made, defaults, False, role == "url", hosts)
                yield from self._filled_in(value.made, option.values, role == "url")
        yield from self._in_addresses(value)
        yield from self._composed(value.made, dict.fromkeys(self._addresses(value)))

    def _handed_in(self, value: LibraryObject) -> Iterator[Secret]:
        """The passwords that single calls hand to the function or class that connects, beside the name of another
        machine: ``Store("10.1.4.8", password)``, while others hand in the local one.
        """
        for frames in self._entered(value):
            with self._ev.under(frames):
                found = list(self._known_to(value)) if not self._is_local(value) else []
            yield from found

    def _entered(self, value: LibraryObject) -> list[tuple[Frame, ...]]:
        """The calls that decide what a client connects to: each of those that make the object around it, or that run
        the function around it.
        """
        if value.made is None or value.via or value.subclass is not None:
            return []
        index = self._ev.store.files[value.made[0]]
        scope = index.function_of(index.facts.exprs[value.made[1]].block) if value.made[1] >= 0 else 0
        owner = index.class_of(scope) if scope else NONE
        if owner != NONE:
            makers = self._ev.callers.of_class(index.number, owner)
            return [(Instance(index.number, owner, one.ref), one.ref) for one in makers]
        return [(one.ref,) for one in self._ev.callers.of(index.number, scope)] if scope else []

    def unchecked(self) -> Iterator[Unchecked]:
        """Every client that does not check the certificate of a server on another machine."""
        for value in self._usage.made:
            for option in self._given(value, "peer_check"):
                assert option.model is not None
                off = [one for one in option.values if _spelled(one) in {text.lower() for text in option.model.off}]
                if off and not self._is_local(value):
                    sure = len(off) == len(option.values)
                    there = self._ev.values(*option.ref) if option.ref is not None and not sure else ()
                    opt_in = bool(there) and all(one in off for one in there)
                    opt_in = opt_in and option.ref is not None and self._is_opt_in(option.ref)
                    yield Unchecked(value, option.model.name, option.ref, sure, opt_in)
                    break

    def _is_opt_in(self, ref: Ref) -> bool:
        """Whether a place is only reached where a setting has another text than the one that it has by default:
        ``if os.environ.get("UNCHECKED", "false") == "true":``.
        """
        index = self._ev.store.files[ref[0]]
        exprs = index.facts.exprs
        for number in index.enclosing_blocks(exprs[ref[1]].block):
            block = index.facts.blocks[number]
            if block.kind == "else":
                return False
            if block.kind != "if" or block.head == NONE:
                continue
            head, asked = block.head, exprs[block.head]
            if isinstance(asked, facts.Name):
                bindings = [
                    one
                    for one in index.bindings_by_name.get(asked.name, ())
                    if one.scope == index.owner(asked.name, index.scope_of(asked.block))
                ]
                if len(bindings) != 1 or bindings[0].kind != "assign":
                    return False
                head = bindings[0].value
                asked = exprs[head] if head != NONE else asked
            if isinstance(asked, facts.Operation) and asked.operator in ("==", "===") and len(asked.operands) == 2:
                wanted = exprs[asked.operands[1]]
                return isinstance(wanted, facts.Literal) and self._is_other_by_default(index, asked.operands[0], wanted)
            return False
        return False

    def _is_other_by_default(self, index: FileIndex, number: int, wanted: facts.Literal) -> bool:
        """Whether an expression looks up one setting, whose default is written there and is not the text wanted."""
        exprs = index.facts.exprs
        for part in parts(exprs, number):
            call = exprs[part]
            if isinstance(call, facts.Call) and len(call.arguments) == 2:
                dotted = self._ev.binder.dotted(index.number, call.callee)
                given = exprs[call.arguments[1].value]
                if dotted in self._ev.roles(index.number).configuration and isinstance(given, facts.Literal):
                    return str(given.value).lower() != str(wanted.value).lower()
        return False

    def _given(self, value: LibraryObject, role: str) -> list[Option]:
        """The options with a role that are set for an object, on it or on what configures it."""
        nearest = self._options.find(value, role)
        found = [nearest] if nearest is not None else []
        found += self._options.every(value, (role,))
        known = {one.ref: one for one in found if one.given and one.model is not None}
        return [self._told_apart(one) for one in known.values()]

    def _told_apart(self, option: Option) -> Option:
        """An option without the values that a function gives back to other calls than the one it is set by."""
        if option.ref is None or option.ref[1] < 0:
            return option
        own = self._ev.told_apart(*option.ref)
        kept = [place for place, one in enumerate(option.values) if not isinstance(one, Const) or one in own]
        if not any(option.values[place] in own for place in kept):
            return option
        said = tuple(option.said[place] for place in kept) if len(option.said) == len(option.values) else option.said
        return replace(option, values=tuple(option.values[place] for place in kept), said=said)

    # -- passwords -----------------------------------------------------------------------------------------------------

    def _of(
        self, user: Ref, found: list[Const], sure: bool, in_url: bool, hosts: Sequence[str] = ()
    ) -> Iterator[Secret]:
        for value in found:
            text = str(value.value)
            if in_url:
                if is_local_url(text):
                    continue
                hosts = [host_of(text)]
                text = password_of(text)
            if is_password(text, any(map(is_real, hosts))):
                likely = any(map(is_public, hosts)) or is_hard_to_guess(text)
                yield Secret(user, value.ref, None, sure, in_url, likely)

    def _filled_in(self, user: Ref, values: tuple[Value, ...], in_url: bool) -> Iterator[Secret]:
        """Passwords that a framework takes from a settings file: ``@Value("${redis.password}") String password``."""
        for value in values:
            for path, key in self._settings_of(value):
                application = self._options.ambient.application
                for one in application.said(path, key) if key else ():
                    if is_beside_local(one, application.every(path)):
                        continue
                    text = one.text or ""
                    secret = password_of(text) if in_url else text
                    local = in_url and is_local_url(text)
                    if not one.refers and not local and is_password(secret):
                        yield Secret(user, None, one, True, in_url)

    def _settings_of(self, value: Value) -> Iterator[tuple[str, str]]:
        """The settings that fill in a value: the file of code that they hold for, and their keys."""
        if isinstance(value, ParameterValue):
            yield self._ev.store.files[value.file].facts.path, self._key_of_field(value)
        call = self._ev.store.expr(value.ref) if isinstance(value, Const) and value.ref[1] >= 0 else None
        if isinstance(value, Const) and isinstance(call, facts.Call):
            for item in call.arguments:
                for one in self._ev.values(value.ref[0], item.value):
                    yield self._ev.store.files[value.ref[0]].facts.path, _key(one)

    def _in_addresses(self, value: LibraryObject) -> Iterator[Secret]:
        """Passwords in addresses among the arguments of the call that makes something."""
        assert value.made is not None
        for ref, one in self._texts(value.made):
            if isinstance(one.value, str) and one.value.startswith(_SCHEMES):
                yield from self._of(value.made, self._literals((one,), ref), self._is_alone(ref), True)
        yield from self._of(value.made, self._address_defaults(value.made), False, True)

    def _addresses(self, value: LibraryObject) -> Iterator[Value]:
        """What is passed where an address may stand, to the call that makes something or as an option."""
        if value.made is None:
            return
        call = self._ev.store.expr(value.made)
        for item in call.arguments if isinstance(call, facts.Call) else ():
            if item.name in ("", "url"):
                yield from self._ev.told_apart(value.made[0], item.value)
        for option in self._given(value, "url"):
            yield from option.values

    def _address_defaults(self, made: Ref) -> list[Const]:
        """The addresses that a call connects to where the environment names none."""
        call = self._ev.store.expr(made)
        arguments = call.arguments if isinstance(call, facts.Call) else ()
        found = [
            one
            for item in arguments
            if item.name in ("", "url")
            for one in self._defaults(self._ev.told_apart(made[0], item.value))
        ]
        return [one for one in found if str(one.value).startswith(_SCHEMES)]

    def _defaults(self, values: tuple[Value, ...]) -> list[Const]:
        """What is written out for the case that the environment says nothing: ``os.environ.get("URL", "redis://…")``."""
        found = []
        for value in values:
            default = self._ev.edges.data.configured_default(value)
            if default is not None:
                found += self._literals(self._ev.told_apart(*default), default)
        return found

    def _is_alone(self, ref: Ref) -> bool:
        return len(self._ev.told_apart(*ref)) == 1

    def _texts(self, made: Ref) -> Iterator[tuple[Ref, Const]]:
        """The texts that are passed to a call by position or by name."""
        call = self._ev.store.expr(made)
        for item in call.arguments if isinstance(call, facts.Call) else ():
            if item.name in ("", "url"):
                for value in self._ev.told_apart(made[0], item.value):
                    if isinstance(value, Const) and isinstance(value.value, str):
                        yield (made[0], item.value), value

    def _sent(self, site: CommandSite) -> Iterator[Secret]:
        words = self._usage.positional(site)
        if words:
            values = self._ev.values(site.file, words[-1])
            found = self._literals(values, (site.file, words[-1]))
            yield from self._of(site.ref, found, len(found) == len(values), False)
            yield from self._filled_in(site.ref, values, False)

    def _literals(self, values: tuple[Value, ...], ref: Ref | None) -> list[Const]:
        """Those of the values that are written out as texts in the code, also as characters: ``"…".toCharArray()``."""
        found = [one for one in values if isinstance(one, Const) and self._is_written(one)]
        if found or ref is None:
            return found
        call = self._ev.store.expr(ref)
        callee = self._ev.store.expr((ref[0], call.callee)) if isinstance(call, facts.Call) else None
        if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
            return []
        inner = [callee.object] if not call.arguments else [item.value for item in call.arguments]
        if call.arguments and self._dotted((ref[0], call.callee)) not in self._makers():
            return []
        return [
            one
            for number in inner
            for one in self._ev.values(ref[0], number)
            if isinstance(one, Const) and self._is_written(one)
        ]

    def _composed(self, user: Ref, values: Iterable[Value]) -> Iterator[Secret]:
        """Passwords that are put into an address, and are written out as texts of their own."""
        for value in values:
            if not isinstance(value, Const | Text) or value.ref[1] < 0:
                continue
            found = composed(self._ev, value.ref)
            if found is None or any(map(_names_local, found.hosts)) or is_local(found.host):
                continue
            hosts = [found.host, *(one.value for one in found.hosts if isinstance(one, Const))]
            written = [one for one in found.passwords if isinstance(one, Const) and self._is_written(one)]
            sure = len(written) == len(found.passwords)
            named = [one for one in hosts if isinstance(one, str)]
            yield from self._of(user, written, sure, False, named)
            yield from self._of(user, self._defaults(found.passwords), False, False, named)

    def _makers(self) -> set[str]:
        libraries = self._ev.catalogue.libraries.values()
        return {name for library in libraries for name in library.library.password_makers}

    def _dotted(self, ref: Ref) -> str:
        return next((one.dotted for one in self._ev.values(*ref) if isinstance(one, External)), "")

    def _is_written(self, value: Const) -> bool:
        if not isinstance(value.value, str) or not value.value or value.ref[1] < 0:
            return False
        expr = self._ev.store.expr(value.ref)
        return isinstance(expr, facts.Literal) and expr.value == value.value

    def _key_of_field(self, value: ParameterValue) -> str:
        """The setting that a field of a class of settings is filled from, by its setter or constructor."""
        index = self._ev.store.files[value.file]
        scope = index.facts.scopes[value.scope]
        around = index.class_of(value.scope)
        begins = self._begins(value.file, around) if around != NONE else ""
        if not begins or value.index >= len(scope.parameters):
            return ""
        name = scope.parameters[value.index].name if scope.is_constructor else scope.name.removeprefix("set")
        return f"{begins}.{name}"

    def _begins(self, file: int, scope: int) -> str:
        """What the keys of a class of settings begin with; "" for other classes."""
        names = self._ev.roles(file).settings_classes
        for number in self._ev.store.files[file].facts.scopes[scope].decorators if names else ():
            mark = self._ev.store.expr((file, number))
            if isinstance(mark, facts.Call) and self._dotted((file, mark.callee)) in names:
                for item in mark.arguments:
                    for one in self._ev.values(file, item.value):
                        if isinstance(one, Const) and isinstance(one.value, str):
                            return one.value
        return ""

    def _in_settings(self, site: CommandSite) -> Iterator[Secret]:
        """What settings files say about the password of what a framework provides."""
        hosts = (*self._said(site, "host"), *self._said(site, "nodes"))
        local = {one.profile for one in hosts if is_local_list(one.text or "")}
        named = {one.profile for one in hosts}
        addresses = [text.strip().partition(":")[0] for one in hosts for text in (one.text or "").split(",")]
        for role in ("password", "url"):
            for one in self._said(site, role):
                text = (one.text or "") if role == "password" else password_of(one.text or "")
                profile = one.profile if one.profile in named else ""
                remote = not is_local_url(one.text or "") if role == "url" else bool(named) and profile not in local
                if not one.refers and remote and is_password(text, any(map(is_real, addresses))):
                    yield Secret(site.ref, None, one, True, role == "url")

    def _by_key(self) -> Iterator[Secret]:
        """Passwords in the settings of an application that uses Redis, whatever reads them."""
        users: dict[str, tuple[str, Ref]] = {}
        for ref in (*(one.made for one in self._usage.made), *(one.ref for one in self._usage.commands)):
            if ref is not None:
                path = self._ev.store.files[ref[0]].facts.path
                users.setdefault(posixpath.dirname(path), (path, ref))
        application = self._options.ambient.application
        for path, ref in users.values():
            suffixes = self._ev.roles(ref[0]).bean_files
            beans = [one for suffix in suffixes for one in application.beans(path, suffix)]
            for one in (*written_passwords(application.every(path)), *passwords_of_beans(beans)):
                yield Secret(ref, None, one, by_key=True)

    def _said(self, site: CommandSite, role: str) -> tuple[SettingValue, ...]:
        """What settings files say about an option of what a framework provides, or of what it was made with."""
        ambient = self._options.ambient
        for source in self._options.sources(site.receiver):
            if source.made is not None or not source.origin.type.ambient_options:
                continue
            found = [self._options.find(one, role) for one in ambient.stand_ins(source, site.file)]
            said = [one for option in found if option is not None for one in option.said]
            if not said and not any(option is not None and (option.given or option.unknown) for option in found):
                option = ambient.of_application(source, role, site.file)
                said = list(option.said) if option is not None else []
            if said:
                return tuple(dict.fromkeys(said))
        return ()

    # -- where the server is -------------------------------------------------------------------------------------------

    def _hosts(self, value: LibraryObject) -> list[str]:
        """The hosts that are written down for what connects."""
        given = [one for role in ("host", "url") for option in self._given(value, role) for one in option.values]
        texts = [one for _, one in self._texts(value.made)] if value.made is not None else []
        known = (*given, *texts, *self._defaults(tuple(given)))
        known += tuple(self._address_defaults(value.made)) if value.made is not None else ()
        named = [one.value for one in known if isinstance(one, Const) and isinstance(one.value, str)]
        return [host_of(one) if "://" in one else one for one in named]

    def _is_local(self, value: LibraryObject) -> bool:
        """Whether the server is known to be on the same machine, also because no other one is named."""
        if value.made is None:
            return False
        given = [one for role in ("host", "url") for option in self._given(value, role) for one in option.values]
        texts = [one for _, one in self._texts(value.made)]
        if given or texts:
            return any(_names_local(one) for one in (*given, *texts)) and all(isinstance(one, Const) for one in given)
        hosts = [one for one in self._options.every(value, ("host",)) if one.default == "localhost"]
        return bool(hosts) and not any(one.unknown for one in hosts) and not self._is_passed_something(value.made)

    def _is_passed_something(self, made: Ref) -> bool:
        """Whether a call is passed what may be an address."""
        call = self._ev.store.expr(made)
        given = call.arguments if isinstance(call, facts.Call) else ()
        known = (CollectionValue, Const, LibraryObject)
        return any(
            not isinstance(one, known)
            for item in given
            if item.name in ("", "*", "url")
            for one in self._ev.values(made[0], item.value) or (None,)
        )


def _key(value: Value) -> str:
    """The setting that an annotation names: ``${redis.password:}``, ``redis.password``."""
    text = str(value.value).strip() if isinstance(value, Const) and isinstance(value.value, str) else ""
    return text.removeprefix("${").removesuffix("}").partition(":")[0].strip()


def _is_empty(value: Value) -> bool:
    """Whether a value says that there is no password."""
    return isinstance(value, Const) and value.value in ("", None)


def _names_local(value: Value) -> bool:
    text = value.value if isinstance(value, Const) else None
    return isinstance(text, str) and (is_local(text) or (text.startswith(_SCHEMES) and is_local_url(text)))


def _spelled(value: Value) -> str:
    """A value as the rule files name it, in lower case."""
    if isinstance(value, External):
        return value.dotted.lower()
    if not isinstance(value, Const):
        return ""
    if value.value is None:
        return "null"
    return str(value.value).lower()
