"""What a command was asked for reaches the function that does it, and what that says comes out."""

import errno
import json
import math
import sys
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import (
    ablate,
    audit_release,
    finetune,
    generate,
    plan,
    private_reward,
    privatize,
    report,
    run,
    suite,
    which_loss,
)
from repro.commands.runs import many_runs, power, stability, sweep, validation
from repro.core.results import Finding, Result
from repro.p2.losses.label_plan import NoAnswer
from repro.study import discovery
from repro.study.discovery import find


class Noted(list):
    """Calls by name: a function that notes its arguments and answers."""

    def __call__(self, name, answer=None):
        def note(*given, **more):
            self.append((name, *given, *([more] if more else [])))
            return answer

        return note

    def of(self, name):
        return [call[1:] for call in self if call[0] == name]


@pytest.fixture
def noted():
    return Noted()


# a run


@pytest.fixture
def job(monkeypatch, noted):
    """A job of which nothing is measured, shown or written; answers with its status."""

    def begin(folder, detail="checks", kind="mlflow", path="pairs.jsonl", **outcome):
        theorem = SimpleNamespace()
        setting = SimpleNamespace(device="cuda", instance={"path": path})
        session = SimpleNamespace(
            plan=SimpleNamespace(slug="toy", theorem=theorem, setting=setting, folder=None),
            detail=detail, tracking=SimpleNamespace(kind=kind, uri=None),
            tracking_values=lambda: {"uri": "here"},
        )  # fmt: skip
        store = SimpleNamespace(trouble=lambda: outcome.get("trouble", ""))
        result = repro_result(outcome.get("as_expected", True))
        done = SimpleNamespace(result=result, seconds=7.5, workers=3, code={"file": "digest"})
        tracker = SimpleNamespace(log_result=noted("logged"))
        monkeypatch.setitem(sys.modules, "repro.report.tracking", tracker)
        for name, put in {
            "commands.runs.validation.session_of_config": lambda config: session,
            "study.discovery.missing_library": lambda theorem: outcome.get("library", ""),
            "study.sources.outside_of_key": lambda theorem: outcome.get("outside", ""),
            "api.block_store": lambda session: store,
            "api.execute": noted("run", done),
            "report.files.replaced_words": noted("replaced", "of yesterday"),
            "report.files.write_files": noted("written"),
            "report.terminal.print_result": outcome.get("print_result", noted("shown")),
            "report.terminal.print_folder": outcome.get("print_folder", noted("told")),
            "commands.run._command": lambda slug: f"run {slug}",
        }.items():
            monkeypatch.setattr(f"repro.{name}", put)
        return run.run_job(SimpleNamespace(), folder), session, result

    return begin


def repro_result(as_expected):
    return Result("toy", (), "", "supported", "supported", as_expected, (), (), {}, "h", 0, 1, "b")


def test_a_job_hands_on_what_was_measured(job, noted, capsys):
    from repro.report.progress import progress
    from repro.report.record import NOT_PRIVATE

    folder = Path("here")
    status, session, result = job(folder, trouble="full", outside="open in mine.py")
    assert status == 0
    assert noted.of("run") == [(session, progress, validation.later)]
    assert noted.of("shown") == [(result, "checks")]
    assert noted.of("written") == [(result, folder, 7.5, 3, "cuda", {"file": "digest"})]
    assert noted.of("replaced") == [(folder, {"file": "digest"})]
    assert noted.of("told") == [(folder, "of yesterday")]
    ((logged, *others),) = noted.of("logged")
    assert (logged.seconds, others) == (7.5, [folder, {"uri": "here"}, "run toy"])
    assert [call[0] for call in noted] == ["run", "replaced", "shown", "written", "told", "logged"]
    assert capsys.readouterr().err == (
        "cache: full; finished blocks of this run will not be kept\n"
        "cache: toy uses open in mine.py; its finished blocks are not kept\n"
        f"{NOT_PRIVATE}\n"
    )


@pytest.mark.parametrize("gone", [BrokenPipeError(32, "gone"), SystemExit(141)])
@pytest.mark.parametrize("reading", ["result", "folder"])
def test_where_the_reader_has_gone_the_files_are_written_all_the_same(
    job, noted, monkeypatch, gone, reading
):
    def leaves(*given):
        raise gone

    job(Path("here"))
    first = [call[0] for call in noted if call[0] in ("written", "logged")]
    noted.clear()
    name = f"print_{reading}"
    with pytest.raises(type(gone)):
        job(Path("here"), **{name: leaves})
    assert [call[0] for call in noted if call[0] in ("written", "logged")] == first


def test_a_job_says_what_it_is_asked_for_alone(job, noted, capsys):
    status, session, result = job(
        Path("here"), detail="verdict", kind="none", path=None, as_expected=False
    )
    assert status == 1
    assert noted.of("run") == [(session, None, validation.later)]
    assert noted.of("shown") == [(result, "verdict")]
    assert noted.of("told") == noted.of("logged") == []
    assert capsys.readouterr().err == ""
    assert job(Path("here"), library="trl")[0] == 0
    assert capsys.readouterr().err == "skipped toy: trl is not installed\n"
    assert len(noted.of("run")) == 1


