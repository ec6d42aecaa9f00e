"""From a composed config to a checked plan, and to the hash that names its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, StrictBool

from repro.base.device import resolve_device
from repro.base.errors import BadInput
from repro.base.files import expanded
from repro.base.places import install_hint, own_folder, place_of
from repro.base.schema import FileName, Model, Whole, validate
from repro.core.door import DEFAULT_INSTANCE, TheoremNumbers
from repro.core.stages import in_words, named_stages
from repro.study.blocks import content_key
from repro.study.discovery import find
from repro.study.experiment import Budget, Overrides, Setting
from repro.study.idle_values import (
    changed_numbers,
    refuse_departures,
    refuse_without_effect,
    shipped,
    shipped_instance,
)
from repro.study.plan import Plan, built
from repro.study.sources import files_fingerprint
from repro.worlds.instances.choices import TextChoice, instance_choice

NOT_IN_THE_HASH = (
    "compute",
    "tracking",
    "output_dir",
    "feature_cache",
    "dry_run",
    "stages",
    "theorems_from",
    "verbose",
    "quiet",
)
OVERRIDES = tuple(Overrides.model_fields)

Detail = Literal["verdict", "checks", "all"]
"""What the terminal shows of a run: one line, a line for each check, or everything."""


class Tracking(Model):
    """Where runs are recorded."""

    kind: Literal["none", "mlflow"]
    uri: FileName | None = None
    experiment: FileName = "repro"


def _names(value: Any) -> Any:
    """``only=n_pairs`` is ``only=[n_pairs]``, which a shell would want quoted."""
    names = (value,) if isinstance(value, str) else value
    if not names or not isinstance(names, list | tuple) or {*map(type, names)} != {str}:
        raise ValueError("names of checks, such as n_pairs or [n_pairs,constant]")
    return names


CheckNames = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""Checks of an experiment, as ``only=`` names them."""


def _workers(value: Any) -> int | Literal["auto"]:
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1024:
        return value
    raise ValueError("a whole number from 1 to 1024, or auto")


class Compute(Model):
    """How blocks are computed; results do not depend on it."""

    kind: Literal["local", "ray"]
    workers: Annotated[int | Literal["auto"], PlainValidator(_workers)]
    address: Annotated[str, Field(min_length=1)] | None = None


class RunConfig(Model):
    """The whole composed config."""

    theorem: dict[str, Any]
    instance: dict[str, Any]
    channel: Any = None
    regulariser: Any = None
    reward_class: Any = None
    budget: Budget
    tracking: Tracking
    compute: Compute
    seed: Annotated[Whole, Field(ge=0, lt=2**63)]
    epsilon: Any
    n_pairs: Any
    horizon: Any
    kl_weight: Any
    only: CheckNames | None
    device: Literal["cpu", "cuda", "auto"]
    output_dir: FileName
    feature_cache: FileName | None
    dry_run: StrictBool
    verbose: StrictBool
    quiet: StrictBool
    stages: dict[str, Any] = {}
    theorems_from: FileName | None = None

    @property
    def detail(self) -> Detail:
        """How much the terminal shows.

        Raises:
            BadInput: both less and more are asked for.
        """
        if self.verbose and self.quiet:
            raise BadInput("quiet", True, "allowed with verbose=true: false")
        return "all" if self.verbose else "verdict" if self.quiet else "checks"


@dataclass(frozen=True)
class Session:
    """A run ready to start.

    Attributes:
        plan: what is measured.
        config: the resolved config, plain values, as ``config.yaml`` keeps it.
        config_hash: names the results; independent of compute, tracking and output folder.
        tracking: where the run is recorded.
        compute: how it is computed.
        output_dir: absolute.
        dry_run: only say what the run would need.
        detail: how much the terminal shows.
    """

    plan: Plan
    config: dict[str, Any]
    config_hash: str
    tracking: Tracking
    compute: Compute
    output_dir: Path
    dry_run: bool = False
    detail: Detail = "checks"

    def tracking_values(self) -> dict[str, str]:
        """Tracking settings with the default store, SQLite below ``output_dir``, filled in."""
        # only what an address reads otherwise: SQLAlchemy before 2.1 takes a space as it is
        path = str(self.output_dir / "mlflow.db").replace("%", "%25").replace("?", "%3F")
        uri = self.tracking.uri or f"sqlite:///{path}"
        return {"kind": self.tracking.kind, "uri": uri, "experiment": self.tracking.experiment}


