"""The key of a block holds the code that its numbers come from, and no other."""

import sys
from pathlib import Path

import pytest

from repro.study import sources
from repro.study.sources import closure, files_fingerprint

ROOT = Path(sources.__file__).parents[2]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of four modules, followed like our own."""
    folder = tmp_path / "somewhere" / "toypack"
    (folder / "inner").mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "inner/__init__.py": "",
        "one.py": "from toypack.inner import two\nimport json\n",
        "inner/two.py": "def f():\n    from toypack.three import NAME\n    return NAME\n",
        "three.py": "NAME = 1\n",
        "other.py": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setattr(sources, "ROOTS", ("toypack",))
    monkeypatch.delitem(sys.modules, "toypack", raising=False)
    sources._file.cache_clear()
    sources._imports.cache_clear()
    yield folder
    sources._file.cache_clear()


def test_imports_are_followed_into_functions_and_no_further(package):
    found = closure("toypack.one")
    assert set(found) == {"toypack.one", "toypack.inner", "toypack.inner.two", "toypack.three"}


def test_a_changed_file_changes_the_fingerprint(package):
    files = closure("toypack.one")
    before = files_fingerprint(files)
    (package / "other.py").write_text("x = 1")
    assert files_fingerprint(files) == before
    (package / "three.py").write_text("NAME = 2\n")
    assert files_fingerprint(files) != before


@pytest.mark.parametrize("slug", ["offline_gap", "private_chipo", "central_dp_gap"])
def test_what_only_reads_results_is_in_no_closure(slug):
    rooms = {
        name.split(".")[1] for name in closure(f"theorems.{slug}", sources.MEASURING) if "." in name
    }
    assert rooms.isdisjoint({"report", "cli", "catalogue", "release"})
    assert "study" in rooms


def test_the_engine_but_for_its_measuring_core_is_not_in_the_key_of_a_block():
    """A changed line of what plans, judges or reports a run measures nothing again."""
    modules = closure("theorems.offline_gap", sources.CALLING)
    assert not [name for name in modules if name.startswith("repro.study")]
    assert {"repro.core.check", "repro.core.stream", "repro.worlds.instances.labelled"} <= {
        *modules
    }


def test_every_module_lies_where_it_says():
    for name, path in closure("theorems.offline_gap", sources.MEASURING).items():
        stem = ROOT.joinpath(*name.split("."))
        assert path in (stem.with_suffix(".py"), stem / "__init__.py")