def test_a_recorded_command_is_as_typed_without_addresses(monkeypatch):
    words = ["theorem=a,b", "++theorem.sweeps.n_pairs.epsilon=8", "tracking.uri=http://u:p@h",
             "+tracking.x=1", "tracking=none", "seed=1", "only=[a,b]"]  # fmt: skip
    config = SimpleNamespace(overrides=SimpleNamespace(task=words))
    there = SimpleNamespace(initialized=lambda: True, get=lambda: config)
    monkeypatch.setattr("hydra.core.hydra_config.HydraConfig", there)
    assert run._command("a") == (
        "python -m repro theorem=a theorem.sweeps.n_pairs.epsilon=8 seed=1 'only=[a,b]'"
    )


def test_the_worst_job_of_a_sweep_gives_the_status(monkeypatch):
    monkeypatch.setattr("sys.argv", ["repro"])
    monkeypatch.setattr(run, "_statuses", [])
    monkeypatch.setattr(run, "_job", lambda: run._statuses.extend([0, 70, 1]))
    assert run.main(["seed=0"]) == 70


@pytest.mark.parametrize(
    ("problem", "status", "line"),
    [
        (OSError(errno.ENOSPC, "full", "x"), 74, "error: output_dir=x: full"),
        (OSError(errno.EMFILE, "too many", "x.py"), 74, "error: x.py: too many"),
        (OSError(errno.ENFILE, "too many", "x.py"), 74, "error: x.py: too many"),
        (KeyboardInterrupt("1 of 3"), 130, "interrupted: 1 of 3; run the same command to go on"),
        (KeyboardInterrupt(), 130, "interrupted: blocks that are finished are kept; run the"),
    ],
)
def test_what_ends_a_run_is_explained(problem, status, line, capsys):
    assert run.status_of(problem) == status
    assert capsys.readouterr().err.startswith(line)


def test_a_sweep_of_one_job_has_no_heading_and_no_summary(capsys, monkeypatch):
    config = SimpleNamespace(hydra=SimpleNamespace(job=SimpleNamespace(num=0)))
    callback = validation.ValidateBeforeWriting()
    callback._jobs = [sweep.Job(("seed=0",), None)]
    callback.on_job_start(config)
    callback.on_multirun_end(config)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "word",
    ["--config-name=x", "--config-path=x", "--config-dir=x", "--experimental-rerun=x",
     "hydra.callbacks.x=1", "++hydra.job_logging.x=1", "hydra.hydra_logging=x", "~hydra.searchpath",
     "hydra=x", "budget.x._target_=y"],
)  # fmt: skip
def test_no_word_names_code(word):
    with pytest.raises(BadInput, match="allowed: "):
        validation.refuse_names_of_code([word])
    validation.refuse_names_of_code(["hydra.run.dir=x", "hydra.sweep.subdir=y", "seed=1"])


@pytest.fixture
def checking(monkeypatch, noted):
    """A callback whose config has these sessions as jobs; extras are asked for one by one."""

    def callback(*sessions):
        hydra = SimpleNamespace(instance=lambda: SimpleNamespace(config_loader=lambda: None))
        jobs = [[f"seed={number}"] for number, _ in enumerate(sessions)]
        for name, stub in {
            "GlobalHydra": hydra,
            "compose_once": lambda loader: None,
            "_jobs": lambda config: jobs,
            "_job_config": lambda config, overrides: jobs.index(overrides),
            "_check": lambda job: sessions[job or 0],
            "_check_job": lambda job: sessions[job],
            "_remember": noted("kept"),
            "missing_library": lambda theorem: theorem,
            "require_extra": noted("required"),
            "refuse_folders": noted("folders"),
            "refuse_foreign_sweep": noted("sweep"),
            "folder_of": lambda job, key: None,
        }.items():
            monkeypatch.setattr(validation, name, stub)
        return validation.ValidateBeforeWriting()

    return callback


def planned(extra="", dry_run=False, estimate="two hours"):
    plan = SimpleNamespace(slug="toy", theorem=extra, estimate=lambda: estimate)
    return SimpleNamespace(plan=plan, dry_run=dry_run)


def test_a_dry_run_says_what_a_run_needs_and_makes_no_folder(checking, noted, capsys):
    for estimate, status, said in (
        ("two hours", 0, ("two hours\n", "")),
        ("", 2, ("", "error: dry_run=True: toy has no estimate of its cost\n")),
    ):
        callback = checking(planned(dry_run=True, estimate=estimate))
        with pytest.raises(SystemExit) as left:
            callback.on_run_start(None)
        assert (left.value.code, capsys.readouterr()) == (status, said)
    assert noted.of("folders") == []
    checking(planned()).on_run_start(None)
    assert noted.of("folders") == [([None], "hydra.run.dir")]


