"""The key of a block holds the code that its numbers come from, and no other."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from repro.base.errors import BrokenTheorem
from repro.base.places import own
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


def test_imports_are_followed_into_every_kind_of_block(package):
    """Of a relative import, too; a name twice counts once."""
    (package / "one.py").write_text(
        "try:\n    from .inner import two\n"
        "except ImportError:\n    import toypack.a\n"
        "else:\n    import toypack.b\n"
        "finally:\n    from . import c\n"
        "match 1:\n    case 1:\n        import toypack.d\n"
        "if 0:\n    pass\nelse:\n    import toypack.e\n"
    )
    for name in "abcde":
        (package / f"{name}.py").write_text("")
    found = {name.removeprefix("toypack.") for name in closure("toypack.one")}
    assert found == {"one", "inner", "inner.two", "three", "toypack", *"abcde"}


def test_a_fingerprint_is_of_names_and_contents_in_any_order(package):
    one, other = package / "three.py", package / "one.py"
    print_of = files_fingerprint({"a": one, "b": other})
    assert files_fingerprint({"b": other, "a": one}) == print_of
    assert files_fingerprint({"a": other, "b": one}) != print_of
    assert files_fingerprint({"a": one, "c": other}) != print_of


def test_the_code_of_an_experiment_is_its_file_its_config_and_what_it_imports(tmp_path):
    place = own(tmp_path)
    for path in (place.code("mine"), place.config("mine")):
        path.parent.mkdir(parents=True)
        path.write_text("x = 1\n")

    def code():
        sources._file.cache_clear()
        sources._imports.cache_clear()
        return sources.code_of("mine", place)

    before = code()
    assert [*before] == ["theorems/mine.py", "conf/theorem/mine.yaml", sources.IMPORTED]
    place.config("mine").write_text("x = 2\n")
    after = code()
    assert [name for name in before if before[name] != after[name]] == ["conf/theorem/mine.yaml"]
    place.code("mine").write_text("x = 3\n")
    changed = code()
    assert [name for name in before if after[name] != changed[name]] == ["theorems/mine.py"]
    for broken in ("x = (\n", "x = '\0'\n"):
        place.code("mine").write_text(broken)
        assert code()[sources.IMPORTED] == ""


@pytest.mark.parametrize(
    ("line", "read"),
    [("x = open('file')", "open"), ("import pandas as pd; pd.read_csv(f)", "read_csv"),
     ("import os; os.environ['x']", "environ"), ("x = 'opened'", "")],
)  # fmt: skip
def test_what_no_key_holds_is_named(tmp_path, monkeypatch, line, read):
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\n\n{line}\n")
    ours = Path(sources.__file__)
    monkeypatch.setattr(sources, "closure", lambda module: {"repro.x": ours, "mine": file})
    mine = SimpleNamespace(module="theorems_in_1.mine")
    found = sources.outside_of_key.__wrapped__(mine)
    assert found == (f"{read} in mine.py" if read else "")
    assert sources.outside_of_key.__wrapped__(SimpleNamespace(module="theorems.mine")) == ""


def test_what_was_installed_is_of_a_library():
    for folder in ("site-packages", "dist-packages"):
        assert sources.of_a_library(Path(f"/x/{folder}/y"))
    assert sources.of_a_library(sources.STANDARD / "json" / "decoder.py")
    assert not sources.of_a_library(Path("/x/y"))


def swept(draws):
    check = SimpleNamespace(quantity=SimpleNamespace(draws=draws))
    return SimpleNamespace(name="row", check=check)


def test_a_generator_of_ones_own_is_noticed():
    same, varied = np.ones((1, 1, 2, 3)), np.arange(6.0).reshape(1, 1, 2, 3)
    lost = np.full((1, 1, 2, 3), np.nan)
    sources.refuse_impure(swept(True), same, False, lambda: same)
    sources.refuse_impure(swept(True), varied, True, lambda: lost)
    sources.refuse_impure(swept(False), varied, False, lambda: same)
    with pytest.raises(BrokenTheorem, match="row varies, and draws nothing from the generator"):
        sources.refuse_impure(swept(True), varied, False, lambda: same)
    others = iter((same, varied))
    with pytest.raises(BrokenTheorem, match="row measures one block twice, and differs: use rng"):
        sources.refuse_impure(swept(True), varied, True, lambda: next(others))


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
