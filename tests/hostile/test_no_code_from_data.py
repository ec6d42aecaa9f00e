"""Data stays data: nothing in the code turns it into code, and no command shows it as anything."""

import hashlib
import importlib.util
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from repro.catalogue import papers, table
from repro.catalogue.coverage import StatementCoverage
from repro.catalogue.papers import Catalogue, Item, Paper
from repro.commands import audit_release, features, suite
from repro.commands import plan as planning
from repro.commands import privatize as releasing
from repro.commands import report as report
from repro.commands.process.command import status_of
from repro.report.files import seal_of
from repro.report.html.findings import EvidenceLine, SlipNote, page
from repro.report.html.page import report_html
from repro.report.html.runs import find_runs
from repro.report.latex import table as latex_table

ROOT = Path(__file__).parents[2]

REVIEWED = {
    ("repro/base/files.py", "yaml beyond safe"): "libyaml's safe loader; a key twice is refused",
    ("repro/__init__.py", "a module named by a value"): "the command of a name in a fixed list",
    ("repro/llm/training/extra.py", "a module named by a value"): "names are constants in repro",
    (
        "repro/commands/process/start.py",
        "a module named by a value",
    ): "the command of a word in a fixed list",
    ("repro/study/discovery.py", "a module named by a value"): "a theorem that was asked for",
    ("repro/report/html/entries.py", "text that is not escaped"): "a drawing made of numbers",
    ("repro/report/html/gallery.py", "text that is not escaped"): "style of the package",
    ("repro/report/html/page.py", "text that is not escaped"): "style and script of the package",
    ("repro/report/html/typeset.py", "text that is not escaped"): "MathML; see the test below",
}
"""What the scan finds and a reader has judged, with the reason."""