def test_a_sweep_is_no_dry_run(checking, noted, capsys):
    with pytest.raises(SystemExit) as left:
        checking(planned(), planned(dry_run=True)).on_multirun_start(None)
    line = "error: dry_run=True: allowed: one run at a time, without -m\n"
    assert (left.value.code, capsys.readouterr().err) == (2, line)
    assert noted.of("folders") == []


def test_a_sweep_asks_for_an_extra_that_all_of_its_jobs_need(checking, noted):
    checking(planned("trl"), planned()).on_multirun_start(None)
    assert noted.of("required") == []
    callback = checking(planned("trl"), planned("trl"))
    callback.on_multirun_start(None)
    assert noted.of("required") == [("trl",), ("trl",)]
    assert noted.of("folders")[-1] == ([0, 1], "hydra.sweep.dir")
    assert [job.overrides for job in callback._jobs] == [("seed=0",), ("seed=1",)]


def test_the_folder_of_a_job_that_a_bug_ends_is_named_without_its_result(monkeypatch):
    def fails(problem):
        def raises(config):
            raise problem

        monkeypatch.setattr(validation, "session_of_config", raises)
        return validation.named_by(None)

    assert fails(ZeroDivisionError()) == "without_result"
    with pytest.raises(BadInput):
        fails(BadInput("key", 1, "allowed: 2"))


def test_what_an_earlier_run_had_to_measure_is_forgotten(monkeypatch):
    monkeypatch.setattr(validation, "later", [None])
    monkeypatch.setattr(validation, "_checked_already", {"a": None})
    monkeypatch.setattr(validation, "_check", lambda config: 1 / 0)
    monkeypatch.setattr(validation, "status_of", lambda problem: 70)
    with pytest.raises(SystemExit):
        validation.ValidateBeforeWriting().on_run_start(None)
    assert (validation.later, validation._checked_already) == ([], {})


# several runs


def test_a_failed_job_has_no_verdict_whatever_an_earlier_run_has_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "verdict.json").write_text("{}")
    monkeypatch.setattr(sweep, "_failed", set())
    (tmp_path / "a" / "verdict.json").write_text('{"verdict": "supported"}')
    assert sweep.Job((), tmp_path / "a").verdict == {"verdict": "supported"}
    sweep.has_failed(Path("a"))
    assert sweep.Job((), tmp_path / "a").verdict == {}


def test_the_runs_of_a_summary_are_those_asked_for(monkeypatch, noted):
    for name, answer in (("theorems", ["a", "b"]), ("at_seeds", [(None, "result")])):
        monkeypatch.setattr(many_runs.ManyRuns, name, noted(name, answer))
    monkeypatch.setattr(stability, "summed", lambda results: results)
    request = stability.StabilityRequest(seeds=3, budget="laptop")
    assert stability.stability(request) == {"a": ["result"], "b": ["result"]}
    assert [call[1:] for call in noted.of("at_seeds")] == [
        (name, range(3), {"budget": "laptop"}) for name in "ab"
    ]
    assert stability.StabilityRequest().model_dump() == {
        "theorem": None, "only": None, "output_dir": "outputs", "seeds": 20,
        "budget": "smoke",
    }  # fmt: skip


def test_a_session_of_many_runs_keeps_its_blocks_where_it_is_told(monkeypatch, tmp_path):
    done = SimpleNamespace(result="result")
    monkeypatch.setattr(many_runs, "execute", lambda session, progress: done)
    request = many_runs.ManyRuns(output_dir=str(tmp_path))
    session, result = request.run("kl_contraction", seed=5, budget="smoke")
    assert (session.plan.seed, session.output_dir, result) == (5, tmp_path, "result")
    assert session.plan.budget.name == "smoke"


