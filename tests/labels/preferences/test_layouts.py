"""The same comparisons in eight files: the same pairs, the same instance, the same release."""

import csv
import gzip
import json
from pathlib import Path

import pandas as pd
import pyarrow
import pytest
from pyarrow import parquet

import repro
from repro.base.errors import BadInput
from repro.labels.preferences.conversation import NotUnderstood
from repro.labels.preferences.layouts import BETTER, three_texts
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.pair_rows import conversion
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.release.records import read_owned, read_records
from repro.release.released import read_release
from repro.worlds.instances.choices import TextChoice
from repro.worlds.instances.preference_text import with_digest

SECRET = "zebra-secret"
PAIRS = synthetic_pairs(60)
RECORDS = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in PAIRS]
TEXTS = [tuple(record.values()) for record in RECORDS]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def json_lines(folder):
    (folder / "pairs.jsonl").write_bytes(lines(RECORDS))
    return folder / "pairs.jsonl"


def compressed(folder):
    (folder / "pairs.jsonl.gz").write_bytes(gzip.compress(lines(RECORDS)))
    return folder / "pairs.jsonl.gz"


def comma_separated(folder):
    with open(folder / "pairs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", *RECORDS[0]])
        writer.writeheader()
        writer.writerows({"id": str(k), **record} for k, record in enumerate(RECORDS))
    return folder / "pairs.csv"


def columns(folder):
    pd.DataFrame({**record, "score": 0.5} for record in RECORDS).to_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def saved(folder):
    """What ``datasets.Dataset.save_to_disk`` leaves; tests/llm compare with the library."""
    folder = folder / "saved"
    folder.mkdir()
    for number, part in enumerate((RECORDS[:25], RECORDS[25:])):
        table = pyarrow.Table.from_pylist(part)
        with pyarrow.ipc.new_stream(folder / f"data-{number}.arrow", table.schema) as stream:
            stream.write_table(table, max_chunksize=10)
    names = [{"filename": f"data-{number}.arrow"} for number in (0, 1)]
    (folder / "state.json").write_text(json.dumps({"_data_files": names}))
    return folder


def chats(folder):
    def said(role, text):
        return {"role": role, "content": text}

    asked = [[said("user", prompt)] for prompt, _, _ in TEXTS]
    answers = [[[said("assistant", text)] for text in pair] for _, *pair in TEXTS]
    records = [
        {"prompt": ask, "chosen": ask + chosen, "rejected": ask + rejected}
        for ask, (chosen, rejected) in zip(asked, answers, strict=True)
    ]
    parquet.write_table(pyarrow.Table.from_pylist(records), folder / "chats.parquet")
    return folder / "chats.parquet"


def dialogues(folder):
    records = [
        {k: f"\n\nHuman: {p}\n\nAssistant: {t}" for k, t in (("chosen", a), ("rejected", b))}
        for p, a, b in TEXTS
    ]
    (folder / "hh.jsonl").write_bytes(lines(records))
    return folder / "hh.jsonl"


def numbered(folder):
    records = [
        {"prompt": p, f"response_{k % 2}": a, f"response_{1 - k % 2}": b, BETTER: k % 2}
        for k, (p, a, b) in enumerate(TEXTS)
    ]
    (folder / "pku.jsonl").write_bytes(lines(records))
    return folder / "pku.jsonl"


LAYOUTS = (
    json_lines, compressed, comma_separated, columns, saved, chats, dialogues, numbered,
)  # fmt: skip


@pytest.mark.parametrize("write", LAYOUTS)
def test_the_same_pairs_in_the_same_order(write, tmp_path):
    path = str(write(tmp_path))
    assert list(read_records(path)) == TEXTS
    assert [(p.prompt, p.chosen, p.rejected) for p in read_pairs(path)] == TEXTS


@pytest.mark.parametrize("write", LAYOUTS)
def test_the_same_digest_of_the_instance(write, tmp_path):
    digests = {digest(path) for path in (json_lines(tmp_path), write(tmp_path))}
    assert len(digests) == 1
    assert None not in digests


