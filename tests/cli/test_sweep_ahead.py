"""A sweep whose workers begin the next runs early writes what one process writes."""

from types import SimpleNamespace

import pytest

from repro import api
from repro.cli import sweep
from repro.study import pool as rooms

NEXT = ("-m", "theorem=kl_contraction,dpo_reduction,label_masks", "budget=smoke", "tracking=none")
WRITTEN = ("verdict.json", "measurements.parquet", "figure.png", "figure.svg")


def test_the_next_runs_are_begun_and_give_the_same_bytes(command, tmp_path, monkeypatch):
    begun = []
    begin = rooms.Pool.begin

    def noted(self, later):
        before = set(self._begun)
        begin(self, later)
        begun.extend(task for future, task in self._begun.items() if future not in before)

    monkeypatch.setattr(rooms.Pool, "begin", noted)
    status, out, _ = command(*NEXT, "compute.workers=2", "output_dir=two")
    assert status == 0
    assert "job 3 of 3" in out
    assert len({block.key for task in begun for block in task.blocks}) > 20
    assert command(*NEXT, "compute.workers=1", "output_dir=one")[0] == 0
    folders = sorted(path.parent for path in (tmp_path / "two").rglob("verdict.json"))
    assert len(folders) == 3
    for folder in folders:
        other = tmp_path / "one" / folder.relative_to(tmp_path / "two")
        for name in WRITTEN:
            assert (folder / name).read_bytes() == (other / name).read_bytes(), name
    monkeypatch.undo()
    sweep.begin_job(0, [])


def test_a_sweep_that_is_refused_has_begun_and_writes_nothing(command, tmp_path, monkeypatch):
    begun, begin = [], rooms.Pool.begin

    def noted(self, later):
        begin(self, later)
        begun.extend(self._begun)
        for future in self._begun:
            future.result()

    monkeypatch.setattr(rooms.Pool, "begin", noted)
    jobs = ("-m", "theorem=kl_contraction", "seed=0,-1", "budget=smoke", "compute.workers=2")
    status, _, err = command(*jobs, "tracking=none", "output_dir=refused")
    assert status == 2
    assert err.splitlines()[-1].startswith("error: seed=-1: ")
    assert begun
    assert not (tmp_path / "refused").exists()


def test_what_is_yet_to_come():
    runs = [SimpleNamespace(name=name) for name in "abc"]
    sweep.begin_job(1, runs)  # pyright: ignore[reportArgumentType]
    assert sweep.following() == [runs[2]]
    sweep.begin_job(2, runs)  # pyright: ignore[reportArgumentType]
    assert sweep.following() == []


@pytest.mark.parametrize(
    ("kind", "device", "workers", "asked"),
    [
        ("local", "cpu", 2, [2]),
        ("local", "cpu", 1, []),
        ("local", "cuda", 2, []),
        ("ray", "cpu", 2, []),
    ],
)
def test_workers_get_ready_where_they_will_be_asked_for(kind, device, workers, asked, monkeypatch):
    found = []
    started = lambda size: SimpleNamespace(start=lambda: found.append(size))  # noqa: E731
    monkeypatch.setattr(api, "pool", started)
    setting = SimpleNamespace(device=device)
    session = SimpleNamespace(
        compute=SimpleNamespace(kind=kind, workers=workers), plan=SimpleNamespace(setting=setting)
    )
    api.make_ready(session)  # pyright: ignore[reportArgumentType]
    assert found == asked
