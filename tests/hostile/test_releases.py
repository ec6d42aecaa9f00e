"""Whatever a release and its manifest hold: an answer, or one line; never a traceback."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from repro.release.beside import look_beside, sequences
from repro.release.edits import edit_tokens
from repro.release.extra_fields import field_tokens
from repro.release.matching import match_release
from repro.release.skeleton import byte_tokens

from repro import audit_release
from repro.base.errors import BadInput
from tests.hostile.corpora import MANIFESTS, SECRET, releases

PAIRS = [(f"ask {k}", f"{SECRET} yes {k}", f"{SECRET} no {k}") for k in range(24)]
MANY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(MANY, max_examples=6)


def written(folder, content, manifest):
    """(release, original) as files."""
    names = ("prompt", "chosen", "rejected")
    lines = [json.dumps(dict(zip(names, pair, strict=True))) + "\n" for pair in PAIRS]
    (folder / "in.jsonl").write_text("".join(lines))
    (folder / "out.jsonl").write_bytes(content)
    (folder / "out.manifest.json").write_bytes(manifest)
    return folder / "out.jsonl", folder / "in.jsonl"


@given(content=releases(PAIRS), manifest=MANIFESTS)
@MANY
def test_what_is_read_can_be_described_or_is_refused_in_one_line(content, manifest, tmp_path):
    release, original = written(tmp_path, content, manifest)
    try:
        lines = match_release(release, original).lines
        beside = look_beside(release)
    except BadInput as problem:
        refused = str(problem)
    else:
        refused = ""
        for read in (byte_tokens, edit_tokens, field_tokens):
            assert len(read(lines)) == len(lines)
        assert all(values.size <= 100 for _, values in sequences(beside, 100))
    assert SECRET not in refused
    assert f"{refused} ".isprintable()


@given(content=releases(PAIRS), manifest=MANIFESTS)
@FEW
def test_the_audit_of_anything_has_an_answer(content, manifest, tmp_path, capsys):
    release, original = written(tmp_path, content, manifest)
    status = audit_release.main([str(release), "--original", str(original)])
    shown = capsys.readouterr()
    assert status in (0, 1, 2)
    assert shown.err.count("\n") == (status == 2)
    assert SECRET not in shown.out + shown.err
