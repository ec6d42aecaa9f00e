"""``repro plan epsilon=0.5 target_gap=0.05``: how many privatised labels?

Give two of epsilon, target_gap and n_pairs.  The command answers the third for a loss, with or
without corruption, so that a share ``confidence`` of all datasets keeps the gap (.9 by default).
A gap is the value that the learnt policy loses against the best policy, in units of reward.  The
value of a policy is its expected reward less kl_weight times its KL divergence from the reference
policy.  The reference policy takes no label: n_pairs = 0 where its gap is small enough.

The answer is about the world that is printed: instance=linear (radius=6) or preference_text, with
instance.KEY=VALUE for its fields.  radius bounds the reward's parameter.  With radius=6 the better
response wins 72 % of the comparisons.  With radius=1 it wins 55 %, and no label may be needed.
instance.path=FILES is for text pairs of one's own.  A question that takes longer than a few seconds
says on standard error how long.

Give two of the first three keys.  Each other key has the value below by default:
  epsilon=0.5        per label, [1e-6, 100] or inf
  target_gap=0.05    above 0
  n_pairs=1000       [1, 1e15]
  corruption=0       share of corrupted labels, [0, 0.5)
  order=ctl          ctl: corrupted before privacy; ltc: after
  loss=mixture       mixture, square, debiased
  confidence=0.9     share of datasets that keeps the gap, [0.5, 0.999]
  kl_weight=0.5      weight of KL in the objective, (1e-6, 1e6)
  instance=linear    linear, preference_text
  replicates=1000    simulated datasets, [10, 1e6]
  seed=0             of the simulation

The epsilon and n_pairs that it finds are of one seed, and other seeds move them by some percent.
repro which_loss compares these three losses for epsilon and n_pairs.  In repro finetune the loss
mixture is called private, square is called square, and debiased is called rdpo.

Exit status: 0 done, 2 bad input, 3 a question that no number of labels answers.
From Python: ``repro.plan(epsilon=0.5, target_gap=0.05)``.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from omegaconf import OmegaConf
from pydantic import BeforeValidator, Field

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.places import conf_dir
from repro.base.schema import (
    Epsilon,
    KLWeight,
    Model,
    Number,
    Pairs,
    Positive,
    Probability,
    Whole,
    validate,
)
from repro.base.words import keyword_values, plain, wrapped
from repro.commands.finetune import OBJECTIVES
from repro.labels.corruption.orders import order_of
from repro.p2.losses.label_losses import LossName
from repro.p2.losses.label_plan import (
    SIMULATIONS,
    STRICTEST,
    LabelPlan,
    Measured,
    NoAnswer,
    fewest_replicates,
    unseen,
)
from repro.worlds.instances.build import build_world
from repro.worlds.instances.choices import INSTANCES, LinearChoice, TextChoice, instance_choice
from repro.worlds.instances.linear import LinearWorld

NO_ANSWER = 3
GAP = (
    "a gap is the value that a policy loses against the best policy, in units of reward; value: "
    "expected reward less kl_weight times the KL divergence from the reference policy"
)
NOT_PRIVATE = "not private: this answer is computed from your labels; do not publish it"
QUESTION = ("epsilon", "target_gap", "n_pairs")
SOON = 5.0
"""Seconds: what takes no longer is not announced, and progress is not told more often."""
FIELD = "instance."
"""What words begin with that are about the world."""
WORTH_LABELS: dict[str, dict[str, Any]] = {"linear": {"radius": 6.0}, "preference_text": {}}
"""Fields that differ from conf/instance unless they are given.

