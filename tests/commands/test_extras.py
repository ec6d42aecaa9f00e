"""Without an extra: one line and status 2, or a skipped job of a larger run; dry runs."""

import pytest

import repro.study.discovery as extras
from repro import run
from repro.base.errors import BadInput
from repro.base.places import install_hint

RELEASE = "theorem.worlds.release"


@pytest.fixture
def without_the_extra(monkeypatch):
    monkeypatch.setitem(extras.LIBRARIES, "llm", ("no_such_library",))


def test_one_run_is_refused(command, without_the_extra, tmp_path):
    status, _, err = command("theorem=llm_rdpo")
    assert status == 2
    assert "theorem=llm_rdpo: needs no_such_library" in err
    assert install_hint("llm") in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_python_is_refused(without_the_extra):
    with pytest.raises(BadInput, match="needs no_such_library"):
        run("llm_rdpo", budget="smoke", tracking="none")


def test_a_multirun_of_nothing_else_is_refused(command, without_the_extra, tmp_path):
    status, _, err = command("-m", "theorem=llm_rdpo", "seed=0,1")
    assert status == 2
    assert "needs no_such_library" in err
    assert list(tmp_path.iterdir()) == []


def test_a_multirun_goes_past_it(command, without_the_extra, quick):
    words = [word for word in quick if not word.startswith("only")]
    status, _, err = command("-m", "theorem=llm_rdpo,label_masks", *words)
    assert status in (0, 1)
    assert "skipped llm_rdpo: no_such_library is not installed" in err


def test_a_dry_run_prints_and_writes_nothing(command, tmp_path):
    pytest.importorskip("transformers")
    status, out, _ = command("theorem=llm_rdpo", "dry_run=true")
    assert status == 0
    assert "GPU-hours" in out
    assert list(tmp_path.iterdir()) == []


def test_experiments_without_an_estimate_refuse_a_dry_run(command, tmp_path):
    status, _, err = command("theorem=offline_gap", "dry_run=true")
    assert status == 2
    assert "dry_run=True: offline_gap has no estimate" in err
    assert list(tmp_path.iterdir()) == []


def test_a_multirun_has_no_dry_run(command, tmp_path):
    status, _, err = command("-m", "dry_run=true", "seed=0,1")
    assert status == 2
    assert "one run at a time" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            (f"{RELEASE}.data.path=/nowhere.jsonl",),
            f"{RELEASE}.data.path=/nowhere.jsonl: there is no",
        ),
        (
            (f"{RELEASE}.model.path=/nowhere",),
            f"{RELEASE}.model.path=/nowhere: no folder with a config",
        ),
        ((f"{RELEASE}.variant=x",), f"{RELEASE}.variant=x: allowed: 'repaired' or 'as_published'"),
        ((f"theorem/llm_data@{RELEASE}.data=jsonl",), f"{RELEASE}.data.path"),
        ((f"{RELEASE}.data.n_pairs=0",), f"{RELEASE}.data.n_pairs=0: allowed: "),
        ((f"{RELEASE}.model._target_=os.system",), f"{RELEASE}.model._target_"),
        ((f"+{RELEASE}.model._target_=os.system",), f"{RELEASE}.model._target_"),
        (("theorem.variant=repaired",), "theorem.variant"),
        (("+theorem.variant=repaired",), "theorem.variant=repaired: unknown key"),
        (("epsilon=1",), "changes nothing in llm_rdpo"),
    ],
)
def test_bad_input_is_one_line(command, tmp_path, words, line):
    status, _, err = command("theorem=llm_rdpo", *words)
    assert status == 2
    assert line in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
