"""A made-up place with two papers, results of its own, experiments and finished runs of them."""

from __future__ import annotations

import json

from repro.base.places import Place
from repro.catalogue.summaries import CheckSummary, TheoremSummary
from repro.core.results import Finding
from repro.report.files import hashed_files, json_bytes, sealed
from repro.report.record import verdict_content
from tests.report.made_up import runs

P1 = r"""
title: Rates of gaps
authors: A. Author and B. Author
arxiv: "2510.13512"
letters: {n: the number of labels, B: "the bound of rewards", Q: never used}
statements:
  def_3_3: {title: the gap, place: Section 3, text: "The gap is $J(π^*) - J(π)$.",
            experiments: [regret_rate]}
  thm_4_2:
    title: the gap falls like 1/n
    place: Section 4.1, proof in Appendix B
    text: "For $n \\ge 8$ and a < b the gap is at most $\\frac{B}{n}$."
    experiments: [gap_rate]
    counterexample: One state and two responses
    counterexample_at: ["kl_weight=0.0625"]
    pages: [printed_rates, corrected_rates]
    coq:
      rates.gap_falls: {shows: supported, says: it falls, also: [p1.lem_b_1]}
      rates.gap_is_large: {shows: contradicted, says: it is large, slips: [p1.cap]}
    slips:
      cap: {place: "Theorem 4.2, eq. (7)", suspected: the cap | breaks it, grade: error,
            evidence: ["gap_rate: corrected_rate_of_the_largest_gap", "gap_rate: rate/naive",
                       "recorded_rate: lost/found", "tests/a.py::test_b"],
            corrected: "1/√n, <b>not</b> 1/n"}
      sign: {place: Theorem 4.2, suspected: e^-B for e^B, grade: notation, text_at_hand: true,
             corrected: e^B}
  thm_4_5: {title: regret is flat, stands: at a fixed B it is flat, experiments: [regret_rate]}
  abs_1: {title: all of it, place: Abstract, experiments: [gap_rate, part_rate]}
  lem_b_1: {title: a lemma, experiments: [recorded_rate],
            coq: {bounds.lemma_holds: {shows: supported, says: it holds}}}
  asm_3_7: {title: labels are fair, reason: It is an assumption.}
  prop_c_2: {title: to come, experiments: [nowhere_rate]}
  cor_4_6: {title: of a part, experiments: [part_rate]}
  thm_6_1: {title: of what is recorded, text: "$x \\le 2$", experiments: [recorded_rate]}
slips:
  fine: {place: Section 6, suspected: a sign, grade: cleared, evidence: ["gap_rate: rate"],
         corrected: it stands}
  constant: {place: Section 5, suspected: 2 for 4, grade: constant,
             evidence: ["recorded_rate: contradicted_row", "gap_rate: broken_bound",
                        "gap_rate: lower", "regret_rate: constant"],
             corrected: four}
proofs: {rates: a@, bounds: b@}
""".replace("a@", "a" * 64).replace("b@", "b" * 64)
P2 = """
title: Tables of models
authors: C. Author
link: https://example.org/p2
statements:
  fig_2: {title: rewards, experiments: [regret_rate],
          substitute: The procedure runs on linear rewards}
  tab_1: {title: win rates, not_reproduced: No model of this size is at hand}
  thm_5_2: {title: never run, text: "$a|b$", experiments: [recorded_rate]}
"""
OWN = """
statements:
  bound: {title: "the bound: ours", place: docs/own.md, experiments: [own_bound]}
"""
EXPERIMENT = '''"""{0}: how fast something falls.

Words of ``it``,
two lines.

    gap = 1 / n

* a list
"""

THEOREM = Theorem(
    title="P1 Theorem 4.2: {0}",
)
'''
TITLED = ("gap_rate", "regret_rate", "own_bound", "part_rate", "assumed_rate")


def recorded():
    """What an experiment claims that no run is of."""

    def check(name, expected, *statements, corrected="", evidence="measured"):
        claim = f"claim of {name}"
        return CheckSummary(name=name, claim=claim, evidence=evidence, expected=expected,
                            statements=statements, corrected=corrected)  # fmt: skip

    checks = (
        check("supported_row", "supported", "p1.lem_b_1", evidence="exact"),
        check("contradicted_row", "contradicted", "p1.thm_6_1", corrected="supported_row"),
        check("open_row", "inconclusive", "p2.thm_5_2", "p1.thm_6_1", evidence="searched"),
    )
    return {"recorded_rate": TheoremSummary(title="P1: recorded", checks=checks)}


FINDINGS = [
    Finding("gap_rate", "rate", "measured", "labels", "fair coins", "supported", "contradicted"),
    Finding("gap_rate", "rate", "measured", "order", "order reversed", "supported", "supported"),
    Finding("gap_rate", "bound", "searched", "labels", "fair coins", "supported", "error: no"),
    Finding("regret_rate", "rate", "exact", "bonus", "no bonus", "inconclusive", "inconclusive"),
]
FACTS = {"seconds": 1.25, "finished": "2026-01-02T03:04:05", "workers": 2, "device": "cpu",
         "commit": "c0ffee", "versions": {"numpy": "2.0", "torch": None}}  # fmt: skip
TRACKED = {"experiment_id": "7", "run_id": "0a1b", "checks": {"rate": "1c", "bound": "2d"}}


def write_place(folder):
    """The place, in a folder."""
    for below in ("theorems", "conf/theorem", "conf/papers"):
        (folder / below).mkdir(parents=True)
    for name in TITLED:
        (folder / "theorems" / f"{name}.py").write_text(EXPERIMENT.format(name.replace("_", " ")))
        (folder / "conf" / "theorem" / f"{name}.yaml").write_text(f"name: {name}\n")
    for name, text in {"p1": P1, "p2": P2, "own": OWN}.items():
        (folder / "conf" / "papers" / f"{name}.yaml").write_text(text)
    return Place(folder, "made_up_theorems")


def code_today(name):
    """Stands in for digests of the code of today."""
    return {f"theorems/{name}.py": "1", f"conf/theorem/{name}.yaml": "2"}


def write_runs(folder):
    """The runs, without pictures; of one the code has changed since, of one it is not known."""
    for order, (name, result) in enumerate(runs().items()):
        own = folder / name
        own.mkdir(parents=True)
        hashed = hashed_files(result)
        for file, content in hashed.items():
            (own / file).write_bytes(content)
        facts = {**FACTS, "code": code_today(result.theorem), "seconds": 1.25 + order}
        if name == "every":
            facts |= {"mlflow": TRACKED, "finished": "2026-05-06T07:08:09"}
        if name == "expected":
            facts["code"]["theorems/regret_rate.py"] = "another"
        if name == "assumption":
            facts["code"] = {}
        (own / "run.json").write_bytes(json_bytes(facts))
        (own / "verdict.json").write_bytes(json_bytes(sealed(verdict_content(result), hashed)))
    findings = [{**vars(finding), "noticed": finding.noticed} for finding in FINDINGS]
    (folder / "ablations.json").write_text(json.dumps(findings))
