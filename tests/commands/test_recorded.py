"""What commands answer is as recorded, on numbers that are made up where they would be simulated.

``python -m pytest tests/commands/test_recorded.py --snapshot-update -n 0`` renews the record.
"""

import json
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from repro.commands import (
    ablate,
    accuracy,
    audit_release,
    plan,
    private_reward,
    privatize,
    suite,
    which_loss,
    which_mechanism,
)
from repro.commands.runs import power, stability, sweep
from repro.core.results import Finding
from repro.p2.losses.label_losses import LOSSES
from repro.p2.losses.label_plan import Measured
from repro.p2.losses.loss_choice import LossAnswer
from repro.p2.losses.loss_map import ADVERSARIES, EPSILONS, LABELS, MapCell
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.private_estimates.comparison import (
    DESCENT,
    EVEN,
    OBJECTIVE,
    OUTPUT,
    SCALES,
    MechanismComparison,
)
from repro.p3.private_estimates.noisy_descent import NoisyDescent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation
from tests.report.made_up import runs
from tests.report.readable import figure_text


def said(capsys, status):
    """Exit status, standard output and standard error."""
    out, err = capsys.readouterr()
    return f"{out}--- {err}--- status {status}"


@dataclass(frozen=True)
class MadeUpPlan:
    """Answers of a plan that tell from what they were asked: n, ε and the stage."""

    world: Any
    loss: str
    corruption: float
    order: object
    replicates: int
    seed: int
    confidence: float
    watch: Any = None

    gap_of_no_labels = 0.61254

    def epsilon_for(self, target, n_pairs):
        return 0.0 if target > 1 else 1e-6 if n_pairs > 1e6 else target + n_pairs / 12345

    def labels_for(self, target, epsilon):
        return (0, 0) if target > 1 else (round(1000 / target), round(990 / target))

    def gaps(self, n_pairs, epsilon, stage):
        return np.linspace(0, 0.1 * stage, self.replicates)

    def measure(self, n_pairs, epsilon, stage):
        n_pairs = max(n_pairs, 1)
        middle = 10 * stage / n_pairs
        return Measured(middle, middle - 1 / n_pairs, middle + 2 / n_pairs)

    def promised(self, n_pairs, epsilon, stage):
        return 12.34501 * stage / n_pairs

    def constant(self, epsilon):
        return 17.77 if math.isinf(epsilon) else 17 + epsilon

    def clean_equivalent(self, n_pairs, epsilon):
        return n_pairs / 3, n_pairs / 7

    def floor(self, epsilon):
        return 0.001234 * (self.corruption > 0)

    def floor_of_any_method(self, epsilon):
        return 0.000456789


PLANS = """
epsilon=0.5 target_gap=0.05
epsilon=inf target_gap=0.2 loss=square corruption=0.01 order=ltc replicates=200 confidence=0.95
target_gap=0.05 n_pairs=5000 kl_weight=0.25 seed=3
target_gap=0.05 n_pairs=5e6 loss=debiased
target_gap=2 n_pairs=5000
epsilon=1 target_gap=2
epsilon=8 n_pairs=30
epsilon=8 n_pairs=36
epsilon=8 n_pairs=2e4 instance.radius=1 instance.num_states=5
epsilon=100 n_pairs=2e4 instance=preference_text corruption=0.1
epsilon=1 n_pairs=2000 instance.radius=2.5 replicates=10 confidence=0.5
epsilon=1
epsilon=1 n_pairs=2000 replicates=10
epsilon=1 n_pairs=2000 target_gap=1
epsilon=1 n_pairs=2000 instance.kind=linear
epsilon=1 n_pairs=2000 instance.radius=-1
"""


def refused(main, words):
    """The status of a command, or its refusal."""
    try:
        return main(words.split())
    except ValueError as problem:
        return problem