def session_of(values: Mapping[str, Any]) -> Session:
    """Check a composed config completely, without writing anything.

    Args:
        values: plain values of the config, without the ``hydra`` node.

    Raises:
        BadInput: the first wrong key, its value and what is allowed.
    """
    from repro.study.chosen import chosen_objects  # torch takes a second

    config = _run_config(values)
    overrides = validate(Overrides, {name: values[name] for name in OVERRIDES})
    folder, name = own_folder(config.theorems_from), str(config.theorem.get("name"))
    theorem, kept = find(name, folder), shipped(place_of(name, folder).config(name))
    refuse_departures(kept, config.theorem)
    instance = _instance(name, config.instance, kept)
    output_dir = expanded("output_dir", config.output_dir).absolute()
    device = resolve_device(config.device)
    tables = expanded("feature_cache", config.feature_cache or f"{output_dir}/.cache/features")
    _refuse_unable(config.compute, device)
    stages = named_stages(config.stages)
    selected = chosen_objects(values)
    setting = Setting(overrides, instance, device, tables.absolute(), stages, **selected)
    plan = Plan(
        theorem.slug, config.theorem, setting, config.budget, config.seed, config.only, folder
    )
    _ = built(plan).checks  # a formula without a value is refused before anything is measured
    refuse_without_effect(plan, kept, shipped_instance(instance["kind"]))
    resolved = {key: value for key, value in values.items() if key not in NOT_IN_THE_HASH} | {
        "instance": instance,
        "device": device,
    }
    # a run that selects nothing keeps the name that it had before there was a choice
    for name, chosen in selected.items():
        if chosen is None:
            resolved.pop(name, None)
    if stages:
        resolved["stages"] = in_words(stages)
    if config.only:
        resolved["only"] = sorted({*config.only})
    typed = values.get("stages", {})
    replaced = {
        f"stages.{name}": typed[name] if isinstance(typed[name], str | int | float) else words
        for name, words in in_words(stages).items()
    }
    if changed := changed_numbers(values, kept) | replaced:
        resolved["changed"] = changed
    # a claim's constant may be in the experiment's own file: two constants have two folders
    own = place_of(plan.slug, folder).code(plan.slug)
    resolved["code"] = files_fingerprint({own.name: own})
    resolved = _one_spelling(resolved)
    named = _hash(resolved)
    return Session(
        plan, resolved, named, config.tracking, config.compute, output_dir, config.dry_run,
        config.detail,
    )  # fmt: skip


def _run_config(values: Mapping[str, Any]) -> RunConfig:
    """All groups; a number of the budget that an experiment gives is refused under its own key."""
    try:
        return validate(RunConfig, dict(values))
    except BadInput as problem:
        theorem = values.get("theorem")
        if problem.key.startswith("budget.") and isinstance(theorem, Mapping):
            validate(TheoremNumbers, dict(theorem), "theorem")
        raise


def _refuse_unable(compute: Compute, device: str) -> None:
    """Ray that is not installed, or that is asked to measure on a device."""
    if compute.kind == "ray" and device != "cpu":
        raise BadInput("compute", "ray", f"allowed with device={device}: local")
    if compute.kind == "ray" and find_spec("ray") is None:
        raise BadInput("compute", "ray", f"needs {install_hint('ray')}; allowed: local")


def _instance(name: str, values: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """The checked instance, of a kind with sweeps; text pairs get a digest of their content."""
    choice = instance_choice(values)
    allowed = (DEFAULT_INSTANCE, *kept.get("instances", ()))
    if choice.kind not in allowed:
        raise BadInput("instance", choice.kind, f"{name} allows: {', '.join(allowed)}")
    if isinstance(choice, TextChoice):
        from repro.worlds.instances.preference_text import with_digest

        choice = with_digest(choice)
    return choice.model_dump(mode="json")


def _one_spelling(value: Any) -> Any:
    """Plain values with each number in one way, 0 for 0.0: equal runs have equal names."""
    if isinstance(value, Mapping):
        return {key: _one_spelling(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_one_spelling(inner) for inner in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    whole = abs(value) < 2**53 and value == int(value)  # beyond, neighbours are one float
    return int(value) if whole else float(value)


def _hash(resolved: Mapping[str, Any]) -> str:
    """First 12 hex digits over everything that the numbers depend on."""
    instance = dict(resolved["instance"])
    if not instance.get("digest"):
        return content_key(resolved)[:12]
    path = instance.pop("path")
    theorem = _without_path(resolved["theorem"], path)  # of worlds that follow the instance
    return content_key({**resolved, "instance": instance, "theorem": theorem})[:12]


def _without_path(given: Any, path: Any) -> Any:
    """The config of a theorem without the places of the text pairs, whose content is hashed."""
    if not isinstance(given, Mapping):
        return given
    return {
        key: _without_path(value, path)
        for key, value in given.items()
        if not (key == "path" and value == path)
    }
