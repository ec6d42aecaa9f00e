"""A small transformer on pairs of people: which methods can be told apart, and at which ε.

    python -m tools.stand_in fit=FIT.jsonl held_out=HELD_OUT.jsonl folder=FOLDER [seeds=5]

prints the tables of docs/howto/language_models.md.  Two layers of width 64 over a byte-pair
vocabulary of their own are trained from scratch on both responses of each pair of FIT, then by each
method on its labels, privatised at ε.  Of HELD_OUT a quarter is answered and ranked; the rest
teaches the judge, a Bradley–Terry reward on words.  A seed draws coins, batches and answers anew;
pairs, the fine-tuned model and the judge are the same for all, so that p speaks of these alone.
FOLDER keeps the fine-tuned model and what each seed has reached: the same command goes on where it
was stopped.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats

from repro.base.errors import BadInput
from repro.base.files import write_whole
from repro.base.schema import Positive
from repro.core.stream import stream
from repro.labels.preferences.pair_files import read_pairs
from repro.llm.experiments.contrasts import MOST, Contrast
from repro.llm.experiments.judges import longer_wins
from repro.llm.experiments.pessimistic_study import Drawn, PessimisticRelease
from repro.llm.experiments.procedures import PessimisticProcedure
from repro.llm.experiments.release_study import Seed, longer_is_better
from repro.llm.experiments.study import Study, ranking_accuracy
from repro.llm.training.backbone import build_tiny
from repro.llm.training.encoding import Tokens, encode_pairs
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import Shape
from repro.llm.training.trainers import Diverged
from theorems.llm_ppkl import PpklTuning, ppkl
from tools.p4_tables import world_of
from tools.seeds import seeds_asked

SHAPE, VOCABULARY = Shape(width=64, layers=2, heads=4), 1024
PROMPT_TOKENS, RESPONSE_TOKENS = 16, 32
HELD_OUT = 4
"""One in how many pairs of the second file is answered and ranked."""
EPSILONS = (0.1, 0.5, 2.0, math.inf)
LOSSES = {"DPO": "dpo", "rDPO": "rdpo", "PrivχPO": "private", "SquareχPO": "square"}
METHODS = (*LOSSES, "PPKL")
SEEDS = 5
"""Where no number is asked for."""
LEVEL = 1
"""Place of the win rate at equal length, which is compared, in what a policy reaches."""
USAGE = (
    "usage: python -m tools.stand_in fit=FIT.jsonl held_out=HELD_OUT.jsonl folder=FOLDER [seeds=5]"
)
WORLD = "theorem.worlds.release"


class StandIn(PessimisticProcedure):
    """P1's pipeline, and what P2's χPO needs besides.

    Attributes:
        reward_bound: R_max.
    """

    reward_bound: Positive = 5.0


@contextmanager
def pretrained(fit: str, held_out: str, folder: Path, *words: str) -> Iterator[PpklTuning]:
    """The world of two files of pairs; a random model, and the pairs in one file, lie in FOLDER."""
    first, second = read_pairs(fit), read_pairs(held_out)
    joined = folder / "pairs.jsonl"
    rows = [json.dumps({k: getattr(p, k) for k in ("prompt", "chosen", "rejected")})
            for p in (*first, *second)]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(joined, "\n".join(rows) + "\n")
    build_tiny(SHAPE, 0, TextPairs.of(first).texts, folder / "random", VOCABULARY)
    held = len(second) // HELD_OUT
    given = {
        "data.path": joined, "data.n_pairs": len(first), "data.held_out": held,
        "data.judge_pairs": len(second) - held, "data.max_prompt_tokens": PROMPT_TOKENS,
        "data.max_response_tokens": RESPONSE_TOKENS, "model.path": folder / "random",
    }  # fmt: skip
    groups = (
        f"theorem/llm_{one}@{WORLD}.{one}={of}"
        for one, of in (("data", "jsonl"), ("procedure", "stand_in"))
    )
    named = [f"{WORLD}.{key}={value}" for key, value in given.items()]
    with world_of("llm_ppkl", *groups, *named, *words, kept=folder) as world:
        yield replace(world, procedure=StandIn(**dict(world.procedure)))


# What a policy reaches ---------------------------------------------------------------------------


def longer(drawn: Drawn, weights: np.ndarray) -> float:
    """Win rate by length of a policy that weighs responses (P, K)."""
    rows = zip(drawn.ours, drawn.theirs, strict=True)
    won = [[longer_wins([a] * len(right), right).mean() for a in left] for left, right in rows]
    return float((weights * np.array(won)).sum(1).mean())


def reached(release: PessimisticRelease, method: str) -> tuple[float, ...]:
    """Win rate, that at equal length, win rate by length, ranking accuracy; NaN if it diverges."""
    if method == "PPKL":
        reward = ppkl(release)
        weights = release.weights(reward)
        rates = release.win_rate(weights), release.controlled(weights)
        return *rates, longer(release.drawn, weights), release.reward_accuracy(reward)
    # without privacy rDPO is DPO
    loss = "dpo" if math.isinf(release.epsilon) and method == "rDPO" else LOSSES[method]
    try:
        found = release.reached(loss)
    except Diverged:
        return (math.nan,) * 4
    return found.win_rate, found.at_equal_length, found.longer, found.accuracy


def one_seed(world: PpklTuning, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """In percent: (methods, ε, 4) of every policy, and (3,) of the longest of four answers."""
    seed = Seed.of(len(world.study.splits.train), rng)
    releases = [replace(world, epsilon=epsilon).release(seed) for epsilon in EPSILONS]
    policies = [[reached(release, method) for release in releases] for method in METHODS]
    longest = longer_is_better(releases[0])
    beside = longest.win_rate, longest.at_equal_length, longest.longer
    return 100 * np.array(policies), 100 * np.array(beside)


# The fine-tuned model and the judge --------------------------------------------------------------


def count_losses(seen: Sequence[Tokens], held: Sequence[Tokens], vocabulary: int) -> list[float]:
    """Nats a held-out token of unigrams and bigrams of seen responses, by Witten and Bell."""
    once, twice = np.ones(vocabulary), np.zeros((vocabulary, vocabulary))
    for before, token in map(_bigrams, seen):
        np.add.at(once, token, 1.0)
        np.add.at(twice, (before, token), 1.0)
    once /= once.sum()
    total, kinds = twice.sum(1), (twice > 0).sum(1)
    before, token = (np.concatenate(part) for part in zip(*map(_bigrams, held), strict=True))
    rest = np.where(total > 0, kinds, 1)[before] * once[token]
    mixed = (twice[before, token] + rest) / (total + np.where(total > 0, kinds, 1))[before]
    return [-float(np.log(one).mean()) for one in (once[token], mixed)]


def _bigrams(tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """Tokens of responses, and the ones before them."""
    place = tokens.response[:, 1:].bool()
    return tokens.ids[:, :-1][place].numpy(), tokens.ids[:, 1:][place].numpy()


def setting(study: Study) -> list[str]:
    """What is fine-tuned and how well, and how well the judge ranks pairs that nobody has seen."""
    tokenizer, held = study.backbone.tokenizer, study.held_out
    pairs = encode_pairs(tokenizer, study.splits.train, study.data)
    parts = [part for side in (held.first, held.second) for _, part in side.parts]
    texts = tokenizer.batch_decode(parts, skip_special_tokens=True)
    bytes_each = sum(len(text.encode()) for text in texts) / sum(map(len, parts))
    counts = count_losses((pairs.first, pairs.second), (held.first, held.second), len(tokenizer))
    named = zip(
        ("model", "bigrams", "unigrams"), (study.validation_loss(), *counts[::-1]), strict=True
    )
    losses = (
        f"{name} {nats:.3f} nats a token ({nats / math.log(2) / bytes_each:.2f} bits a byte)"
        for name, nats in named
    )
    some = study.splits.held_out
    says = study.judge(some.prompts, some.first, some.second) - 0.5
    size = sum(p.numel() for p in study.reference.model.parameters())
    return [
        f"{size:,} weights, {len(tokenizer)} tokens, log {math.log(len(tokenizer)):.2f} nats; "
        + ", ".join(losses),
        f"on {len(some)} held-out pairs the judge is right in "
        f"{100 * ranking_accuracy(says, some.labels):.1f} %, "
        f"longer is better in {100 * study.longer_accuracy():.1f} %",
    ]


# Tables ------------------------------------------------------------------------------------------


def contrast(name: str, first: np.ndarray, second: np.ndarray) -> tuple[str, str]:
    """Welch's p and the seeds an arm needed; seeds that diverged are left out of their arm."""
    arms = [one[np.isfinite(one)] for one in (first, second)]
    if min(map(len, arms)) < 2:
        return "", ""
    (a, s), (b, t) = ((one.mean(), one.std(ddof=1)) for one in arms)
    if s == t == 0:
        return ("1", f"over {MOST:,}") if a == b else ("0", "2")
    sizes = map(len, arms)
    p = stats.ttest_ind_from_stats(a, s, next(sizes), b, t, next(sizes), equal_var=False).pvalue
    needed = Contrast(name, a, s, b, t).seeds_needed()
    return f"{p:.2g}", f"over {MOST:,}" if needed >= MOST else f"{needed:,}"


