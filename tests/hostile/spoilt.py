"""Configs with one thing wrong: every key, in every way that applies to it."""

import math

GONE = object()

SCALARS = {
    "text": "<b>[red]x</b>",
    "path trick": "../../etc/passwd",
    "zero byte": "a\0b",
    "empty": "",
    "boolean": True,
    "mapping": {"_target_": "os.system"},
    "null": None,
    "nan": math.nan,
    "inf": math.inf,
    "minus inf": -math.inf,
    "negative": -1,
    "zero": 0,
    "huge whole": 10**30,
    "huge": 1e300,
    "missing": GONE,
}
ITEMS = {"nan": math.nan, "inf": math.inf, "negative": -1, "text": "x", "null": None, "bool": True}

LLM_DEFAULTS = {
    f"theorem.worlds.{world}.{group}.{key}"
    for world in ("release", "seen_pairs")
    for group, keys in {
        "model": "path tiny precision lora_rank seed",
        "model.tiny": "width layers heads",
        "data": "max_prompt_tokens max_response_tokens",
        **dict.fromkeys(
            ("procedure.sft", "procedure.preference"),
            "epochs batch_size accumulation learning_rate schedule warmup optimizer max_grad_norm"
            " gradient_checkpointing checkpoint_every",
        ),
        "procedure.rollouts": "schedule max_grad_norm",
    }.items()
    for key in keys.split()
}
"""Keys that a command line may leave out; repro/llm/training/settings.py has their defaults."""
ACCEPTED = {
    **{key: {"missing"} for key in LLM_DEFAULTS},
    "claimed": {"negative", "zero"},  # an exponent or a ratio may be any finite number
    "epsilon": {"inf"},  # no privacy
    "seed": {"zero"},
    "dry_run": {"boolean"},
    "verbose": {"boolean"},
    "quiet": {"boolean"},
    "gradient_checkpointing": {"boolean"},
    "coefficient": {"zero"},  # no pessimism
    "max_grad_norm": {"null"},  # gradients as they are
    # nobody corrupts; a probe without its own has the experiment's
    "corruption": {"zero", "null", "missing"},
    "reward_diff": {"zero"},
    "clean_mean": {"zero"},  # labels may be fair
    "least_corruption": {"zero"},
    "fades": {"zero"},  # corruption is the same at every n
    **{  # of hybrid_xpo, whose worlds may have no offline labels
        f"theorem.{place}.n_pairs": {"zero"}
        for place in ("sweeps.horizon", "sweeps.privacy_cost", "worlds.needles")
    },
    "ridge": {"zero"},  # none
    "reference_share": {"negative", "zero"},  # θ_sft in units of B·u
    "min_eigenvalue": {"zero"},  # no coverage is assumed
    **{  # of square_xpo: an adversary who corrupts nothing
        f"theorem.sweeps.{check}.adversary.share": {"zero"}
        for check in ("floor_cost_ctl", "floor_cost_ltc", "floor_level_ctl")
    },
    "theorem.worlds.two_policies.optimal": {"negative", "zero"},  # a difference of rewards
    "theorem.worlds.two_policies.other": {"negative", "zero"},
    "reward_share": {"negative", "zero"},
    "reward": {"last negative"},
    "rewards": {"last negative"},
    "means": {"last negative"},
    "small_means": {"last negative"},
    "theta_features": {"null", "missing"},  # then as many as num_features
    "uri": {"text", "path trick", "missing"},
    "experiment": {"text", "path trick", "missing"},  # a name in MLflow; by default repro
    "output_dir": {"text", "path trick"},  # a folder may have any printable name
    "feature_cache": {"text", "path trick"},
    "theorems_from": {"missing"},  # the current folder
    "stages": {"missing"},  # nothing is replaced
    "channel": {"missing"},  # randomized response
    "regulariser": {"missing"},  # KL
    "reward_class": {"missing"},  # the ball
    "always_yes": {"zero"},  # no constant answers
    **{
        f"stages.{name}": {"missing"}
        for name in ("labels", "channel", "noise", "estimate", "reference")
    },
    # a multiple of the bonus: reversed, none
    **{
        f"stages.{name}": {"missing", "negative", "zero"}
        for name in ("bonus", "optimism", "pessimism")
    },
}
"""By the key or its last part: ways that are no mistake there, each reviewed by hand."""


def nodes(values, path=()):
    """(path, value) of every mapping and leaf, the whole first."""
    yield path, values
    if isinstance(values, dict):
        for key, value in values.items():
            yield from nodes(value, (*path, key))


def ways(value):
    """(way, spoilt value) of one node."""
    yield from SCALARS.items()
    yield "list", [value]
    if isinstance(value, list):
        yield "empty list", []
        for way, item in ITEMS.items():
            yield f"last {way}", [*value[:-1], item]


def misspelt(mapping):
    """(way, mapping) with one key misspelt."""
    for key in mapping:
        yield (
            f"misspelt {key}",
            {f"{name}x" if name == key else name: v for name, v in mapping.items()},
        )


def with_value(values, path, new):
    """A copy of nested mappings with one value replaced, or gone."""
    if not path:
        return new
    copy = dict(values)
    if new is GONE and len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = with_value(values[path[0]], path[1:], new)
    return copy


def spoilt_configs(values):
    """(path, way, config) for every key and way but those that change nothing."""
    for path, way, new in spoilt_values(values):
        yield path, way, with_value(values, path, new)


def spoilt_values(values):
    """(path, way, what is put there) of the same."""
    for path, value in nodes(values):
        if isinstance(value, dict):
            yield from ((path, way, new) for way, new in misspelt(value))
        for way, new in ways(value) if path else ():
            same = type(new) is type(value) and new == value
            if not same:
                yield path, way, new


def accepted(path, way):
    """Whether this way is no mistake at this key."""
    return any(way in ACCEPTED.get(key, ()) for key in (*path[-1:], ".".join(path)))
