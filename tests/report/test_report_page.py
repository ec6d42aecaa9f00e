"""The HTML report over made-up runs: numbers, escaping, choice of runs, findings, and a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.catalogue import papers
from repro.catalogue.papers import Slip
from repro.commands import catalogue as catalogue
from repro.commands import report as command
from repro.commands.process.command import status_of
from repro.report.files import write_files
from repro.report.html.bars import allowed_range, bar_svg
from repro.report.html.findings import disagreements, page
from repro.report.html.page import report_html
from repro.report.html.runs import code_today, find_runs
from repro.report.html.statements import statement_lines
from repro.report.run_files import Numbers
from tests.browser.views import faults, needs_browser, views

CODE = code_today("offline_gap")
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def written(tmp_path_factory, shared_result):
    """A folder with one finished run of ``offline_gap``, to copy: its figure takes a second."""
    folder = tmp_path_factory.mktemp("written") / "runs"
    write_files(shared_result, folder / "one", seconds=1.0, workers=1, device="cpu", code=CODE)
    return folder


@pytest.fixture
def runs(tmp_path, written):
    """The same, of this test alone."""
    return shutil.copytree(written, tmp_path / "runs")


def change(folder: Path, **fields) -> None:
    """Change a run's verdict.json."""
    path = folder / "one" / "verdict.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


class Links(HTMLParser):
    """Ids, and targets of links inside the page."""

    def __init__(self):
        super().__init__()
        self.ids, self.targets, self.others = [], [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        target = found.get("href") or found.get("src") or ""
        (self.targets if target.startswith("#") else self.others).append(target)


def only_slip(monkeypatch, slip):
    """The catalogue has no slip but this one, p1.x."""
    listed = papers.load()
    items = {name: one.model_copy(update={"slips": {}}) for name, one in listed.items.items()}
    changed = listed.model_copy(update={"items": items, "loose": {"p1.x": slip}})
    monkeypatch.setattr(papers, "load", lambda: changed)


def rendered(folder: Path) -> str:
    return report_html(find_runs(folder), papers.load())


def test_the_command_writes_one_page_and_says_how_large(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"report\.html \(\d\.\d MB\)", said)
    assert f"{(runs / 'report.html').as_uri()}#e-offline_gap\n" in said
    text = (runs / "report.html").read_text("utf-8")
    assert "-1.0020 [-1.0062, -0.9978]" in text
    assert "naive_likelihood" in text
    assert "rejected ✓" in text


def test_links_inside_lead_somewhere_and_none_leads_outside(runs):
    links = Links()
    links.feed(rendered(runs))
    assert len(links.ids) == len(set(links.ids))
    assert {target[1:] for target in links.targets} <= set(links.ids)
    assert {one.split(":")[0] for one in links.others if one} == {"data"}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        ({"experiment_id": "1", "run_id": "0a1b"}, True),
        ({"experiment_id": "1", "run_id": '"onclick=x'}, False),
        ({"run_id": "0a1b"}, False),
        ("text", False),
    ],
)
def test_a_run_that_was_tracked_has_a_link_to_the_tracker(runs, ids, shown):
    path = runs / "one" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"mlflow": ids}))
    links = Links()
    links.feed(rendered(runs))
    address = "http://127.0.0.1:5000/#/experiments/1/runs/0a1b"
    assert [one for one in links.others if one.startswith("http")] == ([address] * shown)


def test_a_run_shows_its_printed_statements_typeset(runs):
    text = rendered(runs)
    place = "Section 4.1, proof in Appendix B"
    start = f"<b>p1.thm_4_2</b>, {place}. Under Assumptions 3.7 and 3.8, for <math"
    assert text.count(start) == 1
    assert text.count(f"{place}. Under") == 2  # in the table of statements as well


def test_a_run_on_pairs_of_a_user_says_that_it_is_not_private(runs):
    config = runs / "one" / "config.yaml"
    for instance, said in (("{kind: linear}", 0), ("{kind: preference_text, path: a.jsonl}", 1)):
        config.write_text(f"instance: {instance}\n")
        assert rendered(runs).count("<b>not private: the numbers follow the labels") == said


