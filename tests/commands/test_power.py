"""``repro suite power``: checks with too few replicates are named and mended in their config."""

from pathlib import Path

import pytest
import yaml

from repro.base.errors import BadInput
from repro.base.places import conf_dir
from repro.commands import report, run, suite
from repro.commands.new_theorem import main as new_theorem
from repro.commands.process.command import status_of
from repro.commands.runs.power import LEAST, Planned, _write, factor_of, with_factor
from repro.study.discovery import slugs


@pytest.mark.some(3)
@pytest.mark.parametrize("slug", [slug for slug in slugs() if not slug.startswith("llm_")])
def test_every_sweep_can_be_written(slug):
    """Of every row of every experiment, and nothing but replicates changes."""
    text = (conf_dir() / "theorem" / f"{slug}.yaml").read_text(encoding="utf-8")
    before = yaml.safe_load(text)
    for row in before["sweeps"]:
        after = yaml.safe_load(with_factor(text, row, 70.0))
        assert after["sweeps"][row]["replicates"] == 70
        assert without_replicates(after) == without_replicates(before)


def without_replicates(config):
    """A config without what may be written; rows that share a sweep share its replicates."""
    sweeps = {
        row: {key: value for key, value in sweep.items() if key != "replicates"}
        for row, sweep in config["sweeps"].items()
    }
    return {**config, "sweeps": sweeps}


def test_a_row_without_a_sweep_is_refused():
    with pytest.raises(BadInput, match="write=a: it has no sweep"):
        with_factor("worlds:\n  a: {grid: [1]}\nsweeps:\n  b: {grid: [1]}\n", "a", 2.0)


@pytest.mark.parametrize("word", ["theorem=none", "budgets=huge", "write=perhaps", "seeds=1"])
def test_bad_words_are_refused(word, capsys):
    assert status_of(suite.main, ["power", word]) == 2
    assert capsys.readouterr().err.startswith(f"error: {word.partition('=')[0]}=")


def test_an_exact_experiment_has_enough(tmp_path, capsys):
    assert status_of(suite.main, ["power", "theorem=rdpo_identity", f"output_dir={tmp_path}"]) == 0
    assert capsys.readouterr().out == "0 of 0 random checks have enough\n"


def test_some_checks_are_planned_by_themselves(tmp_path, capsys):
    """A check that there is not is refused, as a run refuses it."""
    (planned,) = suite.power("rdpo_identity", only=["unbiased"], output_dir=tmp_path)
    assert (planned.check, planned.enough) == ("unbiased", True)
    words = ["theorem=rdpo_identity", f"output_dir={tmp_path}"]
    assert status_of(suite.main, ["power", *words, "only=unbiased"]) == 0
    assert status_of(suite.main, ["stability", *words, "seeds=1", "only=[unbiased]"]) == 0
    assert "1 check" in capsys.readouterr().out
    new = tmp_path / "new"
    words = ["theorem=rdpo_identity", f"output_dir={new}", "only=nothing"]
    assert status_of(suite.main, ["power", *words]) == 2
    assert capsys.readouterr().err.startswith("error: only=nothing: ")
    assert not new.exists()


NAN = """

def nowhere(world, rng, replicates):
    return debiased(world, rng, replicates) * ({} if world.n_pairs == 1e6 else 1.0)


CHECKS = [replace(THEOREM.checks[0], right=nowhere),
          Check(name="left", axis="n_pairs", claim=Inequality("error ≤ 1"),
                quantity=Quantity("|p̂ − p|"), right=nowhere, wrong=[wrong_on_purpose])]
THEOREM = replace(THEOREM, checks=CHECKS)
"""


SOME = "np.where(np.arange(replicates) % 10, 1.0, np.nan)"
"""Of ten replicates one fails."""


