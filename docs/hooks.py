"""How MkDocs reads our pages: an underscore is a sign of a formula and never begins emphasis."""

from __future__ import annotations

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import SimpleTextInlineProcessor
from mkdocs.config.defaults import MkDocsConfig

BEFORE_EMPHASIS = 65
"""Among Python-Markdown's priorities: after code, escapes and links, before emphasis (60)."""


class PlainUnderscores(Extension):
    """Keeps every underscore: those of r̄_t and ∫_u would be taken for a pair of marks."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Register the pattern."""
        md.inlinePatterns.register(SimpleTextInlineProcessor("(_+)"), "_", BEFORE_EMPHASIS)


def on_config(config: MkDocsConfig) -> None:
    """Add what mkdocs.yml cannot name, as it is in no package."""
    config.markdown_extensions.append(PlainUnderscores())  # type: ignore[arg-type]
