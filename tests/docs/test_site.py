"""The site builds without a warning, works from disk, and a broken link stops it."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.browser.views import faults, needs_browser, views
from tests.docs.fences import ROOT

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")


def build(root, site):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_the_site_builds_and_asks_nothing_of_the_network(tmp_path):
    status, said = build(ROOT, tmp_path / "site")
    assert status == 0, said
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|img|iframe)[^>]*src=[\"']?(?:https?:)?//", text) == []
        assert re.findall(r"<link[^>]*href=[\"']?(?:https?:)?//[^>]*", text) == []
    engine = (tmp_path / "site/reference/engine.html").read_text(encoding="utf-8")
    assert "repro.study.row.Row" in engine


def test_a_broken_link_stops_the_build(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "repro", tmp_path / "repro")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    with (tmp_path / "docs" / "index.md").open("a") as page:
        page.write("\n[lost](lost.md)\n")
    status, said = build(tmp_path, tmp_path / "site")
    assert status == 1
    assert "lost.md" in said


@needs_browser
def test_in_a_browser_no_page_fails_overflows_or_is_inaccessible(tmp_path):
    assert build(ROOT, tmp_path / "site")[0] == 0
    pages = [page for page in (tmp_path / "site").rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 20  # 404.html is for a server: its links start at the root
    assert {page.name: wrong for page in pages if (wrong := faults(views(page)))} == {}
