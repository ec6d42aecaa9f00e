"""``repro.run`` from Python."""

import importlib
import inspect
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import repro
from repro import api
from repro.api import execute, to_measure
from repro.base.errors import BadInput
from repro.commands import ablate as ablation
from repro.commands import which_mechanism as mechanism_choice
from repro.commands.process.command import status_of
from repro.p3.private_estimates.comparison import EVEN
from repro.report import in_notebooks
from repro.report.files import write_files
from repro.report.wording import SYMBOLS
from repro.study.composition import compose_values
from repro.study.discovery import find
from repro.study.plan import blocks_of
from repro.study.settings import session_of


@pytest.fixture(scope="module")
def done():
    return repro.run(
        "offline_gap",
        budget="smoke",
        seed=3,
        only=["n_pairs", "constant"],
        overrides=["budget.replicates=100"],
    )


def test_the_result_is_what_the_command_writes(done):
    assert done.verdict_json["seed"] == 3
    assert done.verdict == done.verdict_json["verdict"]
    assert set(done.measurements["check"]) == {c["name"] for c in done.verdict_json["checks"]}
    assert done.figure.axes


def test_nothing_is_written_by_default(monkeypatch, tmp_path, done):
    monkeypatch.chdir(tmp_path)
    again = repro.run(
        budget="smoke", seed=3, only=["n_pairs", "constant"], overrides=["budget.replicates=100"]
    )
    assert list(tmp_path.iterdir()) == []
    assert again.verdict_json == done.verdict_json


def test_what_is_left_to_measure_is_what_is_not_on_disk(tmp_path):
    session = session_of(compose_values("kl_contraction", {"budget": "smoke"}, [])
                         | {"output_dir": str(tmp_path)})  # fmt: skip
    blocks = blocks_of(session.plan)
    assert to_measure(session)[1] == blocks != []
    execute(session)
    assert to_measure(session)[1] == []


@pytest.fixture
def session():
    """What a run asks its session."""
    theorem = SimpleNamespace(extra="", statements=("own.x",))
    setting = SimpleNamespace(device="cpu", instance={})
    plan = SimpleNamespace(theorem=theorem, folder=Path("mine"), slug="toy", setting=setting)
    compute = SimpleNamespace(kind="local", workers="auto", address=None)
    return SimpleNamespace(plan=plan, compute=compute, config={"seed": 1}, config_hash="hash",
                           output_dir=Path("out"))  # fmt: skip


def test_a_run_is_of_the_folder_that_its_plan_names(session, monkeypatch):
    asked = []

    def noting(name, answer):
        return lambda *given: asked.append((name, *given)) or answer

    experiment = SimpleNamespace(assumptions=lambda: "assumptions")
    cluster = SimpleNamespace(workers=12)
    for name, answer in {
        "require_extra": None, "refuse_unknown": None, "place_of": "place", "code_of": {"a": "b"},
        "blocks_of": [1, 2, 3], "_mapper": (cluster, 0), "run_plan": ("judged", experiment),
        "summarise": "result",
    }.items():  # fmt: skip
        monkeypatch.setattr(api, name, noting(name, answer))
    monkeypatch.setattr(api, "block_store", lambda session: "store")
    progress = lambda total, slug: nullcontext((total, slug))  # noqa: E731
    done = execute(session, progress, later=["later"])
    plan, theorem = session.plan, session.plan.theorem
    assert asked == [
        ("require_extra", theorem), ("refuse_unknown", ("own.x",), Path("mine")),
        ("place_of", "toy", Path("mine")), ("code_of", "toy", "place"), ("blocks_of", plan),
        ("_mapper", session, ["later"]), ("run_plan", plan, "store", cluster, (3, "toy")),
        ("summarise", plan, "judged", "assumptions", {"seed": 1}, "hash"),
    ]  # fmt: skip
    assert (done.result, done.workers, done.code) == ("result", 12, {"a": "b"})
    assert 0 <= done.seconds < 60


def test_blocks_are_computed_where_the_session_says(session, monkeypatch):
    monkeypatch.setattr(api, "available_cores", lambda: 5)
    spread, workers = api._mapper(session, ["later"])
    assert (spread.func, spread.keywords) == (api.measured, {"workers": 5, "later": ["later"]})
    assert workers == 5
    session.compute.workers = 3
    assert api._mapper(session, None)[0].keywords["workers"] == 3
    session.plan.setting.device = "cuda"
    assert api._mapper(session, None) == (api.in_process, 1)
    session.compute = SimpleNamespace(kind="ray", workers=4, address="here")
    for asked, workers in ((4, 4), ("auto", None)):
        session.compute.workers = asked
        tasks, count = api._mapper(session, None)
        assert (tasks.workers, tasks._address, count) == (workers, "here", 0)