def test_a_pilot_is_planned_for_every_budget_asked_for(monkeypatch, noted):
    factors = {"few": 3.0, "many": 0.5}
    swept = [SimpleNamespace(name=name, sweep=SimpleNamespace(replicates=times))
             for name, times in factors.items()]  # fmt: skip
    outcome = SimpleNamespace(series=SimpleNamespace(not_a_number_at=()))
    check = SimpleNamespace(axis="n_pairs", quantity="gap", kind="slope", grid=(1.0, 10.0))
    checks = [SimpleNamespace(check=SimpleNamespace(**vars(check), name=name), outcome=outcome)
              for name in factors]  # fmt: skip
    session = SimpleNamespace(plan=SimpleNamespace(budget="pilot"))
    done = session, SimpleNamespace(checks=checks)
    monkeypatch.setattr(power.PowerRequest, "run", noted("run", done))
    monkeypatch.setattr(power.PowerRequest, "theorems", lambda self: ["a", "b"])
    monkeypatch.setattr(power, "built", lambda plan: SimpleNamespace(swept=swept))
    monkeypatch.setattr(power, "_budget", lambda theorem, name: f"{theorem} {name}")
    monkeypatch.setattr(power, "planned", noted("planned", 2.0))
    monkeypatch.setattr(power, "place_of", lambda name: SimpleNamespace(config=Path))
    monkeypatch.setattr(power, "_write", noted("written"))
    first = [power.Planned("a", "few", 3.0, 6.0), power.Planned("a", "many", 0.5, 1.0)]
    every = power.power(power.PowerRequest(budgets="laptop", seed=4))
    assert every == [*first, *(power.Planned("b", c.check, c.now, c.needed) for c in first)]
    asked = [call[1:] for call in noted.of("run")]
    assert asked == [(name, {"seed": 4, "budget": "smoke"}) for name in "ab"]
    assert noted.of("planned")[0] == (checks[0], "pilot", ["a smoke", "a laptop"])
    power.power(power.PowerRequest(lower=True))
    assert noted.of("written") == []
    power.power(power.PowerRequest(write=True, lower=True))
    assert noted.of("written")[0] == (Path("a"), first, True)
    assert len(noted.of("planned")[-1][2]) == 3


def test_a_pilot_is_planned_for_paper_unless_it_is_asked_otherwise():
    found = power.PowerRequest().model_dump(exclude={"theorem", "only", "output_dir"})
    assert found == {"budgets": "paper", "seed": 0, "write": False, "lower": False}
    never = [power.Planned("one", "few", 1.0, math.inf), power.Planned("two", "few", 1.0, 2.0)]
    lines = power.printed_lines(never).splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["one few", "two few"]


def test_the_budget_of_a_plan_is_as_the_experiment_has_it():
    assert power._budget("llm_rdpo", "laptop").blocks != power._budget("kwise_gap", "laptop").blocks


@pytest.fixture
def counted(monkeypatch, noted):
    """The suite's two counts, which answer with what they were asked."""
    for module in (stability, power):
        name = module.__name__.rpartition(".")[2]
        monkeypatch.setattr(module, name, lambda request: request.model_dump())


def test_counts_from_python_are_those_asked_for(counted, tmp_path):
    given = {"theorem": "a", "only": ("b", "c"), "output_dir": str(tmp_path)}
    some = {"only": ["b", "c"], "output_dir": tmp_path}
    asked = {"seeds": 3, "budget": "laptop", **given}
    assert suite.stability("a", seeds=3, budget="laptop", **some) == asked
    found = suite.power("a", budgets="smoke", seed=9, **some)
    assert found == {"budgets": "smoke", "seed": 9, "write": False, "lower": False, **given}
    assert suite.power("a")["output_dir"] != str(tmp_path)


def test_a_power_that_writes_says_which_configs_changed(monkeypatch, tmp_path, capsys):
    def writing(request):
        (tmp_path / "a.yaml").write_text("after")
        return [power.Planned("a", "few", 1.0, 0.5), power.Planned("b", "few", 1.0, 2.0)]

    place = SimpleNamespace(config=lambda name: tmp_path / f"{name}.yaml")
    monkeypatch.setattr(suite, "place_of", lambda name: place)
    monkeypatch.setattr(power, "power", writing)
    monkeypatch.setattr(power.PowerRequest, "theorems", lambda self: ["a", "b"])
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text("before")
    assert suite.main(["power", "write=true"]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"{tmp_path}/a.yaml: replicates written", f"{tmp_path}/b.yaml: unchanged",
    ]  # fmt: skip


def test_a_run_that_fails_in_an_assumption_alone_is_not_stable(monkeypatch, capsys):
    answer = stability.Stability(1, 2, (), (("a", 0),))
    monkeypatch.setattr(stability, "stability", lambda request: answer)
    assert suite.main(["stability"]) == 1


def test_changed_files_give_the_status_of_table_and_metrics(monkeypatch, tmp_path, noted):
    monkeypatch.chdir(tmp_path)
    runs = [SimpleNamespace(folder=tmp_path / "a")]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "figure.png").write_bytes(b"png")
    monkeypatch.setattr(suite, "suite_runs", lambda folder: runs)
    monkeypatch.setattr(suite, "say_changes", lambda runs: 1)
    monkeypatch.setattr(suite, "_results", noted("page", ""))
    monkeypatch.setattr(suite, "run_numbers", lambda run: {})
    monkeypatch.setattr(suite, "_curves", lambda folder: b"")
    assert [suite.main([word]) for word in ("table", "metrics")] == [1, 1]
    assert noted.of("page") == [(runs,)]


