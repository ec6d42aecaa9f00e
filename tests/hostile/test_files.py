"""Every file that a command reads, broken in every way: one line, status 2, nothing written.

In process, a reader at a time: ``broken`` spoils its file, the command runs, and everything below
its folder is compared with what was there before.
"""

import contextlib
import hashlib
import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import repro
from repro.base.errors import BadInput
from repro.base.places import conf_dir
from repro.catalogue import papers
from repro.commands import audit_release, features, suite
from repro.commands import privatize as releasing
from repro.commands import report as report
from repro.commands.process.command import status_of
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.llm.experiments.procedures import DataChoice
from repro.llm.experiments.splits import load_splits
from repro.llm.training.released import released_pairs
from repro.report.files import seal_of
from repro.study.composition import compose_values
from repro.study.settings import session_of
from tests.hostile import broken

LONGEST_LINE = 500
SECONDS = 60
"""Far more than a reader takes beside any other work: only what waits for ever meets it."""


@dataclass(frozen=True)
class Reader:
    """A command and one of the files that it reads.

    Attributes:
        prepare: writes good files into a folder and returns the one to break.
        run: runs the command there; a status, or BadInput where only Python calls it.
        accepted: ways that are no mistake there, each reviewed by hand.
    """

    prepare: Callable[[Path], Path]
    run: Callable[[Path], Any]
    accepted: frozenset[str] = frozenset()