@pytest.mark.parametrize("elsewhere", ["ray", "cuda", "library", "outside"])
def test_nothing_is_measured_ahead_that_is_measured_elsewhere_or_not_kept(
    session, monkeypatch, elsewhere
):
    session.compute.kind = "ray" if elsewhere == "ray" else "local"
    session.plan.setting.device = "cuda" if elsewhere == "cuda" else "cpu"
    missing = "trl" if elsewhere == "library" else ""
    monkeypatch.setattr(api, "missing_library", lambda theorem: missing)
    outside = "open in mine.py" if elsewhere == "outside" else ""
    monkeypatch.setattr(api, "outside_of_key", lambda theorem: outside)
    monkeypatch.setattr(api, "blocks_of", lambda plan: ["block"])
    monkeypatch.setattr(api, "block_store", lambda session: SimpleNamespace(kept=lambda one: 0))
    assert to_measure(session)[1] == []


def test_stages_and_folder_of_a_run_from_python(monkeypatch):
    def composed(*given):
        return {"asked": given, "stages": {"labels": 1, "order": 2}}

    monkeypatch.setattr("repro.study.composition.compose_values", composed)
    monkeypatch.setattr(api, "session_of", lambda values: values)
    monkeypatch.setattr(api, "execute", lambda values: values)
    found = repro.run("toy", overrides=["a=1"], output_dir="here", stages={"labels": 3}, seed=4)
    assert found == {"asked": ("toy", {"seed": 4}, ["a=1"]), "output_dir": "here",
                     "stages": {"labels": 3, "order": 2}}  # fmt: skip
    assert repro.run("toy")["stages"] == {"labels": 1, "order": 2}


def test_a_top_level_epsilon_replaces_the_checks_own():
    few = ["budget.replicates=40"]
    done = repro.run(budget="smoke", epsilon=0.5, only=["n_pairs", "coverage"], overrides=few)
    settings = {c.check.name: c.check.settings["epsilon"] for c in done.result.checks}
    assert set(settings.values()) == {0.5}


@pytest.mark.parametrize(
    ("theorem", "values", "line"),
    [
        ("offline_gpa", {}, "did you mean offline_gap"),
        ("offline_gap", {"epsilon": -1}, "epsilon=-1"),
        ("offline_gap", {"epsilonn": 1}, "unknown key"),
    ],
)
def test_bad_input_is_an_ordinary_error(theorem, values, line):
    with pytest.raises(BadInput, match=line):
        repro.run(theorem, **values)


def test_unknown_attributes_are_missing():
    with pytest.raises(AttributeError):
        _ = repro.nothing


def test_a_prompt_shows_at_most_ten_lines_and_failures_first(done):
    lines = repr(done).splitlines()
    assert lines[0].startswith("offline_gap: ")
    every = len(find("offline_gap").checks)
    assert f"2 of {every} checks" in lines[0]
    assert any("n_pairs: " in line and "claimed slope -1 ± 0.05" in line for line in lines)
    assert len(lines) <= 10


def test_checks_that_fail_come_first_at_a_prompt(monkeypatch):
    checks = [SimpleNamespace(name=verdict, verdict=verdict) for verdict in SYMBOLS]
    run = SimpleNamespace(verdict=SimpleNamespace(checks=checks))
    monkeypatch.setattr(in_notebooks, "record_of", lambda result: run)
    monkeypatch.setattr(in_notebooks, "_line", lambda check: check.name)
    monkeypatch.setattr(in_notebooks, "verdict_line", lambda run: "verdict")
    _, *lines = in_notebooks.at_a_prompt(None).splitlines()
    assert lines == ["contradicted", "inconclusive", "assumption_failed", "supported"]


def test_a_notebook_shows_verdict_table_and_figure(done):
    page = done._repr_html_()
    assert page.count("<tr>") == 1 + 2
    assert "slope -1 ± 0.05" in page
    assert 'src="data:image/png;base64,' in page


def test_what_the_package_offers_is_listed_and_typed():
    assert set(dir(repro)) == {
        "ablate", "audit", "catalogue", "plan", "private_reward", "privatize", "report", "run",
        "suite", "which_loss", "which_mechanism", "__version__",
    }  # fmt: skip
    assert repro.catalogue.__doc__.startswith("Every numbered statement")
    assert {"p1.thm_4_2", "p2.thm_5_2"} <= {row.id for row in repro.catalogue.rows()}
    assert Path(repro.__path__[0], "py.typed").is_file()


