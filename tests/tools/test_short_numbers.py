"""Which numbers have moved: each is named, with what was recorded and what it is now."""

import json
import math

import pytest

from tools import short_numbers
from tools.short_numbers import ASSUMED, moved, steady

NOW = {
    "rate": [[("private at 1", 2.0), ("private at 2", math.nan)], [("slope", -1.0)]],
    ASSUMED: [[("α = 0.3", 0.3)]],
}
SAME = {"rate": [[2.0, math.nan], [-1.0]], ASSUMED: [[0.3]]}


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Write what is recorded of an experiment."""
    path = tmp_path / "numbers.json"
    monkeypatch.setattr(short_numbers, "RECORD", path)

    def write(numbers, draws=None):
        draws = draws or short_numbers.drawn()
        path.write_text(json.dumps({short_numbers.DRAWS: draws, "own": numbers}))

    return write


@pytest.mark.parametrize(
    ("recorded", "lines"),
    [
        (SAME, []),
        (SAME | {"rate": [[2.0001, None], [None]]}, []),
        (SAME | {"rate": [[2.001, math.nan], [-1.0]]}, ["private at 1: recorded 2.001, now 2"]),
        (SAME | {"rate": [[2.0, 3.0], [-1.0]]}, ["private at 2: recorded 3, now nan"]),
        (SAME | {"rate": [[2.0, math.nan], [-1.1]]}, ["slope: recorded -1.1, now -1"]),
        (SAME | {"rate": [[2.0], [-1.0]]}, ["not as many numbers as recorded"]),
    ],
)
def test_a_number_that_has_moved_is_named(recorded, lines, record):
    record(recorded)
    assert moved("own", NOW) == [f"own: rate: {line}" for line in lines]


def test_checks_and_assumptions_are_held_to_the_record(record):
    record({"gone": [[1.0]], **SAME, ASSUMED: [[0.31]]})
    assert moved("own", NOW) == [
        "own: assumptions: α = 0.3: recorded 0.31, now 0.3",
        "own: gone: not as many numbers as recorded",
    ]


def test_other_draws_are_not_compared(record):
    record({}, draws="others")
    assert moved("own", NOW) == []


def test_a_curve_that_rounding_moves_is_not_recorded():
    points = [("right at 1", 1.0), ("right at 2", 2.0)]
    plain = [("right at 1", 1.0), ("right at 2", 2.1)]
    fitted = [("slope", -1.0), ("claimed", 3.0)]
    each = [{"rate": [points, fitted]}, {"rate": [plain, [("slope", -1.2), ("claimed", 3.0)]]}]
    assert steady("rate", 0, each) == [None, None]
    assert steady("rate", 1, each) == [None, 3.0]
