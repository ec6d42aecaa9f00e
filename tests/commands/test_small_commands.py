"""``python -m repro features`` and ``python -m repro suite``."""

import errno
import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from repro.commands import features, suite
from repro.commands.new_theorem import main as new_theorem
from repro.commands.process.command import status_of
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.report.files import seal_of
from repro.study.sources import MEASURING, closure


def test_features_builds_the_label_free_table(tmp_path, capsys):
    assert status_of(features.main, [str(tmp_path / "tables")]) == 0
    assert "400 pairs, 12 features" in capsys.readouterr().out
    (table,) = (tmp_path / "tables").glob("*.npz")
    before = table.read_bytes()
    assert status_of(features.main, [str(tmp_path / "tables")]) == 0
    assert table.read_bytes() == before


def test_features_do_not_depend_on_the_labels(tmp_path, capsys):
    for name, swap in (("a", False), ("b", True)):
        path = tmp_path / f"{name}.jsonl"
        with path.open("w") as file:
            for pair in synthetic_pairs(60):
                first, second = pair.chosen, pair.rejected
                texts = (second, first) if swap else (first, second)
                record = {"prompt": pair.prompt, "chosen": texts[0], "rejected": texts[1]}
                file.write(json.dumps(record) + "\n")
        words = [f"instance.path={path}", "instance.num_features=8"]
        assert status_of(features.main, [str(tmp_path / name), *words]) == 0
        assert capsys.readouterr().out == f"60 pairs, 8 features in {tmp_path / name}\n"
    tables = [next((tmp_path / name).glob("*.npz")) for name in "ab"]
    assert tables[0].name == tables[1].name
    assert tables[0].read_bytes() == tables[1].read_bytes()


def test_a_table_that_cannot_be_kept_is_not_said_to_be_there(tmp_path, monkeypatch, capsys):
    def full(entry, table):
        raise OSError(errno.ENOSPC, "No space left on device", str(entry))

    monkeypatch.setattr("repro.worlds.instances.feature_cache._store", full)
    monkeypatch.setattr("repro.worlds.instances.feature_cache.feature_table", lambda *given: None)
    assert status_of(features.main, [str(tmp_path / "tables")]) == 74
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(".npz: No space left on device\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "usage: python -m repro features FOLDER"),
        (["x", "instance=linear"], "instance=linear: allowed: preference_text"),
        (["x", "instance.path=/nowhere.jsonl"], "there is no such file"),
        (["x", "instance.num_features=1"], "instance.num_features=1"),
    ],
)
def test_features_refuse_bad_input(tmp_path, monkeypatch, capsys, words, line):
    monkeypatch.chdir(tmp_path)
    assert status_of(features.main, words) == 2
    err = capsys.readouterr().err
    assert line in err
    assert err.count("\n") == 1


def test_suite_lists_what_is_there(tmp_path, monkeypatch, capsys):
    (tmp_path / "conf").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "without_extra", lambda folder: ["a", "b"])
    assert status_of(suite.main, ["list"]) == 0
    assert (
        (tmp_path / "conf" / "suite.yaml")
        .read_text()
        .endswith("\nseed: 0\nbudget: laptop\ntheorems:\n- a\n- b\n")
    )
    assert "2 experiments" in capsys.readouterr().out
    assert "theorem=${item}" in (tmp_path / "dvc.yaml").read_text()


def test_suite_writes_a_digest_of_every_module_that_an_experiment_imports(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "without_extra", lambda folder: ["rdpo_identity"])
    assert status_of(suite.main, ["modules"]) == 0
    assert "1 experiment\n" in capsys.readouterr().out
    lines = (tmp_path / "outputs" / "modules" / "rdpo_identity.txt").read_text().splitlines()
    digests = {name: digest for digest, name in map(str.split, lines)}
    assert set(digests) == set(closure("theorems.rdpo_identity", MEASURING))
    assert {"theorems.rdpo_identity", "repro.base.notation"} <= set(digests)
    assert len(set(digests.values())) == len(digests)
    assert status_of(suite.main, ["modules", "rdpo_identity"]) == 2


def test_a_stage_of_an_own_folder_depends_on_code_that_its_theorems_share(tmp_path, monkeypatch):
    """DVC reads no imports, so it would skip an experiment whose ``_shared.py`` has changed."""
    listings = []
    for folder in ("one", "another"):
        (tmp_path / folder).mkdir()
        assert new_theorem(["mine"], tmp_path / folder) == 0
        code = tmp_path / folder / "theorems" / "mine.py"
        code.write_text(code.read_text() + "\nfrom . import _shared\n")
        shared = code.with_name("_shared.py")
        shared.write_text("FACTOR = 1\n")
        monkeypatch.chdir(tmp_path / folder)
        assert status_of(suite.main, ["list"]) == status_of(suite.main, ["modules"]) == 0
        listing = Path("outputs", "modules", "mine.txt")
        listings.append(listing.read_text())
        shared.write_text("FACTOR = 9\n")
        assert status_of(suite.main, ["modules"]) == 0
        before, after = (set(text.splitlines()) for text in (listings[-1], listing.read_text()))
        assert {line.split()[1] for line in before ^ after} == {"theorems._shared"}
        stages = yaml.safe_load(Path("dvc.yaml").read_text())["stages"]
        assert stages["modules"]["always_changed"]
        assert "outputs/modules/${item}.txt" in stages["experiment"]["do"]["deps"]
    assert listings[0] == listings[1]


