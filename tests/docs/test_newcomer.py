"""A newcomer finds the file of a theorem, an estimator and a figure, and what is said is true."""

import ast
import re

from repro.study.discovery import slugs
from tests.docs.fences import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = sorted(path.parent for path in (ROOT / "repro").rglob("__init__.py"))[1:]


def section(title):
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def named_paths(text):
    """Paths between backticks that name one file or folder of the project."""
    words = re.findall(r"`([^` ]+)`", text)
    return [w for w in words if "/" in w and not re.search(r"[A-Z]{4}", w.rpartition("/")[2])]


def test_a_config_says_that_claims_and_tolerances_stand_in_the_code():
    """Its keys declare none of them, and its first line does not say so."""
    for slug in slugs():
        text = (ROOT / "conf" / "theorem" / f"{slug}.yaml").read_text(encoding="utf-8")
        first, keys = text.partition("\n")[0], re.findall(r"^ *(\w+):", text, re.MULTILINE)
        assert {"claimed", "expected", "direction"}.isdisjoint(keys), slug
        if re.search("claim|toleranc|effect", first):
            assert first.endswith(f"stand in theorems/{slug}.py.")


def test_every_named_path_is_there():
    found = named_paths(PAGE)
    assert len(found) > 12
    for name in found:
        assert list(ROOT.glob(name.rstrip("/"))), name


def test_every_picture_says_what_draws_it():
    listed = [name for name in named_paths(section("Where to find it")) if name.startswith("docs/")]
    pictures = {
        path for path in (ROOT / "docs").rglob("*") if path.suffix in (".png", ".svg", ".jpg")
    }
    assert pictures
    assert pictures - {path for name in listed for path in ROOT.glob(name)} == set()


def test_every_room_is_explained():
    rooms = {
        path.name for path in (ROOT / "repro").iterdir() if (path / "__init__.py").is_file()
    } - {"cli", "scaffold"}
    assert {room for room in rooms if not re.search(rf"`(repro/)?{room}`", PAGE)} == set()


def test_the_first_line_of_a_file_says_what_it_is():
    for path in (path for room in ROOMS for path in room.glob("[a-z]*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert len(text.partition("\n")[0].split()) >= 3, path


def test_every_estimator_is_imported_by_a_test():
    tests = "\n".join(p.read_text("utf-8") for p in (ROOT / "tests").rglob("test_*.py"))
    for path in (ROOT / "repro" / "worlds" / "estimators").glob("[a-z]*.py"):
        assert f"repro.worlds.estimators.{path.stem}" in tests, path


def test_the_readme_leads_to_the_page():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "ls theorems" in readme
    assert "docs/architecture.md" in readme
