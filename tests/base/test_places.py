"""Places of theorems: which there are, what they are called, and what is refused."""

from __future__ import annotations

import os
import sys
from importlib.metadata import EntryPoint

import pytest

from repro.base import places
from repro.base.errors import BadInput
from repro.base.places import Place, names, own, own_folder, place_of, shipped

HERE = shipped().folder


def pair(folder, name, code=""):
    """A theorem's two files."""
    for path, text in {f"theorems/{name}.py": code, f"conf/theorem/{name}.yaml": ""}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture
def entry(monkeypatch):
    """Say which entry points are installed."""

    def install(*values):
        found = [EntryPoint("mine", value, places.GROUP) for value in values]
        monkeypatch.setattr(places, "entry_points", lambda group: found)
        places.installed.cache_clear()

    yield install
    places.installed.cache_clear()


def test_a_theorem_is_a_pair_of_files(tmp_path):
    pair(tmp_path, "beta")
    pair(tmp_path, "alpha")
    pair(tmp_path, "_hidden")
    (tmp_path / "theorems" / "without_config.py").write_text("")
    (tmp_path / "conf" / "theorem" / "without_code.yaml").write_text("")
    assert own(tmp_path).names() == ["alpha", "beta"]
    assert set(names(tmp_path)) - set(shipped().names()) == {"alpha", "beta"}


@pytest.mark.parametrize("name", ["", "../beta", "a/b", "Beta", "beta.py", "beta\n"])
def test_a_name_is_no_path(tmp_path, name):
    pair(tmp_path, "beta")
    assert not own(tmp_path).has(name)
    with pytest.raises(BadInput, match="^theorem[=:]"):
        place_of(name, tmp_path)


def test_the_current_folder_counts_and_the_projects_own_only_once(tmp_path, monkeypatch):
    pair(tmp_path, "mine")
    monkeypatch.chdir(tmp_path)
    assert place_of("mine") == own(tmp_path)
    assert places.places()[0] == shipped()
    monkeypatch.chdir(HERE)
    assert own(HERE) not in places.places()
    assert "mine" not in names()


def test_an_unknown_name_gets_the_nearest(tmp_path):
    pair(tmp_path, "my_bound")
    with pytest.raises(BadInput, match=r"^theorem=my_buond: no such .*; did you mean my_bound\? "):
        place_of("my_buond", tmp_path)
    with pytest.raises(BadInput, match=r"^theorem=nope: no such experiment; repro run --help"):
        place_of("nope", tmp_path)


HALVES = "theorems/mine.py", "conf/theorem/mine.yaml"


@pytest.mark.parametrize(("left", "absent"), [HALVES, HALVES[::-1]])
def test_half_of_a_theorem_is_told_which_half_it_lacks(tmp_path, monkeypatch, left, absent):
    pair(tmp_path, "mine")
    (tmp_path / absent).unlink()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as refused:
        place_of("mine")
    assert str(refused.value).startswith(
        f"theorem=mine: {absent} is missing beside {left}; no such experiment; "
    )


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path):
    folder = tmp_path / os.fsdecode(b"b\xff")
    with pytest.raises(BadInput, match=r"b\?: is no printable text; allowed: a folder that is$"):
        places.places(folder)


def test_a_shipped_name_is_refused_in_a_folder(tmp_path):
    pair(tmp_path, "offline_gap")
    for asked in (lambda: place_of("offline_gap", tmp_path), lambda: names(tmp_path)):
        with pytest.raises(BadInput) as refused:
            asked()
        files = f"{shipped().code('offline_gap')} and {own(tmp_path).code('offline_gap')}"
        assert str(refused.value) == (
            f"theorem=offline_gap: is the name of {files}; allowed: another for yours"
        )
    assert place_of("lower_bound", tmp_path) == shipped()


def test_folders_have_names_of_their_own_that_stay(tmp_path):
    assert own(tmp_path) == own(tmp_path)
    assert own(tmp_path).package != own(tmp_path / "x").package
    assert own(tmp_path).package.isidentifier()


def test_a_module_is_imported_from_its_folder_whatever_is_on_the_path(tmp_path, monkeypatch):
    import importlib

    pair(tmp_path, "mine", "HERE = __file__\n")
    place = own(tmp_path)
    monkeypatch.delitem(sys.modules, place.package, raising=False)
    module = importlib.import_module(place.module("mine"))
    assert str(place.code("mine")) == module.HERE
    assert module.__name__ == f"{place.package}.mine"
    assert str(tmp_path) not in sys.path


def test_installed_packages_are_places(tmp_path, monkeypatch, entry):
    package = tmp_path / "my_bounds"
    pair(package, "mine")
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry("my_bounds", "my_bounds")
    assert places.installed() == (Place(package, "my_bounds.theorems"),)
    assert place_of("mine").module("mine") == "my_bounds.theorems.mine"


@pytest.mark.parametrize("value", ["no_such_package", "no_such.package", "json.decoder"])
def test_an_entry_point_that_names_no_package_is_told(entry, value):
    entry(value)
    assert places.broken() == [f"skipped: entry point repro.theorems mine={value}: no such package"]
    assert set(names()) >= set(shipped().names())


def test_a_package_inside_another_is_found_and_not_run(tmp_path, monkeypatch, entry):
    pair(tmp_path / "outer" / "inner", "mine")
    (tmp_path / "outer" / "__init__.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry("outer.inner")
    assert places.installed() == (Place(tmp_path / "outer" / "inner", "outer.inner.theorems"),)
    assert places.broken() == []


def test_a_named_folder_must_have_a_theorem(tmp_path):
    for name in (tmp_path, "no" * 5000, "a\0b", __file__):
        with pytest.raises(BadInput, match=r"^theorems_from.*: allowed: a folder with theorems/"):
            own_folder(name)
    pair(tmp_path, "mine")
    assert own_folder(tmp_path) == tmp_path.resolve()
    (tmp_path / "link").symlink_to(tmp_path)
    assert own_folder(tmp_path / "link") == tmp_path.resolve()
