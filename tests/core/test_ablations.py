"""Taking stages away: what a check is seen to notice, and what is said of one that is deaf."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.schema import Pairs
from repro.commands.ablate import _complaints, main, take_away
from repro.core.ablations import ABLATIONS, MUST, Finding, complaints, findings
from repro.core.check import Check, Instead, Quantity, SweptCheck
from repro.core.claims import Ratio, RatioCheck
from repro.core.fingerprint import fingerprint
from repro.core.needs import Need, needs_file, needs_of
from repro.core.stages import STAGES
from repro.core.worlds import Sweep, field_values
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import as_fitted, bradley_terry, fair_coins
from repro.study.composition import compose_values, named_theorems
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.settings import session_of
from tests.at_each import at_each

FEW = ["budget=smoke", "budget.replicates=60", "compute.workers=1", "tracking=none"]
WITHOUT_EXTRA = [one for one in slugs() if not find(one).extra]


def checks_of(slug):
    return built(session_of({**compose_values(slug, {}), "output_dir": "unused"}).plan).swept


@dataclass(frozen=True, kw_only=True)
class Coins:
    """Tosses that are seen through two stages."""

    n_pairs: Pairs = 1
    labels: Any = bradley_terry
    estimate: Any = as_fitted


def heads(world: Coins, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """1 on average; with fair coins 2, and an error where the truth is told."""
    if world.estimate is not as_fitted:
        raise ArithmeticError
    fair = world.labels is fair_coins
    return (2.0 if fair else 1.0) + 0.01 * rng.standard_normal(replicates)


def deaf(world: Coins, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """1 on average, whatever is taken away."""
    return 1 + 0.01 * rng.standard_normal(replicates)


def swept(right=heads, evidence="measured", **fields) -> SweptCheck:
    check = Check(name="n", axis="n_pairs", claim=Ratio("one"), right=right,
                  quantity=Quantity("heads", evidence=evidence), **fields)  # fmt: skip
    return SweptCheck(check, Sweep.of(Coins(), "n_pairs", (1, 2)))


def declared(one: SweptCheck) -> RatioCheck:
    return RatioCheck("n", "n_pairs", one.sweep.grid, "heads", one.check.right.__name__)


def found(one: SweptCheck) -> dict[str, Finding]:
    several = findings("coins", one, 0, 5, 10, 0.05, declared)
    return {finding.ablation: finding for finding in several}


def test_every_ablation_replaces_a_stage():
    assert {one.stage for one in ABLATIONS} <= set(STAGES)
    assert len({one.name for one in ABLATIONS}) == len(ABLATIONS)


def test_every_stage_of_the_worlds_is_taken_away_once():
    several = found(swept())
    assert [*several] == ["fair coins as labels", "truth as estimate", "the estimate's opposite"]
    assert {one.before for one in several.values()} == {"supported"}
    assert several["fair coins as labels"] == Finding(
        "coins", "n", "measured", "labels", "fair coins as labels", "supported", "contradicted"
    )
    assert all(one.noticed for one in several.values())


def test_what_stops_without_a_stage_has_noticed():
    assert found(swept())["truth as estimate"].after == "error: ArithmeticError"


def test_what_cannot_be_measured_without_a_stage_says_why():
    def without_a_value(world, rng, replicates):
        values = heads(world, rng, replicates)
        return np.full_like(values, np.nan) if world.labels is fair_coins else values

    one = found(swept(without_a_value))["fair coins as labels"]
    assert (one.after, one.unmeasured) == ("inconclusive", "a grid point has no finite value")


def test_a_check_that_stays_where_it_was_has_noticed_nothing():
    assert not any(one.noticed for one in found(swept(deaf)).values())


def test_a_stage_that_the_worlds_lack_is_not_asked_about():
    assert {"no randomizer", "no optimism"}.isdisjoint(found(swept()))


ALL = [need.value for need in MUST.values()]
DEAF = {"labels": "says why", "estimate": "says why", "algorithm": "says why"}


@pytest.mark.parametrize(
    ("one", "seen", "kept", "have", "told"),
    [
        (swept(), ALL, ALL, ALL, []),
        (swept(), ALL, None, ALL, []),
        (swept(), ALL, ["labels"], ALL, ["the snapshot has: labels"]),
        (swept(), ALL, [], ALL, ["the snapshot has: nothing"]),
        (swept(), ALL[1:], None, ALL,
         ['does not notice labels; let the algorithm read world.labels, '
          'which must not be fair coins already; where it does and the claim holds without it, '
          'as an upper bound may, give the check '
          'blind={"labels": "why it need not"}']),
        (swept(), ALL[1:], None, ALL[1:],
         ['has no stage to show that it notices labels; derive its worlds from PrivateLabels, or '
          'give the check blind={"labels": "why it need not"}']),
        (swept(blind=DEAF), [], [], ALL, []),
        (swept(blind={"labels": "says why"}), ALL, None, ALL,
         ["notices labels, against its reason in blind"]),
        (swept(evidence="proved"), [], [], [], []),
        (swept(evidence="computed"), [], None, ALL, []),
        (swept(evidence="searched"), [], None, [],
         [f"has no stage to show that it notices {need}; derive its worlds from PrivateLabels, or "
          f'give the check blind={{"{name}": "why it need not"}}'
          for name, need in zip(("labels", "estimate", "algorithm"), ALL, strict=True)]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_check(one, seen, kept, have, told):
    assert complaints(one, seen, kept, have) == told


@dataclass(frozen=True, kw_only=True)
class NoLabels:
    """A world that has none; people who answer are no labels of preferences."""

    horizon: Pairs = 1
    n_pairs: Pairs = 1


def test_nothing_about_labels_is_asked_of_a_world_that_has_none():
    check = swept(evidence="searched").check
    one = SweptCheck(check, Sweep("horizon", "horizon", (1.0,), (NoLabels(),)))
    assert complaints(one, [], None, []) == []
    assert complaints(one, [], ["order"], []) == ["the snapshot has: order"]


@pytest.mark.some(4)
@pytest.mark.parametrize("slug", WITHOUT_EXTRA)
def test_every_ablation_fits_the_worlds_that_have_its_stage(slug):
    """The idle adversary is of the world's kind; the exchanged order is the other one."""
    for one in checks_of(slug):
        have = field_values(one.sweep.worlds[0])
        for ablation in (each for each in ABLATIONS if each.stage in have):
            without = one.instead(**{ablation.stage: Instead(ablation.put)})
            for stated, measured in zip(one.sweep.worlds, without.measured, strict=True):
                instead = field_values(measured)[ablation.stage]
                assert fingerprint(instead) == fingerprint(ablation.put(stated)), one.name


