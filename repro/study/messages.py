"""Hydra's and OmegaConf's errors as one clear line."""

from __future__ import annotations

import re

from repro.base.errors import BadInput, among, nearest
from repro.base.places import no_such_experiment

MOST_SIGNS = 60
"""Of a list that is refused, the signs that are repeated; ``glob(*)`` stands for every name."""


def top_level() -> tuple[str, ...]:
    """Keys and groups of a run's config, in the order of ``RunConfig``."""
    from repro.study.settings import RunConfig

    return tuple(RunConfig.model_fields)


def as_bad_input(problem: BaseException) -> BadInput:
    """The BadInput inside an exception chain, or one made from Hydra's message."""
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, BadInput):
            return seen
        seen = seen.__cause__ or seen.__context__
    text = str(problem)
    known = _missing_option(problem) or _unknown_key(text) or _bare_list(text)
    return known or BadInput("config", "", text)


def _missing_option(problem: BaseException) -> BadInput | None:
    """``theorem=offline_gpa``: no such file in the group."""
    options = getattr(problem, "options", None)
    name_given = getattr(problem, "missing_cfg_file", None)
    if not options or not isinstance(name_given, str):
        return None
    group, _, name = name_given.rpartition("/")
    group = group.removeprefix("/") or "config"
    refusal = no_such_experiment if group == "theorem" else among
    return BadInput(group, name, refusal(name, options))


def _bare_list(text: str) -> BadInput | None:
    """``only=a,b`` of one run: values with commas but without brackets."""
    match = re.search(r"Ambiguous value for argument '[+~]*([^=']+)=([^']*)'", text)
    if not match:
        return None
    key, values = match.groups()
    last = key.rpartition(".")[2]
    if last in ("only", "grid"):
        single = f'a list "{key}=[{values}]"'
    elif last in ("epsilon", "kl_weight") and re.fullmatch(r"\d+,\d+", values):
        single = f"a decimal point, {key}={values.replace(',', '.')}"
    else:
        single = "one value"
    given = values if len(values) <= MOST_SIGNS else f"{values[:MOST_SIGNS]}…"
    return BadInput(key, given, f"allowed: {single}, or -m for a run of each")


def _unknown_key(text: str) -> BadInput | None:
    """``epsilonn=1``: a key that the config does not have."""
    override = re.search(r"Could not override '([^']*)'", text)
    appended = re.search(r"Could not append to config.*?'([^']*)'", text, re.DOTALL)
    group = re.search(r"Could not find match for '?([^'\s]+)", text)
    match = override or appended or group
    if not match:
        return None
    key = match.group(1).split("=")[0].lstrip("+")
    if key == "beta":
        return BadInput(key, "", "unknown key; allowed: kl_weight (in P1, β is 1/kl_weight)")
    allowed = "see --cfg job for the keys there" if "." in key else among(key, top_level())
    if key.isidentifier() and not nearest(key, top_level()):
        allowed += f"; a field of a world is theorem.worlds.WORLD.{key}"
    return BadInput(key, "", f"unknown key; {allowed}")
