"""What the tools print and write is as recorded, on small or made-up input.

``python -m pytest tests/tools/test_recorded.py --snapshot-update -n 0`` renews the record.
"""

import hashlib
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure

from repro.core.needs import Need
from repro.p3.objective_perturbation.calibration import Calibration
from repro.report.files import hashed_files, json_bytes, sealed
from repro.report.record import verdict_content
from tests.report.made_up import runs
from tests.report.made_up_papers import write_place, write_runs
from tests.report.readable import figure_text
from tools import (
    ablations_page,
    bill_of_materials,
    code_scan,
    compare_suites,
    draw_coverage_phases,
    draw_crossover,
    draw_exploration,
    draw_imports,
    equal_bytes,
    formulas,
    hashes,
    joint_release,
    objective_perturbation_grid,
    plain_english,
    private_rates,
    ranking_gap,
    separation_figure,
    site_pages,
    slack,
)
from tools.bench import finished_runs, markdown, paired
from tools.mutation import room, score
from tools.mutation.mutants import mutants


def said(capsys, status=0):
    """Exit status, standard output and standard error."""
    out, err = capsys.readouterr()
    return f"{out}--- {err}--- status {status}"


def answer(status=0, out="", err=""):
    """A process that has ended."""
    return SimpleNamespace(returncode=status, stdout=out, stderr=err)


def test_hashes(monkeypatch, capsys, snapshot, tmp_path):
    asked = []

    def made_up(command, **given):
        asked.append((command, given))
        return answer(out="a==1 \\\n    --hash=sha256:0\nb-c==2 \\\n    --hash=sha256:1\n")

    for kind in hashes.KINDS:
        (tmp_path / f"constraints{kind}.txt").write_text(f"pins of {kind}\n")
    wheel = tmp_path / "a-1+cpu-cp311-linux.whl"
    wheel.write_bytes(b"wheel")
    monkeypatch.setattr(hashes, "ROOT", tmp_path)
    monkeypatch.setattr(hashes.subprocess, "run", made_up)
    status = hashes.main([str(wheel)])
    assert said(capsys, status).replace(str(tmp_path), "HERE") == snapshot(name="said")
    assert f"{asked[1]}" == snapshot(name="asked")
    written = (tmp_path / "requirements-hashed-llm.txt").read_text()
    assert written.replace(hashlib.sha256(b"wheel").hexdigest(), "OF WHEEL") == snapshot(
        name="file"
    )
    monkeypatch.setattr(hashes.subprocess, "run", lambda *_, **how: answer(2, err="no index"))
    assert said(capsys, hashes.main([])) == snapshot(name="refused")


def test_the_bill_of_materials(snapshot):
    pins = "# tested\nB_c==3.1  # why\nzlib.d==2; python_version\nother==7\n"
    bill = bill_of_materials.bill("repro-rlhf", "0.1", ["zlib-d>=2", "b.c[x]~=3; linux"], pins)
    assert json.dumps(bill, indent=1) == snapshot
    with pytest.raises(ValueError, match="constraints.txt has no version of none"):
        bill_of_materials.bill("a", "1", ["none"], pins)


def outcomes(**numbers):
    """Checks with a slack or a curve."""
    return [SimpleNamespace(check=SimpleNamespace(name=name),
                            outcome=SimpleNamespace(numbers=values, series=None))
            for name, values in numbers.items()]  # fmt: skip