@pytest.fixture(scope="module")
def scan():
    """The module ``code_scan``."""
    place = ROOT / "tools" / "code_scan.py"
    spec = importlib.util.spec_from_file_location("code_scan", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_in_the_code_runs_data(scan):
    files = [path for room in ("repro", "theorems") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 200
    found = {
        (str(path.relative_to(ROOT)), rule): f"{path}:{line}"
        for path in files
        for line, rule in scan.findings(path.read_text(encoding="utf-8"))
    }
    assert {key: place for key, place in found.items() if key not in REVIEWED} == {}
    assert set(REVIEWED) - set(found) == set(), "no longer found: take it out of REVIEWED"


def test_no_template_shows_text_unescaped(scan):
    templates = [path for path in (ROOT / "repro").rglob("*") if path.suffix in (".j2", ".html")]
    assert templates
    for path in templates:
        assert scan.findings_in_template(path.read_text(encoding="utf-8")) == [], path


BAD = (
    "import pickle",
    "import pickle as harmless",
    "from pickle import loads",
    "from cloudpickle import load",
    "import dill, os",
    "import shelve",
    "from marshal import loads",
    "__import__('pickle')",
    "import importlib\nimportlib.import_module('pickle')",
    "import importlib\nimportlib.import_module(name)",
    "from importlib import import_module as i\ni(name)",
    "import joblib\njoblib.load(path)",
    "from joblib import load\nload(path)",
    "import pandas as pd\npd.read_pickle(path)",
    "import yaml\nyaml.load(text)",
    "import yaml\nyaml.load(text, yaml.Loader)",
    "import yaml\nyaml.load(text, Loader=yaml.FullLoader)",
    "from yaml import unsafe_load as safe_load\nsafe_load(text)",
    "import yaml\nyaml.full_load(text)",
    "eval(text)",
    "exec(text)",
    "import builtins\nbuiltins.eval(text)",
    "compile(text, 'x', 'exec')",
    "import os\nos.system(text)",
    "from os import system as run\nrun(text)",
    "import os\nos.popen(text)",
    "import os\nos.execvp(text, [])",
    "import subprocess\nsubprocess.run(text, shell=True)",
    "import subprocess as s\ns.Popen(text, shell=flag)",
    "import subprocess\nsubprocess.getoutput(text)",
    "import torch\ntorch.load(path)",
    "import torch\ntorch.load(path, weights_only=False)",
    "import torch\ntorch.load(path, weights_only=flag)",
    "import torch\ntorch.hub.load(path)",
    "import numpy as np\nnp.load(path, allow_pickle=True)",
    "import numpy\nnumpy.load(path, allow_pickle=flag)",
    "from jinja2 import Environment\nEnvironment(loader=x)",
    "from jinja2 import Environment\nEnvironment(autoescape=False)",
    "import jinja2\njinja2.Template(text)",
    "from markupsafe import Markup\nMarkup(text)",
    "from markupsafe import Markup as M\nM(f'<b>{text}</b>')",
    "from hydra.utils import instantiate\ninstantiate(config)",
    "import hydra\nhydra.utils.call(config)",
    "import requests\nrequests.get('http://example.org/x')",
    "import tempfile\ntempfile.mktemp()",
    "serve(host='0.0.0.0')",
    "socket.bind(('::', 80))",
    "from transformers import AutoModel\nAutoModel.from_pretrained(n, trust_remote_code=True)",
    "from transformers import AutoModel\nAutoModel.from_pretrained(n)",
)


def test_the_scan_finds_what_is_planted(scan):
    for source in BAD:
        assert scan.findings(source), source
        inside = "def f(x):\n" + "".join(f"    {line}\n" for line in source.splitlines())
        assert scan.findings(inside), source


@pytest.mark.parametrize(
    "source",
    [
        "import yaml\nyaml.safe_load(text)",
        "import yaml\nyaml.load(text, Loader=yaml.SafeLoader)",
        "import torch\ntorch.load(path, weights_only=True)",
        "import numpy as np\nnp.load(path, allow_pickle=False)",
        "import subprocess\nsubprocess.run(['git'], shell=False)",
        "from jinja2 import Environment\nEnvironment(autoescape=True)",
        "from markupsafe import Markup\nMarkup('').join(x)",
        "HOME = 'http://127.0.0.1:5000'",
        "import re\nre.compile('eval(')",
        "'''eval(text) and pickle in a docstring'''",
    ],
)
def test_the_scan_lets_safe_ways_pass(scan, source):
    assert scan.findings(source) == []


@pytest.mark.parametrize("line", ["{{ x|safe }}", "{{ x | safe }}", "{% autoescape false %}"])
def test_the_scan_finds_what_a_template_leaves_unescaped(scan, line):
    assert scan.findings_in_template(line)


def test_no_documented_command_serves_anyone_else():
    places = [ROOT / "Makefile", ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in places:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"0\.0\.0\.0|--host[ =](?!127\.0\.0\.1)", text), path


SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
TRICKS = (SCRIPT, "[red]x[/red]", "[link=http://x]y[/link]", '=HYPERLINK("http://x","y")', "a|b`c")
OUTCOME = {"name": "n_pairs", "verdict": "supported", "expected": "supported"}
VERDICT = {
    "theorem": "offline_gap", "statements": ["p1.thm_4_2"], "verdict": "contradicted",
    "complete": True, "rows": [1, 1], "checks": [], "controls": [], "seed": 0, "budget": "smoke",
}  # fmt: skip


def run_with(folder, trick):
    """A finished run with a text in every place that takes one."""
    check = OUTCOME | {
        "name": trick, "kind": trick, "claim": trick, "statements": [trick, "p1.thm_4_2"],
        "verdict": "contradicted", "expected": trick, "reason": trick, "direction": trick,
        "slope": trick, "claimed": trick, "ci95": [trick, trick],
    }  # fmt: skip
    verdict = VERDICT | {
        "statements": [trick, "p1.thm_4_2"], "checks": [check], "budget": trick,
        "controls": [OUTCOME | {"name": trick, "check": trick, "reason": trick}],
        "assumptions": [{"name": trick, "holds": False, "detail": trick}],
        "verdict": "assumption_failed",
        "expected": trick, "config_hash": trick,
    }  # fmt: skip
    facts = {
        "finished": trick, "commit": trick, "device": trick, "versions": {trick: trick},
        "mlflow": {"experiment_id": trick, "run_id": trick, "checks": {trick: trick}},
    }  # fmt: skip
    here = folder / "outputs" / "suite" / "offline_gap"
    here.mkdir(parents=True)
    others = {
        "config.yaml": json.dumps({"epsilon": trick, "only": [trick]}).encode(),
        "measurements.parquet": b"values",
    }
    for name, content in others.items():
        (here / name).write_bytes(content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in others.items()}
    verdict |= {"files": hashes}
    (here / "verdict.json").write_text(json.dumps(verdict | {"seal": seal_of(verdict)}))
    (here / "run.json").write_text(json.dumps(facts))
    return folder / "outputs"


class Tags(HTMLParser):
    """Names of tags, and of attributes that run or fetch something."""

    def __init__(self):
        super().__init__()
        self.tags, self.active = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.active += [key for key, _ in attrs if key.startswith("on")]
        self.active += [v for k, v in attrs if k in ("href", "src") and v and v[0] not in "#d"]


@pytest.mark.parametrize("trick", TRICKS)
def test_text_of_a_run_stays_text_in_the_report(tmp_path, trick):
    runs = find_runs(run_with(tmp_path, trick))
    html = report_html(runs, papers.load())
    found = Tags()
    found.feed(html)
    assert found.tags.count("script") == 1
    assert "img" not in found.tags
    assert found.active == []
    assert html.count("alert(1)") == (
        html.count("&lt;script&gt;alert(1)") if trick == SCRIPT else 0
    )


@pytest.mark.parametrize("trick", [*TRICKS, "x\n\n# heading\n| a | b |"])
def test_text_of_a_run_stays_text_in_markdown(tmp_path, monkeypatch, capsys, trick):
    run_with(tmp_path, trick)
    monkeypatch.chdir(tmp_path)
    assert status_of(suite.main, ["table"]) == 0
    text = capsys.readouterr().out
    told = text.partition("\n## Machine checked\n")[0].splitlines()
    row = [line for line in told if line.startswith("|")][-1]
    assert len(re.findall(r"(?<!\\)\|", row)) == 6
    assert "<" not in row
    assert "\n# heading" not in text
    assert re.sub("`[^`\n]*`", "", text).count("<") == 0


def test_text_of_a_finding_stays_text_in_markdown():
    evidence = EvidenceLine("witness", "a`b", "", f"not measured: {SCRIPT}\n# heading", "c`d")
    text = page([SlipNote("p1.x", "place", "s", "c", "error", (evidence,))])
    assert "<script" not in text
    assert "\n# heading" not in text
    assert "`a'b`" in text


@pytest.mark.parametrize("trick", [*TRICKS, "x\n\\input{/etc/passwd}", r"\input{/etc/passwd}"])
def test_text_of_a_run_stays_text_in_latex(tmp_path, trick):
    (run,) = find_runs(run_with(tmp_path, trick))
    text = latex_table(run)
    body = [line for line in text.splitlines() if not line.startswith("%")]
    assert not any(r"\input" in line for line in body)
    assert text.splitlines()[1].startswith(r"\begin{tabular}")


def test_the_command_of_a_run_is_safe_to_paste(tmp_path):
    (run,) = find_runs(run_with(tmp_path, "$(touch owned); `touch owned`"))
    import shlex

    words = shlex.split(run.command)
    assert "budget=$(touch owned); `touch owned`" in words
    assert "'budget=$(touch owned); `touch owned`'" in run.command


@pytest.mark.parametrize("trick", TRICKS)
def test_titles_stay_text_in_the_terminal(trick):
    stream = io.StringIO()
    item = Item(title=trick, reason=trick)
    papers = {"p1": Paper(title=trick, authors=trick, statements={})}
    catalogue = Catalogue(papers=papers, items={"p1.thm_4_2": item})
    row = StatementCoverage("p1.thm_4_2", item, "reason", {}, ())
    table.print_table(Console(file=stream, width=400, color_system=None), catalogue, [row])
    assert stream.getvalue().count(trick) == 4  # title and authors of the paper, title, reason


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT,
        "a &lt;b&gt;",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\class{a}{x}$",
        r"$\style{a}{x}$",
    ],
)
def test_a_statement_with_markup_is_refused(text):
    with pytest.raises(ValueError, match="HTML|links"):
        Item(title="t", text=text)