def test_controls_beside_a_statement_are_those_of_the_check_beside_it(runs):
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    change(runs, checks=[check | {"statements": ["p1.thm_4_2"]} for check in checks])
    (run,) = find_runs(runs)
    lines = statement_lines(papers.load(), {run.key: run})
    line = next(line for line in lines if line.id == "p1.thm_4_2")
    assert (line.check.name, line.controls, line.caught) == ("event", 1, 0)
    change(runs, checks=[check | {"statements": ["p1.thm_4_2"]} for check in checks[1:2]])
    assert '<td data-label="controls">no control</td>' in rendered(runs)


def test_every_catalogue_item_has_a_line(runs):
    links = Links()
    links.feed(rendered(runs))
    assert {f"s-{name}" for name in papers.load().items} <= set(links.ids)


def test_a_figure_is_cut_into_its_panels_for_a_narrow_page(runs, result):
    text = rendered(runs)
    assert text.count('href="data:image/png;base64,') == 1  # the panels are cut out of one picture
    assert text.count('<use href="#i-offline_gap"/>') == len(result.checks) + 1  # and the legend


def test_a_figure_that_does_not_say_where_its_panels_are_is_shown_whole(runs):
    from PIL import Image

    path = runs / "one" / "figure.png"
    with Image.open(path) as image:
        image.convert("RGB").save(path)
    text = rendered(runs)
    assert 'src="data:image/png;base64,' in text
    assert "<use" not in text


def test_the_gallery_has_every_figure_and_leads_nowhere_else(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs), "--gallery"]) == 0
    assert "gallery.html" in capsys.readouterr().out
    text, links = (runs / "gallery.html").read_text("utf-8"), Links()
    links.feed(text)
    assert 'href="data:image/png;base64,' in text
    assert "python -m repro theorem=offline_gap" in text
    assert len(links.ids) == len(set(links.ids))
    assert {target[1:] for target in links.targets} <= set(links.ids)
    assert {one.split(":")[0] for one in links.others if one} == {"data"}
    assert not (runs / "report.html").exists()


def test_the_gallery_shows_a_run_without_a_picture_too(runs):
    (runs / "one" / "figure.png").write_bytes(b"no picture")
    assert status_of(command.main, ["--runs", str(runs), "--gallery", "--paper", "p1"]) == 0
    assert "No figure that can be read." in (runs / "gallery_p1.html").read_text("utf-8")


def test_a_page_of_one_paper_has_its_statements_alone(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs), "--paper", "p1"]) == 0
    text, links = (runs / "report_p1.html").read_text(), Links()
    links.feed(text)
    listed = {name[2:] for name in links.ids if name.startswith("s-")}
    assert listed == {name for name in papers.load().items if name.startswith("p1.")}
    assert "<h1>" in text
    heading = text.partition("</h1>")[0].rpartition("<h1>")[2]
    assert heading == f"P1: {html.escape(papers.load().papers['p1'].said)}: verdicts"
    assert f"theorems/offline_gap.py {CODE['theorems/offline_gap.py'][:12]}" in text
    assert set(links.targets) <= {f"#{name}" for name in links.ids}
    assert f"1 experiment run here. The catalogue has {len(listed)} statements of P1." in text


def test_a_page_of_all_papers_counts_all_of_them(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs)]) == 0
    own = sum(name.startswith("own.") for name in papers.load().items)
    text = (runs / "report.html").read_text()
    counts = f"{len(papers.load().items) - own} statements of P1, P2, P3, P4 and {own} own results"
    assert f"1 experiment run here. The catalogue has {counts}." in text
    legends = re.findall(r'<ul class="legend">.*?</ul>', text, re.DOTALL)
    numbers = map(int, re.findall(r"</span> (\d+)<", "".join(legends)))
    assert sum(numbers) == len(papers.load().items) == text.count("<tbody id=")


