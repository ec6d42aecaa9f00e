"""From a grid point of P4's results to its case: labels, privacy and corruption, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from repro.base.notation import privacy_cost
from repro.base.schema import Corruption
from repro.corruption.budget import checked_corruption, flip_budget
from repro.corruption.debiasing import Reading, ReadingOf, debiased
from repro.corruption.orders import Channel, Order, Randomize
from repro.families.robust.adversaries import NONE, STRONG, Adversary
from repro.families.robust.adversaries_strong import AttackTarget
from repro.families.robust.labels import AttackedLabels
from repro.families.robust.worlds_choices import AnyPairChoice, build_pair_world, pair_choice_at
from repro.families.robust.worlds_pairs import PairWorld, pairs_of
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.case import Point, PointCase
from repro.study.config import Probe, Probes
from repro.study.experiment import C, Experiment, Setting
from repro.study.label_cases import LabelCase
from repro.study.row import INSTANCE, Method, Row

W_co = TypeVar("W_co", covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustCase(LabelCase, Generic[W_co]):
    """One grid point of learning from private and corrupted labels.

    Attributes:
        world: the truth.
        n_pairs: n; 0 for infinitely many labels: exact expectations, no draws.
        corruption: α in [0, 1/2).
        claimed: the number that is claimed, where a row's quantity is in its units.
        ridge: λ of the norm ‖·‖_{Σ̂+λI}; None for the L2 norm.
        adversary: who corrupts labels.
        order: corruption before or after the randomizer.
        reading: how the estimator, believing in ε, reads them.
        estimate: (fitted, truth) → what the estimator returns.

    Raises:
        BadInput: α lies outside [0, 1/2), or is less than one label of n.
    """

    world: W_co
    methods: tuple[Method, ...] = ()
    corruption: float = 0.0
    claimed: float = 1.0
    ridge: float | None = None
    adversary: Adversary = NONE
    idle_adversary: ClassVar[Any] = NONE
    order: Order = Order.LTC
    reading: ReadingOf = debiased
    estimate: Estimate = as_fitted

    def __post_init__(self) -> None:
        checked_corruption(self.corruption)
        if self.adversary.acts and self.n_pairs:
            flip_budget(self.corruption, self.n_pairs)

    @property
    def read(self) -> Reading:
        """The estimator's reading at the budget that it believes in."""
        return self.reading(self.epsilon)

    def passage(self, target: AttackTarget) -> Channel:
        """What stands between true labels and the estimator ``target``."""
        randomize = Randomize.of(self.channel, self.epsilon)
        return self.adversary.channel(
            self.order, randomize, self.corruption, self.n_pairs, target
        )  # fmt: skip


PairCase = RobustCase[PairWorld]
AnyLabels = RobustCase[Any] | AttackedLabels
"""Labels as mathematics reads them, while some theorems still have cases."""


@dataclass(frozen=True)
class Attack:
    """Who corrupts the labels of a row, and when."""

    order: Order = Order.LTC
    adversary: Adversary = STRONG

    def worth(self, epsilon: float) -> float:
        """ζ, what a flip is worth: c(ε) behind the randomizer (LTC), 1 in front of it (CTL), and
        the sum where each of two adversaries has a share α (CLC)."""
        cost = privacy_cost(epsilon)
        return {Order.LTC: cost, Order.CTL: 1.0, Order.CLC: 1.0 + cost}[self.order]


NOBODY = Attack(adversary=NONE)
STRONG_LTC = Attack(Order.LTC)
STRONG_CTL = Attack(Order.CTL)


class RobustProbe(Probe):
    """Also the row's own α, where it is not the experiment's."""

    corruption: Corruption | None = None


class RobustProbes(Probes):
    """Probes, the worlds by name, and α where it is neither swept nor a probe's own."""

    corruption: Corruption
    worlds: dict[str, AnyPairChoice] = {}
    probes: dict[str, RobustProbe]  # type: ignore[assignment]
    instances: dict[str, dict[str, RobustProbe]] = {}  # type: ignore[assignment]


class RobustExperiment(Experiment[C]):
    """Sweeps one field of a world of label cells, or n, ε or α."""

    config: Any

    def __init__(self, config: RobustProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self._instance_world: PairWorld | None = None

    def case(self, point: Point) -> C:
        """What the row says that its cases are made of."""
        return point.row.given(self, point)

    def world(self, point: Point) -> Any:
        """The world of one grid point, built once in a process."""
        if point.row.on == INSTANCE:
            return self.instance_world()
        choice = self.config.worlds[point.row.on]
        swept = point.row.over in type(choice).model_fields
        return self.built(point.row.on, **({point.row.over: point.value} if swept else {}))

    def built(self, name: str, **fields: object) -> Any:
        """A world of the config, some of its fields replaced."""
        choice = pair_choice_at(self.config.worlds[name], **fields)
        return build_pair_world(choice, self.setting.device)  # type: ignore[arg-type]

    def instance_world(self) -> PairWorld:
        """The label cells of the ``instance`` group's world."""
        if self._instance_world is None:
            choice = instance_choice(self.setting.instance)
            world = build_world(choice, self.setting.cache, self.setting.device)
            assert isinstance(world, LinearWorld)
            self._instance_world = pairs_of(world)
        return self._instance_world

    def corruption(self, point: Point) -> float:
        """α of one grid point."""
        own = getattr(point.probe, "corruption", None)
        return point.swept("corruption", self.config.corruption if own is None else own)

    def attacked(self, point: Point, attack: Attack) -> dict[str, Any]:
        """Who corrupts, when, and how much: fields of a case."""
        share = self.corruption(point) if attack.adversary.acts else 0.0
        return {"order": attack.order, "adversary": attack.adversary, "corruption": share}

    def pair_case(self, point: Point, attack: Attack, ridge: float | None = None) -> PairCase:
        """Estimation from the labels of one grid point."""
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=self.world(point), ridge=ridge, **self.attacked(point, attack),
        )  # fmt: skip

    def floor_case(
        self, point: Point, attack: Attack, floor: Callable[[Any, float, float], float]
    ) -> RobustCase:
        """The same with infinitely many labels, in units of a claimed floor.

        Args:
            point: the grid point.
            attack: who corrupts, and when.
            floor: (world, α, ζ) → the claimed floor.
        """
        world, share = self.world(point), self.corruption(point)
        return RobustCase(
            methods=point.methods, epsilon=point.epsilon, world=world,
            claimed=floor(world, share, attack.worth(point.epsilon)),
            **self.attacked(point, attack),
        )  # fmt: skip

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world, where it has one in the config."""
        if row.on == INSTANCE:
            return {"world_fields": instance_choice(self.setting.instance).model_dump(mode="json")}
        choice = self.config.worlds.get(row.on)
        return {} if choice is None else {"world_fields": choice.model_dump(mode="json")}


def the_value(experiment: Any, point: Point) -> PointCase:
    """Nothing but the swept number."""
    return PointCase(methods=point.methods, value=point.value)
