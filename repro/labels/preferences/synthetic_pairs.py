"""Small generated preference pairs, so that everything runs with no download.

A prompt asks about a subject; two answers differ in length, tone, hedging, examples, layout and
a closing question.  A hidden linear taste of these, with Bradley-Terry noise, picks the chosen.
"""

from __future__ import annotations

import itertools

import numpy as np

from repro.base.errors import BadInput
from repro.labels.preferences.pair_records import PreferencePair

SUBJECTS = {
    "the kitchen": "baking bread|cooking rice|making soup|sharpening knives|storing herbs|a stew",
    "the garden": "growing tomatoes|pruning roses|making compost|a small lawn|watering|seedlings",
    "a trip": "packing light|a night train|booking a room|a city walk|camping|a long flight",
    "the computer": "backing up files|a slow laptop|passwords|a spreadsheet|email|a first program",
    "exercise": "running|stretching|swimming|lifting weights|cycling to work|a sore back",
    "money": "a monthly budget|saving for a house|taxes|a used car|insurance|paying off a loan",
    "studying": "learning French|taking notes|an exam|reading faster|writing an essay|algebra",
    "pets": "training a puppy|a shy cat|a fish tank|feeding birds|an old dog|a rabbit hutch",
}
ADVICE = {
    "the kitchen": "Weigh everything first.|Keep the heat low.|Taste it before you add salt.",
    "the garden": "Check the soil with a finger.|Morning light is best.|Remove dead leaves weekly.",
    "a trip": "Make a list the week before.|Arrive an hour early.|Keep copies of your papers.",
    "the computer": "Restart it and look again.|Write down each change.|Keep a second copy.",
    "exercise": "Warm up for ten minutes.|Rest every third day.|Stop when it hurts.",
    "money": "Write down what you spend.|Compare three offers.|Pay the costliest debt first.",
    "studying": "Short sessions beat long ones.|Explain it aloud.|Test yourself every Friday.",
    "pets": "Reward calm behaviour.|Keep the same hours each day.|Ask a vet about the food.",
}
GENERAL = (
    "Start small and build up.|Most people rush this part.|It takes patience.|Give it two weeks."
    "|A friend who has done it can help.|You will notice the difference.|Nothing here is costly."
)
OPENINGS = (
    "How do I start with {}{}?|What should I know about {}{}?|I need help with {}{}."
    "|What makes {} hard{}?|Can you give me advice on {}{}?|What goes wrong with {}{}?"
    "|Tell me about {}{}.|Is there a simple way to think about {}{}?"
)
CIRCUMSTANCES = (
    "| on a small budget| with little time| as a beginner| at my age| in winter| for my family"
    "| after a bad start| this weekend| without buying anything"
)
TASTE = np.array([0.45, 0.7, -1.1, 1.0, 0.4, -0.6])
"""(6,) hidden weights of: advice sentences (1-5), polite, hedged, example, list, question."""


def synthetic_pairs(count: int = 400, seed: int = 0) -> list[PreferencePair]:
    """``count`` pairs with distinct prompts, the same for the same seed.

    >>> synthetic_pairs(1) == synthetic_pairs(1)
    True
    """
    prompts = _prompts()
    if not 1 <= count <= len(prompts):
        raise BadInput("instance.count", count, f"needs a number from 1 to {len(prompts)}")
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = [prompts[int(place)] for place in rng.permutation(len(prompts))[:count]]
    return [_pair(topic, subject, prompt, rng) for topic, subject, prompt in drawn]


def _prompts() -> list[tuple[str, str, str]]:
    """Every (topic, subject, prompt)."""
    frames = list(itertools.product(OPENINGS.split("|"), CIRCUMSTANCES.split("|")))
    subjects = [(topic, s) for topic, row in SUBJECTS.items() for s in row.split("|")]
    return [(t, s, opening.format(s, more)) for t, s in subjects for opening, more in frames]


def _pair(topic: str, subject: str, prompt: str, rng: np.random.Generator) -> PreferencePair:
    """Two different answers, ordered by a Bradley-Terry draw under the hidden taste."""
    styles = np.zeros((2, len(TASTE)), dtype=np.int64)
    while (styles[0] == styles[1]).all():
        styles = np.hstack([rng.integers(1, 6, size=(2, 1)), rng.integers(0, 2, size=(2, 5))])
    first, second = (_answer(topic, subject, style, rng) for style in styles)
    gap = float((styles[0] - styles[1]) @ TASTE)
    if rng.random() < 1.0 / (1.0 + np.exp(-gap)):
        return PreferencePair(prompt, first, second)
    return PreferencePair(prompt, second, first)


def _answer(topic: str, subject: str, style: np.ndarray, rng: np.random.Generator) -> str:
    """A response in the given style: (6,) as in TASTE."""
    sentences, polite, hedged, example, listed, question = style.tolist()
    pool = ADVICE[topic].split("|") + GENERAL.split("|")
    advice = [pool[place] for place in rng.permutation(len(pool))[:sentences]]
    if example:
        advice.append(f"For example, my neighbour spent {rng.integers(2, 30)} days on {subject}.")
    opening = "Good question, I am happy to help. " if polite else ""
    opening += f"I am not sure, but perhaps this works for {topic}. " if hedged else ""
    body = "".join(f"\n- {line}" for line in advice) if listed else " ".join(advice)
    return (opening + body + (" What have you tried so far?" if question else "")).strip()
