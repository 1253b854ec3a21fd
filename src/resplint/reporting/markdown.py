"""The help of rules as HTML. Markdown of strangers: no HTML of theirs, no images, no links but to the web."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from resplint.reporting.highlight import Painter
from resplint.reporting.messages import is_safe_link
from resplint.reporting.records import Rule

MAX_HELP_PAGE = 1_000_000
"""In characters; the whole rule book has a few hundred thousand."""

_TOP = 4
"""Level of the highest heading in the help: below that of the rule."""


class Help:
    """The help of the rules of one page. Of what exceeds `MAX_HELP_PAGE` nothing is shown."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._left = MAX_HELP_PAGE
        self._parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
        self._parser.validateLink = is_safe_link  # type: ignore[method-assign, assignment]
        for kind in ("fence", "code_block"):
            self._parser.add_render_rule(kind, self._painted)
        self._parser.add_render_rule("link_open", _link)
        self._parser.add_render_rule("table_open", _table)
        self._parser.add_render_rule("table_close", _table_end)

    def html(self, rule: Rule) -> Markup:
        """The help of a rule without what the page says already: its name as a heading, its summary below it."""
        text = rule.help_markdown or _as_markdown(rule.help_text)
        self._left -= len(text)
        if self._left < 0:
            return Markup("<p>The help is left out: the page would become too long.</p>")
        tokens = _without_title(self._parser.parse(text), rule)
        _lower_headings(tokens)
        return Markup(self._parser.renderer.render(tokens, self._parser.options, {}))

    @property
    def _painted(self) -> Callable[..., str]:
        """How a block of code is rendered: a function, since the parser makes it a method of its renderer."""
        painter = self._painter

        def fence(
            _: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
        ) -> str:
            del options, env
            info = tokens[index].info.split()
            return str(painter.fence(tokens[index].content, info[0] if info else ""))

        return fence


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