@pytest.mark.parametrize("value", ["np.nan", "np.inf", SOME])
def test_a_value_that_is_not_a_number_is_named(value, tmp_path, monkeypatch, capsys):
    assert new_theorem(["mine"], tmp_path) == 0
    code, config = tmp_path / "theorems" / "mine.py", tmp_path / "conf" / "theorem" / "mine.yaml"
    imports = "from dataclasses import replace\nfrom repro.core.claims import Inequality\n"
    code.write_text(code.read_text() + imports + NAN.format(value))
    config.write_text(config.read_text() + "  left: {grid: [1e4, 1e5, 1e6, 1e7]}\n")
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert status_of(suite.main, ["power", "theorem=mine"]) == 1
    where = "n = 1e+06 in more than 1 % of the replicates"
    line = f"|p̂ − p| is not a number at {where}; no number of replicates is enough"
    assert capsys.readouterr().out.splitlines() == [
        f"mine n_pairs: {line}", f"mine left: {line}", "0 of 2 random checks have enough",
    ]  # fmt: skip
    words = ["theorem=mine", "budget=smoke", "tracking=none", "compute.workers=1"]
    assert status_of(run.main, words) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "not a number at" in out
    assert "suite power" not in out


def test_a_grid_that_is_too_narrow_is_to_be_widened(tmp_path, monkeypatch, capsys):
    """Thousands of times the replicates would be the other way."""
    assert new_theorem(["mine"], tmp_path) == 0
    config = tmp_path / "conf" / "theorem" / "mine.yaml"
    text = config.read_text().replace("[1e4, 1e5, 1e6, 1e7]", "[1e4, 1.1e4, 1.2e4]")
    config.write_text(text)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert status_of(suite.main, ["power", "write=true"]) == 1
    advice = "n_pairs: its grid spans a factor 1.2; use a wider grid"
    assert capsys.readouterr().out.splitlines()[0] == f"mine {advice}"
    assert config.read_text() == text
    words = ["theorem=mine", "budget=smoke", "tracking=none", "compute.workers=1"]
    assert status_of(run.main, words) == 1
    out = capsys.readouterr().out
    assert f"? {advice}" in out
    assert "suite power" not in out


def test_a_slope_on_a_narrow_grid_is_not_supported_without_a_word(tmp_path, monkeypatch, capsys):
    """Enough replicates make any interval short; a rate is claimed of a range."""
    assert new_theorem(["mine"], tmp_path) == 0
    code, config = tmp_path / "theorems" / "mine.py", tmp_path / "conf" / "theorem" / "mine.yaml"
    before, after = code.read_text().rsplit("    return debiased(world, rng, replicates)\n", 1)
    exact = "    return np.ones(replicates) * world.n_pairs**{}\n"
    before = before.replace("    reported = world", exact.format(-0.5) + "    reported = world")
    code.write_text(before + exact.format(0) + after)
    config.write_text(config.read_text().replace("[1e4, 1e5, 1e6, 1e7]", "[1e6, 1.05e6, 1.1e6]"))
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    words = ["theorem=mine", "budget=smoke", "tracking=none", "compute.workers=1"]
    status_of(run.main, words)
    advice = "n_pairs: its grid spans a factor 1.1; use a wider grid"
    out = capsys.readouterr().out
    assert "✓ supported" in out
    assert f"? {advice}" in out
    assert status_of(report.main, []) == 0
    assert advice.partition(": ")[2] in Path("outputs", "report.html").read_text()
    capsys.readouterr()
    assert status_of(suite.main, ["power"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == f"mine {advice}"


TEXT = """sweeps:
  a: &a {grid: [1, 2, 4], replicates: 8}
  b: *a
  c: {grid: [1, 2, 4]}
  d: *a
"""


def test_rows_with_far_too_many_are_lowered_and_those_beside_them_are_not(tmp_path):
    """``b`` and ``d`` share the sweep of ``a`` and need more; ``c`` has a little too many."""
    path = tmp_path / "one.yaml"
    needed = {"a": 0.4, "b": 4.1, "c": 0.6, "d": 0.0}
    now = {"a": 8.0, "b": 8.0, "c": 1.0, "d": 8.0}
    rows = [Planned("one", row, now[row], needed[row]) for row in needed]
    for lower, wanted in ((False, now), (True, {**now, "a": 0.7})):
        path.write_text(TEXT, encoding="utf-8")
        _write(path, rows, lower)
        assert {row: factor_of(path.read_text(), row) for row in now} == wanted


def test_one_replicate_a_block_is_never_reached_by_lowering():
    assert Planned("one", "a", now=4.0, needed=1e-9).lowered == LEAST