ESCAPE = "\x1b[31m[red]<b>=1\x1b]0;x\x07\n"


def commands(folder):
    """By name: a small command with words that are refused."""
    good = str(folder / "in.jsonl")
    return {
        "plan": lambda: status_of(planning.main, [f"epsilon={ESCAPE}"]),
        "plan key": lambda: status_of(planning.main, [f"{ESCAPE}=1"]),
        "plan word": lambda: status_of(planning.main, [ESCAPE]),
        "privatise": lambda: status_of(
            releasing.main, [ESCAPE, good, "epsilon=1", f"ledger={folder}/l"]
        ),
        "privatise epsilon": lambda: status_of(releasing.main, [good, "out", f"epsilon={ESCAPE}"]),
        "privatise key": lambda: status_of(releasing.main, [good, "out", f"{ESCAPE}=1"]),
        "audit": lambda: status_of(audit_release.main, [ESCAPE, "--original", good]),
        "audit original": lambda: status_of(audit_release.main, [good, "--original", ESCAPE]),
        "features": lambda: status_of(
            features.main, [str(folder), f"instance.path='{ESCAPE.strip()}'"]
        ),
        "report": lambda: status_of(report.main, ["--runs", str(folder / ESCAPE)]),
        "report word": lambda: status_of(report.main, [ESCAPE]),
        "suite": lambda: status_of(suite.main, [ESCAPE]),
    }


