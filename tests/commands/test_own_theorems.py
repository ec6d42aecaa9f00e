"""Theorems of a user's folder: run, cached, refused, and never taken for shipped ones."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import repro
from repro.base.errors import BadInput, BrokenTheorem, running_theorem
from repro.base.places import own
from repro.commands.new_theorem import main
from repro.commands.process.outcome import explained
from repro.study.composition import named_theorems, with_search_path
from repro.study.discovery import find
from repro.study.sources import closure

ROOT = Path(__file__).parents[2]
WORDS = ("budget=smoke", "tracking=none")
WRONG = 'control is accepted and the run inconclusive.\n    """\n'
"""What stands above the body of the template's wrong version."""


@pytest.fixture
def folder(tmp_path, capsys):
    """A folder with one theorem whose control is caught."""
    home = tmp_path / "my folder"
    assert main(["my_bound"], home) == 0
    capsys.readouterr()
    undebiased = "    return world.error(world.reported(rng, replicates))\n"
    edit(home, WRONG + "    return debiased(world, rng, replicates)\n", WRONG + undebiased)
    return home


def edit(folder, old, new):
    file = folder / "theorems" / "my_bound.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.fixture
def command(python_m):
    """Runs ``python -m repro`` with words in a folder."""

    def run(folder, *words, path=()):
        search = os.pathsep.join(map(str, (ROOT, *path)))
        return subprocess.run(
            [*python_m, "repro", *words],
            cwd=folder, env={**os.environ, "PYTHONPATH": search}, capture_output=True, text=True,
            timeout=300,
        )  # fmt: skip

    return run


def test_it_runs_in_worker_processes_from_another_folder(command, folder, tmp_path):
    words = ("theorem=my_bound", "theorems_from=my folder", "compute.workers=2", *WORDS)
    done = command(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("outputs/my_bound/*/verdict.json")
    verdict = json.loads(path.read_text())
    assert (verdict["verdict"], verdict["statements"]) == ("supported", ["own.my_bound"])


def test_a_sweep_in_the_folder_finds_it_beside_the_shipped(command, folder):
    words = ("theorem=my_bound,rdpo_identity", "compute.workers=1", *WORDS)
    done = command(folder, "-m", *words)
    assert done.returncode == 0, done.stderr
    assert {path.parts[-3] for path in folder.glob("outputs/*/*/verdict.json")} == {
        "my_bound", "rdpo_identity",
    }  # fmt: skip


def test_an_installed_package_brings_it(command, folder, tmp_path):
    site = tmp_path / "site"
    info = site / "bounds-1.dist-info"
    info.mkdir(parents=True)
    folder.rename(site / "bounds")
    (site / "bounds" / "__init__.py").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bounds\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[repro.theorems]\nmine = bounds\n")
    words = ("theorem=my_bound", "compute.workers=2", *WORDS)
    done = command(tmp_path, *words, path=[site])
    assert done.returncode == 0, done.stderr
    assert command(tmp_path, *words).returncode == 2


def test_from_python_where_two_folders_have_one_name(folder, tmp_path):
    other = tmp_path / "other"
    main(["my_bound"], other)
    given = {"budget": "smoke", "overrides": ["compute.workers=1"]}
    assert repro.run("my_bound", theorems_from=folder, **given).verdict == "supported"
    assert repro.run("my_bound", theorems_from=other, **given).verdict == "inconclusive"


def test_a_statement_that_no_paper_has_is_refused(command, folder):
    edit(folder, '"own.my_bound"', '"p1.thm_4_22"')
    done = command(folder, "theorem=my_bound", *WORDS)
    line = "settles=p1.thm_4_22: no such statement; did you mean p1.thm_4_2? allowed: a "
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert line in done.stderr
    assert not (folder / "outputs").exists()
    with pytest.raises(BadInput, match="no such statement"):
        repro.run("my_bound", theorems_from=folder, budget="smoke")


def test_an_id_without_its_paper_is_of_the_paper_of_the_folder(folder):
    entry = {"title": "A paper", "authors": "A", "statements": {"prop_2": {"title": "a sum"}}}
    (folder / "conf" / "papers").mkdir()
    (folder / "conf" / "papers" / "mine.yaml").write_text(json.dumps(entry))
    edit(folder, '"own.my_bound"', '"prop_2"')
    with pytest.raises(BadInput) as refused:
        repro.run("my_bound", theorems_from=folder, budget="smoke")
    hint = (
        "did you mean mine.prop_2? allowed: an id with its paper, such as p1.thm_4_2, or own.NAME"
    )
    assert str(refused.value) == f"settles=prop_2: no such statement; {hint}"


def test_a_check_without_a_control_is_refused(command, folder):
    edit(folder, "wrong=[wrong_on_purpose]", "wrong=[]")
    done = command(folder, "theorem=my_bound", *WORDS)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "n_pairs has no control, so a wrong implementation could pass" in done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("theorems_from=nowhere",), "theorems_from=nowhere: allowed: a folder with theorems/NAME"),
        (("theorems_from=a,b",), "theorems_from=a,b: allowed: one folder"),
        (("theorems_from=[a,b]",), "theorems_from=[a,b]: allowed: one folder"),
        (("-m", "theorem=glob(no*)"), "theorem=glob(no*): names no experiment; allowed: names "),
        (("hydra.searchpath=[x]",), "hydra.searchpath=[x]: allowed: keys without _target_"),
        (("theorem=my_bonud",), "theorem=my_bonud: no such experiment; did you mean my_bound? "),
    ],
)
def test_bad_input_is_one_line(command, folder, words, line):
    done = command(folder, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"error: {line}")


