"""Hydra outside of the command: compose the config from keyword values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from repro.base.paths import conf_dir
from repro.cli.messages import as_bad_input
from repro.cli.search_path import with_search_path


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


def _written(value: Any) -> str:
    """A value in Hydra's override grammar."""
    if value is None:
        return "null"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(value)