With conf/instance's radius of 1 the better response wins 55 % of the comparisons and the reference
policy loses .018, so that no gap in use needs a label.  With 6 it wins 72 % (rewards differ by 3.4
at most) and the reference policy loses .61.
"""


def _no_name_of_finetune(loss: Any) -> Any:
    for name, trained in OBJECTIVES.items():
        if loss == trained != name:
            raise ValueError(f"loss={name} is its name here; allowed: {', '.join(OBJECTIVES)}")
    return loss


class PlanRequest(Model):
    """Arguments of the command; two of the first three are given."""

    epsilon: Epsilon | None = None
    target_gap: Positive | None = None
    n_pairs: Pairs | None = None
    corruption: Annotated[Number, Field(ge=0, lt=0.5)] = 0.0
    order: Literal["ctl", "ltc"] = "ctl"
    loss: Annotated[
        Literal["mixture", "square", "debiased"], BeforeValidator(_no_name_of_finetune)
    ] = "mixture"
    instance: Literal["linear", "preference_text"] | None = None
    kl_weight: KLWeight | None = None
    confidence: Annotated[Probability, Field(ge=0.5, le=0.999)] = 0.9
    replicates: Annotated[Whole, Field(ge=10, le=10**6)] = 1000
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0


@dataclass(frozen=True, repr=False)
class PlanAnswer:
    """Two numbers that were given, the third that answers, and what comes with them.

    Attributes:
        epsilon: ε, per label; 0 where it was the question and no label is needed.
        n_pairs: labels; 0 where no label is needed.
        target_gap: the gap that was asked for [reward]; None where the gap was the question.
        confidence: share of all datasets that is to keep the gap.
        fewest_pairs: labels below which the gap is not kept, where their number was the question.
        gap_of_no_labels: that of the reference policy [reward].
        gap: mean gap measured with these labels [reward], with its 95 % interval.
        kept: the gap that a share ``confidence`` of datasets keeps [reward]: the target, if given.
        share: of other simulated datasets that keep the target; None where there is none.
        constant: lim n·(gap − floor) for this loss [reward]; infinite where no label is used.
        clean_labels: clean labels that tell as much, by the constants of ``loss``.
        loss: that is minimised.
        corruption: α.
        order: of corruption and privacy.
        floor: what no number of labels gets this loss below [reward]; 0 without corruption, and
            the gap of no labels where none is used.
        floor_of_any_method: for any method the least of its larger gap in two worlds, this one and
            one whose corrupted labels have the same law; it may exceed ``gap_of_no_labels`` of
            this world [reward].
        replicates: simulated datasets.
        world: what the answer is about, field by field.
    """

    epsilon: float
    n_pairs: int
    target_gap: float | None
    confidence: float
    fewest_pairs: int | None
    gap_of_no_labels: float
    gap: Measured
    kept: float
    share: float | None
    constant: float
    clean_labels: float
    loss: LossName
    corruption: float
    order: str
    floor: float
    floor_of_any_method: float
    replicates: int
    world: str

    def __repr__(self) -> str:
        """What the command prints: the answer first, at most eight parts, in 80 columns."""
        return "\n".join(map(wrapped, self.lines()))

    def lines(self) -> Iterator[str]:
        """The answer; gaps with and without labels, the constant, clean labels, floors; words."""
        if self.n_pairs:
            yield from self._with_labels()
        else:
            yield (
                f"{'epsilon' if self.fewest_pairs is None else 'n_pairs'} = 0: no label is needed; "
                f"without any, the reference policy has a gap of {self.gap_of_no_labels:.4g}, "
                f"and {self.target_gap:g} was asked for"
            )
        yield GAP
        yield f"assumed world: {self.world}"
        if self.n_pairs:
            yield from self._next()

    @property
    def _shown_epsilon(self) -> float:
        """The ε that was given, or the one that answers."""
        is_answer = self.fewest_pairs is None and self.target_gap is not None
        return _rounded_up(self.epsilon, 3) if is_answer else self.epsilon

    def _next(self) -> Iterator[str]:
        """What to type after this answer."""
        if math.isinf(self.epsilon):
            yield "next: ask again with the epsilon that you can promise"
            return
        if self.gap_of_no_labels <= self.kept:
            yield "next: ask again with more labels or a larger epsilon"
            return
        epsilon = plain(self._shown_epsilon)
        asked = f"epsilon={epsilon} n_pairs={self.n_pairs}"
        if self.corruption:
            asked += f" corruption={self.corruption:g} order={self.order}"
        yield (
            f"repro which_loss compares loss={self.loss} with the other losses in another world, "
            "by errors of rewards and not by gaps: there so many labels may be too few"
        )
        yield f"next: repro which_loss {asked}"
        yield f"then: repro privatize PAIRS OUT.jsonl epsilon={epsilon}"

    def _with_labels(self) -> Iterator[str]:
        gap, n_pairs, epsilon = self.gap, self.n_pairs, self.epsilon
        share_asked = f"in {self.confidence:.1%} of datasets"
        if self.fewest_pairs is not None:
            yield (
                f"n_pairs = {n_pairs} labels at epsilon = {epsilon:g} for a gap of at most "
                f"{self.target_gap:g} {share_asked}; fewer than {self.fewest_pairs} are not enough"
            )
        elif self.target_gap is not None:
            which = "that can be asked for" if epsilon == STRICTEST else "for"
            yield (
                f"epsilon = {self._shown_epsilon:g}, the strictest budget {which} a gap of at "
                f"most {self.target_gap:g} with {n_pairs} labels, {share_asked}"
            )
        kept = f"{self.confidence:.1%} of datasets"
        if self.share is not None:
            kept = f"{self.share:.1%} of {self.replicates} other datasets"
        most = self.kept if self.target_gap else _rounded_up(self.kept, 4)
        yield (
            f"gap = {gap.value:.4g} [{gap.low:.4g}, {gap.high:.4g}] on average with {n_pairs} "
            f"labels, at most {most:.4g} in {kept}"
        )
        worse = "" if self.gap_of_no_labels > self.kept else ": these labels do not pay"
        yield f"without labels the reference policy has a gap of {self.gap_of_no_labels:.4g}{worse}"
        times_n = [n_pairs * (value - self.floor) for value in (gap.value, gap.low, gap.high)]
        scaled = "n*(gap - floor)" if self.corruption else "n*gap"
        yield (
            f"{scaled} = {times_n[0]:.4g} [{times_n[1]:.4g}, {times_n[2]:.4g}] with these labels; "
            f"it tends to {self.constant:.4g} as labels are added"
        )
        if math.isfinite(epsilon):
            cost = privacy_cost(epsilon) ** 2
            yield (
                f"{n_pairs} private labels are worth {self.clean_labels:.0f} clean labels to "
                f"loss={self.loss} in this world; by the theorems' factor alone, c(epsilon)^2 = "
                f"{cost:.4g}, they are worth {n_pairs / cost:.0f}"
            )
        if self.corruption:
            yield (
                f"floor = {self.floor:.4g}: the gap of loss={self.loss} tends to it as labels are "
                "added, against the worst adversary found; any method has a gap of at least "
                f"{self.floor_of_any_method:.4g} in this world or in another world with the same "
                "corrupted labels"
            )


def plan(
    *,
    epsilon: float | None = None,
    target_gap: float | None = None,
    n_pairs: float | None = None,
    corruption: float = 0.0,
    order: Literal["ctl", "ltc"] = "ctl",
    loss: Literal["mixture", "square", "debiased"] = "mixture",
    instance: Literal["linear", "preference_text"] | None = None,
    fields: Mapping[str, Any] | None = None,
    kl_weight: float | None = None,
    confidence: float = 0.9,
    replicates: int = 1000,
    seed: int = 0,
) -> PlanAnswer:
    """The third of ε, a gap and a number of labels from the other two.

    Args:
        epsilon: privacy budget of a label, in [1e-6, 100] or inf.
        target_gap: KL-regularised value that may be lost against the best policy [reward].
        n_pairs: number of labels.
        corruption: α, the share of labels an adversary replaces, in [0, 0.5).
        order: corruption before the privacy mechanism (``ctl``) or after it (``ltc``).
        loss: that is minimised.
        instance: random linear rewards, or the geometry of text pairs; text pairs where ``fields``
            has a path, else linear rewards, unless it is given.
        fields: of the instance that differ from conf/instance (and, for linear rewards, from
            radius=6), such as ``{"path": FILES}`` for text pairs of one's own.
        kl_weight: P1's 1/β, instead of the instance's.
        confidence: share of all datasets that is to keep the gap, in [0.5, 0.999].
        replicates: simulated datasets.
        seed: of the simulation.

    Raises:
        repro.base.errors.BadInput: not two of the three, or a value that cannot be used.
        repro.p2.losses.label_plan.NoAnswer: no number of labels, or no budget, does it.

    >>> plan(epsilon=1, n_pairs=5000, replicates=100).gap.value < 0.1
    True
    >>> plan(epsilon=1, target_gap=0.7).n_pairs
    0
    """
    given = dict(locals())
    own = dict(given.pop("fields") or {})
    return _answered(_resolved(validate(PlanRequest, given), own), own)


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout; the status of the contract."""
    torch.set_num_threads(1)
    try:
        words = [word for word in arguments if not word.startswith(FIELD)]
        about = [word for word in arguments if word.startswith(FIELD)]
        fields = [word.removeprefix(FIELD).partition("=")[0] for word in about]
        request = _resolved(validate(PlanRequest, keyword_values(words, PlanRequest)), fields)
        print(_answered(request, _own_fields(request, about), Watch()))
        if "path" in fields:
            print(NOT_PRIVATE, file=sys.stderr)
    except NoAnswer as problem:
        print(f"no answer: {problem}", file=sys.stderr)
        return NO_ANSWER
    return 0