def test_suite_keeps_seed_and_budget_of_the_list(tmp_path, monkeypatch):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/suite.yaml").write_text("seed: 3\nbudget: smoke\ntheorems: []\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "without_extra", lambda folder: ["a"])
    assert status_of(suite.main, ["list"]) == 0
    found = yaml.safe_load((tmp_path / "conf/suite.yaml").read_text())
    assert found == {"seed": 3, "budget": "smoke", "theorems": ["a"]}


def test_suite_writes_numbers_and_figure_for_dvc(command, capsys):
    words = ("theorem=rdpo_identity", "budget=smoke", "tracking=none", "compute.workers=1")
    assert command(*words, "hydra.run.dir=outputs/suite/rdpo_identity")[0] == 0
    assert status_of(suite.main, ["metrics"]) == 0
    verdict = json.loads(Path("outputs/suite/rdpo_identity/verdict.json").read_text())
    numbers = json.loads(Path("outputs/metrics/rdpo_identity.json").read_text())
    assert numbers.pop("verdict") == "supported"
    assert numbers == {
        row["name"]: {"verdict": row["verdict"], "measured": row["max_ratio"]}
        for row in verdict["checks"]
    }
    assert Path("outputs/figures/rdpo_identity.png").read_bytes().startswith(b"\x89PNG")
    curves = Path("outputs/curves/rdpo_identity.csv").read_text().splitlines()
    assert curves[0] == "check,method,axis,value,quantity,mean"
    (first,) = (line for line in curves if line.startswith("identity,rdpo,privacy_cost,1.105,"))
    blocks = pd.read_parquet("outputs/suite/rdpo_identity/measurements.parquet")
    blocks = blocks[(blocks["check"] == "identity") & (blocks["method"] == "rdpo")]
    mean = blocks[blocks["value"] == 1.105]["mean"].mean()  # blocks of one size
    assert float(first.rpartition(",")[2]) == pytest.approx(mean)
    assert status_of(suite.main, ["metrics", "rdpo_identity"]) == 2
    assert "usage: python -m repro suite list" in capsys.readouterr().err


def test_suite_overwrites_no_dvc_yaml_and_lists_no_folder_without_theorems(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert status_of(suite.main, ["list"]) == 2
    assert capsys.readouterr().err.startswith(f"error: folder={tmp_path}: allowed: a folder with")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "conf").mkdir()
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    monkeypatch.setattr(suite, "without_extra", lambda folder: ["a"])
    assert status_of(suite.main, ["list"]) == 0
    assert (tmp_path / "dvc.yaml").read_text() == "stages: {}\n"


OTHERS = ("config.yaml", "measurements.parquet")
"""What a run's verdict was read off."""


def test_suite_table_is_read_from_verdicts(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    checks = [
        {"name": "n", "statements": ["p1.x", "p1.y"], "verdict": "supported", "claimed": -1},
        {"name": "e_to_B", "statements": ["p1.x"], "verdict": "contradicted", "claimed": 1,
         "kind": "slope", "slope": 1.97123, "direction": "at_most"},
        {"name": "dp", "statements": ["p1.x"], "verdict": "contradicted", "kind": "privacy",
         "claimed_epsilon": 0.5, "exact_epsilon": 0.61},
    ]  # fmt: skip
    ids = ["p1.x", "p1.y"]
    verdict = {
        "theorem": "toy", "statements": ids, "verdict": "contradicted", "complete": True,
        "rows": [3, 3], "checks": checks,
        "controls": [{"name": "c", "check": "n", "verdict": "contradicted"}], "seed": 0,
        "budget": "smoke",
        "files": {name: hashlib.sha256(b"{}\n").hexdigest() for name in OTHERS},
    }  # fmt: skip
    folder = tmp_path / "outputs" / "suite" / "toy"
    folder.mkdir(parents=True)
    for name in OTHERS:
        (folder / name).write_bytes(b"{}\n")
    (folder / "verdict.json").write_text(json.dumps(verdict | {"seal": seal_of(verdict)}))
    assert status_of(suite.main, ["table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "from a run at `budget=smoke`" in " ".join(lines)
    assert any(line.startswith("## P1: Offline and Online KL") for line in lines)
    (row,) = (line for line in lines if line.startswith("| `toy`"))
    assert row == (
        "| `toy` | p1.x ✗, p1.y | contradicted | 1 of 3 supported, 1 controls | "
        "e_to_B: exponent 1.97 where at most 1 is claimed; dp: ε = 0.61 where 0.5 is claimed |"
    )


@pytest.mark.parametrize("words", [[], ["other"], ["list", "x"]])
def test_suite_refuses_other_words(capsys, words):
    assert status_of(suite.main, words) == 2
    assert capsys.readouterr().err.startswith("error: argument=")


def test_suite_without_runs_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert status_of(suite.main, ["table"]) == 2
    assert capsys.readouterr().err == (
        "error: folder=outputs/suite: has no verdict.json of a suite; run dvc repro\n"
    )