def pairs_file(folder, name="pairs.jsonl"):
    lines = (
        json.dumps({"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected}) + "\n"
        for p in synthetic_pairs(60)
    )
    path = folder / name
    path.write_text("".join(lines))
    return path


def instance_of(folder):
    words = ["instance=preference_text", f"instance.path='{folder / 'pairs.jsonl'}'"]
    session_of(compose_values("offline_gap", {}, words))


def released(folder):
    """A release with its original, and the ledger that knows of it."""
    source = pairs_file(folder, "in.jsonl")
    repro.privatize(source, 0.5, output=folder / "out.jsonl", ledger=folder / "ledger")
    return folder


def part_of_release(name):
    return lambda folder: released(folder) / name


def privatise_again(folder):
    words = [str(folder / "in.jsonl"), str(folder / "second.jsonl"), "epsilon=0.5", "compose=true"]
    return status_of(releasing.main, [*words, f"ledger={folder / 'ledger'}"])


def audit(folder):
    return status_of(
        audit_release.main, [str(folder / "out.jsonl"), "--original", str(folder / "in.jsonl")]
    )


CHECK = {
    "name": "n_pairs", "kind": "slope", "quantity": "gap", "axis": "n_pairs", "claim": "c",
    "statements": ["p1.thm_4_2"], "claimed": -1.0, "slope": -1.0, "ci95": [-1.1, -0.9],
    "tolerance": 0.05, "direction": "two_sided", "verdict": "supported", "expected": "supported",
    "method": "pessimistic", "failed_replicates": 0,
}  # fmt: skip
VERDICT = {
    "theorem": "offline_gap", "statements": ["p1.thm_4_2"], "verdict": "supported",
    "expected": "supported", "complete": True, "rows": [1, 1], "checks": [CHECK], "assumptions": [],
    "controls": [{"name": "naive", "check": "n_pairs", "slope": 0.0, "verdict": "contradicted"}],
    "seed": 0, "replicates": 20, "budget": "smoke", "config_hash": "abc",
}  # fmt: skip
CONFIG = "instance:\n  kind: linear\nseed: 0\nonly: [n_pairs]\n"
MEASURED = b"values"
VERDICT["files"] = {
    "config.yaml": hashlib.sha256(CONFIG.encode()).hexdigest(),
    "measurements.parquet": hashlib.sha256(MEASURED).hexdigest(),
}
VERDICT["seal"] = seal_of(VERDICT)
FACTS = {"seconds": 1.5, "finished": "2026-01-01T00:00:00+00:00", "versions": {"python": "3.11"}}


def run_folder(folder):
    here = folder / "outputs" / "suite" / "offline_gap"
    here.mkdir(parents=True)
    (here / "verdict.json").write_text(json.dumps(VERDICT))
    (here / "run.json").write_text(json.dumps(FACTS))
    (here / "config.yaml").write_text(CONFIG)
    (here / "measurements.parquet").write_bytes(MEASURED)
    return here


def part_of_run(name):
    return lambda folder: run_folder(folder) / name


def write_report(folder):
    return status_of(report.main, ["--runs", str(folder / "outputs")])


def shipped(name):
    def prepare(folder):
        source = conf_dir() / name
        path = folder / source.name
        path.write_bytes(source.read_bytes())
        return path

    return prepare


DATA = DataChoice(
    path="x", n_pairs=20, held_out=10, judge_pairs=0, seed=0,
    max_prompt_tokens=8, max_response_tokens=8,
)  # fmt: skip


def model_data(folder):
    load_splits(DATA.model_copy(update={"path": str(folder / "pairs.jsonl")}))


READERS = {
    "pairs of an instance": Reader(pairs_file, instance_of),
    "pairs of a feature table": Reader(
        pairs_file,
        lambda folder: status_of(
            features.main, [str(folder / "tables"), f"instance.path={folder / 'pairs.jsonl'}"]
        ),
    ),
    "pairs to privatise": Reader(part_of_release("in.jsonl"), privatise_again),
    "ledger of releases": Reader(
        part_of_release("ledger/ledger.sqlite"), privatise_again, frozenset({"missing"})
    ),  # a ledger that was deleted starts anew
    "release to audit": Reader(part_of_release("out.jsonl"), audit),
    "original of an audit": Reader(part_of_release("in.jsonl"), audit),
    "manifest of an audit": Reader(part_of_release("out.manifest.json"), audit),
    "verdict in the report": Reader(part_of_run("verdict.json"), write_report),
    "facts in the report": Reader(part_of_run("run.json"), write_report, frozenset({"missing"})),
    "config in the report": Reader(part_of_run("config.yaml"), write_report),
    "verdict in the table": Reader(
        part_of_run("verdict.json"), lambda _: status_of(suite.main, ["table"])
    ),
    "pairs of a language model": Reader(pairs_file, model_data),
    "release to train on": Reader(
        part_of_release("out.jsonl"), lambda folder: released_pairs(folder / "out.jsonl")
    ),
    "manifest to train on": Reader(
        part_of_release("out.manifest.json"), lambda folder: released_pairs(folder / "out.jsonl")
    ),
    "paper of the catalogue": Reader(
        shipped("papers/p1.yaml"), lambda folder: papers.read(folder / "p1.yaml")
    ),
}


@contextlib.contextmanager
def time_limit():
    """TimeoutError where a reader waits for ever, say for a pipe."""

    def stop(*_):
        raise TimeoutError(f"still reading after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(reader, folder, capsys):
    """Status and line; a traceback is told as such."""
    capsys.readouterr()
    try:
        with time_limit():
            status = reader.run(folder)
    except BadInput as problem:
        return 2, f"error: {problem}\n"
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is the finding
        return 99, f"{type(problem).__name__}: {problem}"[:200]
    return (status if isinstance(status, int) else 0), capsys.readouterr().err


def fault(status, line, path, folder, before):
    """What is wrong with a refusal, or nothing."""
    if status == 1 and line.startswith("changed: ") and f"{path.name} " in line:
        return ""  # a file that is not the one of its verdict is told, and settles nothing
    if status != 2:
        return f"status {status}: {line[:200]}"
    if not line.startswith("error: ") or line.count("\n") != 1 or len(line) > LONGEST_LINE:
        return f"not one clear line: {line[:600]}"
    gone = not path.is_file() and any(f"{above}:" in line for above in path.parents)
    if path.stem not in line and not gone:
        return f"does not name the file: {line[:200]}"
    after = broken.folder_state(folder)
    return "" if after == before else f"wrote {sorted(map(str, set(after) ^ set(before)))}"


@pytest.mark.parametrize("name", READERS)
def test_every_file_in_every_way(name, tmp_path, monkeypatch, capsys):
    reader, faults, taken = READERS[name], {}, set()
    for number, (way, spoil) in enumerate(broken.WAYS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        path = reader.prepare(folder)
        spoil(path, path.read_bytes())
        before = broken.folder_state(folder)
        status, line = outcome(reader, folder, capsys)
        if status == 0:
            taken.add(way)
        elif found := fault(status, line, path, folder, before):
            faults[way] = found
    assert faults == {}
    assert taken == set(reader.accepted)


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_nobody_may_read(name, tmp_path, monkeypatch, capsys):
    reader = READERS[name]
    monkeypatch.chdir(tmp_path)
    path = reader.prepare(tmp_path)
    before = broken.folder_state(tmp_path)
    with broken.unreadable(path):
        status, line = outcome(reader, tmp_path, capsys)
    path.chmod(0o644)
    assert fault(status, line, path, tmp_path, before) == ""


@pytest.mark.parametrize("name", READERS)
def test_the_same_file_unbroken_is_taken(name, tmp_path, monkeypatch, capsys):
    """The refusals are of what was broken, not of all that the reader is shown."""
    monkeypatch.chdir(tmp_path)
    READERS[name].prepare(tmp_path)
    status, line = outcome(READERS[name], tmp_path, capsys)
    assert (status, "error" in line) == (0, False)


def test_a_broken_checkpoint_is_passed_over(tmp_path):
    """What is whole is told by the state file, which a trainer writes last."""
    from repro.llm.training.trainers import last_checkpoint

    good = b'{"global_step": 3}'
    for number, spoil in enumerate(broken.WAYS.values()):
        place = tmp_path / str(number) / "checkpoint-3"
        place.mkdir(parents=True)
        (place / "trainer_state.json").write_bytes(good)
        assert last_checkpoint(place.parent) == place
        spoil(place / "trainer_state.json", good)
        with time_limit():
            assert last_checkpoint(place.parent) in (None, place)


def test_a_picture_that_cannot_be_read_is_left_out(tmp_path):
    from PIL import Image

    from repro.report.html.pictures import picture

    path = tmp_path / "figure.png"
    Image.new("RGB", (40, 30), "red").save(path)
    good = path.read_bytes()
    assert picture(path).uri.startswith("data:image/png;base64,")
    for number, (way, spoil) in enumerate(broken.WAYS.items()):
        (tmp_path / str(number)).mkdir()
        path = tmp_path / str(number) / "figure.png"
        path.write_bytes(good)
        spoil(path, good)
        with time_limit():
            assert picture(path) is None, way


def heals(folder, entry, compute):
    """Whether a broken cache entry costs nothing but time: the same result, the same entry."""
    wanted, good = compute(), entry.read_bytes()
    beside = sorted(path.name for path in entry.parent.iterdir())
    for way, spoil in broken.WAYS.items():
        spoil(entry, good)
        with time_limit():
            assert compute() == wanted, way
        if entry.is_dir() and not entry.is_symlink():
            entry.rmdir()  # a folder in the way stays; the entry is computed every time
            entry.write_bytes(good)
        assert entry.read_bytes() == good, way
        assert not entry.is_symlink(), way
    with broken.unreadable(entry):
        assert compute() == wanted
    assert sorted(path.name for path in entry.parent.iterdir()) == beside


def test_a_broken_feature_table_is_computed_anew(tmp_path):
    from repro.worlds.instances.feature_cache import cached_text_features

    def compute():
        found = cached_text_features(synthetic_pairs(60), 12, tmp_path / "tables")
        return found.feature_diff.tobytes(), found.names

    compute()
    (entry,) = (tmp_path / "tables").iterdir()
    heals(tmp_path, entry, compute)


def test_a_broken_block_is_measured_anew(tmp_path):
    """The whole way: an experiment's first block, and the bytes of its verdict and measurements."""
    from repro.api import run

    def compute():
        done = run("label_masks", budget="smoke", output_dir=tmp_path, overrides=ONE_WORKER)
        return json.dumps(done.verdict_json), done.measurements.to_csv()

    compute()
    entry = sorted((tmp_path / ".cache" / "blocks").rglob("*.npy"))[0]
    heals(tmp_path, entry, compute)


ONE_WORKER = ["compute.workers=1", "tracking=none"]


@pytest.mark.parametrize("name", ["ledger", "state/of/mine"])
def test_a_refused_release_begins_no_ledger(tmp_path, name, capsys):
    """A fault on the last line comes late, and still nothing is written anywhere."""
    path = pairs_file(tmp_path)
    path.write_bytes(path.read_bytes() + b"{\n")
    before = broken.folder_state(tmp_path)
    words = [str(path), str(tmp_path / "out.jsonl"), "epsilon=1", f"ledger={tmp_path / name}"]
    assert status_of(releasing.main, words) == 2
    assert "line 61: not valid JSON" in capsys.readouterr().err
    assert broken.folder_state(tmp_path) == before