def test_a_page_of_one_paper_links_no_statement_of_another(runs, make_result):
    both = make_result(statements=("p1.thm_4_2", "p2.thm_5_2"))
    write_files(both, runs / "one", seconds=1.0, workers=1, device="cpu", code=CODE)
    assert status_of(command.main, ["--runs", str(runs), "--paper", "p1"]) == 0
    text, links = (runs / "report_p1.html").read_text(), Links()
    links.feed(text)
    assert "p2.thm_5_2" in text
    assert set(links.targets) <= {f"#{name}" for name in links.ids}


def test_a_page_of_one_paper_has_the_own_results_of_its_runs(runs, make_result):
    both = make_result(statements=("p1.thm_4_2", "own.lower_bound_in_keep_prob"))
    write_files(both, runs / "one", seconds=1.0, workers=1, device="cpu", code=CODE)
    assert status_of(command.main, ["--runs", str(runs), "--paper", "p1"]) == 0
    links = Links()
    links.feed((runs / "report_p1.html").read_text())
    own = {name for name in links.ids if name.startswith("s-own")}
    assert own == {"s-own.lower_bound_in_keep_prob"}


def test_a_paper_that_no_run_speaks_for_is_refused(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs), "--paper", "p3"]) == 2
    assert "runs" in capsys.readouterr().err
    assert not (runs / "report_p3.html").exists()


def test_markup_in_a_file_stays_text(runs):
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    checks[0]["claim"] = checks[0]["name"] = MARKUP
    change(runs, checks=checks, config_hash=MARKUP, assumptions=[
        {"name": MARKUP, "holds": False, "detail": MARKUP}])  # fmt: skip
    text = rendered(runs)
    assert MARKUP not in text
    assert "&lt;script&gt;alert(1)" in text
    assert text.count("<script>") == 1


def test_a_statement_takes_the_worst_of_its_own_checks_only(runs):
    everything = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    for check in everything:
        check["statements"], check["verdict"] = ["p1.abs_1"], "contradicted"
    everything[0] |= {"statements": ["p1.thm_4_2"], "verdict": "supported"}
    change(runs, statements=["p1.thm_4_2", "p1.abs_1"], checks=everything)
    (run,) = find_runs(runs)
    lines = {one.id: one for one in statement_lines(papers.load(), {"offline_gap": run})}
    one = lines["p1.thm_4_2"]
    assert (one.check.verdict, one.controls, one.caught) == ("supported", 1, 1)
    # other experiments and proofs, which were not run here, contradict it
    assert (one.verdict, one.here) == ("contradicted", False)
    assert one.note.startswith("✓ supported here; by other evidence, at a fixed B ")
    definition = lines["p1.def_3_3"]
    assert definition.note == f"{definition.known.standing.sentence}."
    assert (lines["p1.lem_a_2"].verdict, lines["p1.lem_a_2"].here) == ("supported", False)
    assert lines["p1.asm_3_7"].words == "– no experiment"


@pytest.mark.parametrize(
    ("name", "verdict", "words", "here"),
    [
        ("p1.thm_4_2", "contradicted", "✗ contradicted (error)", True),
        ("p1.def_3_3", "contradicted", "✗ contradicted", True),
        ("p1.def_3_3", "supported", "– executed, no verdict", False),
    ],
)
def test_a_definition_is_never_supported_and_what_fails_here_is_coloured(
    runs, name, verdict, words, here
):
    check = json.loads((runs / "one" / "verdict.json").read_text())["checks"][0]
    change(runs, statements=[name], checks=[check | {"statements": [name], "verdict": verdict}])
    (run,) = find_runs(runs)
    lines = {one.id: one for one in statement_lines(papers.load(), {"offline_gap": run})}
    assert (lines[name].words, lines[name].here) == (words, here)


