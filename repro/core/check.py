"""A check in one place: what is claimed, of which quantity, by which algorithm, and what is wrong.

Seven words.  A *statement* is what a paper prints.  A *world* is a frozen dataclass: all that a
measurement reads.  An *algorithm* is a function of a world.  A *quantity* is what is measured of an
algorithm.  A *check* holds a quantity against a claim while one field of a world is swept; it has
algorithms that are wrong on purpose and must be caught.  A *block* is a pure function of check,
seed and number.  A *verdict* is what the numbers say.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path
from typing import Any, get_args

import numpy as np

from repro.base.errors import BadInput, BrokenTheorem, among, running_theorem
from repro.base.notation import AXES
from repro.base.schema import MAX_PAIRS
from repro.core.claims import Claim, Frequency, Inequality, Verdict
from repro.core.fingerprint import fingerprint
from repro.core.needs import MUST
from repro.core.stream import stream
from repro.core.worlds import Sweep, field_values, put

Algorithm = Callable[..., Any]
"""``f(world)`` or ``f(world, rng, replicates)``; where all algorithms read the same simulation,
``f(data)`` of what ``Quantity.drawn`` made of the world."""
Assumed = tuple[str, bool, str]
"""Name of an assumption, whether it holds, and its numbers in words."""
EVIDENCE = ("measured", "exact", "searched", "proved", "computed")
"""How a check may know (contract: ``evidence``)."""
WITHOUT_DRAWS = ("exact", "proved")
"""Evidence that no seed changes."""
OWN = "own."
"""Ids of statements that no paper prints begin with it."""
CALL = 400
"""Most replicates of a world in one call, unless a block has more: with more of them little CPU is
saved, and memory is spent."""
CONTROLS = 400
"""Replicates of a budget that measure controls too, those of smoke: what is wrong lies far outside
its claim (docs/adr/0024-controls-have-the-replicates-of-smoke.md)."""
FAILURE_PROB = 0.05
"""δ of claims that may fail with it, on worlds that have none of their own."""


def named(name: str, algorithm: Algorithm, mistake: str = "", /, **constants: Any) -> Algorithm:
    """An algorithm at constants of its own, under a name of its own.

    >>> def shifted(world: float, by: float) -> float:
    ...     return world + by
    >>> higher = named("higher", shifted, "half a unit too high", by=0.5)
    >>> higher.__name__, higher(3.0), mistake_words(higher)
    ('higher', 3.5, 'half a unit too high')

    Args:
        name: in files and on figures.
        algorithm: with more arguments.
        mistake: of a control, what is wrong with it; otherwise the docstring says it.
        constants: the other arguments.
    """
    bound = partial(algorithm, **constants)

    @wraps(algorithm)
    def at(*given: Any) -> Any:
        return bound(*given)

    # Content keys know a function by its qualified name and by what it has closed over.
    at.__name__ = at.__qualname__ = name
    if mistake:
        at.__doc__ = f"Wrong: {mistake}."
    of = inspect.signature(algorithm)
    # what has a value of its own is a constant, too
    kept = [
        parameter
        for parameter in of.parameters.values()
        if parameter.name not in constants and parameter.default is parameter.empty
    ]
    at.__signature__ = of.replace(parameters=kept)  # type: ignore[attr-defined]
    if cases := getattr(algorithm, "cases", None):
        at.cases = partial(cases, **constants)  # type: ignore[attr-defined]
    return at


def largest_of(cases: Callable[..., Iterable[float]]) -> Algorithm:
    """An algorithm that is the largest of what a function yields.

    ``cases`` of it is that function: a run is pinned to the mean of them, too.

    >>> @largest_of
    ... def steps(world: float, most: int):
    ...     return (world + k for k in range(most + 1))
    >>> two = named("two", steps, most=2)
    >>> two(3.0), list(two.cases(3.0))
    (5.0, [3.0, 4.0, 5.0])
    """

    @wraps(cases)
    def largest(*given: Any, **constants: Any) -> float:
        return float(max(cases(*given, **constants)))

    largest.cases = cases  # type: ignore[attr-defined]
    return largest


def privacy_mistake(algorithm: Algorithm) -> Algorithm:
    """Wrong about privacy alone, so right where there is none: left out at ε = ∞."""
    algorithm.privacy_mistake = True  # type: ignore[attr-defined]
    return algorithm


@lru_cache(maxsize=4096)
def applied(algorithm: Algorithm, world: Any) -> Any:
    """What an algorithm makes of a world, the same object every time: searches stay cached."""
    return algorithm(world)


def refuse_text(name: str, value: Any) -> None:
    """Refuse a name where a list of names is meant.

    Raises:
        ValueError: with the list.
    """
    if isinstance(value, str):
        raise ValueError(f'{name}={value!r}: allowed: a list, ["{value}"]')


EXACT = '; without draws the quantity is Quantity(words, of_world, evidence="exact")'
"""Said of an algorithm that takes a world and nothing else, where more is given."""


def refuse_call(name: str, function: Any, *arguments: str) -> None:
    """Refuse what cannot be called with some arguments in a row.

    Raises:
        ValueError: it is no function, or takes others.
    """
    form = f"({', '.join(arguments)})"
    if not callable(function):
        raise ValueError(f"{name}={function!r}: allowed: a function of {form}")
    try:
        signature = inspect.signature(function)
    except ValueError:  # of a function in C that tells none
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        called = getattr(function, "__name__", repr(function))
        takes = f"({', '.join(signature.parameters)})"
        hint = EXACT if len(signature.parameters) == 1 < len(arguments) else ""
        raise ValueError(f"{name}: {called}{takes} is called as {called}{form}{hint}") from None


def measured_alone(world: Any, algorithm: Algorithm, rng: np.random.Generator, replicates: int):
    """The algorithm's own number: what most quantities are."""
    return algorithm(world, rng, replicates)