def test_slack(monkeypatch, capsys, snapshot, tmp_path):
    ran = {
        "one": outcomes(kept={"slack": 3.0, "slack_pinned": 3.1}, bare={}),
        "two": outcomes(left={"slack": 3.0, "slack_pinned": 4.0, "off_curve": 0.5},
                        bent={"off_curve": 1.5}),
    }  # fmt: skip

    def run(slug, seed):
        print(f"ran {slug} at {seed}")
        return ran[slug]

    def points(command, **given):
        plain = sorted(set(given["env"]) & set(slack.PLAIN))
        print(command[1:], plain, {name: given["env"][name] for name in plain})
        numbers = {"one": {"kept": [1], "bare": [2]}, "two": {"left": [3], "bent": [4]}}
        return answer(out=f"noise\n{json.dumps(numbers)}\n")

    monkeypatch.setattr(slack, "_run", run)
    monkeypatch.setattr(slack, "plan_of", lambda slug: f"plan of {slug}")
    monkeypatch.setattr(slack, "slugs", lambda: ["one", "two", "llm_one"])
    monkeypatch.setattr(slack, "find", lambda slug: SimpleNamespace(extra=slug[:3] == "llm"))
    monkeypatch.setattr(slack, "pins", lambda: {"zero": {"a": {"slack": 1}}, "none": {}})
    monkeypatch.setattr(slack, "conf_dir", lambda: tmp_path)
    monkeypatch.setattr(slack.subprocess, "run", points)
    monkeypatch.setattr(slack, "new_pin", lambda plan, result, plain: [plan, plain])
    monkeypatch.setattr(slack, "curve_and_beside", lambda plan, check: [plan, check.check.name])
    for words in ("", "one", "--seed=3 two", "--points two one", "--write", "--write one"):
        assert said(capsys, slack.main(words.split())) == snapshot(name=words or "all")
    assert (tmp_path / slack.PINS).read_text() == snapshot(name="file")


def write_suite(folder, **results):
    """Finished runs without pictures."""
    for name, result in results.items():
        (folder / name).mkdir(parents=True)
        hashed = hashed_files(result)
        (folder / name / "measurements.parquet").write_bytes(hashed["measurements.parquet"])
        content = sealed(verdict_content(result), hashed)
        (folder / name / "verdict.json").write_bytes(json_bytes(content))
    return str(folder)


