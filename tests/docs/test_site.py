"""The site builds without a warning, works from disk, and a broken link stops it."""

import re
import shutil
import subprocess
import sys

import pytest

from repro.catalogue import rows
from tests.browser.views import faults, needs_browser, views
from tests.docs.emphasis import eaten
from tests.docs.fences import ROOT

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")
pytestmark = pytest.mark.slow


def build(root, site):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("built") / "site"
    status, said = build(ROOT, folder)
    assert status == 0, said
    assert len(list(folder.rglob("*.html"))) > 20
    return folder


def test_the_site_builds_and_asks_nothing_of_the_network(site):
    pages = list(site.rglob("*.html"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|img|iframe)[^>]*src=[\"']?(?:https?:)?//", text) == []
        assert re.findall(r"<link[^>]*href=[\"']?(?:https?:)?//[^>]*", text) == []
    engine = (site / "reference/engine.html").read_text(encoding="utf-8")
    for name in ("repro.core.check.Theorem", "repro.core.check.Check", "repro.core.claims.Slope"):
        assert f'id="{name}"' in engine


def test_every_star_of_a_formula_is_on_the_page(site):
    wrong = {page.name: eaten(page.read_text("utf-8")) for page in site.rglob("*.html")}
    assert {name: found for name, found in wrong.items() if found} == {}


SOURCES = sorted(
    path.relative_to(ROOT / "docs").with_suffix("").as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if path.parent.name != "reference"  # docstrings join those
    # runs of a suite write these anew
    and path.stem not in ("results", "findings", "ablations")
)


@pytest.mark.parametrize("page", SOURCES)
def test_a_page_has_the_stars_of_its_source_but_those_of_emphasis(site, page):
    source = (ROOT / f"docs/{page}.md").read_text("utf-8")
    prose = re.sub(r"(?ms)^ *```.*?^ *```$|(`+)[^`].*?\1", "", source)
    html = (site / f"{page}.html").read_text("utf-8").partition("<article")[2]
    html = re.sub(r'(?s)<(code|pre)\b.*?</\1>|<span class="filename">.*?</span>', "",
                  html.partition("</article")[0])  # fmt: skip
    marks = 2 * html.count("<em>") + 4 * html.count("<strong>")
    assert prose.count("*") == re.sub(r"<[^>]+>", "", html).count("*") + marks


PAGES = sorted(path.stem for path in (ROOT / "docs/explanations").glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_typeset_and_no_sign_of_theirs_is_left_over(site, page):
    html = (site / f"explanations/{page}.html").read_text("utf-8")
    text = re.sub(r"(?s)<(code|pre|annotation)\b.*?</\1>", "", html.partition("<article")[2])
    assert "klzzwxh" not in re.sub(r"<[^>]+>", "", text)
    for left in re.findall(r"\S*(?:\^\{|_\{|\^\()\S*", re.sub(r"(?s)<[^>]+>", "", text)):
        raise AssertionError(f"not typeset: {left}")
    assert html.count("<math") == html.count("</math>")


def test_a_proof_page_has_its_formulas_as_mathml(site):
    html = (site / "explanations/corrected_theorem_4_2.html").read_text("utf-8")
    assert html.count('<math display="block"') > 20
    assert "<msup><mi>e</mi><mrow><mn>2</mn><mi>B</mi></mrow></msup>" in html


def test_the_id_of_a_statement_is_no_formula(site):
    html = (site / "results.html").read_text("utf-8")
    assert "p1.thm_4_2 ✗" in html
    assert "<mi>t</mi><mi>h</mi>" not in html


@pytest.mark.parametrize(
    "html",
    [
        "<p>J(π<em>) − J(π</em>)</p>",  # J(π*) − J(π*)
        "<p>r̄<em>t and r̄</em>t</p>",  # r̄_t and r̄_t
        "<p><em>if ‖θ</em> − θ‖ ≤ B* and θ*</p>",  # *if ‖θ* − θ‖ ≤ B* and θ*
        "<p><strong>at w</strong> = 0 and w*</p>",
        "<p>*Proof. Let π* be</p>",  # the closing star is gone
    ],
)
def test_an_eaten_star_is_found(html):
    assert eaten(f"<article>{html}</article>")


def test_emphasis_and_the_stars_of_formulas_and_code_are_not_taken_for_eaten():
    html = "<p><em>Proof.</em> π*(y), <em>in m</em>, θ̂* and <code>rm *</code></p>"
    assert eaten(f"<article>{html}</article>") == []


def test_every_statement_paper_and_proof_has_a_page(site):
    names = {row.id for row in rows()}
    assert {path.stem for path in (site / "statements").glob("*.html")} == names
    assert len(list((site / "papers").glob("*.html"))) == 5
    files = {path.stem for path in (ROOT / "proofs").glob("*.v")}
    assert {path.stem for path in (site / "proofs").glob("*.html")} == files
    page = (site / "statements/p2.prop_e_1.html").read_text("utf-8")
    for link in ("../proofs/p2_propositions_E_1_E_2_false.html", "../papers/p2.html",
                 "../explanations/fast_rates_and_corruption.html"):  # fmt: skip
        assert f'href="{link}"' in page
    assert "<math" in page
    assert 'href="statements/p2.prop_e_1.html"' in (site / "statements.html").read_text("utf-8")


def test_a_broken_link_stops_the_build(tmp_path):
    for folder in ("docs", "repro", "tools", "conf", "theorems", "proofs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    with (tmp_path / "docs" / "index.md").open("a") as page:
        page.write("\n[lost](lost.md)\n")
    status, said = build(tmp_path, tmp_path / "site")
    assert status == 1
    assert "lost.md" in said


@needs_browser
def test_in_a_browser_no_page_fails_overflows_or_is_inaccessible(site):
    # 404.html is for a server: its links start at the root
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    # of those that are made alike, a few
    made = [page for page in pages if page.parent.name in ("statements", "proofs")]
    wide = [page for page in made if page.stem in ("p1.eq_20", "p4.eq_20", "own.hybrid")]
    pages = [page for page in pages if page not in made] + made[::40] + wide
    assert {page.name: wrong for page in pages if (wrong := faults(views(page)))} == {}
