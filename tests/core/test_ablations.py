"""Taking away what a row needs: which rows it concerns, and that a deaf row is named."""

import dataclasses
import json

import pytest

from repro.ablate import main, take_away
from repro.base.errors import BadInput
from repro.cli.composition import compose_values, named_theorems
from repro.corruption.orders import Order
from repro.study.ablations import ABLATIONS, ablated, evenly_covered
from repro.study.discovery import find, slugs
from repro.study.fingerprint import fingerprint
from repro.study.plan import built
from repro.study.row import Evidence, Need
from repro.study.settings import session_of
from repro.study.stages import STAGES, Instead, replaced, stages_of
from repro.study.theorem_experiment import TheoremExperiment

FEW = ["budget=smoke", "budget.replicates=60", "compute.workers=1", "tracking=none"]


ROWS = [one for one in slugs() if not (find(one).extra or issubclass(find(one), TheoremExperiment))]
"""Experiments whose rows declare their needs."""


def trials_of(slug):
    return built(session_of({**compose_values(slug, {}), "output_dir": "unused"}).plan).trials


def test_every_ablation_replaces_a_stage():
    assert {one.stage for one in ABLATIONS} <= set(STAGES)
    assert len({one.name for one in ABLATIONS}) == len(ABLATIONS)


@pytest.mark.parametrize("slug", ROWS)
def test_every_ablation_fits_the_cases_that_it_concerns(slug):
    """The idle adversary is of the family's kind; the exchanged order is the other one."""
    for trial in trials_of(slug):
        for one in ABLATIONS:
            if one.concerns(trial):
                case = trial.cases[0]
                put = one.put.of(case) if isinstance(one.put, Instead) else one.put
                assert put is not None
                instead = getattr(replaced(case, {one.stage: one.put}), one.stage)
                assert fingerprint(instead) == fingerprint(put)


@pytest.mark.parametrize("slug", ROWS)
def test_what_needs_coverage_has_a_reference_to_make_uniform(slug):
    for trial in trials_of(slug):
        if Need.COVERAGE in trial.row.needs:
            case = trial.cases[-1]  # the first may be uniform already
            assert fingerprint(evenly_covered(case)) != fingerprint(case.world), trial.row.name


def test_only_proved_and_computed_rows_need_nothing():
    """The contract's rule, without exceptions."""
    kinds = [find(one) for one in ROWS]
    bare = [row for kind in kinds for row in kind.rows if not row.needs]
    told = {Evidence.PROVED, Evidence.COMPUTED}
    assert [row.name for row in bare if row.measure.evidence not in told] == []


def test_what_is_proved_or_computed_is_counted_apart():
    for kind in (find(one) for one in slugs()):
        assert not [r.name for r in kind.rows if r.needs and r.measure.evidence is Evidence.PROVED]


def test_the_order_is_exchanged_case_by_case():
    case = next(t.cases[0] for t in trials_of("square_chipo") if "order" in stages_of(t.cases[0]))
    (exchange,) = (one for one in ABLATIONS if one.need is Need.ORDER)
    assert {case.order, replaced(case, {"order": exchange.put}).order} == {Order.CTL, Order.LTC}


def test_findings_name_every_need_of_every_row_once_for_each_ablation():
    trials = trials_of("minimax_floor")
    asked = []

    def run(stages, rows):
        asked.append((tuple(stages), tuple(rows)))
        return dict.fromkeys(rows, "contradicted")

    honest = {trial.row.name: "supported" for trial in trials}
    found = ablated("minimax_floor", trials, honest, run)
    assert all(one.noticed for one in found)
    assert {(one.row, one.need) for one in found} == {
        (trial.row.name, need.value) for trial in trials for need in trial.row.needs
    }
    assert len(asked) == len({one.ablation for one in found})


@pytest.mark.skipif(not ROWS, reason="no experiment declares its needs")
def test_a_need_that_no_stage_can_take_away_is_not_noticed():
    trial = next(t for t in trials_of("minimax_floor") if t.row.name == "separation")
    needy = dataclasses.replace(trial.row, needs=(Need.LABELS,))
    trial.row = needy
    (found,) = ablated("minimax_floor", [trial], {needy.name: "supported"}, lambda *_: {})
    assert (found.ablation, found.noticed) == ("", False)


def test_labels_are_noticed_by_a_row_that_reads_them(tmp_path):
    values = compose_values("offline_gap", {}, [*FEW, "only=[n_pairs_no_bonus]"])
    values |= {"output_dir": str(tmp_path)}
    found = {one.ablation: one for one in take_away("offline_gap", values)}
    assert found["fair coins as labels"].noticed
    assert found["fair coins as labels"].before == "supported"


def test_a_deaf_row_is_named_and_the_status_is_one(tmp_path, capsys):
    """Where labels are fair coins already, taking them away changes nothing."""
    words = [*FEW, f"output_dir={tmp_path}", "only=[n_pairs_no_bonus]", "stages.labels=fair_coins"]
    page = tmp_path / "page.md"
    assert main(["theorem=offline_gap", f"markdown={page}", *words]) == 1
    named = "fair coins as labels: NOT NOTICED: still contradicted"
    assert named in capsys.readouterr().out
    assert f"- `offline_gap` `n_pairs_no_bonus` needs labels; {named}" in page.read_text("utf-8")
    found = json.loads((tmp_path / "ablations.json").read_text("utf-8"))
    assert [one["noticed"] for one in found if one["need"] == "labels"] == [False]


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
            "glob(*,exclude=[a*,b*,c*,d*,e*,f*,h*,k*,l*,m*,o*,p*,r*,s*,u*])",
            ["tightness_private_robust"],
        ),
    ],
)
def test_theorems_are_named_as_hydra_names_them(text, names):
    assert named_theorems(text) == names


@pytest.mark.parametrize("text", ["offline_gpa", "glob(zz*)", "a,b", "glob(", "[", ""])
def test_theorems_that_are_not_there_are_refused(text):
    with pytest.raises(BadInput, match="^theorem"):
        named_theorems(text)
