"""A password in a tracking address reaches no file and no line."""

from urllib.parse import unquote

import pytest

from repro.report.secret_address import VARIABLE, has_secret, hide_secrets, shown, without_secrets
from repro.report.tracking import _warn

PASSWORD = "pa55w0rd"
ADDRESSES = {
    "plain": f"http://user:{PASSWORD}@127.0.0.1:1",
    "with @": f"http://user:x@{PASSWORD}@127.0.0.1:1",
    "with /": f"http://user:x/{PASSWORD}@127.0.0.1:1",
    "with a space": f"http://user:x {PASSWORD}@127.0.0.1:1",
    "with ?": f"http://user:x?{PASSWORD}@127.0.0.1:1",
    "query": f"http://127.0.0.1:1/?password={PASSWORD}",
    "database": f"postgresql://user:{PASSWORD}@127.0.0.1:1/db",
    "database query": f"postgresql://127.0.0.1:1/db?user=u&password={PASSWORD}",
    "token": f"http://{PASSWORD}@127.0.0.1:1",
    "percent": f"http://user:%20{PASSWORD}%40@127.0.0.1:1",
    "long": f"http://user:{'x' * 150}{PASSWORD}@127.0.0.1:1",
    "fragment": f"http://127.0.0.1:1/#{PASSWORD}",
}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Each test begins, and leaves, without an address."""
    monkeypatch.setenv(VARIABLE, "")


def spoken(tmp_path, out, err):
    """Everything that anybody could read."""
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    return out + err + "".join(path.read_bytes().decode("latin-1") for path in files)


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_a_warning_shows_none(address, tmp_path, capsys):
    problem = ValueError(f"Could not parse {address!r}: {PASSWORD}")
    _warn(address, problem, tmp_path)
    err = capsys.readouterr().err
    assert PASSWORD not in err
    assert "xxx" not in err
    assert err.startswith(f"tracking: {address.partition(':')[0]}://*** cannot be used: ValueError")


@pytest.mark.parametrize("name", ["with @", "query", "database"])
@pytest.mark.parametrize("mode", [(), ("-m",), ("--cfg", "job"), ("--cfg", "job", "--resolve")])
def test_neither_do_files_and_lines_of_a_run(command, quick, tmp_path, name, mode):
    words = [word for word in quick if word != "tracking=none"]
    found = command(*mode, *words, f"tracking.uri={ADDRESSES[name]}", "hydra.output_subdir=.hydra")
    assert PASSWORD not in spoken(tmp_path, *found[1:])
    assert found[0] == 0, found
    if mode == ("-m",):
        (multirun,) = tmp_path.rglob("multirun.yaml")
        assert "oc.env:REPRO_TRACKING_URI" in multirun.read_text()
    if not mode or mode == ("-m",):
        assert f"tracking: {ADDRESSES[name].partition(':')[0]}://***" in found[2]


@pytest.mark.parametrize(
    "word",
    [
        f"epsilon=http://u:{PASSWORD}@h",
        f"tracking={{kind:mlflow,uri:http://u:{PASSWORD}@h}}",
        f"http://u:{PASSWORD}@h",
        f"+other.uri=http://u:{PASSWORD}@h",
    ],
)
def test_a_password_elsewhere_is_refused_unseen(command, tmp_path, word):
    status, out, err = command(word)
    assert status == 2
    assert "allowed: a password in tracking.uri only" in err
    assert PASSWORD not in spoken(tmp_path, out, err)


def test_an_address_that_is_refused_is_not_quoted(command, tmp_path):
    status, out, err = command(f"tracking.uri=http://u:{PASSWORD}@h\t")
    assert status == 2
    assert err.startswith("error: tracking.uri")
    assert PASSWORD not in spoken(tmp_path, out, err)


def test_addresses_without_a_secret_are_left_alone():
    words = ["tracking.uri=http://h:5000", "tracking.uri=sqlite:////a@b/x.db?timeout=1", "seed=1"]
    assert hide_secrets(words) == words
    assert not has_secret("a=b?c@d")
    assert shown("sqlite:////a/b.db") == "sqlite:////a/b.db"


def test_the_details_of_a_bug_are_masked(monkeypatch):
    for address in ADDRESSES.values():
        monkeypatch.setenv("REPRO_TRACKING_URI", address)
        rest = address.partition("://")[2]
        text = f"{address}! {rest} '{unquote(rest)}' {rest.rpartition('@')[0]}"
        assert PASSWORD not in without_secrets(text)


def test_a_store_in_memory_is_refused(command, tmp_path):
    address = "sqlite:///file:x?mode=memory&uri=true"
    status, _, err = command(f"tracking.uri='{address}'")
    assert status == 2
    assert err == (
        f"error: tracking.uri={address}: would be gone when the run ends; allowed: sqlite:///FILE\n"
    )
    assert list(tmp_path.iterdir()) == []
