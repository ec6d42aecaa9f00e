"""conf/papers/NAME.yaml as typed values: one file a paper, all that is known of each statement.

Papers are looked for where theorems are (``repro.base.places``): what is shipped, installed
packages, the current folder.  ``own.yaml`` holds results that no paper prints; every place may
have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from repro.base.errors import BadInput, nearest
from repro.base.files import yaml_mapping
from repro.base.places import Place, places, shipped
from repro.base.schema import Model, validate
from repro.catalogue.entries import OWN, PAPER, Text, is_id, like_ids, paper
from repro.catalogue.plain_math import in_unicode, unknown_macro
from repro.catalogue.statements import parts

SLIP_GRADES = ("error", "constant", "unstated_condition", "not_claimed", "cleared", "notation")
"""The worst first."""
_ATTRIBUTE = re.compile(r"\\(href|url|class|style|cssId|data|includegraphics)\b")
_TAG_OR_ENTITY = re.compile(r"</?[A-Za-z]|&#?\w+;")
WITH_FORMULAS = ("text", "stands", "suspected", "corrected")
"""Keys whose texts are shown with their formulas in Unicode."""
_EMPTY = BeforeValidator(lambda value: value or ())


CHECK = re.compile(r"(?P<slug>\w+): (?P<check>\w+)(?:/(?P<control>\w+))?")
TEST = re.compile(r"(?P<path>tests/[\w/]+\.py)::(?P<name>test_\w+)")


def _evidence(value: object) -> object:
    if isinstance(value, str) and (CHECK.fullmatch(value) or TEST.fullmatch(value)):
        return value
    form = '"experiment: check", "experiment: check/control" or "tests/FILE.py::TEST"'
    raise ValueError(f"allowed: {form}, in quotes and with the space")


def _sentence(text: str) -> str:
    """Plain, without the full stop that pages put behind it."""
    return in_unicode(text).removesuffix(".")


Sentence = Annotated[Text, AfterValidator(_sentence)]


class Slip(Model):
    """One suspected error.

    Attributes:
        place: where the paper prints it.
        suspected: what seemed wrong.
        grade: error (the printed form is wrong), constant (a factor is), unstated_condition (it
            holds under one that is not stated), not_claimed (true of the result, but nothing that
            the paper says), notation (a misprint with one reading), cleared (it stands).
        text_at_hand: it rests on where a root, an index, an exponent, a sign or an accent stands,
            which a conversion from PDF can move.
        also: other statements that it is about.
        evidence: ``experiment: check``, ``experiment: check/control`` or ``tests/file.py::test``.
        corrected: the form that holds, or why there is none to correct.
    """

    place: Text
    suspected: Sentence
    grade: Literal["error", "constant", "unstated_condition", "not_claimed", "notation", "cleared"]
    text_at_hand: bool = False
    also: tuple[Text, ...] = ()
    evidence: Annotated[tuple[Annotated[Text, BeforeValidator(_evidence)], ...], _EMPTY] = ()
    corrected: Sentence

    @property
    def said(self) -> str:
        """The grade in words."""
        words = self.grade.replace("_", " ")
        return f"{words}, as in the text at hand" if self.text_at_hand else words


class Proved(Model):
    """A theorem that Coq accepts a proof of, by ``file.theorem``.

    Attributes:
        shows: what it makes of the statement as printed: contradicted, unstated_condition (false
            without a condition that is not stated), notation (false as written, by a slip of
            notation), step (a step of its proof is false as printed), supported.
        says: what is proved, in one sentence.
        also: other statements that it is about.
        slips: that it is evidence of.
    """

    shows: Literal["contradicted", "unstated_condition", "notation", "step", "supported"]
    says: Text
    also: tuple[Text, ...] = ()
    slips: tuple[Text, ...] = ()


class ProvedTheorem(Model):
    """The same with all statements that it is about."""

    file: str
    name: str
    shows: str
    says: str
    statements: tuple[str, ...]
    slips: tuple[str, ...]


class Item(Model):
    """One statement: as printed, what settles it or why nothing does, and what is known of it.

    Attributes:
        title: in a few words.
        place: section or appendix; of an own result, the experiment or page that states it.
        text: as printed, known slips included: words with inline LaTeX between dollar signs; no
            HTML, so ``a < b`` has spaces.
        experiments: that execute it; those that claim something of it need not stand here.
        reason: why there is none.
        substitute: of a figure or table whose procedure runs on another model or other data: what
            that shows, and what it cannot show.
        not_reproduced: of one whose procedure or result is not there, even on a substitute: what is
            missing.
        stands: one sentence where its verdict alone would mislead; what holds is said first.
        counterexample: the smallest instance, in numbers, in which the printed form fails.
        counterexample_at: what the command that runs it sets besides, such as kl_weight=0.0625;
            ``only=NAME`` for another check than the first that is contradicted, or for one whose
            control is the printed form.
        rests_on: ids of the statements that it sums up, such as those behind an abstract.
        pages: of docs/explanations with the proof, the numbers or the corrected form.
        coq: theorems about it that Coq checks.
        slips: suspected of it, by a name that is the paper's alone.
    """

    title: Text
    place: Text | None = None
    text: Text | None = None
    experiments: tuple[Text, ...] = ()
    reason: Text | None = None
    substitute: Text | None = None
    not_reproduced: Text | None = None
    stands: Text | None = None
    counterexample: Text | None = None
    counterexample_at: tuple[Text, ...] = ()
    rests_on: tuple[Text, ...] = ()
    pages: tuple[Text, ...] = ()
    coq: dict[str, Proved] = {}
    slips: dict[str, Slip] = {}

    @model_validator(mode="after")
    def _either(self):
        if self.substitute and self.not_reproduced:
            raise ValueError("a substitute or not_reproduced, one of the two")
        if self.reason and (self.not_reproduced or self.experiments):
            raise ValueError("a reason, or experiments or not_reproduced")
        return self

    @model_validator(mode="after")
    def _well_formed(self):
        text = self.text or ""
        if text.count("$") % 2:
            raise ValueError("pairs of dollar signs")
        if _TAG_OR_ENTITY.search(text):
            raise ValueError("words and LaTeX, no HTML")
        if _ATTRIBUTE.search(text):
            raise ValueError("formulas without links, classes and styles")
        if any(part.math and not _braces_match(part.text) for part in parts(text)):
            raise ValueError("matching braces between dollar signs")
        return self

    @property
    def shown(self) -> str:
        """What an experiment on another model or other data shows of it, or why nothing does."""
        return self.substitute or self.not_reproduced or ""


class Paper(Model):
    """One file.

    Attributes:
        title: in full.
        authors: as printed.
        arxiv: its number.
        link: where else it is found.
        letters: by letter that its statements use, what the letter means in this paper.
        statements: by kind and number, such as thm_4_2.
        slips: suspected of no statement in particular.
        proofs: by name of a file in proofs/, the digest of its text above the line "proofs".
    """

    title: Text
    authors: Text
    arxiv: Text | None = None
    link: Text | None = None
    letters: dict[str, Text] = {}
    statements: dict[str, Item]
    slips: dict[str, Slip] = {}
    proofs: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]] = {}

    @field_validator("letters")
    @classmethod
    def _shown(cls, letters: dict[str, str]) -> dict[str, str]:
        """In LaTeX, too, a letter is found in the text that is shown."""
        return {
            in_unicode(f"${name.strip('$')}$") if "\\" in name else name: meaning
            for name, meaning in letters.items()
        }

    @property
    def said(self) -> str:
        """All of it in one line.

        >>> Paper(title="On it", authors="A. Author", arxiv="2510.13512", statements={}).said
        'On it. A. Author (arXiv 2510.13512)'
        """
        source = f"arXiv {self.arxiv}" if self.arxiv else self.link
        return f"{self.title}. {self.authors}" + (f" ({source})" if source else "")


class _Own(Paper):
    title: Text = "own results"
    authors: Text = "-"


class Catalogue(Model):
    """All papers.

    Attributes:
        papers: by name, without own results.
        items: by id, the statements of all places.
        loose: slips by id of no statement in particular.
        proofs: digests by name of the file.
        theorems: that Coq checks, by file.
    """

    papers: dict[str, Paper] = {}
    items: dict[str, Item]
    loose: dict[str, Slip] = {}
    proofs: dict[str, str] = {}
    theorems: tuple[ProvedTheorem, ...] = ()

    def paper_said(self, name: str, otherwise: str = "own results") -> str:
        """The paper of that name in one line."""
        return self.papers[name].said if name in self.papers else otherwise

    @property
    def slips(self) -> dict[str, Slip]:
        """All of them by id, such as ``p1.cap``; by paper, in the order of its statements."""
        of_statements = {
            f"{paper(name)}.{key}": slip
            for name, item in self.items.items()
            for key, slip in item.slips.items()
        }
        return {
            key: slip
            for name in (*self.papers, OWN)
            for key, slip in {**of_statements, **self.loose}.items()
            if paper(key) == name
        }


def load(folder: Path | None = None) -> Catalogue:
    """The papers of all places, the user's folder (by default the current one) last.

    Raises:
        BadInput: a file cannot be read, an entry is malformed, or two places have one name.
    """
    return _of(tuple(places(folder)), tuple(_state(place) for place in places(folder)))


def refuse_unknown(statements: Iterable[str], folder: Path | None = None) -> None:
    """Refuse what an experiment settles and no paper has; own results need no entry.

    Args:
        statements: ids.
        folder: the user's; by default the current one.

    Raises:
        BadInput: as ``load``, or an id that is none of the catalogue's.
    """
    for name in statements:
        of_own = paper(name) == OWN and is_id(name)
        if not of_own and name not in (items := load(folder).items):
            ending = [known for known in items if known.endswith(f".{name}")]
            hint = f"did you mean {ending[-1]}? " if ending else nearest(name, items)
            of_file = f"a statement of conf/papers/{paper(name)}.yaml"
            allowed = of_file if "." in name else "an id with its paper, such as p1.thm_4_2"
            line = f"no such statement; {hint}allowed: {allowed}, or own.NAME"
            raise BadInput("settles", name, line)


@cache
def _of(where: tuple[Place, ...], _: object) -> Catalogue:
    papers, items, loose, proofs = {}, {}, {}, {}
    for file in (file for place in where for file in files(place)):
        name, content = file.stem, read(file)
        if name in papers:
            raise BadInput("paper", name, f"is of two places; allowed: another name for {file}")
        if name != OWN:
            papers[name] = content
        for key, item in content.statements.items():
            if f"{name}.{key}" in items:
                raise BadInput(f"papers.{name}", key, "is of two places; allowed: another name")
            items[f"{name}.{key}"] = item
        loose |= {f"{name}.{key}": slip for key, slip in content.slips.items()}
        proofs |= content.proofs
    for name, item in items.items():
        _refuse_dangling(name, item, items)
    last = {name: item for name, item in items.items() if paper(name) == OWN}
    items = {name: item for name, item in items.items() if paper(name) != OWN} | last
    return validate(Catalogue, {
        "papers": papers, "items": items, "loose": loose, "proofs": proofs,
        "theorems": tuple(_theorems(items)),
    }, "catalogue")  # fmt: skip


def _refuse_dangling(name: str, item: Item, items: Mapping[str, Item]) -> None:
    """Refuse the first statement that an entry names and that is not there."""
    named = {"rests_on": item.rests_on}
    named |= {f"slips.{key}.also": slip.also for key, slip in item.slips.items()}
    for key, others in named.items():
        for other in others:
            if other not in items:
                allowed = f"no such statement; {nearest(other, items)}"
                raise BadInput(f"{name}.{key}", other, allowed)


def files(place: Place) -> list[Path]:
    """The papers of a place, by name."""
    return sorted((place.folder / "conf" / "papers").glob("*.yaml"))


def _state(place: Place) -> tuple[tuple[str, int, int], ...]:
    """Changes with the files."""
    state = []
    for path in files(place):
        with suppress(OSError):  # of a link that leads nowhere, which the reader refuses
            at = path.stat()
            state.append((str(path), at.st_mtime_ns, at.st_size))
    return tuple(state)


def read(file: Path) -> Paper:
    """One paper.

    Raises:
        BadInput: it cannot be read, or is malformed.
    """
    if not re.fullmatch(PAPER, file.stem):
        raise BadInput("paper", file, "allowed: a name of small letters and digits")
    key = f"papers.{file.stem}"
    given = yaml_mapping(key, file)
    try:
        content = validate(_Own if file.stem == OWN else Paper, given, key)
    except BadInput as problem:
        if not problem.allowed.startswith("unknown key"):
            raise
        allowed = f"{problem.allowed}; docs/reference/paper.md lists all"
        raise BadInput(problem.key, problem.value, allowed) from None
    for name in content.statements:
        if not is_id(f"{file.stem}.{name}"):
            raise BadInput(f"{key}.statements", name, f"no such kind and number; {like_ids(name)}")
    if file.parent != shipped().folder / "conf" / "papers":  # those are tested, and start sooner
        _refuse_macros(key, given)
    return content


def _refuse_macros(key: str, given: Mapping[str, object]) -> None:
    """Refuse a formula of which plain text would leave out a part."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            _refuse_macros(f"{key}.{name}", value)
        elif name in WITH_FORMULAS and (unknown := unknown_macro(str(value))):
            macro, hint = unknown
            allowed = f"unknown macro; {hint}allowed: macros of LaTeX for formulas"
            raise BadInput(f"{key}.{name}", macro, allowed)


def _theorems(items: Mapping[str, Item]) -> list[ProvedTheorem]:
    """Of all statements, by file."""
    theorems = []
    for name, item in items.items():
        for key, proved in item.coq.items():
            file, _, theorem = key.partition(".")
            theorems.append(ProvedTheorem(
                file=file, name=theorem, shows=proved.shows, says=proved.says,
                statements=(name, *proved.also), slips=proved.slips,
            ))  # fmt: skip
    return sorted(theorems, key=lambda theorem: theorem.file)


def _braces_match(latex: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