def test_two_suites(capsys, snapshot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    every, part = runs()["every"], runs()["part"]
    first = every.checks[0]
    numbers = {**first.outcome.numbers, "slope": -0.9}
    outcome = replace(first.outcome, verdict="contradicted", numbers=numbers)
    other = replace(first, outcome=outcome)
    broken = tuple(replace(one, holds=False) for one in every.assumptions[:1])
    changed = replace(every, checks=(other, *every.checks[2:]), seed=4,
                      assumptions=(*broken, *every.assumptions[1:]))  # fmt: skip
    before = write_suite(Path("before"), every=every, part=part, gone=part)
    after = write_suite(Path("after"), every=changed, part=part, new=part)
    for words in ([before, after], [before, before], [before], [], [before, "nowhere"]):
        assert said(capsys, compare_suites.main(words)) == snapshot(name=" ".join(words) or "none")


def test_bytes_of_runs(monkeypatch, capsys, snapshot):
    def run(command, **given):
        folder = next(Path(word[11:]) for word in command if word.startswith("output_dir="))
        added = {name: value for name, value in given["env"].items() if name in SET}
        print(*(word for word in command[1:] if not word.startswith("output_dir=")), added)
        (folder / "deep").mkdir(parents=True)
        for name in equal_bytes.FILES:
            content = "other" if "-OO" in command and name[0] == "v" else "same"
            (folder / "deep" / name).write_text(content)
        lost = "compute.workers=3" in command
        return answer(70 if lost else 1, err="x" * 600 + "\nKilled\n")

    SET = {name for way in equal_bytes.WAYS for name in way.environment}
    monkeypatch.setattr(equal_bytes.os, "environ", {})
    monkeypatch.setattr(equal_bytes.subprocess, "run", run)
    for words in ("rdpo_identity budget=smoke", "budget=smoke"):
        monkeypatch.setattr(sys, "argv", ["equal_bytes", *words.split()])
        assert said(capsys, equal_bytes.main()) == snapshot(name=words)
    monkeypatch.setattr(equal_bytes, "WAYS", equal_bytes.WAYS[:1])
    monkeypatch.setattr(equal_bytes.differences, "__defaults__", (equal_bytes.WAYS[:1],))
    monkeypatch.setattr(sys, "argv", ["equal_bytes", "one", "two"])
    assert said(capsys, equal_bytes.main()) == snapshot(name="two alike")


DANGERS = """
import pickle, os.path as p, numpy as np, torch, yaml, subprocess, importlib, jinja2
from os import system as shell
from dill import loads
from markupsafe import Markup
eval("1"); shell("x"); os.execv("a"); yaml.load(x); yaml.load(x, Loader=yaml.SafeLoader)
yaml.load(x, yaml.CSafeLoader); yaml.load_all(x, yaml.Loader); torch.load(f)
torch.load(f, weights_only=True); torch.load(f, weights_only=False); np.load(f)
np.load(f, allow_pickle=True); np.load(f, allow_pickle=False); subprocess.run(x, shell=True)
subprocess.run(x, shell=False); subprocess.run(x, shell=asked); subprocess.run(x)
AutoModel.from_pretrained(x); AutoModel.from_pretrained(x, use_safetensors=True)
Tokens.from_pretrained(x); Tokens.from_pretrained(x, trust_remote_code=True); jinja2.Environment()
jinja2.Environment(autoescape=True); jinja2.Template("a"); Markup("a"); Markup(x)
importlib.import_module("json"); importlib.import_module("pickle.x"); importlib.import_module(x)
url = "http://example.org"; url = "http://127.0.0.1:5000"; host = "0.0.0.0"; a.b.c(1)[0].d()
"""


def test_dangers(snapshot):
    listed = [f"{name}()" for name in sorted(code_scan.CALLS)]
    listed += [f"import {name}" for name in sorted(code_scan.MODULES)]
    assert len(code_scan.findings("\n".join(listed))) == len(listed)
    source = DANGERS.replace("; ", "\n")
    lines = [
        f"{source.splitlines()[line - 1]}: {rule}" for line, rule in code_scan.findings(source)
    ]
    template = "{{ a | safe }}\n{{ a }}\n{% autoescape false %}\n{{ a|attr('b') }}"
    lines += [f"{line}: {rule}" for line, rule in code_scan.findings_in_template(template)]
    assert "\n".join(lines) == snapshot


class MadeUpTheorem:
    """A theorem as far as the pages of the site and of ablations read it."""

    title, statements = "P1 Theorem 4.2 <gap>", ("p1.thm_4_2", "p1.lem_b_1", "own.gone")
    corrected = {"corrected_rate_of_the_largest_gap": "other_rate: right_row"}

    def __init__(self):
        self.checks = [
            SimpleNamespace(name=name, expected=expected, axis="n_pairs", blind={},
                            claim=SimpleNamespace(said=lambda axis, name=name: f"{name} | {axis}"),
                            quantity=SimpleNamespace(evidence=evidence))
            for name, expected, evidence in (
                ("rate", "supported", "measured"),
                ("corrected_rate_of_the_largest_gap", "contradicted", "exact"),
                ("other", "supported", "searched"),
            )
        ]  # fmt: skip

    def statements_of(self, check):
        return ("p1.abs_1",) if check.name == "other" else ("p1.thm_4_2",)


def test_pages_of_the_site(monkeypatch, snapshot, tmp_path):
    from repro.catalogue import machine_checked, papers, summaries
    from repro.report.html import runs as stored
    from tests.report.made_up_papers import code_today, recorded

    place = write_place(tmp_path)
    write_runs(tmp_path / "outputs")
    (tmp_path / "proofs").mkdir()
    text = "Theorem a.\n(* ---- proofs ---- *)\nProof. Qed.\n"
    (tmp_path / "proofs" / "p1_lemma_B_1.v").write_text(text)
    for module in (papers, summaries, stored):
        monkeypatch.setattr(module, "places", lambda *folder: [place])
    monkeypatch.setattr(summaries, "_of_place", lambda place, names: recorded())
    monkeypatch.setattr(summaries, "installed", lambda: ())
    monkeypatch.setattr(stored, "code_today", code_today)
    monkeypatch.setattr(machine_checked, "here", lambda file: "checked")
    monkeypatch.setattr(site_pages, "ROOT", tmp_path)
    monkeypatch.setattr(site_pages, "slugs", lambda: ["gap_rate"])
    monkeypatch.setattr(site_pages, "find", lambda slug: MadeUpTheorem())
    made = site_pages.Made(tmp_path / "outputs")
    known = summaries.of_runs(made.runs.values()) | recorded()
    from repro.catalogue.coverage import completed, rows

    monkeypatch.setattr(site_pages, "rows", lambda: rows(completed(papers.load(), known), known))
    (tmp_path / "conf" / "suite.yaml").write_text("theorems: [gap_rate]\n")
    (tmp_path / "docs").mkdir()
    cells = [{"cell_type": "markdown", "source": ["# A ", "title"]},
             {"cell_type": "code", "source": ["1"], "outputs": [
                 {"text": [f"line {n}\n" for n in range(50)]},
                 {"data": {"image/png": ["AA", "AA"]}},
                 {"data": {"text/html": "<b>\n  a</b>", "text/plain": "b"}},
                 {"data": {"text/plain": ["c"]}}]}]  # fmt: skip
    (tmp_path / "docs" / "from_python.ipynb").write_text(json.dumps({"cells": cells}))
    for name, page in made.pages():
        assert page == snapshot(name=name)
    assert str([name for name, _ in made.reports()]) == snapshot(name="reports")
    text = (
        "see `proofs/a.v: b`, `gap_rate`, `none`\n| `p1.x` | `gap_rate`, |\n```\n`proofs/a.v`\n```"
    )
    for page in ("statements.md", "results.md", "explanations/a.md"):
        assert site_pages.linked(text, page, ["p1.x"]) == snapshot(name=f"links of {page}")


def test_the_page_of_needs(snapshot):
    checks = MadeUpTheorem().checks
    needs = ((Need.LABELS, Need.PRIVACY), (), (Need.TRUTH_HIDDEN, Need.LABELS, Need.ALGORITHM))
    found = [ablations_page.CheckNeeds(f"t{number // 2}", check, need)
             for number, (check, need) in enumerate(zip(checks, needs, strict=True))]  # fmt: skip
    assert ablations_page.page(found) == snapshot


PAGE = """# A heading; with; signs

It holds. Beside it stands the form that has it.  So is the bound, cf. Sec. 3 of P1.
A sentence of more than thirty words is what this one is, for it goes on and on, word after
word after word, and says no more at its end than what it had said when it had begun to speak.

- a row (with brackets (in it)) of `code; code; code`; and; more
1. It is pinned in the place of [a link](a.md) by itself.

| a table; is; not read |
```bash
echo nobody
```
<!-- nobody; nobody; -->
"""


def test_plain_english(monkeypatch, capsys, snapshot, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text(PAGE)
    Path("docs/deep").mkdir(parents=True)
    for name in ("README.md", "CONTRIBUTING.md", "docs/deep/b.md", "docs/findings.md"):
        Path(name).write_text("It is told. It holds.\n")
    Path("repro/commands").mkdir(parents=True)
    Path("repro/commands/do.py").write_text(
        '"""Do it.\n\nNobody reads\nit.\n  repro do; do; do\n"""'
    )
    monkeypatch.setattr(plain_english, "rows", lambda: [SimpleNamespace(id="p1.a")])
    item = SimpleNamespace(reason="It is told.", shown="", counterexample=None)
    slip = SimpleNamespace(suspected="It holds", corrected="It is at hand")
    proof = SimpleNamespace(file="f", name="t", says="it is so")
    catalogue = SimpleNamespace(items={"p1.a": item}, slips={"p1.b": slip}, theorems=[proof])
    monkeypatch.setattr(plain_english.papers, "load", lambda: catalogue)
    sentence = SimpleNamespace(sentence="at hand it is; so; what")
    monkeypatch.setattr(plain_english, "standing", lambda row, catalogue: sentence)
    for words in ("a.md", "a.md --list", "", "--list"):
        monkeypatch.setattr(sys, "argv", ["plain_english", *words.split()])
        plain_english.main()
        assert said(capsys) == snapshot(name=words or "all")


FORMULAS = """
θ̂_n² ≤ 2B|e^{2B}·√(1 − x_i)|Σ_{t≤T} (r_t − r̄)² → 0|max_{π∈Π} E[f(π)] for all n
π*_β(y|x) = π_ref(y)·e^{r/β}/Z|‖θ‖₂ ≤ B₁⁻¹|argmin x^(a + b)|W(B) ∝ e^B′ and so on|½·∞ + .5e-3
√p ⌈n/2⌉|Var X_{ij}^*|ℓ̃_z|a b_c^−1|x_n″ + {a}|ab Word Words|lim x^½|KL(π‖π_ref) ≥ a
"""


def test_formulas(snapshot):
    texts = FORMULAS.strip().replace("\n", "|").split("|")
    lines = [ET.tostring(formulas.formula(text), "unicode") for text in texts]
    for text in ("Σ_{t≤T} x_t = 1", "  a_1   b² if c\n  x     max_{a} y", "  one line  two"):
        lines.append(ET.tostring(formulas.block(text), "unicode"))
    assert "\n".join(lines) == snapshot(name="mathml")
    spans = ("e^(c − l)·√(x + 1), and", "o(1))·√(Z) with", "π_u* and", "e^B.** For", "x_i)) so",
             "*d_F*, so", "(a_b) c", "a_{b c`d} e", "“x_i”", "x_i—y")  # fmt: skip
    ends = [f"{text}: {text[: formulas.span(text, 0)]}" for text in spans]
    words = ("e^B", "π_ref", "reward_bound", "max_a", "err_x", "a_b.py", "p1.thm_4_2", "√(1", "_x",
             "x_", "a^", "https://a_b^c", "x_abcd", "(_a", "gap_x")  # fmt: skip
    ends += [f"{word} {formulas.wanted(word)} {formulas.is_formula(word)}" for word in words]
    assert "\n".join(ends) == snapshot(name="spans")


def test_a_drawing_of_imports(monkeypatch, snapshot, tmp_path):
    for name in ("study", "core", "base", "report", "a_long_name_of_a_room"):
        (tmp_path / "repro" / name).mkdir(parents=True)
        (tmp_path / "repro" / name / "__init__.py").touch()
    monkeypatch.setattr(draw_imports, "ROOT", tmp_path)
    edges = [("repro.study.plan", "repro.core.a"), ("repro.core.a", "repro.base.b"),
             ("repro.study.plan", "repro.base.b"), ("repro.report.a", "repro.core.b"),
             ("repro.report.a", "repro.a_long_name_of_a_room.b"), ("repro.api", "repro.report.a"),
             ("repro.a_long_name_of_a_room.b", "repro.report.c"), ("theorems.x", "repro.study"),
             ("theorems.x", "repro.base.b"), ("repro.core.a", "repro.core.b")]  # fmt: skip
    found = draw_imports.edges_of(edges)
    levels = sorted(draw_imports.levels(found).items())
    lines = [str(sorted(found)), str(sorted(draw_imports.reduced(found))), str(levels),
             draw_imports.drawing(found)]  # fmt: skip
    assert "\n".join(lines) == snapshot
    with pytest.raises(ValueError, match=r"circle: \['a', 'b'\]"):
        draw_imports.levels(frozenset({("a", "b"), ("b", "a")}))


def calibrated(epsilon, delta, records):
    """A calibration that tells what it was asked for, in no time."""
    return Calibration(records.distance * (epsilon - math.log10(delta)), 2.0)


def records(ranked, bound, dimension):
    """What one record can do, by no theorem."""
    return SimpleNamespace(distance=ranked * bound + dimension / 100)


class MadeUpBudget:
    """A private budget as far as a table reads it."""

    noise_std, largest_change = 0.5, 3.0

    def __init__(self, *numbers):
        self.records = numbers

    def covariance_std(self, n_pairs):
        return n_pairs**-0.5


def test_tables_of_closed_forms(capsys, snapshot, monkeypatch):
    assert "\n".join(draw_coverage_phases.rows()) == snapshot(name="coverage")
    grid = np.array([[0.0, 0.5], [1.0, 4.0]])
    numbers = [*draw_coverage_phases.growth(grid, grid.T).ravel(),
               *draw_crossover.local_exponent(grid + 1, grid + 0.5).ravel(),
               *map(draw_crossover.crossover, (0.5, 2.0, 8.0)),
               *(draw_crossover.two_term(bound, 0.5) for bound in (1, 3))]  # fmt: skip
    assert " ".join(f"{number:.5g}" for number in numbers) == snapshot(name="numbers")
    for name in ("PrivateBudget", "PrivateKwiseBudget"):
        monkeypatch.setattr(private_rates, name, MadeUpBudget)
    monkeypatch.setattr(private_rates, "hockey_stick_bound", lambda records, *of: np.prod(of) / 7)
    private_rates.main()
    assert said(capsys) == snapshot(name="private rates")
    both = lambda *given: (calibrated(*given[:3]).weakened(2 - given[3]), given[1] ** 0.1)  # noqa: E731
    monkeypatch.setattr(joint_release, "corrected", calibrated)
    monkeypatch.setattr(joint_release, "jointly_certified", both)
    joint_release.saved()
    assert said(capsys) == snapshot(name="joint release")
    monkeypatch.setattr(ranking_gap, "corrected", calibrated)
    monkeypatch.setattr(ranking_gap, "joint_rankings", records)
    monkeypatch.setattr(ranking_gap, "pairs", lambda *of: records(2, *of))
    monkeypatch.setattr(ranking_gap, "farthest", lambda ranked, bound: 0.8 * ranked * bound)
    ranking_gap.main()
    assert said(capsys) == snapshot(name="ranking gap")


def test_a_grid_of_neighbours(capsys, snapshot, monkeypatch):
    grid = objective_perturbation_grid

    def found(ranked, world, made, steps):
        print("asked:", ranked, world.n_pairs, world.radius, f"{made.sigma:.4g}", steps)
        return SimpleNamespace(one=made, other=steps)

    def log_delta(made, steps, epsilon, rule):
        near = -6.9 if rule is grid.COARSE else -6.95
        return near if made.sigma > 8 * (1 + steps) else -4.0 + epsilon

    monkeypatch.setattr(grid, "found", found)
    monkeypatch.setattr(grid, "corrected", calibrated)
    monkeypatch.setattr(grid, "joint_rankings", records)
    monkeypatch.setattr(grid, "pairs", lambda *of: records(2, *of))
    monkeypatch.setattr(grid, "worst_log_delta", log_delta)
    monkeypatch.setattr(grid, "BOUNDS", (0.5, 2.0))
    monkeypatch.setattr(grid, "DELTAS", (1e-3,))
    monkeypatch.setattr(grid, "SIZES", (1000,))
    for words in ((2,), (2, 3), (2, 2, 2)):
        grid.main(*words)
        assert said(capsys) == snapshot(name=str(words))


def test_a_figure_of_separation(monkeypatch, capsys, snapshot, tmp_path):
    curves = [(name, "m") for name in separation_figure.CURVES] + [separation_figure.RANDOM]
    rows = [
        {"check": check, "method": method, "value": cost, "mean": cost * (1 + order / 100)}
        for order, (check, method) in enumerate(curves)
        for cost in (2.0, 5.0)
        for _ in range(2)
    ]
    table = pandas.DataFrame(rows)
    assert figure_text(separation_figure.draw_separation(table)) == snapshot(name="figure")
    monkeypatch.chdir(tmp_path)
    for name, part in {"short": table[table["check"] != "ratio_dpo"], "whole": table}.items():
        Path(name).mkdir()
        part.to_parquet(f"{name}/measurements.parquet")
    Path("damaged").mkdir()
    Path("damaged/measurements.parquet").write_bytes(b"none")
    monkeypatch.setattr(separation_figure, "figure_bytes", lambda figure, kind: kind.encode())
    for words in ([], ["short"], ["damaged"], ["whole"]):
        status = separation_figure.main(words)
        assert said(capsys, status) == snapshot(name=" ".join(words) or "none")
    files = sorted(path.name for path in Path("whole").iterdir())
    assert files == ["measurements.parquet", "separation.png", "separation.svg"]


def test_a_figure_of_exploration(monkeypatch, snapshot, tmp_path):
    times = np.array([1.0, 10.0, 60.0, 100.0, 1000.0])
    cumulative = np.arange(5.0)[:, None, None] * np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
    explore = np.arange(20.0).reshape(5, 2, 2) / 20
    found = draw_exploration.Exploration(times, cumulative, explore, np.array([0.3, 0.7]), 0.9)
    figure = draw_exploration.draw_exploration(found, "a title")
    assert figure_text(figure) == snapshot(name="figure")
    asked, drawn = [], []
    monkeypatch.setattr(draw_exploration, "record", lambda *given: asked.append(given) or found)

    def savefig(figure, path, **how):
        drawn.append(how)
        path.touch()

    monkeypatch.setattr(Figure, "savefig", savefig)
    monkeypatch.chdir(tmp_path)
    for words in ("a.svg", "a.pdf epsilon=0.5 horizon=1e3 seed=4", "a.png epsilon=0",
                  "a.png seed=-1", "a.png horizon=9", "a.gif", "no/a.png"):  # fmt: skip
        try:
            drawn.append(draw_exploration.main(words.split()))
        except ValueError as problem:
            drawn.append(str(problem))
    assert f"{asked}\n{drawn}" == snapshot(name="asked")


def test_tables_of_speed(monkeypatch, capsys, snapshot, tmp_path):
    markdown.print_rows("a | b", [(1, "x"), (2.5, "y")])
    markdown.print_rows("none", [])
    write_runs(tmp_path / "outputs")
    (tmp_path / "none").mkdir()
    for folder in ("outputs", "none"):
        finished_runs.print_tables(tmp_path / folder)
    seconds = iter([9.0, 9.0, 2.0, 3.0, 4.0, 8.0, 1.0, 1.0, 5.0, 4.0])

    def fresh(name, checkout):
        print("ran", name, checkout.name)
        return next(seconds)

    monkeypatch.setattr(paired, "HERE", Path("here"))
    monkeypatch.setattr(paired, "_fresh_run", fresh)
    monkeypatch.setattr(paired, "_unit", lambda: 1.6)
    paired.main(["a", "b"], Path("there"), 2)
    assert said(capsys) == snapshot


def test_the_table_of_speeds(monkeypatch, capsys, snapshot):
    from tools.bench import table

    said_by = {"description": "a machine", "print_cores": None, "print_start_up": None,
               "print_devices": None}  # fmt: skip
    for name, words in said_by.items():
        monkeypatch.setattr(table.whole_machine, name, lambda name=name, words=words: words)
    costs = {"sampling and fit here, batched": 2.5e-3, "another": 4e-3, "sampling alone": 1e-3}
    monkeypatch.setattr(table, "ready_to_measure", lambda: None)
    monkeypatch.setattr(table, "throughput", lambda: costs.items())
    monkeypatch.setattr(table, "over_sampling", lambda: [("1e4", "2.5", "1.2")])
    monkeypatch.setattr(table, "cost", lambda work: 1e-3)
    monkeypatch.setattr(table.dispatch, "overheads", lambda: [("2 processes", "0.25", "4000")])
    monkeypatch.setattr(table.edit_loop, "edited_runs", lambda: [("a", 1, 2, 3, 4)])
    monkeypatch.setattr(table.finished_runs, "print_tables", lambda folder: print(folder))
    table.main(Path("outputs"))
    assert said(capsys) == snapshot


def test_tables_of_language_models(snapshot):
    pytest.importorskip("trl", reason="the extra llm is not installed")
    from tools import draw_p1_figure_1, draw_p1_losses, p4_tables

    seeds = np.array([0.0, 0.1, 0.25])
    rates = 50 + 10 * np.add.outer(seeds, np.arange(9.0))
    rates[1, 3] = np.nan
    lines = p4_tables.table({"ours": rates, "theirs": rates + seeds[:, None]})
    curves = np.add.outer(seeds, np.arange(1.0, 37.0).reshape(3, 4, 3) / 40)
    beside = np.add.outer(seeds, np.array([[0.7, 0.6], [0.9, 0.8]]))
    lines += draw_p1_figure_1.table(curves, beside)
    lines += [figure_text(draw_p1_figure_1.draw(curves, [8, 16, 32, 64]))]
    losses = np.multiply.outer(1 + seeds, np.arange(1.0, 37.0).reshape(3, 3, 4) / 40)
    lines += draw_p1_losses.lines(losses, np.add.outer(seeds, np.array([0.5, 0.6, 0.75])))
    lines += [figure_text(draw_p1_losses.draw(losses))]
    assert "\n".join(lines) == snapshot


def test_a_figure_of_private_rewards(monkeypatch, snapshot):
    from tools import private_reward_figure as tool

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **how: drawn.append((figure, how)))
    names = [*tool.ADJACENCIES.values(), "labels only (randomized response)"]
    found = [(name, epsilon, 0.5 + number / 10 + epsilon / 100, number / 100)
             for number, name in enumerate(names) for epsilon in tool.EPSILONS]  # fmt: skip
    tool._draw(found, 0.9, 0.6, "a.svg")
    assert tool.ranked_rightly(np.array([2.0, 0.0, -1.0, 0.5])) == 0.625
    ((figure, how),) = drawn
    assert f"{how}\n{figure_text(figure)}" == snapshot


def test_scores_of_mutation(monkeypatch, capsys, snapshot, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("def f(x):\n    return x + 1 if x > 2 else -x\n")
    own, others = (mutants(tmp_path / name / "a.py") for name in ("one", "two"))
    lines = [f"{mutant.line} {mutant.source}: {mutant.text}" for mutant in own]
    fates = [score.KILLED, score.SURVIVED, score.TIMEOUT, score.UNFIT, score.EQUIVALENT,
             score.NOT_REACHED]  # fmt: skip
    found = [*zip(own, fates, strict=False), (others[0], score.UNFIT)]
    lines += [score.report(found), score.report(found[:2]), str(score.scored(found))]
    assert "\n".join(lines) == snapshot(name="scores")
    statuses = iter([0, 1, 3])

    def run(command, **given):
        words = [word if "/coverage" not in word else "FILE" for word in command[1:]]
        print(words, "COVERAGE_FILE" in given["env"])
        return answer(next(statuses))

    monkeypatch.setattr(room.subprocess, "run", run)
    for words in ("study --size 3", "worlds/estimators"):
        status = room.main(words.split())
        assert said(capsys, status) == snapshot(name=words)