def table(policies: np.ndarray) -> list[str]:
    """Of policies (seeds, methods, ε, 4): each with its test against SFT, and against DPO."""
    lines = [
        "| ε | method | wins, % | at equal length | longer, % | ranks, % | p to SFT | p to DPO | "
        "seeds to DPO |",
        "|" + "---|" * 9,
    ]
    for e, epsilon in enumerate(EPSILONS):
        for m, method in enumerate(METHODS):
            own, dpo = policies[:, m, e], policies[:, 0, e, LEVEL]
            mean, spread = np.nanmean(own, axis=0), np.nanstd(own, axis=0, ddof=1)
            rates = (f"{a:.1f} ± {b:.1f}" for a, b in zip(mean, spread, strict=True))
            count = int(np.isfinite(own[:, LEVEL]).sum())
            far = abs(mean[LEVEL] - 50) / (spread[LEVEL] / count**0.5)
            sft = float(2 * stats.t.sf(far, count - 1))
            beside = ("", "") if m == 0 else contrast(method, own[:, LEVEL], dpo)
            words = f"{epsilon:g}".replace("inf", "∞"), method, *rates, f"{sft:.2g}", *beside
            lines.append(f"| {' | '.join(words)} |")
    return lines


def privacy_table(policies: np.ndarray) -> list[str]:
    """Of each method the win rate at equal length at each ε against that without privacy."""
    lines = ["| method | ε | p to ε = ∞ | seeds to ε = ∞ |", "|---|---|---|---|"]
    for m, method in enumerate(METHODS):
        for e, epsilon in enumerate(EPSILONS[:-1]):
            found = contrast(method, policies[:, m, e, LEVEL], policies[:, m, -1, LEVEL])
            lines.append(f"| {method} | {epsilon:g} | {' | '.join(found)} |")
    return lines


def main(words: Sequence[str]) -> int:
    given = {key: value for key, _, value in (word.partition("=") for word in words)}
    needed = {"fit", "held_out", "folder"}
    if not needed <= given.keys() <= needed | {"seeds"}:
        print(USAGE, file=sys.stderr)
        return 2
    folder = Path(given["folder"]).resolve()
    try:
        seeds = seeds_asked([word for word in words if word.startswith("seeds=")], SEEDS)
        with pretrained(given["fit"], given["held_out"], folder) as world:
            print("\n".join(setting(world.study)), flush=True)
            found = [one_seed(world, stream(0, "stand_in", k)) for k in range(seeds)]
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    policies, beside = (np.array(part) for part in zip(*found, strict=True))
    print("\n".join([*table(policies), "", *privacy_table(policies)]))
    mean, spread = beside.mean(0), beside.std(0, ddof=1)
    told = (f"{a:.1f} ± {b:.1f}" for a, b in zip(mean, spread, strict=True))
    print(f"longest of four: {', '.join(told)}; {np.isnan(policies[..., 0]).sum()} runs diverged")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
