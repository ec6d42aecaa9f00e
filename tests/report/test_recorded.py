"""What is printed and written of made-up runs of every kind is as recorded.

``python -m pytest tests/report/test_recorded.py --snapshot-update -n 0`` renews the record.
"""

import io
import json

import pytest
from rich.console import Console

from repro.report import tracking_content as content
from repro.report.figure import draw
from repro.report.files import config_bytes, measurements_frame
from repro.report.record import record_of, verdict_content
from repro.report.terminal import print_result
from tests.report.made_up import runs, without_controls
from tests.report.readable import figure_text

RUNS = runs() | {"without_controls": without_controls()}


@pytest.mark.parametrize("name", RUNS)
def test_the_terminal(name, snapshot):
    for detail, width in (("verdict", 80), ("checks", 80), ("all", 100), ("all", 90)):
        stream = io.StringIO()
        print_result(RUNS[name], detail, Console(file=stream, width=width))
        assert stream.getvalue() == snapshot(name=f"{detail} in {width}")


def written(value):
    values = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
    return [f"  {json.dumps(inner, ensure_ascii=False)}" for inner in values]


@pytest.mark.parametrize("name", RUNS)
def test_the_files(name, snapshot):
    fields = verdict_content(RUNS[name]).items()
    lines = [line for key, value in fields for line in (key, *written(value))]
    assert "\n".join(lines) == snapshot(name="verdict")
    assert config_bytes(RUNS[name]).decode() == snapshot(name="config")
    assert record_of(RUNS[name]).command == snapshot(name="command")


@pytest.mark.parametrize("name", ["every", "expected", "part", "chosen"])
def test_what_a_tracker_gets(name, snapshot):
    result = RUNS[name]
    lines = [content.run_name(result), *described(content.run_tags(result))]
    lines += described(content.params_of(result.config))
    lines += map(point, content.run_points(result))
    for item in result.checks:
        lines += [f"## {content.check_name(item)}", *described(content.check_tags(result, item))]
        lines += described(content.check_params(item))
        lines += map(point, content.check_points(item))
    assert "\n".join(lines) == snapshot


def described(values):
    return [f"{name}: {value}" for name, value in values.items()]


def point(values):
    name, value, step = values
    return f"{name} = {value:.6g} at {step}"


def test_the_measurements(snapshot):
    assert measurements_frame(RUNS["every"]).to_csv(float_format="%.6g") == snapshot


@pytest.mark.parametrize("name", ["every", "expected", "assumption"])
def test_the_figure(name, snapshot):
    assert figure_text(draw(RUNS[name])) == snapshot