def test_plan(monkeypatch, capsys, snapshot):
    def made_up(request, choice):
        print("asked:", *(f"{key}={value}" for key, value in request if value is not None))
        return MadeUpPlan(None, request.loss, request.corruption, request.order,
                          request.replicates, request.seed, request.confidence)  # fmt: skip

    monkeypatch.setattr(plan, "build_plan", made_up)
    for words in PLANS.split("\n")[1:-1]:
        assert said(capsys, refused(plan.main, words)) == snapshot(name=words)


def test_progress_of_plan(monkeypatch, capsys, snapshot):
    clock = iter([0.0, 1.0, 2.0, 6.9, 7.0, 13.0, 99.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    watch = plan.Watch()
    for seconds in (0.01, 3.0, 3.0, 2.0, 1.0, 0.001):
        watch(100, seconds)
    assert said(capsys, 0) == snapshot


LOSS_QUESTIONS = """
epsilon=1 n_pairs=1e5
epsilon=inf n_pairs=1e5 margin=2
epsilon=0.1 n_pairs=1000 margin=12
epsilon=8 n_pairs=1e6 corruption=0.03 order=ltc margin=12
epsilon=0.5 n_pairs=1e7 corruption=0.3 order=ltc
epsilon=4 n_pairs=1e7 corruption=0.05
epsilon=2 n_pairs=1e9 corruption=0.01
epsilon=1
n_pairs=10
epsilon=1 n_pairs=10 figure=nowhere/a.svg
epsilon=1 folder=here
figure=a.svg folder=here
"""


def test_which_loss(capsys, snapshot):
    for words in LOSS_QUESTIONS.split("\n")[1:-1]:
        assert said(capsys, refused(which_loss.main, words)) == snapshot(name=words)


def made_up_cells(replicates, seed, bounds):
    """Cells of the map of losses by a formula."""
    print("asked:", replicates, seed, bounds)
    for bound, (alpha, order), epsilon, n_pairs in product(bounds, ADVERSARIES, EPSILONS, LABELS):
        for number, loss in enumerate(LOSSES):
            error = (1 + number * (alpha + 0.01) * epsilon * bound / 4) / n_pairs**0.5
            gain, off = 1 + alpha / 100 * (number == 2), 3.1 if n_pairs == 10**6 else 2.9
            yield MapCell(bound, epsilon, alpha, order, n_pairs, loss, error**2 + off * 1e-4,
                          error**2, 1e-4, n_pairs > 10**3, gain)  # fmt: skip


def test_the_map_of_losses(monkeypatch, capsys, snapshot, tmp_path):
    drawn = []
    monkeypatch.setattr(which_loss, "loss_map", lambda *given: list(made_up_cells(*given)))
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **how: drawn.append((figure, how)))
    monkeypatch.chdir(tmp_path)
    status = which_loss.main(["folder=new", "reward_bounds=[2,4]", "replicates=20", "seed=3"])
    assert said(capsys, status) == snapshot(name="said")
    assert Path("new/which_loss.md").read_text(encoding="utf-8") == snapshot(name="page")
    lines = Path("new/which_loss.csv").read_text().splitlines()
    assert "\n".join(lines[:1] + lines[1::37]) == snapshot(name="table")
    words = [[ax.get_title(), ax.get_xlabel(), ax.get_ylabel()] for ax in drawn[0][0].axes]
    assert f"{drawn[0][1]} {words}" == snapshot(name="figure")


def test_the_place_of_an_answer(monkeypatch, capsys, snapshot, tmp_path):
    def made_up(bound, epsilon, alpha, order, n_pairs):
        far = 1 + epsilon * math.log10(n_pairs) / 50
        errors = {"mixture": 0.1, "square": 0.1 * far, "debiased": 0.1 * (far - 0.02)}
        return LossAnswer(errors, 0.1, bound, 0.2, 0.01, 0.1, f"{alpha} {order}")

    drawn = []
    monkeypatch.setattr(which_loss, "loss_answer", made_up)

    def savefig(figure, path, **how):
        drawn.append((figure, how))
        path.touch()

    monkeypatch.setattr(Figure, "savefig", savefig)
    monkeypatch.chdir(tmp_path)
    words = "epsilon=0.3 n_pairs=4e5 corruption=0.02 order=ltc figure=a.svg"
    assert said(capsys, which_loss.main(words.split())) == snapshot(name="said")
    assert f"{drawn[0][1]}\n{figure_text(drawn[0][0])}" == snapshot(name="figure")


EVEN_ERRORS = {OBJECTIVE: 0.0312345, OUTPUT: 0.07, DESCENT: 0.03}


def comparison(errors, zero=0.4):
    """A world's mechanisms with made-up errors and calibrations."""
    return MechanismComparison(errors, 0.0123456, zero, Calibration(31234.56, 45678.9),
                               OutputPerturbation(70.123456, 0.01234567),
                               NoisyDescent(30, 12.345678), 2500.1)  # fmt: skip


WORLDS = [
    (EVEN_ERRORS, {**EVEN_ERRORS, DESCENT: 0.05}),
    (EVEN_ERRORS, {**EVEN_ERRORS, OBJECTIVE: 0.5, DESCENT: 0.031}),
    (dict.fromkeys(EVEN_ERRORS, 0.39), {**EVEN_ERRORS, OBJECTIVE: 0.0331}),
    ({name: 0.39 - number / 300 for number, name in enumerate(EVEN_ERRORS)},
     dict.fromkeys(EVEN_ERRORS, 0.37)),
]  # fmt: skip
MECHANISMS = [
    "epsilon=1 delta=1e-6 n_pairs=1e5 num_features=16",
    "epsilon=0.1 delta=1e-9 n_pairs=1e6 num_features=1 reward_bound=2.5 seed=5",
    "epsilon=8 delta=1e-3 n_pairs=2e3 num_features=2000 adjacency=add_remove verbose=true",
    "epsilon=1 delta=1e-6 n_pairs=100 num_features=2 replicates=50",
]


def made_up_bounds(even, scales):
    """Errors by B: at the B of the question a fifth above those on the best ridge."""

    def by_bound(given, *numbers):
        print("asked by bound:", given, *numbers)
        own = {EVEN: 1.2 * even[OBJECTIVE], SCALES: 1.2 * scales[OBJECTIVE]}
        return {0.5: {EVEN: 2.0, SCALES: 5.0}, given.reward_bound: own}

    return by_bound


def test_which_mechanism(monkeypatch, capsys, snapshot):
    for words, (even, scales) in zip(MECHANISMS, WORLDS, strict=True):

        def made_up(given, *numbers, worlds=(even, scales)):
            print("asked:", given, *numbers)
            return dict(zip((EVEN, SCALES), map(comparison, worlds), strict=True))

        monkeypatch.setattr(which_mechanism, "compared", made_up)
        monkeypatch.setattr(which_mechanism, "errors_by_bound", made_up_bounds(even, scales))
        few = lambda given, n_pairs, *_: {EVEN: 30 / n_pairs, SCALES: 90 / n_pairs}  # noqa: E731
        monkeypatch.setattr(which_mechanism, "errors_at_bound", few)
        assert said(capsys, which_mechanism.main(words.split())) == snapshot(name=words)
    for words in (*(MECHANISMS[0].split(" ", n)[-1] for n in (1, 2)), "delta=1e-6 folder=a"):
        assert said(capsys, refused(which_mechanism.main, words)) == snapshot(name=words)


def test_the_table_of_mechanisms(monkeypatch, capsys, snapshot, tmp_path):
    def made_up(given, n_pairs, d, replicates, seed):
        zero = 0.5 if n_pairs < 10**4 else 3.0
        far = 1 + given.epsilon * math.log(d) / 10
        errors = {OBJECTIVE: 0.5 * far, OUTPUT: 300 / math.sqrt(n_pairs), DESCENT: 0.48 * far}
        return {
            EVEN: comparison(errors, zero),
            SCALES: comparison({**errors, DESCENT: 0.4 + 100 * given.reward_bound / d}, zero),
        }

    monkeypatch.setattr(which_mechanism, "compared", made_up)
    monkeypatch.chdir(tmp_path)
    words = ["folder=new", "adjacency=add_remove", "reward_bound=2"]
    assert said(capsys, which_mechanism.main(words)) == snapshot(name="said")
    assert Path("new/which_mechanism.md").read_text(encoding="utf-8") == snapshot(name="page")


def test_accuracy(snapshot):
    few, ties = np.array([1.0, 1.0, 0.5, 0.0]), np.full(4, 0.5)
    many, fewer = np.repeat([1.0, 0.0], [70, 30]), np.repeat([1.0, 0.0], [45, 55])
    pairs = ((few, ties), (few, None), (many, fewer), (fewer, many), (np.ones(1), np.zeros(1)))
    for number, ranked in enumerate(pairs):
        lines = accuracy.report(f"reward{number}.json", accuracy.RankedPairs(*ranked))
        assert "\n".join(lines) == snapshot(name=str(number))


def test_an_audit(monkeypatch, capsys, snapshot, tmp_path):
    from repro.release import audit
    from repro.release.labels import LabelTest

    asked = []
    sound, leak = (
        LabelTest("share of flips", 0.4, 1e-9),
        LabelTest("pattern along lines", 1e-12, 1e-9),
    )
    clean = audit.ReleaseAudit(1234, Decimal("0.5"), findings=[sound], unseen=0.01234)
    audits = [
        clean,
        replace(clean, findings=[sound, leak], outside=["the manifest: <a name>"], unseen=1.0),
        replace(clean, free=["line 3: a space", "line 4: another order"], epsilon=Decimal(8)),
    ]
    keys = "original=in.jsonl epsilon=0.5 ledger=l unit=who at_most=3 others=a.jsonl,,b.jsonl"
    for done in audits:

        def made_up(release, question, done=done):
            asked.append((release, question))
            return done

        monkeypatch.setattr(audit, "audit_release", made_up)
        monkeypatch.setattr(audit, "rewritten", lambda *given: asked.append(given))
        status = audit_release.main(["out.jsonl", *keys.split(), "rewrite=new.jsonl"])
        assert said(capsys, status) == snapshot(name=str(status))
    assert f"{asked[0]}\n{asked[1]}" == snapshot(name="asked")


def test_what_is_said_of_a_release(snapshot):
    from repro.release.manifest import Manifest
    from repro.release.privatise import Release, Target, Terms

    plain = Manifest(Decimal("0.5"), lines=12, plus=7)
    several = replace(plain, earlier=(Decimal("1.25"), Decimal(2)), unit_size=3)
    terms = Terms(Decimal("0.5"), False, False, "annotator", 3)
    for target in (Target(Path("a/out.jsonl")), Target(Path("o.jsonl"), Path("b/o.parquet"))):
        for manifest in (plain, several):
            line = privatize._said(Release(manifest, []), "a b.jsonl", target, terms, "lab")
            assert line == snapshot(name=f"{target.release} {manifest.unit_size}")
    card = {"guarantee": "(1, 1e-06)-private " * 5, "earlier_epsilons": [], "total_epsilon": 2.5,
            "total_delta": 3e-6, "reward_bound": 5.0}  # fmt: skip
    for earlier in ([], [1.5]):
        reward = SimpleNamespace(theta=[3.0, 4.0], card={**card, "earlier_epsilons": earlier})
        assert private_reward._said(reward, "out.json") == snapshot(name=f"reward {earlier}")


def test_power(snapshot):
    checks = [
        power.Planned("one", "few", now=1.0, needed=2.2),
        power.Planned("one", "just", now=2.2, needed=2.2),
        power.Planned("one", "many", now=8.0, needed=0.4),
        power.Planned("one", "exact", now=1.0, needed=0.0),
        power.Planned("two", "never", now=3.0, needed=math.inf),
        power.Planned("two", "least", now=0.01, needed=0.03),
    ]
    numbers = [f"{check.check}: {check.factor} {check.lowered} {check.enough}" for check in checks
               if math.isfinite(check.needed)]  # fmt: skip
    assert "\n".join([*numbers, power.printed_lines(checks)]) == snapshot


def test_stability(snapshot):
    results = {"gap_rate": [runs()["every"], replace(runs()["every"], seed=4)],
               "regret_rate": [runs()["expected"]]}  # fmt: skip
    summed = stability.summed(results)
    assert f"{summed}\n{stability.printed_lines(summed)}" == snapshot


def test_status_of_a_suite(monkeypatch, capsys, snapshot):
    stable = stability.Stability(3, 9, (), ())
    unstable = stability.Stability(3, 9, (stability.Unstable("a", "b", (("inconclusive", 2),),
                                                             2, 3),), (("a", 1),))  # fmt: skip
    planned = [power.Planned("one", "few", 1.0, 2.0)], [power.Planned("one", "many", 2.0, 1.0)]
    for module, answers in ((stability, (stable, unstable)), (power, planned)):
        name = module.__name__.rpartition(".")[2]
        for number, answer in enumerate(answers):
            monkeypatch.setattr(module, name, lambda request, answer=answer: answer)
            assert said(capsys, suite.main([name])) == snapshot(name=f"{name} {number}")


class Job(sweep.Job):
    """A job whose verdict and levels are made up."""

    verdict: Any = {}
    levels: Any = {}


def job(words, verdict, levels=None):
    """A job of a sweep."""
    made_up = Job(tuple(words.split()), None)
    values = {"verdict": verdict, "levels": levels or {}}
    return type("MadeUp", (Job,), values)(made_up.overrides, None)


def test_a_sweep(capsys, snapshot):
    from repro.report.record import verdict_content

    every, expected, part = (verdict_content(runs()[name])
                             for name in ("every", "expected", "part"))  # fmt: skip
    other = json.loads(json.dumps(every))
    other["checks"][0] |= {"slope": -0.98, "ci95": [-0.99, -0.97], "verdict": "inconclusive"}
    other["checks"][7]["max_ratio"] = 0.7
    jobs = [
        job("theorem=a seed=1 epsilon=0.5", every, {"a: gap at n = 1e4": 0.0123456}),
        job("theorem=a seed=2 epsilon=1", other, {"a: gap at n = 1e4": 0.1, "b: c": 1.0}),
        job("theorem=b seed=1", {}),
        job("theorem=c seed=1", expected),
        job("theorem=d seed=1", part),
    ]
    for number in (2, 3, 5):
        sweep.print_summary(jobs[:number])
        assert said(capsys, 0) == snapshot(name=f"{number} jobs")


def test_ablate(monkeypatch, capsys, snapshot, tmp_path):
    def made_up(values):
        for name in ("unbiased", "identity"):
            for need, after in (("labels", "contradicted"), ("privacy", "supported")):
                yield Finding(values["theorem"]["name"], name, "measured", need, f"no {need}",
                              "supported", after)  # fmt: skip

    monkeypatch.setattr(ablate, "take_away", made_up)
    monkeypatch.setattr(ablate, "needs_file", lambda slug: tmp_path / f"{slug}.json")
    monkeypatch.chdir(tmp_path)
    for words in (
        "rdpo_identity",
        "rdpo_identity --json",
        "rdpo_identity --write markdown=page.md",
    ):
        if "--write" in words:  # what was kept before is no complaint where it is written anew
            (tmp_path / "rdpo_identity.json").write_text('{"identity": ["noise"]}')
        assert said(capsys, ablate.main(words.split())) == snapshot(name=words)
    assert (tmp_path / "rdpo_identity.json").read_text() == snapshot(name="needs")
    assert Path("page.md").read_text(encoding="utf-8") == snapshot(name="page")