def test_a_suite_is_of_what_needs_no_extra_and_its_page_names_what_is_proved(monkeypatch, noted):
    extras = {"a": "", "b": "llm", "c": ""}
    monkeypatch.setattr(discovery.Place, "names", lambda place: [*extras])
    monkeypatch.setattr(discovery, "find", lambda name, _: SimpleNamespace(extra=extras[name]))
    assert discovery.without_extra(Path()) == ["a", "c"]
    monkeypatch.setattr(suite, "results_page", noted("page", "page"))
    assert suite._results(["run"]) == "page"
    ((runs, papers, items, proved),) = noted.of("page")
    assert (runs, [*papers]) == (["run"], ["p1", "p2", "p3", "p4"])
    assert "p1.thm_4_2" in items
    assert "p1.thm_4_2" in proved


def test_runs_of_a_suite_are_in_the_order_of_their_names(monkeypatch, tmp_path):
    for name in "bca":
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdict.json").touch()
    monkeypatch.setattr(suite, "read_run", lambda path: path.parent.name)
    assert suite.suite_runs(tmp_path) == ["a", "b", "c"]


def test_a_curve_is_the_mean_of_all_replicates(tmp_path):
    common = {"check": "c", "method": "m", "axis": "n", "value": 2.0, "quantity": "gap"}
    blocks = [(4.0, 1), (1.0, 3), (math.nan, 0)]
    rows = [{**common, "mean": mean, "count": count} for mean, count in blocks]
    rows += [{**common, "check": "a", "value": value, "mean": 1.0, "count": 1} for value in (3, 1)]
    rows += [{**common, "value": 9.0, "mean": math.nan, "count": 0}]
    pd.DataFrame(rows).to_parquet(tmp_path / "measurements.parquet")
    assert suite._curves(tmp_path).decode().splitlines() == [
        "check,method,axis,value,quantity,mean", "c,m,n,2.0,gap,1.75", "a,m,n,3.0,gap,1.0",
        "a,m,n,1.0,gap,1.0",
    ]  # fmt: skip


# what checks notice


def test_what_is_taken_away_is_measured_as_the_run_says(monkeypatch, noted):
    swept = [SimpleNamespace(name=name) for name in "ab"]
    experiment = SimpleNamespace(swept=swept, building=nullcontext, declared="declared")
    budget = SimpleNamespace(blocks=7, check_error=0.01)
    given = SimpleNamespace(budget=budget, seed=5, slug="toy", replicates=lambda swept: 9)
    monkeypatch.setattr(ablate, "session_of", lambda values: SimpleNamespace(plan=given))
    monkeypatch.setattr(ablate, "built", lambda plan: experiment)
    monkeypatch.setattr(ablate, "findings", noted("asked", ["finding"]))
    done = []
    shown = lambda total, name: nullcontext(lambda count: done.append((total, name, count)))  # noqa: E731
    assert list(ablate.take_away({}, shown)) == ["finding"] * 2
    assert done == [(2, "toy", 1)] * 2
    assert noted.of("asked") == [("toy", check, 5, 7, 9, 0.01, "declared") for check in swept]


def test_each_check_is_held_to_its_own_findings_and_its_own_record(monkeypatch, noted, tmp_path):
    checks = [SimpleNamespace(name=name) for name in "ab"]
    session = SimpleNamespace(plan=SimpleNamespace(slug="toy"))
    monkeypatch.setattr(ablate, "session_of", lambda values: session)
    monkeypatch.setattr(ablate, "built", lambda plan: SimpleNamespace(swept=checks))
    monkeypatch.setattr(ablate, "needs_file", lambda slug: tmp_path / "toy.json")
    monkeypatch.setattr(ablate, "complaints", noted("asked", ["is wrong"]))
    (tmp_path / "toy.json").write_text('{"a": ["labels"], "b": []}')
    pairs = (("a", "labels", "contradicted"), ("a", "noise", "supported"), ("b", "order", "x"))
    found = [Finding("toy", name, "exact", need, need, "supported", after)
             for name, need, after in pairs]  # fmt: skip
    lines = ablate._complaints({}, found, write=False)
    assert lines == ["toy a: is wrong", "toy b: is wrong"]
    first, second = checks
    assert noted.of("asked") == [
        (first, ["labels"], ["labels"], ["labels", "noise"]), (second, ["order"], [], ["order"])
    ]  # fmt: skip
    assert (
        ablate._complaints({}, found, write=True)[-1] == "toy: conf/needs/toy.json is not written"
    )
    assert [call[2] for call in noted.of("asked")[2:]] == [None, None]


@pytest.mark.parametrize(
    "words",
    [["markdown=a.md", "theorem=a", "markdown=b.md"], ["theorem=a", "theorem=a"]],
)
def test_a_word_of_ablate_stands_once(words):
    with pytest.raises(BadInput, match="given twice; allowed: once"):
        ablate._separated(words)