class Watch:
    """Says on standard error how long a question will take, and how far it is.

    Nothing for one that is answered at once.
    """

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._done, self._seconds = 0, 0.0

    def __call__(self, datasets: int, seconds: float) -> None:
        self._done += 1
        self._seconds += seconds
        left = self._seconds / self._done * max(1, SIMULATIONS - self._done)
        now = time.monotonic()
        if left < SOON or (now - self._said < SOON and self._said > self._began):
            return
        self._said = now
        print(
            f"plan: simulation {self._done} of at most about {SIMULATIONS}, "
            f"about {math.ceil(left)} s left",
            file=sys.stderr,
            flush=True,
        )


def _resolved(request: PlanRequest, fields: Collection[str]) -> PlanRequest:
    """The request with its instance named: a path is one of text pairs."""
    if request.instance is not None:
        return request
    return request.model_copy(
        update={"instance": "preference_text" if "path" in fields else "linear"}
    )


def _own_fields(request: PlanRequest, words: Sequence[str]) -> dict[str, Any]:
    """Fields of the instance by ``instance.KEY=VALUE``."""
    try:
        bare = [word.removeprefix(FIELD) for word in words]
        return keyword_values(bare, INSTANCES[request.instance or "linear"])
    except BadInput as problem:
        raise BadInput(FIELD + problem.key, problem.value, problem.allowed) from None


