"""Folders: nothing of the user's is written over, and no folder is a surprise."""

import pytest


def refused(found, tmp_path, *there):
    """Status 2, one line, nothing written beside what is there."""
    status, out, err = found
    assert (status, out) == (2, ""), err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == sorted(there)
    return err


@pytest.mark.parametrize("value", ["''", "' '", ""])
@pytest.mark.parametrize("key", ["hydra.run.dir", "hydra.sweep.dir"])
def test_an_empty_name_is_refused(command, quick, tmp_path, key, value):
    mode = ("-m",) if "sweep" in key else ()
    found = command(*mode, *quick, f"{key}={value}")
    assert f"{key}: is empty; allowed: the name of a folder" in refused(found, tmp_path)


@pytest.mark.parametrize("name", ["notes.txt", "verdict.json", "figure.png", "config.yaml", ".env"])
def test_a_folder_with_something_else_is_refused(command, quick, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine: 1\n")
    line = refused(command(*quick, "hydra.run.dir=mine"), tmp_path, f"mine/{name}")
    assert "hydra.run.dir=" in line
    assert "holds something else" in line
    assert (tmp_path / "mine" / name).read_text() == "mine: 1\n"


def test_the_folder_of_another_experiment_is_refused(command, quick, tmp_path):
    words = [word for word in quick if not word.startswith("only")]
    assert command("theorem=label_masks", *words, "hydra.run.dir=mine")[0] in (0, 1)
    before = (tmp_path / "mine" / "verdict.json").read_bytes()
    status, _, err = command(*quick, "hydra.run.dir=mine")
    assert (status, "holds something else" in err) == (2, True)
    assert (tmp_path / "mine" / "verdict.json").read_bytes() == before


def test_the_folder_of_the_same_experiment_may_be_used_again(command, quick, tmp_path):
    assert command(*quick, "hydra.run.dir=mine")[0] in (0, 1)
    assert command(*quick, "seed=1", "hydra.run.dir=mine")[0] in (0, 1)


def test_what_a_killed_run_left_is_no_obstacle(command, quick, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".config.draft-node-1.yaml").write_text("half")
    assert command(*quick, "hydra.run.dir=mine")[0] in (0, 1)


@pytest.mark.parametrize("mode", [(), ("-m",)], ids=["run", "sweep"])
def test_another_working_folder_is_refused(command, quick, tmp_path, mode):
    line = refused(command(*mode, *quick, "hydra.job.chdir=true"), tmp_path)
    assert "hydra.job.chdir=True: allowed: false" in line


def test_two_jobs_of_a_sweep_do_not_share_a_folder(command, quick, tmp_path):
    found = command("-m", *quick, "seed=0,1", "hydra.sweep.subdir=one")
    assert "hydra.sweep.subdir=one: allowed: another one for each job" in refused(found, tmp_path)


@pytest.mark.parametrize("content", ["mine: 1", "theorem: mine"])
def test_a_users_multirun_yaml_is_not_written_over(command, quick, tmp_path, content):
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "multirun.yaml").write_text(f"{content}\n")
    found = command("-m", *quick, "seed=0,1")
    assert "multirun.yaml there is not Hydra's" in refused(found, tmp_path, "outputs/multirun.yaml")


def test_a_sweep_over_an_earlier_sweep_goes_on(command, quick):
    for seeds in ("0,1", "1,2"):
        assert command("-m", *quick, f"seed={seeds}")[0] in (0, 1)


def test_jobs_numbered_by_the_launcher_have_folders_of_their_own(command, quick, tmp_path):
    words = ("seed=0,1", "hydra.sweep.subdir=${hydra.job.num}")
    status, out, _ = command("-m", *quick, *words)
    assert status in (0, 1)
    assert (tmp_path / "outputs" / "1" / "verdict.json").is_file()
    assert "no result" not in out


@pytest.mark.parametrize("name", ["{}/home", "../home", "..", ".", "home/.hydra"])
@pytest.mark.parametrize("mode", [(), ("-m",)], ids=["run", "sweep"])
def test_hydras_own_files_stay_below_the_run(command, quick, tmp_path, mode, name):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("mine: 1\n")
    words = (*mode, *quick, f"hydra.output_subdir={name.format(tmp_path)}")
    line = refused(command(*words), tmp_path, "home/config.yaml")
    assert "allowed: null, or a name such as .hydra" in line
    assert (tmp_path / "home" / "config.yaml").read_text() == "mine: 1\n"


def test_a_run_that_cannot_be_written_leaves_the_earlier_one(command, quick, tmp_path):
    assert command(*quick, "hydra.run.dir=mine")[0] in (0, 1)
    (tmp_path / "mine" / "figure.png").unlink()
    (tmp_path / "mine" / "figure.png").mkdir()
    before = {p: p.read_bytes() for p in tmp_path.joinpath("mine").rglob("*") if p.is_file()}
    status, _, err = command(*quick, "seed=1", "hydra.run.dir=mine")
    assert (status, "figure.png: Is a directory" in err) == (2, True)
    after = {p: p.read_bytes() for p in tmp_path.joinpath("mine").rglob("*") if p.is_file()}
    assert before == after
