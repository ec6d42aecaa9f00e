"""Training from a release: labels as they are, at the manifest's ε."""

import json
from types import SimpleNamespace

import pytest

import repro
from repro.base.errors import BadInput
from repro.llm.training import released
from repro.llm.training.released import manifest_of, released_pairs


@pytest.fixture
def release(tmp_path):
    source = tmp_path / "in.jsonl"
    rows = [{"prompt": f"p{k}", "chosen": f"a{k}", "rejected": f"b{k}"} for k in range(200)]
    source.write_text("\n".join(map(json.dumps, rows)))
    target = tmp_path / "out.jsonl"
    repro.privatize(source, 1.5, output=target, ledger=tmp_path / "ledger")
    return target


def test_labels_are_those_of_the_release(release):
    pairs, epsilon = released_pairs(release)
    rows = [json.loads(line) for line in release.read_text().splitlines()]
    assert epsilon == 1.5
    assert pairs.labels.tolist() == [row["label"] for row in rows]
    assert list(pairs.first) == [row["response_1"] for row in rows]
    true = [1 if row["response_1"].startswith("a") else -1 for row in rows]
    agreed = sum(a == b for a, b in zip(true, pairs.labels.tolist(), strict=True)) / 200
    assert 0.7 < agreed < 0.93


def test_a_release_without_a_manifest_is_refused(release):
    (release.parent / "out.jsonl.manifest.json").unlink(missing_ok=True)
    for path in release.parent.glob("*manifest*"):
        path.unlink()
    with pytest.raises(BadInput, match="no manifest that states epsilon"):
        released_pairs(release)


def test_a_file_of_another_format_is_refused(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text('{"prompt": "p"}')
    with pytest.raises(BadInput, match="release=.*response_1"):
        released_pairs(file)


@pytest.mark.parametrize("ending", [".parquet", ".jsonl.gz"])
@pytest.mark.parametrize("layout", ["pairs", "trl"])
def test_an_export_is_the_release(ending, layout, release, tmp_path):
    """In the layout of TRL, too; without OUT.jsonl, as its manifest has the digest."""
    export = tmp_path / f"again{ending}"
    repro.privatize(
        tmp_path / "in.jsonl", 1.5, output=export, layout=layout, ledger=tmp_path / "other"
    )
    whole, _ = released_pairs(tmp_path / "again.jsonl")
    (tmp_path / "again.jsonl").unlink()
    pairs, epsilon = released_pairs(export)
    assert epsilon == 1.5
    assert (pairs.prompts, pairs.first, pairs.second) == (whole.prompts, whole.first, whole.second)
    assert pairs.labels.tolist() == whole.labels.tolist()


def test_a_raw_file_beside_a_manifest_is_raw(release, tmp_path):
    """Its name would fit, and its labels are not those that the manifest has the digest of."""
    import gzip

    raw = tmp_path / "out.jsonl.gz"
    raw.write_bytes(gzip.compress((tmp_path / "in.jsonl").read_bytes()))
    with pytest.raises(BadInput, match="this is a raw file: release it first"):
        released_pairs(raw)


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "p", "chosen": "a", "rejected": "b"},
        {"chosen": "\n\nHuman: p\n\nAssistant: a", "rejected": "\n\nHuman: p\n\nAssistant: b"},
        {"prompt": "p", "response_0": "a", "response_1": "b", "better_response_id": 1},
        {
            "prompt": [{"role": "user", "content": "p"}],
            "chosen": [{"role": "assistant", "content": "a"}],
            "rejected": [{"role": "assistant", "content": "b"}],
        },
    ],
)
def test_raw_files_of_every_layout_are_told_so(row, tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(BadInput, match="this is a raw file: release it first"):
        released_pairs(file)


def test_the_total_counts_earlier_releases(release, tmp_path, monkeypatch):
    def total(path):
        stated = manifest_of(path)
        return float(stated.total), float(stated.earlier_delta)

    assert total(release) == (1.5, 0.0)
    again = tmp_path / "again.parquet"
    repro.privatize(
        tmp_path / "in.jsonl", 0.5, output=again, compose=True, ledger=tmp_path / "ledger"
    )
    assert total(again) == (2.0, 0.0)
    stated = SimpleNamespace(epsilon=1, total=3, earlier_delta=1e-6)
    monkeypatch.setattr(released, "parsed_manifest", lambda content: stated)
    assert total(release) == (3.0, 1e-6)