def of_world(world: Any, algorithm: Algorithm, rng: np.random.Generator, replicates: int):
    """The same of an algorithm that draws nothing."""
    return algorithm(world)


@dataclass(frozen=True)
class Quantity:
    """What is measured of an algorithm, and how that is known.

    Attributes:
        words: what it is, with the unit in brackets.
        of: (world, algorithm, stream, replicates) → (replicates,) values, or one exact number;
            NaN where a replicate failed.
        evidence: one of ``EVIDENCE``.
        alike: whether every algorithm begins where the stream began.
        drawn: (world, stream, replicates) → data that all algorithms read; ``of`` gets them in
            the place of the stream.
        together: (worlds, algorithms, streams, replicates) → values by world and algorithm, in
            the place of ``of`` where several worlds, or several algorithms, are one batch.
        stream_per_block: whether replicates of one stream are not independent, as where a number
            is that of all runs of a call.  Its blocks then have a stream each, and ``together`` is
            asked for each block as for a further world.
        over: world → the number that values are divided by.  It reads the world as it is stated,
            also where a stage of what is measured is taken away.
        less: world → a number that is taken off, likewise.
    """

    words: str
    of: Callable[..., Any] = measured_alone
    _: KW_ONLY
    evidence: str = "measured"
    alike: bool = False
    drawn: Callable[..., Any] | None = None
    together: Callable[..., Any] | None = None
    stream_per_block: bool = False
    over: Callable[[Any], float] | None = None
    less: Callable[[Any], float] | None = None

    def __post_init__(self) -> None:
        if self.evidence not in EVIDENCE:
            allowed = among(str(self.evidence), EVIDENCE)
            raise ValueError(f"{self.words}: evidence={self.evidence!r}: {allowed}")
        calls = {
            "of": ("world", "algorithm", "data" if self.drawn else "rng", "replicates"),
            "drawn": ("world", "rng", "replicates"),
            "together": ("worlds", "algorithms", "rngs", "replicates"),
            "over": ("world",),
            "less": ("world",),
        }
        for name, arguments in calls.items():
            if (function := getattr(self, name)) is not None:
                refuse_call(f"{self.words}: {name}", function, *arguments)

    @property
    def draws(self) -> bool:
        """Whether its numbers may depend on the seed."""
        return self.evidence not in WITHOUT_DRAWS

    def values(
        self, worlds: Sequence[Any], algorithms: Sequence[Algorithm],
        rngs: Sequence[np.random.Generator], replicates: int, stated: Sequence[Any],
    ) -> np.ndarray:  # fmt: skip
        """(G, M, R) of all worlds and algorithms; what is claimed is read off ``stated`` worlds."""
        if self.together:
            begun = [_state(rng) for rng in rngs]
            at_once = self.together(worlds, algorithms, rngs, replicates)
            drew = [before != _state(rng) for before, rng in zip(begun, rngs, strict=True)]
            numbers = [[(values, one) for values in at]
                       for at, one in zip(at_once, drew, strict=True)]  # fmt: skip
        else:
            pairs = zip(worlds, rngs, strict=True)
            numbers = [self._at(world, algorithms, rng, replicates) for world, rng in pairs]
        rows = [
            [
                self._replicates(values, drew, algorithm, world, replicates)
                for (values, drew), algorithm in zip(at, algorithms, strict=True)
            ]
            for at, world in zip(numbers, stated, strict=True)
        ]
        return _real(np.array(rows))

    def _at(
        self, world: Any, algorithms: Sequence[Algorithm], rng: np.random.Generator, replicates: int
    ) -> list[tuple[Any, bool]]:
        """What each algorithm gives in one world, and whether it comes from the stream."""
        first = _state(rng)
        if self.drawn:
            data = self.drawn(world, rng, replicates)
            drew = first != _state(rng)
            return [(self.of(world, algorithm, data, replicates), drew) for algorithm in algorithms]
        begun, numbers = rng.bit_generator.state, []
        for algorithm in algorithms:
            if self.alike:
                rng.bit_generator.state = begun
            before = _state(rng)
            values = self.of(world, algorithm, rng, replicates)
            numbers.append((values, before != _state(rng)))
        return numbers

    def _replicates(
        self, values: Any, drew: bool, algorithm: Algorithm, world: Any, replicates: int
    ) -> np.ndarray:
        """(R,) values of one algorithm; one number stands for all where nothing was drawn."""
        try:
            numbers = np.empty(0) if values is None else self._claimed(values, world)
        except (TypeError, ValueError) as problem:
            given, allowed = type(values).__name__, "allowed: a number a replicate; or one number"
            raise BrokenTheorem(
                f"{algorithm.__name__} gives a {given} that is no array of numbers; {allowed}"
            ) from problem
        if values is None or numbers.shape not in ((), (1,), (replicates,)):
            value = "None" if values is None else f"numbers of shape {numbers.shape}"
            allowed = f"allowed: shape ({replicates},), a number a replicate; or one number"
            raise BrokenTheorem(f"{algorithm.__name__} gives {value}; {allowed}")
        if drew and numbers.size < replicates and not self.stream_per_block:
            complaint = f"draws from rng and gives one number for {replicates} replicates"
            allowed = f"allowed: shape ({replicates},), a number a replicate"
            raise BrokenTheorem(f"{algorithm.__name__}{_line_of(algorithm)} {complaint}; {allowed}")
        return np.broadcast_to(numbers, (replicates,))

    def _claimed(self, values: Any, world: Any) -> np.ndarray:
        """The values in the unit of the claim."""
        numbers = _real(np.asarray(values))
        if self.less:
            numbers = numbers - self.less(world)
        return numbers / (self.over(world) or math.nan) if self.over else numbers


