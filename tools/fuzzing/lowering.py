"""What must hold for the facts of one file, whatever its bytes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from fuzzing.trial import SUFFIXES
from resplint.contracts import facts
from resplint.contracts.facts import NONE, FileFacts
from resplint.files.source import DecodedSource, decode
from resplint.languages import lower

_decoder = msgspec.msgpack.Decoder(FileFacts)


class BrokenFactsError(Exception):
    """Facts that whoever reads them would stumble over."""


def check(language: str, data: bytes) -> FileFacts | None:
    """Lower bytes and demand that the facts are sound. None if the file was refused, with a reason.

    Raises `BrokenFactsError`, and whatever lowering raises.
    """
    lowered = lower("input" + SUFFIXES[language], language, data)
    if lowered.facts is None:
        if not lowered.reason:
            raise BrokenFactsError("no facts and no reason")
        return None
    file = lowered.facts
    if _decoder.decode(msgspec.msgpack.encode(file)) != file:
        raise BrokenFactsError("the facts are others after a journey between processes")
    source = decode(data, language)
    if not isinstance(source, DecodedSource):
        raise BrokenFactsError("facts of bytes that cannot be decoded")
    for what, start, end in _places(file):
        if not 0 <= start <= end <= len(source.data):
            raise BrokenFactsError(f"{what} from {start} to {end}, in {len(source.data)} bytes")
        if any(0 < at < len(source.data) and source.data[at] & 0xC0 == 0x80 for at in (start, end)):
            raise BrokenFactsError(f"{what} from {start} to {end}: inside a character")
    for what, index, length in _references(file):
        if not NONE <= index < length:
            raise BrokenFactsError(f"{what} {index} of {length}")
    return file


def _places(file: FileFacts) -> Iterator[tuple[str, int, int]]:
    for expr in file.exprs:
        yield type(expr).__name__, expr.start, expr.end
        if isinstance(expr, facts.Call | facts.Collection) and expr.close != NONE:
            yield "arguments", expr.start, expr.tail
            yield "closing bracket", expr.tail, expr.close
    for scope in file.scopes:
        yield "scope", scope.start, scope.end
    for block in file.blocks[1:]:  # the first one is the file, and reaches past its end, so that the end is in it
        yield "block", block.start, block.end
    for binding in file.bindings:
        yield "binding", binding.start, binding.end
    for start, end in file.errors:
        yield "error", start, end


def _references(file: FileFacts) -> Iterator[tuple[str, int, int]]:
    exprs, blocks, scopes = len(file.exprs), len(file.blocks), len(file.scopes)
    for expr in file.exprs:
        yield "block of an expression", expr.block, blocks
        for index in _operands(expr):
            yield f"operand of {type(expr).__name__}", index, exprs
        if isinstance(expr, facts.Function):
            yield "scope of a function", expr.scope, scopes
    for scope in file.scopes:
        yield "parent of a scope", scope.parent, scopes
        yield "block of a scope", scope.block, blocks
    for block in file.blocks:
        yield "parent of a block", block.parent, blocks
        yield "scope of a block", block.scope, scopes
        yield "head of a block", block.head, exprs
    for binding in file.bindings:
        yield "value of a binding", binding.value, exprs
        yield "scope of a binding", binding.scope, scopes
    for write in file.writes:
        yield "target of a write", write.target, exprs
        yield "value of a write", write.value, exprs
    for jump in file.jumps:
        yield "value of a jump", jump.value, exprs


def _operands(expr: facts.Expr) -> Iterator[int]:
    match expr:
        case facts.Template():
            yield from (part for part in expr.parts if isinstance(part, int))
        case facts.Member():
            yield expr.object
        case facts.Call():
            yield expr.callee
            yield from (argument.value for argument in expr.arguments)
        case facts.Index():
            yield from (expr.object, expr.key)
        case facts.Operation():
            yield from expr.operands
        case facts.Collection():
            yield from (*expr.items, *expr.keys)
        case facts.Choice():
            yield from (*expr.options, expr.condition)