@at_each("slug", slugs())
def test_the_snapshot_names_checks_that_there_are(slug):
    """And what is proved needs nothing."""
    checks = find(slug).checks
    kept = json.loads(needs_file(slug).read_text("utf-8")) if needs_file(slug).is_file() else {}
    assert set(kept) <= {check.name for check in checks}
    proved = [check.name for check in checks if check.quantity.evidence == "proved"]
    assert [name for name in proved if needs_of(slug, name)] == []


def test_the_order_is_exchanged_world_by_world():
    one = next(c for c in checks_of("square_chipo") if hasattr(c.sweep.worlds[0], "order"))
    (exchange,) = (each for each in ABLATIONS if each.need is Need.ORDER)
    (world, *_) = one.instead(order=Instead(exchange.put)).measured
    assert {one.sweep.worlds[0].order, world.order} == {Order.CTL, Order.LTC}


def test_labels_are_noticed_by_a_check_that_reads_them(tmp_path):
    values = compose_values("offline_gap", {}, [*FEW, "only=[n_pairs_no_bonus]"])
    several = {one.ablation: one for one in take_away({**values, "output_dir": str(tmp_path)})}
    assert several["fair coins as labels"].noticed
    assert several["fair coins as labels"].before == "supported"


def test_a_deaf_check_is_named_and_the_status_is_one(tmp_path, capsys):
    """Where labels are fair coins already, taking them away changes nothing."""
    words = [*FEW, f"output_dir={tmp_path}", "only=[n_pairs_no_bonus]", "stages.labels=fair_coins"]
    page = tmp_path / "page.md"
    assert main(["theorem=offline_gap", f"markdown={page}", *words]) == 1
    named = "fair coins as labels: NOT NOTICED: still contradicted"
    said = capsys.readouterr().out
    assert named in said
    assert "offline_gap n_pairs_no_bonus: does not notice labels; " in said
    assert f"- `offline_gap` `n_pairs_no_bonus`: {named}" in page.read_text("utf-8")
    kept = json.loads((tmp_path / "ablations.json").read_text("utf-8"))
    assert [one["noticed"] for one in kept if one["need"] == "labels"] == [False]


