"""Whatever a release and its manifest hold: an answer, or one line; never a traceback."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings

from repro.commands import audit_release
from repro.commands.process.command import status_of
from tests.hostile.corpora import MANIFESTS, SECRET, releases

PAIRS = [(f"ask {k}", f"{SECRET} yes {k}", f"{SECRET} no {k}") for k in range(24)]
FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def written(folder, content, manifest):
    """(release, original) as files."""
    names = ("prompt", "chosen", "rejected")
    lines = [json.dumps(dict(zip(names, pair, strict=True))) + "\n" for pair in PAIRS]
    (folder / "in.jsonl").write_text("".join(lines))
    (folder / "out.jsonl").write_bytes(content)
    (folder / "out.manifest.json").write_bytes(manifest)
    return folder / "out.jsonl", folder / "in.jsonl"


@given(content=releases(PAIRS), manifest=MANIFESTS)
@FEW
def test_the_audit_of_anything_has_an_answer(content, manifest, tmp_path, capsys):
    release, original = written(tmp_path, content, manifest)
    new = tmp_path / "new.jsonl"
    new.unlink(missing_ok=True)
    new.with_name("new.manifest.json").unlink(missing_ok=True)
    words = [str(release), "--original", str(original), f"rewrite={new}"]
    status = status_of(audit_release.main, words)
    shown = capsys.readouterr()
    assert status in (1, 2, 4)
    assert shown.err.count("\n") == (status == 2)
    assert SECRET not in shown.out + shown.err
    assert new.exists() == (status != 2)
