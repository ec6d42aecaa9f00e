"""Theorems of a user's that end the process, read what no key holds, or draw by themselves."""

import json
import os

import pytest

import repro
from repro.commands.new_theorem import main
from repro.study.discovery import find
from repro.study.sources import closure
from tests.faults.processes import QUICK, ended

CLAIMS = "from repro.core.claims import Slope\n"
ERROR = "return np.abs("
EXIT = "import sys; sys.exit(0)"


@pytest.fixture
def theorem(tmp_path, capsys):
    """Writes a theorem whose numbers are multiplied by an expression; its folder."""

    def written(imports="", by="1"):
        home = tmp_path / f"home_{len(list(tmp_path.iterdir()))}"
        assert main(["mine"], home) == 0
        capsys.readouterr()
        code = home / "theorems" / "mine.py"
        text = code.read_text().replace(CLAIMS, f"{CLAIMS}{imports}\n")
        code.write_text(text.replace(ERROR, f"return ({by}) * np.abs("))
        return home

    return written


def measured(home, **given):
    """First mean of a run from Python, and how many blocks it has kept."""
    done = repro.run(
        "mine", theorems_from=home, budget="smoke", overrides=["compute.workers=1"], **given
    )
    kept = list((given["output_dir"] / ".cache" / "blocks").glob("*/*.npy"))
    return done.measurements["mean"][0], len(kept)


@pytest.mark.parametrize(("imports", "by"), [(EXIT, "1"), ("import sys", "sys.exit(0)")])
def test_a_theorem_that_ends_the_process_is_a_bug_and_the_next_job_runs(theorem, imports, by):
    home = theorem(imports, by)
    sweep = ("-m", "theorem=mine,rdpo_identity", *QUICK)
    status, out, err = ended(["repro", *sweep], home)
    assert status == 70
    assert "no result" in out
    assert [line for line in err.splitlines() if line.startswith("error: a theorem, or")]
    assert list(home.glob("outputs/rdpo_identity/*/verdict.json"))
    assert not list(home.glob("outputs/mine/*/verdict.json"))
    assert ended(["repro", "ablate", "theorem=mine"], home)[0] == 70


def test_a_helper_of_equal_size_and_time_is_loaded_from_its_source(theorem):
    home = theorem("from helper import BY", "BY")
    means = []
    for by in (1, 2):
        (home / "helper.py").write_text(f"BY = {by}\n")
        os.utime(home / "helper.py", (1.7e9, 1.7e9))
        env = {"PYTHONDONTWRITEBYTECODE": None}
        ended(["repro", "theorem=mine", *QUICK], home, env=env)
        (found,) = home.glob("outputs/mine/*/verdict.json")
        means.append(json.loads(found.read_text())["files"]["measurements.parquet"])
    assert means[0] != means[1]


def test_a_module_of_the_search_path_is_in_the_key(theorem, tmp_path, monkeypatch):
    home = theorem("from found_elsewhere import BY", "BY")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "found_elsewhere.py").write_text("BY = 1\n")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    found = closure(find("mine", home).module)
    assert found["found_elsewhere"] == tmp_path / "lib" / "found_elsewhere.py"


@pytest.mark.parametrize(
    ("imports", "by"),
    [
        ("BY = float(__import__('pathlib').Path({path!r}).read_text())", "BY"),
        ("", "float(__import__('pathlib').Path({path!r}).read_text())"),
        ("import pathlib; exec('BY = ' + pathlib.Path({path!r}).read_text())", "BY"),
        ("import os", "float(os.environ.get('BY', '2'))"),
    ],
)
def test_what_no_key_holds_is_measured_and_not_kept(theorem, tmp_path, imports, by):
    path = str(tmp_path / "number")
    (tmp_path / "number").write_text("2")
    plain = measured(theorem(), output_dir=tmp_path / "plain")
    home = theorem(imports.format(path=path), by.format(path=path))
    doubled = measured(home, output_dir=tmp_path / "doubled")
    assert plain[1] > 0
    assert doubled == (pytest.approx(2 * plain[0]), 0)


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("np.random.default_rng().random(fitted.shape)", "measures one block twice, and differs"),
        ("1 + 1j", "complex"),
    ],
)
def test_numbers_that_are_none_of_the_given_generator_or_not_real(theorem, tmp_path, by, told):
    with pytest.raises((RuntimeError, TypeError), match=told):
        measured(theorem(by=by), output_dir=tmp_path / "out")


def test_a_seed_of_ones_own_is_noticed(theorem, tmp_path):
    home = theorem()
    code = home / "theorems" / "mine.py"
    text = code.read_text().replace(
        "reported = world.reported(rng", "reported = world.reported(np.random.default_rng(0)"
    )
    code.write_text(text)
    with pytest.raises(RuntimeError, match="draws nothing from the generator"):
        measured(home, output_dir=tmp_path / "out")