def test_what_is_wrong_is_said_of_every_experiment(monkeypatch, capsys, tmp_path):
    budgets = []

    def nothing_noticed(values, *shown):
        slug = values["theorem"]["name"]
        budgets.append(values["budget"]["name"])
        yield Finding(slug, f"of {slug}", "proved", "labels", "none", "supported", "supported")

    monkeypatch.setattr(ablate, "take_away", nothing_noticed)
    monkeypatch.setattr(ablate, "needs_file", lambda slug: tmp_path / f"{slug}.json")
    monkeypatch.chdir(tmp_path)
    checks = {slug: find(slug).checks[0].name for slug in ("rdpo_identity", "label_masks")}
    for slug, check in checks.items():
        (tmp_path / f"{slug}.json").write_text(json.dumps({check: ["noise"]}))
    words = ["rdpo_identity,label_masks", "--json", "budget=laptop", "markdown=page.md"]
    assert ablate.main(words) == 1
    out, err = capsys.readouterr()
    assert [finding["theorem"] for finding in json.loads(out)] == [*checks]
    for slug, check in checks.items():
        assert f"{slug} {check}: the snapshot has: noise\n" in err
        assert f"of {slug}" in (tmp_path / "page.md").read_text("utf-8")
    assert repro.ablate("rdpo_identity", budget="paper").needs[checks["rdpo_identity"]] == ()
    assert repro.ablate("rdpo_identity").theorem == "rdpo_identity"
    assert budgets == ["laptop", "laptop", "paper", "smoke"]


# releases


def test_an_audit_says_whether_the_ledger_knows_and_what_was_not_tested():
    from repro.release.audit import ReleaseAudit

    def said(**fields):
        return list(audit_release._report(ReleaseAudit(0, Decimal(1), **fields)))

    assert "the ledger knows this release" in said(in_ledger=True)
    assert audit_release.UNKNOWN in said(in_ledger=False)
    assert said(in_ledger=False)[-1].startswith("canonical, but not of this ledger; the labels")
    assert not any("the ledger" in line for line in said())
    assert any(line.startswith("no label could be tested") for line in said())
    assert said(free=["line 1"])[-1].endswith("the labels were not tested")


def test_an_audit_from_python_is_the_one_asked_for(monkeypatch, noted):
    from repro.release.audit import Question

    monkeypatch.setattr("repro.release.audit.audit_release", noted("asked", "audit"))
    release, other = (privatize.Released([{"n": n}], {"lines": n}) for n in (1, 2))
    done = repro.audit(release, "in.jsonl", epsilon="0.5", ledger="ledger", unit="who", at_most=3,
                       others=[other, "b.jsonl"])  # fmt: skip
    question = Question("in.jsonl", Decimal("0.5"), {"lines": 1}, Path("ledger"), "who", 3,
                        [[{"n": 2}], "b.jsonl"])  # fmt: skip
    assert (done, noted.of("asked")) == ("audit", [([{"n": 1}], question)])


EVERY_TERM = {
    "epsilon": "0.5", "delta": "1e-06", "reward_bound": "2.5", "adjacency": "add_remove",
    "labels": "l.npy", "num_features": "7", "covariance": "true", "size": "900", "unit": "who",
    "at_most": "3", "compose": "true", "resume": "true", "weak": "true",
}  # fmt: skip


def test_a_reward_has_every_term_that_it_was_asked_for(monkeypatch, noted, tmp_path, capsys):
    from repro.release.reward.release import RewardTerms

    terms = RewardTerms(Decimal("0.5"), Decimal("0.000001"), 2.5, "add_remove", "l.npy", 7, True,
                        900, "who", 3, True, True, True)  # fmt: skip
    monkeypatch.setattr("repro.release.reward.release.release_reward", noted("released"))
    monkeypatch.setattr(private_reward, "_said", lambda reward, out: f"said {out}")
    words = [f"{key}={value}" for key, value in EVERY_TERM.items()]
    ledger = tmp_path / "ledger"
    private_reward.main(["pairs.jsonl", "out.json", *words, f"ledger={ledger}"])
    asked = ("pairs.jsonl", Path("out.json"), terms, ledger)
    assert noted.of("released") == [(*asked, privatize.ready)]
    assert capsys.readouterr().out == "said out.json\n"
    own = {key: {"true": True}.get(value, value) for key, value in EVERY_TERM.items()}
    own |= {"reward_bound": 2.5, "num_features": 7, "size": 900, "at_most": 3}
    repro.private_reward("pairs.jsonl", **own, output="out.json", ledger=ledger)
    assert noted.of("released")[1] == asked
    repro.private_reward("pairs.jsonl", 0.5)
    assert noted.of("released")[2][2] == RewardTerms(Decimal("0.5"))


def test_labels_are_released_on_every_term_that_was_asked_for(monkeypatch, noted, tmp_path):
    from repro.release.privatise import Target, Terms

    monkeypatch.setattr("repro.release.privatise.privatise", noted("released"))
    monkeypatch.setattr(privatize, "_said", lambda done, source, target, terms, ledger: "said")
    words = ["epsilon=0.5", "compose=true", "unit=who", "at_most=3", "near_copies=true"]
    terms = Terms(Decimal("0.5"), True, False, "who", 3, True)
    ledger = tmp_path / "ledger"
    privatize.main(["in.jsonl", "out.parquet", *words, "layout=trl", f"ledger={ledger}"])
    target = Target.named("out.parquet", "trl")
    assert noted.of("released") == [("in.jsonl", target, terms, ledger, privatize.ready)]
    privatize.main(["in.jsonl", "out.jsonl", "resume=TRUE"])
    assert noted.of("released")[1][2] == Terms(None, False, True)


