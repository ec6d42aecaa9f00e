"""How MkDocs reads our pages: formulas as signs, typeset without a script from anywhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import CodeBlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor, SimpleTextInlineProcessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `mkdocs` does not, `python -m` does

from tools.formulas import block, formula, is_formula, span, wanted
from tools.site_pages import Made, linked

MADE = Made()
"""Pages that are made here, from the catalogue, the proofs and the runs of outputs/suite."""

BEFORE_EMPHASIS, BEFORE_UNDERSCORES = 65, 66
"""Among Python-Markdown's priorities: after code, escapes and links, before emphasis (60)."""
BEFORE_CODE = 81
"""Among its block processors: before indented code (80)."""
STASHED, ESCAPED = re.compile("\x02klzzwxh:(\\d+)\x03"), re.compile("\x02(\\d+)\x03")
"""What Python-Markdown puts in the place of what it has read, or of a sign after a backslash."""


class Formula(InlineProcessor):
    """A word with a script, such as ``e^{βB}`` or ``π_ref(y)``."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, int | None, int | None]:  # type: ignore[override]  # noqa: N802
        """A formula in the place of the word; nothing where it is a name."""
        start = m.start(1)
        before = data[start - 1 : start]
        plain = before + STASHED.sub(self._escaped, data[start:])
        text = plain[len(before) : span(plain, len(before))]
        if not wanted(text):
            return None, None, None
        return formula(text), start, start + self._length(data[start:], text)

    def _escaped(self, found: re.Match[str]) -> str:
        """The sign that a placeholder stands for, where it is one after a backslash."""
        inline: Any = self.md.treeprocessors["inline"]
        kept = inline.stashed_nodes.get(found[1])
        sign = ESCAPED.fullmatch(kept) if isinstance(kept, str) else None
        return chr(int(sign[1])) if sign else found[0]

    def _length(self, data: str, text: str) -> int:
        """Signs of ``data``, some after a backslash, that read ``text``."""
        at = 0
        for _ in text:
            found = STASHED.match(data, at)
            at = found.end() if found else at + 1
        return at


class FormulaBlocks(CodeBlockProcessor):
    """Indented lines with signs of mathematics; others are code."""

    def __init__(self, parser: BlockParser) -> None:
        super().__init__(parser)

    def run(self, parent: ET.Element, blocks: list[str]) -> bool:  # type: ignore[override]
        """A formula on lines of its own; False leaves the block to others."""
        lines, rest = self.detab(blocks[0])
        if not is_formula(lines) or ":::" in lines:
            return False
        blocks.pop(0)
        place = ET.SubElement(parent, "div", {"class": "formula", "tabindex": "0", "role": "group",
                                              "aria-label": "formula"})  # fmt: skip
        place.append(block(lines))
        if rest:
            blocks.insert(0, rest)
        return True


class Formulas(Extension):
    """Formulas, and underscores kept: those of r̄_t and ∫_u would be taken for a pair of marks."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Register what reads them."""
        begins = r"(?:^|(?<=[\s(\[\"'“‘–—*/]))"
        word = (
            begins + r"([^\s*\x02\x03_](?:[^\s\x02\x03]|\x02klzzwxh:\d+\x03)*?(?:[\^_]\S|√\()|√\()"
        )
        md.inlinePatterns.register(Formula(word, md), "formula", BEFORE_UNDERSCORES)
        md.inlinePatterns.register(SimpleTextInlineProcessor("(_+)"), "_", BEFORE_EMPHASIS)
        md.parser.blockprocessors.register(FormulaBlocks(md.parser), "formulas", BEFORE_CODE)


def on_config(config: MkDocsConfig) -> None:
    """Add what mkdocs.yml cannot name: what is in no package, and pages that are made here."""
    config.markdown_extensions.append(Formulas())  # type: ignore[arg-type]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages that are made; of the same name as a file they take its place."""
    for place, content in MADE.pages():
        if (earlier := files.get_file_from_path(place)) is not None:
            files.remove(earlier)
        files.append(File.generated(config, place, content=content))
    for name, content in MADE.reports():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Proofs and statements that a page names are links to their pages."""
    return linked(markdown, page.file.src_uri, [row.id for row in MADE.rows])


VERDICT = re.compile(r">((?:✗|✓|\?|!) (contradicted|supported|inconclusive|assumption failed))")
"""A verdict at the beginning of a cell or of bold words."""


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Verdicts have their colour; the word stays, for readers who see none."""
    return VERDICT.sub(
        lambda m: f'><span class="verdict {m[2].replace(" ", "_")}">{m[1]}</span>', html
    )
