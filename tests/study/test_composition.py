"""The words of a run, and the other places of theorems."""

from repro.study import composition


def test_what_is_skipped_is_said_beside_the_output(monkeypatch, capsys):
    monkeypatch.setattr(composition, "broken", lambda: ["skipped: mine", "skipped: yours"])
    assert composition.with_search_path(["seed=1"])[0] == "seed=1"
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "skipped: mine\nskipped: yours\n")