@pytest.mark.parametrize("main", [privatize.main, private_reward.main])
@pytest.mark.parametrize("word", ["seed=1", "--seed=1"])
def test_a_seed_is_refused(main, word):
    with pytest.raises(BadInput, match="^seed=1: real labels are randomised by"):
        main(["in.jsonl", "out", word])


def test_what_was_released_is_said_where_output_fails(monkeypatch, capsys):
    class Full:
        def write(self, text):
            raise OSError(28, "full")

        def flush(self):
            raise OSError(28, "full")

    monkeypatch.setattr("sys.stdout", Full())
    with pytest.raises(OSError, match="full"):
        privatize.tell_at_the_end("released")
    assert capsys.readouterr().err == "released\n"


# answers


def test_a_world_is_planned_as_asked(monkeypatch, noted):
    monkeypatch.setattr(plan, "build_world", noted("world", "world"))
    monkeypatch.setattr(plan, "LinearWorld", str)
    monkeypatch.setattr(plan, "LabelPlan", noted("plan"))
    request = plan.PlanRequest(loss="square", corruption=0.1, order="ltc", replicates=50, seed=3,
                               confidence=0.8, kl_weight=0.25)  # fmt: skip
    choice = plan.world_choice(request, {"num_states": 5})
    assert (choice.kl_weight, choice.num_states, choice.radius) == (0.25, 5, 6.0)
    plan.build_plan(request, choice)
    order = plan.order_of("ltc")
    assert noted.of("plan") == [("world", "square", 0.1, order, 50, 3, 0.8)]
    assert noted.of("world") == [(choice, Path("outputs/.cache/features"), "cpu")]


@pytest.mark.parametrize("path", ["instance.path=p.jsonl", "instance.radius=2"])
def test_a_plan_on_pairs_of_ones_own_says_that_it_is_not_private(path, monkeypatch, capsys):
    monkeypatch.setattr(plan, "_own_fields", lambda request, words: {})
    monkeypatch.setattr(plan, "_answered", lambda *given: "answer")
    assert plan.main(["epsilon=1", "n_pairs=100", path]) == 0
    said = f"{plan.NOT_PRIVATE}\n" if "path" in path else ""
    assert capsys.readouterr() == ("answer\n", said)


def test_a_plan_without_an_answer_says_why_beside_the_output(monkeypatch, capsys):
    def none(*given):
        raise NoAnswer("corrupted labels leave 0.3 whatever there is")

    monkeypatch.setattr(plan, "_answered", none)
    assert plan.main(["epsilon=1", "n_pairs=100"]) == 3
    line = "no answer: corrupted labels leave 0.3 whatever there is\n"
    assert capsys.readouterr() == ("", line)


def test_a_plan_from_python_is_of_text_pairs_where_it_has_a_path(monkeypatch, noted):
    monkeypatch.setattr(plan, "_answered", noted("asked"))
    plan.plan(epsilon=1, n_pairs=10, fields={"path": "p.jsonl"})
    plan.plan(epsilon=1, n_pairs=10, fields={"radius": 2}, seed=4)
    (first, fields), (second, _) = noted.of("asked")
    assert (first.instance, fields) == ("preference_text", {"path": "p.jsonl"})
    assert (second.instance, second.seed) == ("linear", 4)


def test_a_recommended_loss_is_of_the_releases_size(monkeypatch, noted):
    pytest.importorskip("repro.llm.training.finetuning")
    learnt_by = {"mixture": "private", "square": "square", "debiased": "rdpo"}
    answers = [(best, True, wanted) for best, wanted in learnt_by.items()]
    for best, learnt, wanted in [*answers, ("debiased", False, "private")]:
        advice = SimpleNamespace(best=(best, "mixture"), learnt=learnt)
        monkeypatch.setattr(which_loss, "which_loss", noted("asked", advice))
        found = finetune.recommended(0.5, 123)
        assert (found.loss, found.learnt) == (wanted, learnt)
    assert set(map(str, noted.of("asked"))) == {"({'epsilon': 0.5, 'n_pairs': 123},)"}


