"""conf/catalogue.yaml as typed values: every numbered statement of the four papers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from repro.base.files import yaml_mapping
from repro.base.paths import conf_dir
from repro.base.schema import Model, validate

KINDS = {
    "def": "definition",
    "asm": "assumption",
    "lem": "lemma",
    "claim": "claim",
    "prop": "proposition",
    "thm": "theorem",
    "cor": "corollary",
    "alg": "algorithm",
    "tab": "table",
    "fig": "figure",
}
"""Prefixes of counted items."""
EXTRA_KINDS = {
    "rem": "remark",
    "sec": "section",
    "app": "appendix",
    "eq": "equation",
    "abs": "abstract",
}
"""Prefixes of items that are listed only where an experiment settles a claim of theirs."""
OWN = "own"
"""Stands where ids of own results have their paper."""

_ID = re.compile(
    rf"(p[1-4])\.({'|'.join({**KINDS, **EXTRA_KINDS})})_([a-z0-9]+(?:_[0-9]+)*)(?:_[a-z][a-z]+)?"
)
Text = Annotated[str, Field(min_length=1)]


class Item(Model):
    """One statement: the experiments that settle it, or the reason why none does.

    Attributes:
        title: in a few words.
        experiments: that settle it, or run a substitute.
        reason: why there is none.
        substitute: of a figure or table whose procedure runs on another model or other data: what
            that shows, and what it cannot show.
        not_reproduced: of one whose procedure or result is not there, even on a substitute: what is
            missing.
    """

    title: Text
    experiments: tuple[Text, ...] = ()
    reason: Text | None = None
    substitute: Text | None = None
    not_reproduced: Text | None = None

    @model_validator(mode="after")
    def _either(self):
        if self.substitute and (self.not_reproduced or not self.experiments):
            raise ValueError("a substitute has experiments, and is not also not_reproduced")
        if self.reason and self.not_reproduced:
            raise ValueError("a reason or not_reproduced, one of the two")
        if bool(self.experiments) == bool(self.reason) and not self.not_reproduced:
            raise ValueError("experiments or a reason, one of the two")
        return self

    @property
    def shown(self) -> str:
        """What an experiment on another model or other data shows of it, or why nothing does."""
        return self.substitute or self.not_reproduced or ""


class Paper(Model):
    """One of the papers, as printed.

    Attributes:
        title: in full.
        authors: as printed.
        arxiv: its number, where the project's own files name one.
    """

    title: Text
    authors: Text
    arxiv: Text | None = None

    @property
    def said(self) -> str:
        """All of it in one line.

        >>> Paper(title="On it", authors="A. Author", arxiv="2510.13512").said
        'On it. A. Author (arXiv 2510.13512)'
        """
        return f"{self.title}. {self.authors}" + (f" (arXiv {self.arxiv})" if self.arxiv else "")


class Catalogue(Model):
    """The whole file.

    Attributes:
        papers: by the name that ids begin with.
        planned: experiments that do not exist yet; may be empty or left out.
        items: by id.
    """

    papers: dict[str, Paper]
    planned: Annotated[tuple[Text, ...], BeforeValidator(lambda value: value or ())] = ()
    items: dict[str, Item]

    def paper_said(self, name: str, otherwise: str = "own results") -> str:
        """The paper of that name in one line."""
        return self.papers[name].said if name in self.papers else otherwise

    @model_validator(mode="after")
    def _known_ids(self):
        for name in self.items:
            if not (name.startswith(f"{OWN}.") or _ID.fullmatch(name)):
                raise ValueError(f"ids like p1.thm_4_2; {name} is none")
        return self


def load(path: Path | None = None) -> Catalogue:
    """Read the catalogue.

    Raises:
        BadInput: the file cannot be read, or an entry is malformed.
    """
    file = path or conf_dir() / "catalogue.yaml"
    return validate(Catalogue, yaml_mapping("catalogue", file), "catalogue")


def paper(name: str) -> str:
    """The paper of an id.

    >>> paper("p1.thm_4_2")
    'p1'
    """
    return name.split(".")[0]


def kind(name: str) -> str:
    """The kind of an id, in words.

    >>> kind("p4.claim_e_1"), kind("own.sharper_floor")
    ('claim', 'own result')
    """
    found = _ID.fullmatch(name)
    return {**KINDS, **EXTRA_KINDS}[found[2]] if found else "own result"


def number(name: str) -> str:
    """The number of an id as its paper prints it; empty for our own.

    >>> number("p1.lem_b_1"), number("p1.tab_1"), number("p4.app_c_rdpo")
    ('B.1', '1', 'C')
    """
    found = _ID.fullmatch(name)
    return found[3].replace("_", ".").upper() if found else ""


def counted(name: str) -> bool:
    """Whether an id is a numbered item, of the kinds that must all be listed.

    >>> counted("p1.thm_4_2"), counted("p2.rem_5_1")
    (True, False)
    """
    found = _ID.fullmatch(name)
    return found is not None and found[2] in KINDS