def _answered(
    request: PlanRequest, own: Mapping[str, Any], watch: Callable[[int, float], None] = unseen
) -> PlanAnswer:
    """Measure what was asked for.

    Raises:
        BadInput: an open question, or an instance that cannot be built as asked.
        NoAnswer: no number of labels, or no budget, does it.
    """
    _refuse_open_question(request)
    choice = world_choice(request, own)
    built, target = replace(build_plan(request, choice), watch=watch), request.target_gap
    n_pairs, epsilon, fewest = request.n_pairs, request.epsilon, None
    if epsilon is None:
        assert target is not None
        assert n_pairs is not None
        epsilon = built.epsilon_for(target, n_pairs)
        n_pairs = n_pairs if epsilon else 0
    elif n_pairs is None:
        assert target is not None
        n_pairs, fewest = built.labels_for(target, epsilon)
    share = None
    if target is not None:
        share = float((built.gaps(n_pairs, epsilon, stage=2) <= target).mean())
    unlabelled = built.gap_of_no_labels
    return PlanAnswer(
        epsilon=epsilon,
        n_pairs=n_pairs,
        target_gap=target,
        confidence=request.confidence,
        fewest_pairs=fewest,
        gap_of_no_labels=unlabelled,
        gap=built.measure(n_pairs, epsilon, stage=2),
        kept=built.promised(n_pairs, epsilon, stage=2) if target is None else target,
        share=share,
        constant=built.constant(epsilon) if n_pairs else math.inf,
        clean_labels=built.clean_equivalent(n_pairs, epsilon)[1] if n_pairs else 0.0,
        loss=request.loss,
        corruption=request.corruption,
        order=request.order,
        floor=built.floor(epsilon) if n_pairs else unlabelled,
        floor_of_any_method=(
            built.floor_of_any_method(epsilon) if n_pairs and request.corruption else 0.0
        ),
        replicates=request.replicates,
        world=_world_words(choice),
    )