@pytest.mark.parametrize("name", commands(Path()))
def test_words_of_a_command_stay_text_on_one_line(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert commands(tmp_path)[name]() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert err.rstrip("\n").isprintable()
    assert "[red]" in err or name in ("suite", "audit original")


OWN_FOLDER = {
    "folder": ("--config-dir", "."),
    "folder, joined": ("--config-dir=.",),
    "folder, short": ("-cd", "."),
    "folder, cut": ("--config-di", "."),
    "path": ("--config-path", "."),
    "name": ("--config-name", "mine"),
    "pickle": ("--experimental-rerun", "job.pickle"),
    "search path": ("hydra.searchpath=[file://.]",),
    "callbacks": ("+hydra.callbacks.mine.x=1",),
    "no callbacks": ("~hydra.callbacks.validate",),
    "logging": ("+hydra.job_logging.handlers.x={class: os.mkdir, path: owned}",),
    "hydra": ("+hydra={job_logging: {}}",),
}


@pytest.mark.parametrize("words", OWN_FOLDER.values(), ids=OWN_FOLDER)
def test_no_folder_or_key_of_the_user_names_code(command, tmp_path, words):
    """A budget of one's own may hold ``hydra.callbacks.x._target_``, which Hydra would call."""
    (tmp_path / "budget").mkdir()
    (tmp_path / "budget" / "mine.yaml").write_text(
        "# @package _global_\nhydra:\n  callbacks:\n    x:\n      _target_: os.mkdir\n"
        "      path: owned\n"
    )
    before = sorted(tmp_path.rglob("*"))
    status, out, err = command(*words, "theorem=label_masks", "budget=smoke", "tracking=none")
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