def _real(values: np.ndarray) -> np.ndarray:
    """As float64; numpy itself would drop an imaginary part with no more than a warning."""
    if np.iscomplexobj(values):
        raise BrokenTheorem("a quantity is complex; a claim is about real numbers")
    return values.astype(np.float64, copy=False)


def mistake_words(control: Algorithm) -> str:
    """What is wrong with a control, where its docstring begins with "Wrong"; else nothing.

    >>> def naive(data: object) -> None:
    ...     "Wrong: labels are taken as clean."
    >>> mistake_words(naive), mistake_words(mistake_words)
    ('labels are taken as clean', '')
    """
    first_paragraph = " ".join((control.__doc__ or "").partition("\n\n")[0].split())
    wrong, words = first_paragraph[:5], first_paragraph[5:]
    return words.lstrip(": ").rstrip(".").replace("``", "") if wrong == "Wrong" else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """One claim about one quantity; the config says on which worlds, and at which values.

    Attributes:
        name: in files and on figures; also of its random streams, unless ``draws`` is given.
        axis: what is swept, one of ``repro.base.notation.AXES`` or an ``own_axis``.
        claim: with its tolerance.
        quantity: what is measured.
        right: the algorithm under test.
        wrong: controls: algorithms that must come out contradicted, by the same code.  Every check
            that is pinned supported has one.
        at: dotted place of the swept field, where it is not the axis itself.
        settles: ids in the catalogue; those of the theorem unless given.
        expected: the verdict that is pinned for an honest run.
        why: the reason of a pinned verdict other than ``supported``.
        keeps: fields that an override does not change, because the claim is about their value.
        blind: why the check need not notice that something is taken away, by its name: "labels"
            (fair coins in their place), "estimate" (the truth in its place), "algorithm" (the
            opposite of its estimate).  Not asked of worlds that have no labels.
        draws: name of its random streams; checks of one name meet the same draws at a value.
    """

    name: str
    axis: str
    claim: Claim
    quantity: Quantity
    right: Algorithm
    wrong: Sequence[Algorithm] = ()
    at: str = ""
    settles: Sequence[str] = ()
    expected: Verdict = "supported"
    why: str = ""
    keeps: Sequence[str] = ()
    blind: Mapping[str, str] = field(default_factory=dict)
    draws: str = ""

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            own = "or what own_axis of repro.base.notation makes"
            allowed = f"{among(self.axis, AXES)}, {own}; docs/reference/paper.md lists all"
            raise ValueError(f"{self.name}: no axis {self.axis!r}; {allowed}")
        for name in self.blind:
            if name not in MUST:
                raise ValueError(f"{self.name}: blind={name!r}: {among(name, MUST)}")
        if self.expected not in get_args(Verdict):
            allowed = among(str(self.expected), get_args(Verdict))
            raise ValueError(f"{self.name}: expected={self.expected!r}: {allowed}")
        if self.expected != "supported" and not self.why:
            raise ValueError(f"{self.name}: expected={self.expected!r} needs its reason in why")
        refuse_text(f"{self.name}: settles", self.settles)
        arguments = {measured_alone: ("world", "rng", "replicates"), of_world: ("world",)}
        called = arguments.get(self.quantity.of)
        if callable(self.wrong):
            raise ValueError(f"{self.name}: wrong is a function; allowed: a list")
        if called and not self.quantity.together:
            for algorithm in (self.right, *self.wrong):
                refuse_call(self.name, algorithm, *called)