def digest(path: Path):
    choice = TextChoice.model_construct(path=str(path))
    return with_digest(choice).digest


@pytest.mark.parametrize("write", LAYOUTS[1:])
def test_the_same_release_up_to_coins(write, tmp_path):
    """The labels of one layout are spent for every other: they are the same comparisons."""
    ledger = tmp_path / "ledger"
    first = repro.privatize(
        json_lines(tmp_path), 1, output=tmp_path / "a.jsonl", ledger=ledger
    ).manifest
    source = write(tmp_path)
    with pytest.raises(BadInput, match="shares .* with an earlier release"):
        repro.privatize(source, 1, ledger=ledger)
    second = repro.privatize(
        source, 1, output=tmp_path / "b.jsonl", ledger=ledger, compose=True
    ).manifest
    assert (first["lines"], second["earlier_epsilons"], second["total_epsilon"]) == (60, [1], 2)
    released = [content(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    assert released[0] == released[1]


def content(path: Path):
    """Prompts with unordered pairs, in order."""
    found = read_release(path)
    return sorted((f.prompt, *sorted((f.first, f.second))) for f in found)


def written(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def in_folder(folder: Path, **files: str) -> Path:
    (folder / "saved").mkdir()
    for name, text in files.items():
        (folder / "saved" / f"{name}.json").write_text(text)
    return folder / "saved"


HEAD = b"prompt,chosen,rejected\n"
TABLE = HEAD + b'p,"zebra-secret",b\n'


def test_a_table_as_a_spreadsheet_writes_it(tmp_path):
    """With a byte order mark in front, and lines that end as on Windows."""
    raw = b"\xef\xbb\xbf" + TABLE.replace(b"\n", b"\r\n")
    assert list(read_records(str(written(tmp_path / "a.csv", raw)))) == [("p", SECRET, "b")]


def test_a_refusal_of_two_faults_does_not_tell_which_response_was_chosen():
    faulty = [[{"role": "tool", "content": "x"}], [{"role": "assistant", "content": ["x"]}]]
    said = set()
    for chosen, rejected in (faulty, faulty[::-1]):
        with pytest.raises(NotUnderstood) as refused:
            three_texts({"prompt": "p", "chosen": chosen, "rejected": rejected})
        said.add(str(refused.value))
    assert said == {"a message has a content that is not one text"}


FAULTS = {
    "cut gzip": (lambda f: written(f / "a.gz", gzip.compress(lines(RECORDS))[:-9]), "gzip file"),
    "no gzip": (lambda f: written(f / "a.gz", b"\x1f\x8b zebra-secret"), "line 1: not a whole"),
    "cut Parquet": (lambda f: written(f / "a", columns(f).read_bytes()[:-50]), "whole Parquet"),
    "a quote that does not end": (
        lambda f: written(f / "a.csv", TABLE + b'"zebra-secret'), "line 3: not valid CSV"),
    "too many values": (
        lambda f: written(f / "a.csv", TABLE + b"p,zebra-secret,b,c\n"), "line 3: 4 values for 3"),
    "a column twice": (lambda f: written(f / "a.csv", b"prompt,chosen,chosen\n"), "appears twice"),
    "another column": (lambda f: written(f / "a.csv", b"prompt,a\nzebra-secret,b\n"), "missing"),
    "a table in Latin-1": (lambda f: written(f / "a.csv", TABLE + b"\xe9,b,c\n"), "not UTF-8"),
    "neither 0 nor 1": (
        lambda f: written(f / "a", lines([{"prompt": SECRET, "response_0": "a", "response_1": "b",
                                           "better_response_id": 2}])), "neither 0 nor 1"),
    "no number": (
        lambda f: written(f / "a", lines([{"prompt": SECRET, "response_1": "a", "response_2": "b",
                                           "preference_strength": "x"}])), "0 or no number"),
    "several splits": (
        lambda f: in_folder(f, dataset_dict='{"splits": ["train", "test"]}'), "saved/train, "),
    "a file elsewhere": (
        lambda f: in_folder(f, state='{"_data_files": [{"filename": "../a.arrow"}]}'),
        "names no data files of this folder"),
    "no state": (lambda f: in_folder(f, state="zebra-secret"), "is not valid JSON"),
    "a missing part": (
        lambda f: in_folder(f, state='{"_data_files": [{"filename": "a.arrow"}]}'), "No such file"),
    "one list": (lambda f: written(f / "a.json", json.dumps(RECORDS).encode()),
                 "to convert it: python -c \"import pandas; pandas.read_json('"),
    "a workbook": (lambda f: written(f / "a.xlsx", b"PK\3\4zebra-secret"), "pandas.read_excel('"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_read_is_one_line(make, expected, tmp_path):
    source = make(tmp_path)
    target, ledger = tmp_path / "out.jsonl", tmp_path / "ledger"
    for read in (
        lambda: read_pairs(str(source)),
        lambda: repro.privatize(source, 1, output=target, ledger=ledger),
    ):
        with pytest.raises(BadInput) as caught:
            read()
        message = str(caught.value)
        assert expected in message
        assert SECRET not in message
        assert "\n" not in message
    assert not target.exists()
    assert not ledger.exists()


NUMBER_LIKE = [
    {"prompt": "007", "chosen": "None", "rejected": "N/A"},
    {"prompt": "1e3", "chosen": "true", "rejected": "2024-01-01"},
]
WRITERS = {
    "json": lambda table, path: path.write_text(table.to_json(orient="records")),
    "tsv": lambda table, path: table.to_csv(path, sep="\t", index=False),
    "feather": lambda table, path: table.to_feather(path),
    "orc": lambda table, path: table.to_orc(path),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_the_conversion_that_is_advised_keeps_every_text(ending, tmp_path, monkeypatch):
    """Texts that look like numbers, dates or nothing, as well as ordinary ones."""
    monkeypatch.chdir(tmp_path)
    records = [*RECORDS, *NUMBER_LIKE]
    WRITERS[ending](pd.DataFrame(records), Path(f"pairs.{ending}"))
    code = conversion(f"pairs.{ending}").removeprefix('python -c "').removesuffix('"')
    exec(code, {})
    assert list(read_records("pairs.jsonl")) == [tuple(record.values()) for record in records]
    assert conversion("it's.json") == conversion("pairs.zip") == ""


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_the_conversion_of_the_page_keeps_every_text(ending, tmp_path, monkeypatch):
    """Its lines, with the reader that it names for the format; a tie is left out."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[3] / "docs/howto/own_preference_data.md").read_text()
    code = page[page.index("import pandas as pd") :].partition("```")[0]
    names = ("question", "answer_a", "answer_b")
    first, second = (tuple(record.values()) for record in NUMBER_LIKE)
    rows = [(*first, "a"), (second[0], *second[:0:-1], "b"), ("q", "r", "s", "tie")]
    table = pd.DataFrame(rows, columns=[*names, "winner"]).assign(rater=["01", "02", "01"])
    if ending == "json":
        WRITERS["json"](table, Path("pairs.json"))
    else:
        table.to_csv("pairs.csv", sep=";", index=False)
        line, comment = code.splitlines()[2:4]
        call = comment.removeprefix("# or ").partition("; so")[0].replace("PATH", '"pairs.csv"')
        code = code.replace(line, f"table = pd.{call}")
    exec(code, {})
    owned = list(read_owned("pairs.jsonl", unit="annotator"))
    assert owned == [(first, "01"), (second, "02")]


def test_a_folder_of_many_formats_is_read_in_order_of_names(tmp_path):
    columns(tmp_path)
    json_lines(tmp_path)
    (tmp_path / "README.md").write_text("not a record")
    assert len(read_pairs(str(tmp_path))) == 2 * len(RECORDS)
