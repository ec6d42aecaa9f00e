"""``python -m repro features FOLDER [instance.path=FILES]``: build the text feature table.

The table is label-free: it is the same whichever responses were chosen.
"""

from __future__ import annotations

from pathlib import Path

from repro.base.errors import BadInput


def main(words: list[str]) -> int:
    """Build the table of an instance and keep it in a folder; 0, or the status of a refusal."""
    from repro.study.composition import compose_values
    from repro.worlds.instances.choices import TextChoice, instance_choice
    from repro.worlds.instances.feature_cache import cached_text_features
    from repro.worlds.instances.preference_text import text_pairs

    if not words or "=" in words[0]:
        raise BadInput("FOLDER", "", "usage: python -m repro features FOLDER [KEY=VALUE ...]")
    values = compose_values("offline_gap", {}, ["instance=preference_text", *words[1:]])
    choice = instance_choice(values["instance"])
    if not isinstance(choice, TextChoice):
        raise BadInput("instance", choice.kind, "allowed: preference_text")
    pairs = text_pairs(choice)
    folder = Path(words[0]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    table = cached_text_features(pairs, choice.num_features, folder, kept=True)
    print("{} pairs, {} features in {}".format(*table.feature_diff.shape, folder))
    return 0