def world_choice(request: PlanRequest, own: Mapping[str, Any]) -> LinearChoice | TextChoice:
    """The instance of a request, with some of its fields replaced.

    Args:
        request: names the instance, and its kl_weight.
        own: the fields that are replaced.

    Raises:
        BadInput: there is no such field, or it does not allow the value.
    """
    kind = request.instance or "linear"
    values: Any = OmegaConf.to_container(OmegaConf.load(conf_dir() / "instance" / f"{kind}.yaml"))
    if "kind" in own:
        raise BadInput(f"{FIELD}kind", own["kind"], "allowed: instance=KIND in its place")
    values |= WORTH_LABELS[kind]
    if request.kl_weight is not None:
        values["kl_weight"] = request.kl_weight
    return instance_choice({**values, **own, "kind": kind})


def build_plan(request: PlanRequest, choice: LinearChoice | TextChoice) -> LabelPlan:
    """The instance of a request, with its loss and adversary.

    Raises:
        BadInput: the instance cannot be built as asked.
    """
    world = build_world(choice, Path("outputs") / ".cache" / "features", "cpu")
    assert isinstance(world, LinearWorld)
    return LabelPlan(
        world,
        request.loss,
        request.corruption,
        order_of(request.order),
        request.replicates,
        request.seed,
        request.confidence,
    )


def _world_words(choice: LinearChoice | TextChoice) -> str:
    """What the answer is about, field by field, and where an experiment's world is another."""
    given = ((name, value) for name, value in choice if name != "kind" and value is not None)
    fields = (f"{name}={_shown(value)}" for name, value in given)
    words = f"instance={choice.kind} " + " ".join(fields)
    usual: Any = OmegaConf.load(conf_dir() / "instance" / f"{choice.kind}.yaml")
    other = [name for name in WORTH_LABELS[choice.kind] if getattr(choice, name) != usual[name]]
    for name in other:
        words += (
            f"; experiments with instance={choice.kind} have {name}={_shown(usual[name])} unless "
            f"{FIELD}{name}= is given"
        )
    return words


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rounded_up(value: float, digits: int) -> float:
    """The least number of so many digits that is not below a positive value.

    >>> _rounded_up(0.12341, 4), _rounded_up(2.0, 3)
    (0.1235, 2.0)
    """
    if not math.isfinite(value):
        return value
    shown = float(f"{value:.{digits - 1}e}")
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return shown if shown >= value else float(f"{shown + step:.{digits - 1}e}")


def _refuse_open_question(request: PlanRequest) -> None:
    """Two of three numbers are needed, and enough datasets for the confidence."""
    given = [name for name in QUESTION if getattr(request, name) is not None]
    if len(given) != 2:
        raise BadInput(
            *((given[0], getattr(request, given[0])) if given else (QUESTION[0], "(missing)")),
            f"allowed: give two of {', '.join(QUESTION)}; the third is answered",
        )
    if request.replicates < (fewest := fewest_replicates(request.confidence)):
        allowed = f"allowed: at least {fewest}, to show confidence={request.confidence:g}"
        raise BadInput("replicates", request.replicates, allowed)