def test_what_was_not_run_is_grey_with_what_is_known_and_how_it_fails(runs):
    text = rendered(runs)
    (row,) = re.findall(r'<tbody id="s-p1.thm_5_2".*?</tbody>', text, re.DOTALL)
    assert '<span class="verdict none">✗ contradicted (error)</span>' in row
    assert "<b>Smallest counterexample.</b> One state, two responses" in row
    assert "python -m repro theorem=corrected_log_regret only=cap_one budget=smoke" in row
    assert "Not run here: python -m repro theorem=" in row
    # offline_gap's checks support Theorem 4.2 in these runs, and proofs contradict it
    assert '<a href="#s-p1.thm_4_2">p1.thm_4_2</a> (catalogue: ✗ contradicted (error))' in text


def test_what_was_run_comes_first(runs):
    text = rendered(runs)
    places = [text.index(f'<section id="{name}"') for name in ("experiments", "statements")]
    assert places == sorted(places)
    assert '<details class="experiment" id="e-offline_gap" open>' in text


def test_a_whole_run_is_preferred_to_one_with_overrides_and_laptop_to_smoke(runs, make_result):
    for name, config, budget in (
        ("two", {"epsilon": 0.5}, "paper"),
        ("three", {}, "smoke"),
        ("four", {}, "laptop"),
    ):
        result = make_result(config=config, budget=budget, config_hash=name)
        write_files(result, runs / name, seconds=1.0, workers=1, device="cpu", code=CODE)
    shutil.rmtree(runs / "one")
    (run,) = find_runs(runs)
    assert run.folder.name == "four"
    shutil.rmtree(runs / "four")
    shutil.rmtree(runs / "three")
    (run,) = find_runs(runs)
    assert run.command == "python -m repro theorem=offline_gap budget=paper epsilon=0.5"


def test_of_two_parts_the_one_with_the_shipped_numbers_is_shown(runs, make_result):
    """``only`` changes no number; a later run at other numbers does not hide it."""
    others = {"only": ["n_pairs"], "changed": {"theorem.worlds.ctl.corruption": 0.2}}
    for name, config in (("two", {"only": ["n_pairs"]}), ("three", others)):
        result = make_result(config=config, config_hash=name)
        write_files(result, runs / name, seconds=1.0, workers=1, device="cpu", code=CODE)
    shutil.rmtree(runs / "one")
    (run,) = find_runs(runs)
    assert run.folder.name == "two"


def test_what_holds_under_a_condition_is_counted_apart(runs):
    """As in docs/statements.md."""
    text = rendered(runs)
    (plain,) = re.findall(r">✓ supported</span> (\d+)<", text.partition("Not run here")[2])
    (conditional,) = re.findall(r">✓ supported under a condition[^<]*</span> (\d+)<", text)
    assert int(plain) > int(conditional) > 0


@pytest.mark.some(2)
@pytest.mark.parametrize("content", ["", "{", "[]", '{"theorem": 1}', "\x00\x01", "[" * 100_000])
def test_a_file_that_is_no_run_is_one_line_and_nothing_is_written(runs, capsys, content):
    (runs / "one" / "verdict.json").write_text(content)
    assert status_of(command.main, ["--runs", str(runs)]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "verdict.json: allowed: files of a finished run" in line
    assert not (runs / "report.html").exists()


def test_words_in_the_place_of_a_count_are_refused(runs, capsys):
    change(runs, replicates="many")
    assert status_of(command.main, ["--runs", str(runs)]) == 2
    line = capsys.readouterr().err
    assert "verdict.json: allowed: files of a finished run; replicates=many" in line
    assert not (runs / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--runs", "/nowhere"], "runs=/nowhere: allowed: a folder with finished runs"),
        (["--bogus"], "bogus: unknown key; allowed: "),
    ],
)
def test_bad_arguments_are_one_line(capsys, arguments, line):
    assert status_of(command.main, arguments) == 2
    shown = capsys.readouterr().err
    assert line in shown
    assert shown.count("\n") == 1


def test_an_empty_folder_is_refused(tmp_path):
    assert status_of(command.main, ["--runs", str(tmp_path)]) == 2
    with pytest.raises(BadInput):
        find_runs(tmp_path / "missing")