@dataclass(frozen=True, eq=False)
class SweptCheck:
    """A check on its worlds: what is measured and judged.

    Attributes:
        check: what is claimed.
        sweep: the worlds as they are stated.
        stages: by field, what stands there instead in the worlds that are measured.
        scaled: by how much an override has multiplied the labels.
    """

    check: Check
    sweep: Sweep
    stages: Mapping[str, Any] = field(default_factory=dict)
    scaled: float = 1.0

    @property
    def name(self) -> str:
        return self.check.name

    @cached_property
    def measured(self) -> tuple[Any, ...]:
        """The worlds that are measured: fields that are stages may be others than stated."""
        return tuple(put(world, self._own(world)) for world in self.sweep.worlds)

    def _own(self, world: Any) -> dict[str, Any]:
        """The stages that a world has; one may depend on the world (``Instead``)."""
        have = field_values(world)
        return {
            name: stage.of(world) if isinstance(stage, Instead) else stage
            for name, stage in self.stages.items()
            if name in have
        }

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        """The one under test, then the wrong ones that are wrong on these worlds."""
        free = all(getattr(world, "epsilon", 0.0) == math.inf for world in self.sweep.worlds)
        wrong = [
            algorithm
            for algorithm in self.check.wrong
            if not (free and hasattr(algorithm, "privacy_mistake"))
        ]
        return (self.check.right, *wrong)

    @cached_property
    def identity(self) -> str:
        """A hash of all that its measurements depend on, but code, seed and replicates."""
        return fingerprint((self.measured, self.sweep.worlds, self.sweep.grid, self.algorithms,
                            self.check.quantity))  # fmt: skip

    @property
    def failure_prob(self) -> float:
        """δ of the statement, for claims that may fail with it.

        Raises:
            BadInput: it is not the same at every value of the sweep.
        """
        first, *others = [
            getattr(world, "failure_prob", FAILURE_PROB) for world in self.sweep.worlds
        ]
        if any(other != first for other in others):
            need = "a frequency is compared with one failure_prob"
            key = f"theorem.sweeps.{self.name}"
            raise BadInput(
                key, self.sweep.at, f"{need}; allowed: another axis, or a check for each"
            )
        return first

    def takes(self, name: str) -> bool:
        """Whether an override of a field reaches the worlds: they have it, and it is not swept."""
        have = field_values(self.sweep.worlds[0])
        return name in have and name not in (self.sweep.at, *self.check.keeps)

    def under(self, given: Mapping[str, Any]) -> SweptCheck:
        """The check with fields of its worlds replaced, those apart that it sweeps or keeps.

        Raises:
            BadInput: a value that a field does not allow, or that would need too many labels.
        """
        taken = {name: value for name, value in given.items() if self.takes(name)}
        if not taken:
            return self
        sweep, most = self.sweep, math.inf if self.sweep.at == "n_pairs" else MAX_PAIRS
        first = sweep.worlds[0]
        scaled = 1.0 if "n_pairs" in taken else _more_labels(first, put(first, taken))

        def change(world: Any) -> Any:
            other = put(world, taken)
            if scaled == 1.0 or not hasattr(other, "n_pairs"):
                return other
            return replace(other, n_pairs=round(min(world.n_pairs * scaled, most)))

        changed = sweep.each(change)
        if len(changed.grid) < min(len(sweep.grid), self.check.claim.fewest):
            need = f"it would need more than {MAX_PAIRS:g} labels"
            key, value = next(iter(taken.items()))
            raise BadInput(key, value, f"{need}; allowed: a larger {key}")
        return replace(self, sweep=changed, scaled=scaled)

    def instead(self, **stages: Any) -> SweptCheck:
        """The check with stages of the measured worlds replaced: what does it notice?"""
        return replace(self, stages={**self.stages, **stages})

    def at(self, point: int, rng: np.random.Generator, replicates: int) -> dict[str, np.ndarray]:
        """(R,) values of every algorithm, by its name, at one of the sweep's values.

        Args:
            point: index of the value.
        """
        worlds, stated = [self.measured[point]], [self.sweep.worlds[point]]
        quantity = self.check.quantity
        (numbers,) = quantity.values(worlds, self.algorithms, [rng], replicates, stated)
        return dict(
            zip((algorithm.__name__ for algorithm in self.algorithms), numbers, strict=True)
        )

    @cached_property
    def alone(self) -> SweptCheck:
        """The check without its controls."""
        return replace(self, check=replace(self.check, wrong=()))

    def with_controls(self, blocks: int, replicates: int, budget: int) -> int:
        """How many blocks, from the first, measure the controls too.

        Replicates of a stream are cut into as many blocks of controls as there are of the algorithm
        under test (``cut``).  What is one number of a whole block cannot be cut: half of the blocks
        are needed for an interval; a largest number needs none.

        Args:
            blocks: of the budget.
            replicates: in one block.
            budget: replicates of a check that has no multiplier of its own.
        """
        quantity = self.check.quantity
        if not quantity.draws or len(self.algorithms) == 1:
            return blocks
        share, fewest = -(-blocks * CONTROLS // budget), -(-blocks // replicates)
        if quantity.stream_per_block:
            fewest = 1 if isinstance(self.check.claim, Inequality) else max(fewest, -(-blocks // 2))
        return min(blocks, max(share, fewest))

    def calls(self, blocks: int, replicates: int, begin: int = 0) -> list[range]:
        """Numbers of the blocks that each call measures.

        Where nothing is drawn one block stands for all.  Blocks with a stream each gain nothing
        from a common call, unless all worlds are one batch.

        Args:
            blocks: of the budget.
            replicates: in one block.
            begin: the first block.
        """
        quantity = self.check.quantity
        if not quantity.draws:
            return [range(1)]
        apart = quantity.stream_per_block and not quantity.together
        most = 1 if apart else max(1, CALL // replicates)
        return [range(at, min(at + most, blocks)) for at in range(begin, blocks, most)]

    @property
    def has_pairs(self) -> bool:
        """Whether its worlds are built from a file of text pairs, which no message may quote."""
        instances = (getattr(world, "instance", None) for world in self.sweep.worlds)
        return any(getattr(instance, "digest", "") for instance in instances)

    def blocks_and_draws(
        self, theorem: str, seed: int, numbers: Sequence[int], replicates: int
    ) -> tuple[np.ndarray, bool]:
        """(G, algorithms, K, R) of K blocks, measured in one call, and whether they drew.

        They share a stream, named by the first; or have one each (``Quantity.stream_per_block``).
        If none was used, every block of every seed is the same.

        Raises:
            BrokenTheorem: a check that says that it is exact or proved has drawn, or what an
                algorithm gives is no number for each replicate, of an event neither 0 nor 1.
        """
        quantity, draws = self.check.quantity, self.check.draws or self.name
        first = numbers if quantity.stream_per_block else numbers[:1]
        rngs = [stream(seed, theorem, draws, value, k) for k in first for value in self.sweep.grid]
        begun = [_state(rng) for rng in rngs]
        size, times = replicates * len(numbers) // len(first), len(first)
        with running_theorem(quoted=not self.has_pairs):
            worlds, stated = self.measured * times, self.sweep.worlds * times
            try:
                values = quantity.values(worlds, self.algorithms, rngs, size, stated)
            except BrokenTheorem as problem:
                raise BrokenTheorem(f"{self.name}: {problem}") from problem
        events = np.isin(values, (0, 1)) | np.isnan(values)
        if isinstance(self.check.claim, Frequency) and not events.all():
            value = values[~events].flat[0]
            allowed = "a frequency counts replicates; allowed: True where the event fails, or False"
            raise BrokenTheorem(f"{self.name} gives {value:.3g}: {allowed}")
        drew = begun != [_state(rng) for rng in rngs]
        if drew and not quantity.draws:
            raise BrokenTheorem(f"{self.name} is {quantity.evidence}, and draws")
        by_stream = values.reshape(times, len(self.sweep.grid), -1, size)
        shape = *by_stream.shape[1:3], len(numbers), replicates
        return np.moveaxis(by_stream, 0, 2).reshape(shape), drew


def cut(values: np.ndarray, blocks: int) -> np.ndarray:
    """(…, blocks, R′) replicates (…, K, R) of fewer blocks cut anew, those left over dropped.

    >>> cut(np.arange(10).reshape(2, 5), 4).tolist()
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    """
    flat = values.reshape(*values.shape[:-2], -1)
    size = flat.shape[-1] // blocks
    return flat[..., : blocks * size].reshape(*flat.shape[:-1], blocks, size)


def _state(rng: np.random.Generator) -> str:
    return fingerprint(rng.bit_generator.state)


def _line_of(algorithm: Algorithm) -> str:
    """Where a function is defined, in brackets; empty for one in C."""
    code = getattr(inspect.unwrap(algorithm), "__code__", None)
    if code is None:
        return ""
    file = Path(code.co_filename)
    return f" ({file.parent.name}/{file.name}:{code.co_firstlineno})"


def _more_labels(world: Any, other: Any) -> float:
    """By how much another world multiplies the labels, so that a check stays in its regime."""
    return world.more_labels(other) if hasattr(world, "more_labels") else 1.0


@dataclass(frozen=True)
class Instead:
    """What stands for a stage where it depends on the world.

    Attributes:
        of: world → the object.
    """

    of: Callable[[Any], Any]


Assumes = Callable[[SweptCheck], Iterable[Assumed]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Theorem:
    """A statement with its checks, and what it assumes; ``THEOREM`` of a file in ``theorems/``.

    Attributes:
        title: for people.
        settles: ids in the catalogue that checks without their own speak for.
        checks: of its parts.
        worlds: the classes of its worlds, by the name that the config group calls them.
        assumes: (check on its worlds) → what must hold there.
        extra: the optional extra whose libraries measuring needs.
        estimate: (checks, replicates by name) → what a run would need, for ``dry_run=true``.
        corrected: by the name of a check pinned contradicted, the check that has the form that
            holds; ``experiment: check`` where another experiment has it.
        substitute: check on its worlds → what stands in the place of the model and the data of a
            paper's figures and tables, in words; empty on the paper's own.
        module: that its file is imported as; filled in when it is found.
    """

    title: str
    settles: Sequence[str] = ()
    checks: Sequence[Check]
    worlds: Mapping[str, type]
    assumes: Assumes | None = None
    extra: str = ""
    estimate: Callable[[Sequence[SweptCheck], Mapping[str, int]], str] | None = None
    corrected: Mapping[str, str] = field(default_factory=dict)
    substitute: Callable[[SweptCheck], str] | None = None
    module: str = ""

    def __post_init__(self) -> None:
        refuse_text("settles", self.settles)
        names = [check.name for check in self.checks]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two checks are named {name}; allowed: a name for each")
        pinned = {check.name: check.expected for check in self.checks}
        for printed, holds in self.corrected.items():
            if pinned.get(printed) != "contradicted":
                raise ValueError(
                    f"corrected: {printed!r} is no check that is expected to be contradicted"
                )
            if ": " not in holds and pinned.get(holds) != "supported":
                raise ValueError(
                    f"corrected: {holds!r} is no check that is expected to be supported"
                )
        for check in self.checks:
            if check.expected == "supported" and not check.wrong:
                complaint = "has no control, so a wrong implementation could pass"
                raise ValueError(f"{check.name} {complaint}; give wrong=[…] one that must fail")

    @property
    def slug(self) -> str:
        """Its name: that of its file."""
        return self.module.rpartition(".")[2]

    def statements_of(self, check: Check) -> tuple[str, ...]:
        """Ids in the catalogue that one of its checks speaks for."""
        return tuple(check.settles or self.settles)

    def substitute_of(self, swept: SweptCheck) -> str:
        """What stands in the place of what a paper ran; empty of a statement of our own."""
        printed = [
            statement
            for statement in self.statements_of(swept.check)
            if not statement.startswith(OWN)
        ]
        return self.substitute(swept) if self.substitute and printed else ""

    @property
    def statements(self) -> tuple[str, ...]:
        """Ids in the catalogue that its checks speak for."""
        own = [statement for check in self.checks for statement in self.statements_of(check)]
        return tuple(dict.fromkeys(own))


def assumptions_of(assumed: Callable[[Any], Iterable[Assumed]], of: Any) -> list[Assumed]:
    """The assumptions that a function of an author gives.

    Raises:
        BrokenTheorem: it gives something else.
    """
    given = assumed(of)
    assumptions: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    for one in assumptions:
        if not isinstance(one, tuple) or len(one) != 3:
            name = getattr(assumed, "__name__", "assumes")
            allowed = "allowed: a list of (name, whether it holds, its numbers in words)"
            complaint = f"{name}{_line_of(assumed)} gives a {type(one).__name__} as an assumption"
            raise BrokenTheorem(f"{complaint}; {allowed}")
    return assumptions


def at_both_ends(*assumed: Callable[[Any], Iterable[Assumed]], of: type = object) -> Assumes:
    """Assumptions on the first and the last world of every sweep.

    Args:
        assumed: each gives (name, whether it holds, numbers in words) of a world.
        of: worlds of other classes are left out.
    """

    def assumes(swept: SweptCheck) -> Iterable[Assumed]:
        for end in (0, -1):
            if isinstance(world := swept.sweep.worlds[end], of):
                for assumption in assumed:
                    for name, holds, detail in assumptions_of(assumption, world):
                        yield f"at {swept.sweep.grid[end]:g}: {name}", holds, detail

    return assumes
