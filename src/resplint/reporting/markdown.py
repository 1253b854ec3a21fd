"""The help of rules as HTML. Markdown of strangers: no HTML of theirs, no images, no links but to the web."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from resplint.reporting.highlight import fence_html
from resplint.reporting.messages import is_safe_link
from resplint.reporting.records import Rule

_TOP = 4
"""Level of the highest heading in the help: below that of the rule."""


def help_html(rule: Rule) -> Markup:
    """The help of a rule without what the page says already: its name as a heading, its summary below it."""
    text = rule.help_markdown or rule.help_text
    tokens = _parser().parse(text) if rule.help_markdown else _parser().parse(_as_markdown(text))
    tokens = _without_title(tokens, rule)
    _lower_headings(tokens)
    rendered = _parser().renderer.render(tokens, _parser().options, {})
    return Markup(rendered)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.validateLink = is_safe_link  # type: ignore[method-assign, assignment]
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", _table_end)
    return parser


def _fence(_: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    del options, env
    info = tokens[index].info.split()
    return str(fence_html(tokens[index].content, info[0] if info else ""))


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, index, options, env)


def _table(_: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    del tokens, index, options, env
    # Wide tables scroll by themselves, with the keyboard too.
    return '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>\n'


def _table_end(
    _: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    del tokens, index, options, env
    return "</table></div>\n"


def _as_markdown(text: str) -> str:
    """Plain text: nothing in it means anything but paragraphs."""
    special = "\\`*_{}[]()#+-.!|<>~&"
    return "".join(f"\\{character}" if character in special else character for character in text)


def _without_title(tokens: list[Token], rule: Rule) -> list[Token]:
    if len(tokens) > 2 and tokens[0].type == "heading_open" and rule.id in tokens[1].content:
        tokens = tokens[3:]
        if len(tokens) > 2 and tokens[0].type == "paragraph_open":
            if " ".join(tokens[1].content.split()).rstrip(".") == rule.summary.rstrip("."):
                tokens = tokens[3:]
    return tokens


def _lower_headings(tokens: Sequence[Token]) -> None:
    """Move headings below those of the page, without gaps: the highest becomes `_TOP`."""
    depths = sorted({int(token.tag[1:]) for token in tokens if token.type == "heading_open"})
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, _TOP + depths.index(int(token.tag[1:])))}"