def test_a_check_that_notices_what_it_must_has_the_status_zero(tmp_path, capsys):
    """Its findings are kept beside those of another experiment, and replace its own."""
    other, old = ({"theorem": name, "check": "old", "evidence": "measured", "need": "labels",
                   "ablation": "fair coins as labels", "before": "supported",
                   "after": "contradicted", "noticed": True}
                  for name in ("other", "offline_gap"))  # fmt: skip
    (tmp_path / "ablations.json").write_text(json.dumps([other, old]))
    words = ["budget=smoke", "tracking=none", "compute.workers=1", "only=[n_pairs_no_bonus]"]
    assert main(["theorem=offline_gap", f"output_dir={tmp_path}", "--json", *words]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert {one["need"] for one in kept if one["noticed"]} >= set(ALL)
    in_file = json.loads((tmp_path / "ablations.json").read_text("utf-8"))
    assert (in_file[0]["theorem"], in_file[1:]) == ("other", kept)


def test_a_check_without_a_verdict_is_named_as_one_that_could_not_be_judged():
    values = compose_values("offline_gap", {}, [*FEW, "only=[n_pairs]"])
    measured = ("offline_gap", "n_pairs", "measured", "labels", "fair coins as labels")
    lines = _complaints(values, [Finding(*measured, "inconclusive", "inconclusive")], write=False)
    assert lines == [
        "offline_gap n_pairs: could not be judged; raise budget.replicates until it has a verdict"
    ]


def test_needs_are_not_written_where_something_is_wrong(tmp_path, monkeypatch):
    kept = tmp_path / "offline_gap.json"
    monkeypatch.setattr("repro.commands.ablate.needs_file", lambda theorem: kept)
    values = {**compose_values("offline_gap", {}), "output_dir": str(tmp_path)}
    lines = _complaints(values, [], write=True)
    assert lines[-1] == "offline_gap: conf/needs/offline_gap.json is not written"
    assert not kept.exists()


def test_part_of_a_theorem_is_not_kept_as_its_snapshot(tmp_path):
    words = [*FEW, f"output_dir={tmp_path}", "only=[bonus_covers]", "--write"]
    with pytest.raises(BadInput, match=r"^only=.*: allowed with --write: null"):
        main(["theorem=offline_gap", *words])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["markdown="],
        ["markdown=."],
        ["markdown=absent/page.md"],
        ["theorem=rdpo_identity", "theorem=label_masks"],
        ["output_dir=/proc/absent"],
        ["seed=-1"],
    ],
)
def test_bad_words_are_refused_before_anything_runs(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=f"^{words[0].partition('=')[0]}"):
        main(["theorem=rdpo_identity", *words] if "theorem" not in words[0] else words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (None, ["offline_gap"]),
        ("lower_bound", ["lower_bound"]),
        ("log_regret,offline_gap", ["log_regret", "offline_gap"]),
        (
            "glob(*,exclude=[a*,b*,c*,d*,e*,f*,h*,i*,k*,l*,m*,o*,p*,r*,s*,u*])",
            ["tightness_private_robust"],
        ),
    ],
)
def test_theorems_are_named_as_hydra_names_them(text, names):
    assert named_theorems(text) == names


@pytest.mark.parametrize(
    "text", ["offline_gpa", "glob(zz*)", "a,b", "offline_gap,b", "glob(", "[", ""]
)
def test_theorems_that_are_not_there_are_refused(text):
    with pytest.raises(BadInput, match="^theorem"):
        named_theorems(text)