def test_answers_are_drawn_as_asked(monkeypatch, noted, capsys):
    for name in ("backbone", "card", "responses"):
        pytest.importorskip(f"repro.llm.training.{name}")
    base = SimpleNamespace(words="a base", pretrained=False)
    backbone = SimpleNamespace(model="model", tokenizer="tokenizer")
    monkeypatch.setattr("repro.llm.training.card.written_from", lambda folder: base)
    monkeypatch.setattr("repro.llm.training.backbone.load_backbone", noted("loaded", backbone))
    monkeypatch.setattr("repro.llm.training.responses.draw_responses", noted("drawn", [["é", "b"]]))
    words = ["folder", "prompt=[1]: x", "count=2", "temperature=0.5", "top_k=3", "top_p=0.9",
             "max_new_tokens=7", "seed=5"]  # fmt: skip
    assert generate.main(words) == 0
    out, err = capsys.readouterr()
    assert out == '"é"\n"b"\n'
    assert err.startswith("model: folder, trained from a base\nwarning: ")
    (model, tokenizer, prompts, sampling, limits, *others) = noted.of("drawn")[0]
    assert (model, tokenizer, prompts, others) == (
        "model", "tokenizer", ["[1]: x"], [5, "cpu", 2]
    )  # fmt: skip
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.5, 3, 0.9)
    assert (sampling.max_new_tokens, limits.max_prompt_tokens) == (7, 10**5)
    ((choice, _, device),) = noted.of("loaded")
    assert (choice.path, device) == ("folder", "cpu")


# a report


@pytest.fixture
def pages(monkeypatch, noted, tmp_path):
    """Two runs, of which a report is written; answers with the status."""
    runs = [
        SimpleNamespace(
            key=name,
            facts={"finished": day},
            stale=stale,
            stale_words="is old" * bool(stale),
            other_settings_words="",
        )
        for name, day, stale in (("a", "2026-01-02", ""), ("b", "2026-01-01", "x"))
    ]
    path = tmp_path / "page.html"
    path.write_bytes(b"x" * 1_500_000)

    def write(*words, changes=0, disagreements=()):
        shown = SimpleNamespace(
            runs=runs, catalogue="catalogue", disagreements=disagreements, folder=tmp_path,
            paper="fifth" if "paper=fifth" in words else None,
        )  # fmt: skip
        monkeypatch.setattr("repro.report.writing.material", noted("read", shown))
        monkeypatch.setattr(
            "repro.report.writing.written", noted("written", SimpleNamespace(path=path))
        )
        monkeypatch.setattr("repro.report.html.findings.findings", noted("found", "findings"))
        monkeypatch.setattr(
            "repro.report.html.findings.page",
            lambda notes, papers="all papers": f"page of {notes} in {papers}",
        )
        monkeypatch.setattr("repro.report.html.runs.say_changes", lambda runs: changes)
        monkeypatch.setattr("repro.report.latex.write_latex", noted("latex", 12))
        return report.main(list(words)), shown, runs

    return write


def test_a_report_is_the_one_asked_for(pages, noted, tmp_path, capsys):
    path = tmp_path / "page.html"
    status, shown, _ = pages("runs=r", "paper=p1", "output=o.html")
    assert (status, noted.of("read")) == (0, [(Path("r"), "p1")])
    assert noted.of("written") == [(shown, False, Path("o.html"))]
    assert capsys.readouterr().out == (
        f"{path} (1.5 MB)\nthe newest run in it: {path.resolve().as_uri()}#e-a\nb: is old\n"
    )
    assert pages("gallery=true", disagreements=["one", "two"])[0] == 1
    assert noted.of("written")[1][1:] == (True, None)
    out, err = capsys.readouterr()
    assert "the newest run" not in out
    assert err == "finding against the runs: one\nfinding against the runs: two\n"
    for name in ("a", "b", "c", "mlruns"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdict.json").touch()
    assert pages(changes=1)[0] == 1
    assert "\nfinished runs that are not in it: 1; runs=FOLDER" in capsys.readouterr().out


def test_findings_and_tables_are_of_every_run(pages, noted, tmp_path, capsys):
    target = tmp_path / "findings.md"
    _, _, runs = pages(f"findings={target}")
    assert noted.of("found") == [("catalogue", {run.key: run for run in runs})]
    assert target.read_text() == "page of findings in all papers"
    pages(f"findings={target}", "paper=fifth")
    assert target.read_text() == "page of findings in FIFTH"
    assert capsys.readouterr().out.startswith(f"{target} (0.0 MB)\n")
    pages("latex=tables")
    assert noted.of("latex") == [(runs, Path("tables"))]
    assert capsys.readouterr().out.startswith("12 files in tables\n")
    assert noted.of("written") == []


@pytest.mark.parametrize(("status", "after"), [(0, 74), (1, 74), (70, 70)])
def test_what_could_not_be_written_is_the_status_unless_it_broke(
    status, after, monkeypatch, capsys
):
    from repro.commands.process import command

    def full():
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(command.sys, "stdout", SimpleNamespace(flush=full, fileno=lambda: 1))
    monkeypatch.setattr(command.os, "dup2", lambda *_: None)
    monkeypatch.setattr(command.os, "open", lambda *_: 3)
    assert command._flushed(status) == after
    assert capsys.readouterr().err == "error: standard output: No space left on device\n"
