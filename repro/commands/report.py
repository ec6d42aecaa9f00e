"""One HTML page over what has been run, or tables and figures for a paper.

    repro report [runs=outputs] [output=FILE] [paper=p1] [gallery=true]
    repro report findings=FILE     the findings as Markdown, and nothing else
    repro report latex=FOLDER      booktabs tables and PDF figures only

runs= is the folder of finished runs; the page is report.html there unless output= names another.
Of each experiment it shows one run.  It prefers today's code, then all checks, then the shipped
numbers (only= changes none), then the larger budget, then the latest.
runs=FOLDER of one run shows that run.
paper= shows one paper alone (report_p1.html), gallery=true every figure and no more (gallery.html).
Exit status: 0, or 1 if a finding disagrees with the runs or the files of a run were changed since.
It is 2 for bad input, with nothing written.  From Python: ``repro.report.write("outputs")``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from repro.base.errors import one_line
from repro.base.files import write_whole
from repro.base.words import split_words, true_or_false

KEYS = {
    "runs": "outputs",
    "output": "FILE",
    "paper": "p1",
    "gallery": "true",
    "findings": "FILE",
    "latex": "FOLDER",
}


def main(words: Sequence[str]) -> int:
    """Write what the words ask for.

    Raises:
        BadInput: an unknown key, a folder without runs, an unknown paper.
    """
    from repro.report.html.findings import findings, page
    from repro.report.html.runs import say_changes, verdict_files
    from repro.report.writing import material, written

    _, texts = split_words(words, KEYS, switches=("gallery",))
    gallery, paper = true_or_false(texts, "gallery"), texts.get("paper")
    shown = material(Path(texts.get("runs", "outputs")), paper)
    if "latex" in texts:
        from repro.report.latex import write_latex

        folder = Path(texts["latex"])
        print(f"{write_latex(shown.runs, folder)} files in {folder}")
    elif "findings" in texts:
        target = Path(texts["findings"])
        notes = findings(shown.catalogue, {run.key: run for run in shown.runs})
        about = {"papers": shown.paper.upper()} if shown.paper else {}
        write_whole(target, page(notes, **about))
        _say_size(target)
    else:
        output = Path(texts["output"]) if "output" in texts else None
        path = written(shown, gallery, output).path
        _say_size(path)
        if not gallery:
            newest = max(shown.runs, key=lambda run: str(run.facts.get("finished")))
            print(f"the newest run in it: {path.resolve().as_uri()}#e-{newest.key}")
            others = 0 if paper else len(verdict_files(shown.folder)) - len(shown.runs)
            if others > 0:
                print(f"finished runs that are not in it: {others}; runs=FOLDER shows one of them")
    for run in shown.runs:
        for words in filter(None, (run.other_settings_words, run.stale_words)):
            print(one_line(f"{run.key}: {words}"))
    for line in shown.disagreements:
        print(f"finding against the runs: {line}", file=sys.stderr)
    return max(say_changes(shown.runs), int(bool(shown.disagreements)))


def _say_size(path: Path) -> None:
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
