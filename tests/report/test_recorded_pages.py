"""Pages, tables and screens over made-up papers and runs are as recorded.

``python -m pytest tests/report/test_recorded_pages.py --snapshot-update -n 0`` renews the record.
"""

import os
import re
import shutil

import pytest
from matplotlib.figure import Figure

from repro.catalogue import machine_checked, papers, summaries
from repro.commands import catalogue, report, suite
from repro.report.html import docstrings, runs
from tests.report.made_up_papers import TITLED, code_today, recorded, write_place, write_runs
from tests.report.readable import figure_text, readable, rounded


@pytest.fixture(scope="module", name="written")
def _written(tmp_path_factory):
    """The place, with runs in ``outputs``."""
    folder = tmp_path_factory.mktemp("made_up")
    place = write_place(folder)
    write_runs(folder / "outputs")
    return place


@pytest.fixture
def folder(written, monkeypatch):
    """The current folder, the only place that there is; the last test's pages are gone."""
    for module in (papers, summaries, docstrings, runs):
        monkeypatch.setattr(module, "places", lambda *folder: [written])
    monkeypatch.setattr(catalogue, "names", lambda: [*TITLED, "unread_rate", "recorded_rate"])
    monkeypatch.setattr(summaries, "installed", lambda: ())
    monkeypatch.setattr(summaries, "_of_place", lambda place, names: recorded())
    monkeypatch.setattr(machine_checked, "here", lambda file: f"whether {file} was checked here")
    monkeypatch.setattr(runs, "code_today", code_today)
    monkeypatch.chdir(written.folder)
    monkeypatch.setenv("COLUMNS", "100")
    yield written.folder
    for path in (written.folder / "pages", written.folder / "outputs" / "suite"):
        shutil.rmtree(path, ignore_errors=True)


def said(capsys, status):
    """Exit status, standard output and standard error, without the folder's name."""
    out, err = capsys.readouterr()
    return f"{out}--- {err}--- status {status}".replace(os.getcwd(), "HERE")


ASKED = """
--json; --page; --slips; all of; p1; own.bound; lemma B.1; P2 Figure 2; p1.thm_4_2; p1.abs_1;
p1.def_3_3; p1.thm_4_5; p1.asm_3_7; p1.prop_c_2; nowhere_rate; p1.cor_4_6; p1.thm_6_1; p2.tab_1;
p2.thm_5_2
"""


def test_the_catalogue(folder, capsys, snapshot):
    for words in ("", *(" ".join(words.split()) for words in ASKED.split(";"))):
        status = catalogue.main([words] if words else [])
        assert said(capsys, status) == snapshot(name=words or "all")


def test_the_catalogue_without_runs(folder, capsys, snapshot, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for words in ("p1.thm_6_1", "p1.lem_b_1", "p1.thm_4_2"):
        assert said(capsys, catalogue.main([words])) == snapshot(name=words)


def test_the_pages(folder, capsys, snapshot):
    (folder / "pages").mkdir()
    for words in ("", "paper=p2", "gallery=true", "gallery=true paper=p1"):
        status = report.main(["output=pages/page.html", *words.split()])
        page = (folder / "pages" / "page.html").read_text(encoding="utf-8")
        assert readable(page) == snapshot(name=words or "report")
        assert re.sub(r"\d\.\d MB", "SIZE", said(capsys, status)) == snapshot(name=f"{words} said")


def test_where_a_page_is_written_that_has_no_place_of_its_own(folder, capsys):
    for words, name in (("paper=p2", "report_p2"), ("gallery=true paper=p1", "gallery_p1")):
        report.main(words.split())
        page = folder / "outputs" / f"{name}.html"
        assert str(page.relative_to(folder)) in capsys.readouterr().out
        page.unlink()


def test_the_findings(folder, capsys, snapshot):
    (folder / "pages").mkdir()
    status = report.main(["findings=pages/findings.md"])
    assert (folder / "pages" / "findings.md").read_text(encoding="utf-8") == snapshot
    assert said(capsys, status) == snapshot(name="said")


def test_tables_for_latex(folder, capsys, snapshot, monkeypatch):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **how: drawn.append((figure, how)))
    status = report.main(["latex=pages"])
    names = sorted((folder / "pages").iterdir())
    texts = [path.read_text(encoding="utf-8") for path in names if path.suffix == ".tex"]
    assert "\n".join([*texts, *(path.name for path in names)]) == snapshot(name="tables")
    figures = [f"{how}\n{figure_text(figure)}" for figure, how in drawn]
    assert "\n".join(figures) == snapshot(name="figures")
    assert said(capsys, status) == snapshot(name="said")


def test_results_and_numbers_of_a_suite(folder, capsys, snapshot):
    suite_folder = folder / "outputs" / "suite"
    for name in ("every", "part", "expected", "assumption", "bounds"):
        shutil.copytree(folder / "outputs" / name, suite_folder / name)
        (suite_folder / name / "figure.png").write_bytes(b"")
    (suite_folder / "bounds" / "config.yaml").write_text("another: 1\n")
    assert said(capsys, suite.main(["table"])) == snapshot(name="table")
    assert said(capsys, suite.main(["metrics"])) == snapshot(name="metrics")
    for name in ("expected", "assumption", "bounds"):
        shutil.rmtree(suite_folder / name)
    assert said(capsys, suite.main(["table"])) == snapshot(name="table of one budget")
    for kind, ending in (("metrics", "json"), ("curves", "csv")):
        text = (folder / "outputs" / kind / f"every.{ending}").read_text(encoding="utf-8")
        assert rounded(text) == snapshot(name=f"file of {kind}")