def test_a_finding_against_the_runs_is_status_one(runs, capsys, monkeypatch):
    note = Slip(place="p", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs/naive_likelihood",))  # fmt: skip
    only_slip(monkeypatch, note)
    assert status_of(command.main, ["--runs", str(runs)]) == 0
    controls = json.loads((runs / "one" / "verdict.json").read_text())["controls"]
    controls[0]["verdict"] = "supported"
    change(runs, controls=controls)
    assert status_of(command.main, ["--runs", str(runs)]) == 1
    assert "p1.x: offline_gap: n_pairs/naive_likelihood came out supported" in (
        capsys.readouterr().err
    )


def test_a_finding_follows_the_pinned_verdict(runs):
    note = Slip(place="p", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs",))  # fmt: skip
    (run,) = find_runs(runs)
    assert list(disagreements({"p1.x": note}, {"offline_gap": run})) == []
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    change(runs, checks=[checks[0] | {"expected": "contradicted"}, *checks[1:]])
    (run,) = find_runs(runs)
    (line,) = disagreements({"p1.x": note}, {"offline_gap": run})
    assert "the note needs contradicted" in line


def test_a_run_at_other_settings_decides_no_finding(runs):
    note = Slip(place="p", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs",))  # fmt: skip
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    change(runs, checks=[checks[0] | {"expected": "contradicted"}, *checks[1:]])
    (run,) = find_runs(runs)
    for given in ({"changed": {"theorem.worlds.near.corruption": 1e-7}}, {"epsilon": 0.5}):
        elsewhere = replace(run, config=run.config.model_copy(update=given))
        assert list(disagreements({"p1.x": note}, {"offline_gap": elsewhere})) == []
        assert elsewhere.other_settings_words.endswith("it decides no finding")
    part = replace(run, config=run.config.model_copy(update={"only": "n_pairs"}))
    assert part.other_settings_words == ""
    assert len(list(disagreements({"p1.x": note}, {"offline_gap": part}))) == 1


def test_findings_as_markdown_have_the_measured_number(runs, tmp_path, monkeypatch):
    note = Slip(place="Theorem 4.2", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs", "lower_bound: n_pairs"))  # fmt: skip
    only_slip(monkeypatch, note)
    assert status_of(command.main, ["--runs", str(runs), "--findings", str(tmp_path / "f.md")]) == 0
    text = (tmp_path / "f.md").read_text("utf-8")
    assert "## P1, Theorem 4.2 (error)" in text
    assert "measured -1.0020 [-1.0062, -0.9978]; ✓ supported; 95 % interval" in text
    assert "`python -m repro theorem=offline_gap budget=smoke only=n_pairs`" in text
    assert "- **Not run:**\n    - `lower_bound: n_pairs`: not run" in text
    assert "- **Supported beside it:**\n    - `offline_gap: n_pairs`: claimed" in text
    assert "- **Problem:** s.\n- **Holds:** c.\n" in text
    assert "Witness:" not in text


def test_a_witness_is_a_contradicted_row_with_its_place(runs, tmp_path, monkeypatch):
    note = Slip(place="Theorem 4.2", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs",))  # fmt: skip
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    told = {
        "verdict": "contradicted",
        "expected": "contradicted",
        "axis": "n_pairs",
        "grid": [10, 100, 1000],
        "settings": {"epsilon": 0.5},
        "statements": ["p1.thm_4_2"],
    }
    change(runs, checks=[checks[0] | told, *checks[1:]])
    only_slip(monkeypatch, note)
    assert (
        status_of(command.main, ["--runs", str(runs), "--findings", str(tmp_path / "f.md")]) == 1
    )  # changed files
    text = (tmp_path / "f.md").read_text("utf-8")
    assert "- **Printed:** Theorem 4.2 (`python -m repro catalogue p1.thm_4_2`).\n" in text
    assert "- **Witness:**\n    - `offline_gap: n_pairs`: " in text
    assert "n_pairs 10 to 1000, ε = 0.5" in text


def test_latex_tables_and_figures(runs, tmp_path):
    assert status_of(command.main, ["--runs", str(runs), "--latex", str(tmp_path / "tex")]) == 0
    text = (tmp_path / "tex" / "offline_gap.tex").read_text()
    assert r"\texttt{n\_pairs} & slope -1 $\pm$ 0.05 & -1.0020 [-1.0062, -0.9978] & sup" in text
    assert r"\quad \textit{naive\_likelihood}" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1
    assert all(line.count("&") == 3 for line in text.splitlines() if line.endswith(r" \\"))
    pdf = (tmp_path / "tex" / "offline_gap.pdf").read_bytes()
    width = float(re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", pdf)[1])  # type: ignore[index]
    assert width == pytest.approx(3.35 * 72)


@pytest.mark.parametrize(
    ("entry", "allowed"),
    [
        ({"claimed": -1, "tolerance": 0.05}, (-1.05, -0.95)),
        ({"claimed": 1, "tolerance": 0.05, "direction": "at_most"}, (float("-inf"), 1.05)),
        ({"claimed": 0, "tolerance": 0.1, "direction": "at_least"}, (-0.1, float("inf"))),
        ({"claimed_epsilon": 0.5, "exact_epsilon": 0.6}, (0.0, 0.5)),
        ({"max_ratio": 0.3}, (0.0, 1.0)),
        ({"allowed": 0.05, "claimed": 0.05}, (0.0, 0.05)),
        ({"reason": "nothing"}, None),
    ],
)
def test_allowed_range(entry, allowed):
    assert allowed_range(Numbers(**entry)) == (None if allowed is None else pytest.approx(allowed))


def test_a_bar_puts_the_value_inside_or_outside_the_shade():
    def places(value):
        numbers = Numbers(slope=value, ci95=(value, value), claimed=-1, tolerance=0.05)
        text = bar_svg(numbers)
        left, width = re.search(r'x="([\d.]+)" y="3" width="([\d.]+)"', text).groups()  # type: ignore[union-attr]
        at = float(re.search(r'cx="([\d.]+)"', text)[1])  # type: ignore[index]
        return float(left) <= at <= float(left) + float(width)

    assert places(-1.02)
    assert not places(-0.8)
    assert bar_svg(Numbers(claimed=-1)) == ""


@needs_browser
def test_in_a_browser_nothing_fails_overflows_or_is_inaccessible(runs, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(rendered(runs), encoding="utf-8")
    found = views(page)
    assert [(v["width"], v["scheme"]) for v in found] == [
        (1280, "light"), (1280, "dark"), (400, "light"), (400, "dark"),
    ]  # fmt: skip
    assert faults(found) == []


@needs_browser
def test_in_a_browser_the_gallery_is_whole_too(runs):
    assert status_of(command.main, ["--runs", str(runs), "--gallery"]) == 0
    assert faults(views(runs / "gallery.html")) == []


@needs_browser
def test_the_browser_check_finds_a_faulty_page(tmp_path):
    page = tmp_path / "faulty.html"
    page.write_text(
        "<!doctype html><html><title>t</title><body><main><div style='width:3000px'>wide</div>"
        "<img src='http://127.0.0.1:9/x.png'><script>nowhere()</script></main></body></html>"
    )
    found = views(page)
    assert faults(found) == found
    for view in found:
        assert view["overflow"] > 0
        assert any("nowhere" in one for one in view["complaints"])
        assert view["requests"] == ["http://127.0.0.1:9/x.png"]
        assert any(one.startswith(("html-has-lang", "image-alt")) for one in view["serious"])


NOTICED = {
    "theorem": "offline_gap", "check": "n_pairs", "evidence": "measured", "need": "labels",
    "ablation": "fair coins as labels", "before": "supported", "after": "contradicted",
    "noticed": True,
}  # fmt: skip
DEAF = NOTICED | {
    "ablation": "truth as estimate",
    "after": "supported",
    "noticed": False,
    "blind": "a bound",
}


def test_a_row_says_how_it_knows_and_what_it_noticed(runs, capsys):
    assert status_of(command.main, ["--runs", str(runs)]) == 0
    without = (runs / "report.html").read_text("utf-8")
    assert 'id="ablations"' not in without
    (runs / "ablations.json").write_text(json.dumps([NOTICED, DEAF]))
    assert status_of(command.main, ["--runs", str(runs)]) == 0
    text = (runs / "report.html").read_text("utf-8")
    assert "1 of 2 ablations noticed" in text
    still = "offline_gap n_pairs, truth as estimate: NOT NOTICED: still supported (blind: a bound)"
    assert still in text
    assert '<td data-label="not noticed">1</td>' in text


def test_a_run_that_contradicts_some_of_its_statements_says_which(runs):
    path = runs / "one" / "verdict.json"
    verdict = json.loads(path.read_text())
    first, second = verdict["checks"][:2]
    first |= {"verdict": "supported", "statements": ["p4.thm_5_4"]}
    second |= {"verdict": "contradicted", "statements": ["p4.eq_20"]}
    verdict |= {"checks": [first, second], "statements": ["p4.thm_5_4", "p4.eq_20"]}
    verdict |= {"rows": [2, 2], "controls": []}
    path.write_text(json.dumps(verdict))
    page = rendered(runs)
    assert ">✗ contradicted: 1 of 2 statements</span>" in page
    about = page.partition(" · about ")[2].partition("</p>")[0]
    assert [about.index(sign) < about.index(f'">{name}<') for sign, name in
            (("✓ ", "p4.thm_5_4"), ("✗ ", "p4.eq_20"))] == [True, True]  # fmt: skip


def test_a_row_shows_its_slack_and_what_has_left_its_pin(runs):
    path = runs / "one" / "verdict.json"
    verdict = json.loads(path.read_text())
    verdict["checks"][0] |= {"verdict": "supported", "slack": 14.16, "off_curve": 0.4}
    verdict["checks"][1] |= {"slack": 2.5, "slack_pinned": 3.0, "off_curve": 1.32}
    path.write_text(json.dumps(verdict))
    page = rendered(runs)
    failed = (
        "1 of 80 replicates failed; not a number at n = 1e+04 in more than 1 % of the replicates"
    )
    assert f'<span class="what">{failed}; slack 14.2</span>' in page
    off = "slack 2.5, recorded 3; curve off its pin, 1.32 times what is allowed; no control was run"
    assert f'<span class="what">{off}: ' in page


@pytest.mark.some(2)
@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"theorem": "x"}]', '"' + MARKUP + '"'])
def test_a_broken_matrix_is_one_line(runs, content, capsys):
    (runs / "ablations.json").write_text(content)
    assert status_of(command.main, ["--runs", str(runs)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (runs / "report.html").exists()


def test_one_statement_shows_what_was_measured(runs, capsys, monkeypatch):
    """``repro.catalogue ID`` reads the runs in ./outputs."""
    checks = json.loads((runs / "one" / "verdict.json").read_text())["checks"]
    change(runs, checks=[{**checks[0], "statements": ["p1.thm_4_2"]}])
    runs.rename(runs.parent / "outputs")
    monkeypatch.chdir(runs.parent)
    assert status_of(catalogue.main, ["p1.thm_4_2"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    numbers = "claimed slope -1 ± 0.05; measured -1.0020 [-1.0062, -0.9978]; n_pairs 1000 to 1e+06"
    assert f"✓ n_pairs: the gap falls like 1/n {numbers}, ε = 1 ✓" in text


def test_findings_name_the_paper_that_they_are_of():
    assert "in the printed text of FIFTH. Written by" in page([], "FIFTH")
    assert "in the printed text of the four papers. Written by" in page([])


def test_a_control_says_what_is_wrong_with_it(runs):
    controls = json.loads((runs / "one" / "verdict.json").read_text())["controls"]
    assert "wrong on purpose: labels are taken for clean" not in rendered(runs)
    change(runs, controls=[one | {"mistake": "labels are taken for clean"} for one in controls])
    assert "wrong on purpose: labels are taken for clean" in rendered(runs)
