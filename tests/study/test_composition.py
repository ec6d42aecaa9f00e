"""The words of a run as Hydra gets them, and the places of theorems that they name."""

import math

import pytest
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from repro.base.errors import BadInput
from repro.base.places import conf_dir
from repro.study import composition
from repro.study.composition import compose_values, with_search_path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Makes folders with a theorem, below one that has none."""
    monkeypatch.chdir(tmp_path)

    def make(name):
        for path, text in {"theorems/mine.py": "", "conf/theorem/mine.yaml": "name: mine"}.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
        return name

    return make


def test_what_is_skipped_is_said_once_beside_the_output(monkeypatch, capsys):
    monkeypatch.setattr(composition, "broken", lambda: ["skipped: mine", "skipped: yours"])
    composition._say_broken.cache_clear()  # an earlier test may have had its own skipped
    assert [with_search_path(["seed=1"])[0] for _ in range(2)] == ["seed=1"] * 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "skipped: mine\nskipped: yours\n")


def test_a_folder_without_theorems_leaves_the_words_alone(folder):
    assert with_search_path(["-m", "seed=0,1"]) == ["-m", "seed=0,1"]
    assert with_search_path(["theorem.sweeps.n_pairs.epsilon=8", "theorem.title=x"]) == [
        "++theorem.sweeps.n_pairs.epsilon=8", "theorem.title=x",
    ]  # fmt: skip


def test_a_folder_is_found_between_the_options(folder, tmp_path):
    folder("a")
    given = f"theorems_from={folder('b')}"
    there = f'hydra.searchpath=["file://{tmp_path}/b/conf"]'
    words = ["-m", "--multirun=x", "theorems_from=a", given, "--cfg", "job"]
    assert with_search_path(words) == [*words[:2], there, *words[2:]]
    assert with_search_path(["--info", given])[1] == there
    assert with_search_path([f"theorems_from={folder('c, d')!r}"])[0].endswith('/c, d/conf"]')


def test_a_config_of_another_name_is_refused_where_its_theorem_runs(folder, monkeypatch, tmp_path):
    folder("a")
    (tmp_path / "a/conf/theorem/mine.yaml").write_text("title: none")
    monkeypatch.chdir(tmp_path / "a")
    for words in (["theorem=mine"], ["theorem=x,mine"], ["++theorem=glob(*)"]):
        with pytest.raises(BadInput, match=r"^name=\(missing\): in .*mine\.yaml; allowed: mine"):
            with_search_path(words)
    assert with_search_path(["theorem=offline_gap", "only=mine"])[2:] == ["only=mine"]


def test_a_glob_sees_own_names_and_one_without_a_match_is_refused(folder):
    there = f"theorems_from={folder('a')}"
    assert "theorem=mine" in with_search_path(["-m", "theorem=glob(mine*)", there])
    both = with_search_path(["-m", "theorem=glob([mine*,offline_ga*])", there])
    assert "theorem=mine,offline_gap" in both
    line = r"^theorem=glob\(mine\*\): names no experiment; allowed: names that repro run --help"
    with pytest.raises(BadInput, match=line):
        with_search_path(["-m", "theorem=glob(mine*)"])


def test_values_of_python_are_those_of_hydra():
    given = {"epsilon": None, "n_pairs": 8, "horizon": math.inf, "kl_weight": -math.inf}
    assert compose_values("offline_gap", given).items() >= given.items()


def test_a_script_keeps_the_hydra_that_it_had():
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        before = GlobalHydra.instance().hydra
        with pytest.raises(BadInput, match="^epsilonn: unknown key"):
            compose_values("offline_gap", {"epsilonn": 1})
        assert GlobalHydra.instance().hydra is before