@pytest.mark.parametrize("name", ["run", "ablate", "plan", "which_loss", "which_mechanism"])
def test_functions_stay_functions(name):
    """The commands of the same names are modules elsewhere, so no import hides the function."""
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"repro.{name}")
    found = getattr(repro, name)
    assert inspect.isfunction(found)
    assert inspect.signature(found, eval_str=True).return_annotation.__doc__


@pytest.mark.parametrize(
    "function",
    [
        repro.report.write,
        repro.suite.stability,
        repro.suite.power,
        repro.suite.results,
    ],
)
def test_functions_of_modules_have_types_and_say_what_they_need(function):
    signature = inspect.signature(function)
    assert all(one.annotation is not one.empty for one in signature.parameters.values())
    assert signature.return_annotation is not signature.empty
    for name in signature.parameters:
        assert f"        {name}: " in function.__doc__


@pytest.fixture(scope="module")
def noticed():
    return repro.ablate("label_masks", overrides=["budget.replicates=60"])


def test_what_a_check_notices_is_what_the_command_prints(tmp_path, capsys, noticed):
    words = ["theorem=label_masks", "budget.replicates=60", f"output_dir={tmp_path}"]
    assert status_of(ablation.main, words) == int(bool(noticed.complaints))
    assert capsys.readouterr().out == f"{noticed!r}\n"
    assert list(noticed.needs) == [check.name for check in find("label_masks").checks]
    assert any(noticed.needs.values())


def test_one_row_may_be_asked_about_and_nothing_is_written(tmp_path, monkeypatch, noticed):
    monkeypatch.chdir(tmp_path)
    name = next(name for name, needs in noticed.needs.items() if needs)
    found = repro.ablate("label_masks", only=[name], overrides=["budget.replicates=60"])
    assert found.needs == {name: noticed.needs[name]}
    assert list(tmp_path.iterdir()) == []


def test_a_mechanism_is_what_the_command_prints(capsys):
    asked = {"epsilon": 1, "delta": 1e-6, "n_pairs": 1e5, "num_features": 16, "replicates": 40}
    found = repro.which_mechanism(**asked)
    assert status_of(mechanism_choice.main, [f"{key}={value}" for key, value in asked.items()]) == 0
    assert " ".join(repr(found).split()) == " ".join(capsys.readouterr().out.split())
    assert found.best == "objective perturbation"
    assert found.learns
    assert list(found.recipes) == list(found.worlds[EVEN].errors)


def test_a_report_is_written_where_it_is_asked_for(tmp_path, done):
    write_files(done.result, tmp_path / "runs" / "one", 1.0, 1, "cpu")
    made = repro.report.write(tmp_path / "runs", tmp_path / "page.html", paper="p1")
    assert made.experiments == ("offline_gap",)
    assert (made.disagreements, made.changes) == ((), ())
    assert "statements of P1." in made.path.read_text("utf-8")
    assert repro.report.write(tmp_path / "runs", gallery=True).path.name == "gallery.html"
    (tmp_path / "runs" / "one" / "config.yaml").write_text("seed: 4\n")
    (change,) = repro.report.write(tmp_path / "runs").changes
    assert change.endswith("config.yaml was changed or is of another run")


def test_the_suite_counts_from_python_too(tmp_path):
    found = repro.suite.stability("rdpo_identity", seeds=1)
    assert (found.runs, found.unstable) == (1, ())
    assert all(row.enough for row in repro.suite.power("rdpo_identity", budgets="smoke"))
    whole = repro.run("rdpo_identity", budget="smoke")
    write_files(whole.result, tmp_path / "rdpo_identity", 1.0, 1, "cpu")
    assert "| `rdpo_identity` | p4.app_c_rdpo | supported |" in repro.suite.results(tmp_path)


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda: repro.ablate("offline_gpa"), "did you mean offline_gap"),
        (lambda: repro.ablate(epsilonn=1), "unknown key"),
        (lambda: repro.which_mechanism(epsilon=0, delta=1e-6, n_pairs=5, num_features=1),
         "epsilon=0"),
        (lambda: repro.suite.stability("rdpo_identity", seeds=0), "seeds=0"),
        (lambda: repro.suite.power("none"), "theorem=none"),
        (lambda: repro.suite.results("nowhere"), "folder=nowhere"),
        (lambda: repro.report.write("nowhere"), "runs=nowhere"),
        (lambda: repro.report.write(paper="p9"), "paper=p9: allowed: p1, p2, p3, p4"),
    ],
)  # fmt: skip
def test_what_no_function_can_use_is_named(ask, line):
    with pytest.raises(BadInput, match=line):
        ask()


def test_a_check_has_its_verdict(done):
    assert {c.verdict for c in done.result.checks} == {"supported"}