def test_a_config_that_is_no_yaml_is_one_line(command, folder):
    """Hydra would end with a traceback, or in an hour."""
    (folder / "conf" / "theorem" / "my_bound.yaml").write_text("name: my_bound\n\tworlds: {}\n")
    done = command(folder, "theorem=my_bound", *WORDS)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "conf/theorem/my_bound.yaml: is not valid YAML: line 2: found a tab" in done.stderr
    assert not (folder / "outputs").exists()


@pytest.mark.parametrize("named", ["my_bound", "offline_gap,my_bound", "glob(my_*)", "glob(*)"])
def test_a_config_that_is_no_yaml_is_refused_however_it_is_named(folder, named):
    (folder / "conf" / "theorem" / "my_bound.yaml").write_text("name: my_bound\n\tworlds: {}\n")
    with pytest.raises(BadInput, match="is not valid YAML: line 2"):
        with_search_path([f"theorem={named}", f"theorems_from={folder}"])
    assert with_search_path(["theorem=offline_gap", f"theorems_from={folder}"])


def test_a_shipped_name_is_refused(command, folder):
    for path in ("theorems/{}.py", "conf/theorem/{}.yaml"):
        (folder / path.format("my_bound")).rename(folder / path.format("offline_gap"))
    done = command(folder, "theorem=offline_gap", *WORDS)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    config = folder / "conf" / "theorem" / "offline_gap.yaml"
    assert done.stderr == f"error: name=my_bound: in {config}; allowed: offline_gap, as the file\n"
    config.write_text(config.read_text().replace("name: my_bound", "name: offline_gap"))
    done = command(folder, "theorem=offline_gap", *WORDS)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("error: theorem=offline_gap: is the name of ")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_module\n", "line 1 of {}: ModuleNotFoundError: No module named 'no_such"),
        ("x = 1\nx = (\n", "line 2 of {}: SyntaxError: "),
        ("\n\n1 / 0\n", "line 3 of {}: ZeroDivisionError: division by zero"),
        ("def f():\n    1 / 0\n\n\nf()\n", "line 2 of {}: ZeroDivisionError: division by zero"),
        ("x = 1\n", "{} defines no THEOREM"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(folder, code, told):
    path = folder / "theorems" / "my_bound.py"
    path.write_text(code)
    with pytest.raises(BadInput) as refused:
        find("my_bound", folder)
    assert str(refused.value).startswith(f"theorem=my_bound: {told.format(path)}")


@pytest.mark.parametrize(
    ("shared", "told"),
    [
        ("\nX = y\n", "line 2 of {}: NameError: name 'y' is not defined"),
        ("X = 1\nX = (\n", "line 2 of {}: SyntaxError: "),
    ],
)
def test_a_fault_in_a_shared_file_is_named_there(folder, shared, told):
    path = folder / "theorems" / "_shared.py"
    path.write_text(shared)
    edit(folder, "import numpy as np\n", "import numpy as np\nfrom ._shared import X\n")
    with pytest.raises(BadInput) as refused:
        find("my_bound", folder)
    assert str(refused.value).startswith(f"theorem=my_bound: {told.format(path)}")


@pytest.mark.parametrize(("given", "kind"), [("True", "bool"), ('["p in (0, 1)"]', "str")])
def test_assumptions_that_are_none_are_named_by_their_line(folder, given, kind):
    edit(folder, '[("p in (0, 1)", 0 < world.share < 1, f"{world.share}")]', given)
    with pytest.raises(BrokenTheorem) as broken:
        repro.run("my_bound", theorems_from=folder, budget="smoke", output_dir=folder / "outputs")
    code = (folder / "theorems" / "my_bound.py").read_text()
    number = code[: code.index("at_both_ends(lambda")].count("\n") + 1
    line = f"<lambda> (theorems/my_bound.py:{number}) gives a {kind} as an assumption"
    allowed = "allowed: a list of (name, whether it holds, its numbers in words)"
    assert str(broken.value) == f"{line}; {allowed}"


def test_no_compiled_form_of_a_file_is_kept_and_a_full_disk_is_no_mistake_in_it(
    folder, monkeypatch
):
    """Python would run the first form of a file that is edited twice within a second."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    find("my_bound", folder)
    assert not (folder / "theorems" / "__pycache__").exists()
    other = folder / "other"
    main(["my_bound"], other)
    (other / "theorems" / "my_bound.py").write_text("raise OSError(28, 'full')\n")
    with pytest.raises(OSError, match="full"):
        find("my_bound", other)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("axis=", 'expected="contradictd", why="x", axis=', "did you mean contradicted? allowed: "),
        (
            'p|")',
            'p|", evidence="mesured")',
            "evidence='mesured': did you mean measured? allowed: ",
        ),
        ('p|")', 'p|", over="risk")', "over='risk': allowed: a function of (world)"),
        ('["own.my_bound"]', '"own.my_bound"', 'allowed: a list, ["own.my_bound"]'),
        (
            "wrong=[wrong_on_purpose]),\n    ],",
            "wrong=[wrong_on_purpose]),\n    ] * 2,",
            "two checks are named n_pairs; allowed: a name for each",
        ),
        (
            "wrong=[wrong_on_purpose]",
            "wrong=debiased",
            "n_pairs: wrong is a function; allowed: a list",
        ),
        (
            "def debiased(world: Shares, rng: np.random.Generator, replicates: int)",
            "def debiased(world: Shares, rng: np.random.Generator)",
            "n_pairs: debiased(world, rng) is called as debiased(world, rng, replicates)",
        ),
    ],
)
def test_a_mistake_in_a_check_is_refused_where_it_is_declared(folder, old, new, line):
    edit(folder, old, new)
    with pytest.raises(BadInput, match=r"line \d+ of .*my_bound.py: ValueError: ") as refused:
        find("my_bound", folder)
    assert line in str(refused.value)


def test_an_axis_that_is_no_field_is_refused(folder):
    edit(folder, 'axis="n_pairs"', 'axis="ridge"')
    with pytest.raises(BadInput) as refused:
        repro.run("my_bound", theorems_from=folder, budget="smoke")
    assert str(refused.value).startswith("n_pairs.axis=ridge: Shares has no such field; allowed")


def test_an_error_in_its_code_is_in_the_line_and_not_for_commands_with_labels(
    folder, capsys, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    edit(folder, "reported = world.reported(rng, replicates)", "reported = math.sqrt(2)")
    with pytest.raises(BrokenTheorem) as broken:
        repro.run("my_bound", theorems_from=folder, budget="smoke", output_dir=folder / "outputs")
    code = (folder / "theorems" / "my_bound.py").read_text()
    number = code[: code.index("math.sqrt")].count("\n") + 1
    line = f"theorems/my_bound.py:{number} raised NameError: name 'math' is not defined; details"
    assert explained(broken.value) == 70
    assert capsys.readouterr().err.startswith(f"error: {line}")
    explained(broken.value, private=True)
    assert "math" not in capsys.readouterr().err


def test_an_error_inside_the_engine_is_not_quoted():
    """Its words may hold what a file of pairs has."""
    engine = {"__name__": "repro.worlds.instances.pairs"}
    exec(compile("def read(): raise ValueError('a label')", "x.py", "exec"), engine)
    mine = {"__name__": "theorems_in_1.mine", "read": engine["read"]}
    call = compile("read()", "/x/theorems/mine.py", "exec")
    with pytest.raises(ValueError, match="a label") as raised, running_theorem():
        exec(call, mine)
    assert not isinstance(raised.value, BrokenTheorem)
    wrong = compile("float('a label')", "/x/theorems/mine.py", "exec")
    with pytest.raises(BrokenTheorem, match="theorems/mine.py:1 raised"), running_theorem():
        exec(wrong, mine)
    with pytest.raises(ValueError, match="a label") as raised, running_theorem(quoted=False):
        exec(wrong, mine)
    assert not isinstance(raised.value, BrokenTheorem)


def test_bad_input_of_a_file_keeps_its_words(folder):
    edit(folder, 'axis="n_pairs"', 'axis="n_pears"')
    with pytest.raises(BadInput, match="n_pears"):
        repro.run("my_bound", theorems_from=folder, budget="smoke")


def test_listing_names_imports_nothing(command, folder):
    (folder / "theorems" / "my_bound.py").write_text("raise SystemExit(9)\n")
    done = command(folder, "theorem=rdpo_identity", "compute.workers=1", *WORDS)
    assert done.returncode == 0, done.stderr


def test_a_folder_replaces_no_shipped_config(command, folder):
    for name in ("config.yaml", "theorem/rdpo_identity.yaml", "budget/smoke.yaml"):
        path = folder / "conf" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("seed: planted\nname: planted\n")
    done = command(folder, "theorem=rdpo_identity", "budget=smoke", "--cfg", "job")
    assert done.returncode == 0, done.stderr
    assert "planted" not in done.stdout


def test_blocks_depend_on_what_the_file_imports_from_its_folder(folder, monkeypatch):
    (folder / "theorems" / "_shared.py").write_text("X = 1\n")
    (folder / "beside.py").write_text("from unused import x\n")
    edit(folder, "import numpy as np\n", "import numpy as np\nfrom ._shared import X\n")
    edit(
        folder,
        "    share: Probability\n",
        "    share: Probability\n\n    def f(self):\n        import beside\n",
    )
    monkeypatch.syspath_prepend(folder)
    module = find("my_bound", folder).module
    found = closure(module)
    package = own(folder).package
    own_files = {name: path for name, path in found.items() if path.is_relative_to(folder)}
    assert {name: path.relative_to(folder) for name, path in own_files.items()} == {
        f"{package}.my_bound": Path("theorems/my_bound.py"),
        f"{package}._shared": Path("theorems/_shared.py"),
        "beside": Path("beside.py"),
    }  # fmt: skip
    assert "repro.core.check" in found


def test_the_word_for_hydra_stands_beside_the_overrides(folder, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert with_search_path(["-m", "seed=1"]) == ["-m", "seed=1"]
    given = [f"theorems_from='{folder}'", "--cfg", "job"]
    word = f'hydra.searchpath=["file://{folder.resolve()}/conf"]'
    assert with_search_path(given) == [word, *given]
    monkeypatch.chdir(folder)
    assert with_search_path(["--cfg", "job"]) == ["--cfg", "job", word]
    assert with_search_path(["-m", "seed=1,2", "--info"]) == ["-m", word, "seed=1,2", "--info"]


def test_an_experiment_of_another_folder_is_named_by_theorems_from(folder, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pytest.raises(BadInput, match="theorem=my_bound: no such experiment"):
        named_theorems("my_bound")
    assert named_theorems("my_bound", [f"theorems_from={folder}"]) == ["my_bound"]
    assert "my_bound" in named_theorems("glob(my_*)", [f"theorems_from={folder}"])


def test_what_the_scaffold_leaves_open_is_named_beside_a_verdict(command, folder):
    """An example whose control alone was edited would otherwise certify any statement."""
    papers = folder / "conf" / "papers"
    papers.mkdir()
    statement = {"title": "a sum", "place": "TODO: section", "text": "1 + 1 = 3"}
    entry = {"title": "A paper", "authors": "A. N. Author", "statements": {"thm_2": statement}}
    (papers / "mine.yaml").write_text(json.dumps(entry))
    edit(folder, '"own.my_bound"', '"mine.thm_2"')
    done = command(folder, "theorem=my_bound", "compute.workers=1", *WORDS)
    line = (
        "TODO is left in theorems/my_bound.py (4 lines), mine.thm_2 of conf/papers/mine.yaml: the "
        "verdict may be that of the scaffold's example"
    )
    assert (done.returncode, done.stderr.splitlines()[1:]) == (0, [f"? {line}"])
    assert line in " ".join(command(folder, "catalogue", "mine.thm_2").stdout.split())
    assert command(folder, "report").returncode == 0
    report = (folder / "outputs" / "report.html").read_text()
    assert line.replace("'", "&#39;") in report
    file = folder / "theorems" / "my_bound.py"
    file.write_text(file.read_text().replace("TODO", "Done"))
    (papers / "mine.yaml").write_text(json.dumps(entry).replace("TODO", "in a"))
    assert "TODO" not in command(folder, "catalogue", "mine.thm_2").stdout
