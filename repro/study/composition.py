"""Hydra outside of the command: compose the config from keyword values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from repro.base.errors import BadInput
from repro.base.paths import conf_dir
from repro.study.discovery import find, slugs
from repro.study.messages import as_bad_input
from repro.study.search_path import with_search_path


def compose_values(
    theorem: str, values: Mapping[str, Any], overrides: Sequence[str] = ()
) -> dict[str, Any]:
    """The composed config as plain values, without the ``hydra`` node.

    Raises:
        repro.base.errors.BadInput: an unknown theorem, group, key, or bad grammar.
    """
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    before = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            words = [f"{key}={_written(value)}" for key, value in values.items()]
            given = with_search_path([f"theorem={theorem}", *words, *overrides])
            composed = compose("config", given)
            return OmegaConf.to_container(composed, resolve=True)  # type: ignore[return-value]
    except (HydraException, OmegaConfBaseException) as problem:
        raise as_bad_input(problem) from None
    finally:
        GlobalHydra.instance().hydra = before


def named_theorems(text: str | None) -> list[str]:
    """The experiments of a value of ``theorem=``: a name, a list of them or ``glob(…)``.

    Args:
        text: as Hydra's grammar has it; None for the default experiment.

    Raises:
        repro.base.errors.BadInput: none is meant, or one is unknown.

    >>> named_theorems("log_regret,offline_gap")
    ['log_regret', 'offline_gap']
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Glob
    from hydra.errors import HydraException

    if text is None:
        return ["offline_gap"]
    try:
        override = OverridesParser.create().parse_override(f"theorem={text}")
    except HydraException as problem:
        raise BadInput("theorem", text, str(problem).partition("\n")[0]) from None
    value = override.value()
    if isinstance(value, Glob):
        found = value.filter(slugs())
    else:
        found = list(override.sweep_string_iterator()) if override.is_sweep_override() else [text]
    if not found:
        raise BadInput("theorem", text, "names no experiment; python -m repro catalogue lists them")
    for name in found:
        find(name)
    return found


def _written(value: Any) -> str:
    """A value in Hydra's override grammar."""
    if value is None:
        return "null"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(value)
