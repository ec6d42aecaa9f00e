"""Win rates: both orders, equal length, and a judge that shares no pairs."""

import io
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.llm.experiments.judges import (
    ChatJudge,
    HeldOutJudge,
    length_controlled,
    planted_judge,
    wins,
)
from repro.llm.experiments.procedures import ChatChoice
from repro.llm.experiments.splits import load_splits

GOOD, BAD, NEUTRAL = "Insure the purchase.", "Skip the insurance.", "Call on Monday."
P = ["p", "p", "p"]


def first_is_better(prompts, first, second):
    """A judge that only sees the order."""
    return np.ones(len(first))


def test_the_planted_judge_prefers_the_planted_reward():
    found = wins(planted_judge, P, [GOOD, BAD, NEUTRAL], [BAD, GOOD, "Choose a colour."])
    assert found.tolist() == [1.0, 0.0, 0.5]


def test_both_orders_cancel_a_preference_for_the_first():
    assert wins(first_is_better, P, [GOOD] * 3, [BAD] * 3).tolist() == [0.5] * 3


def test_a_win_by_length_alone_is_no_win_at_equal_length():
    rng = np.random.default_rng(0)
    ours = ["x" * n for n in rng.integers(20, 80, 4000)]
    theirs = ["x" * n for n in rng.integers(10, 60, 4000)]
    gap = np.array([np.log1p(len(a)) - np.log1p(len(b)) for a, b in zip(ours, theirs, strict=True)])
    won = (rng.random(4000) < 1 / (1 + np.exp(-gap))).astype(float)
    assert won.mean() > 0.58
    assert length_controlled(won, ours, theirs) == pytest.approx(0.5, abs=0.04)


def test_equal_lengths_leave_the_win_rate():
    assert length_controlled(np.array([1.0, 0.0, 1.0]), ["a"] * 3, ["b"] * 3) == pytest.approx(
        2 / 3
    )


def test_a_held_out_judge_finds_the_reward(data):
    choice = data.model_copy(update={"n_pairs": 600, "held_out": 200})
    splits = load_splits(choice)
    judge = HeldOutJudge.of(splits.train)
    prompts, n = splits.held_out.prompts, len(splits.held_out)
    agreed = judge(prompts, splits.held_out.first, splits.held_out.second)
    planted = planted_judge(prompts, splits.held_out.first, splits.held_out.second)
    clear = planted != 0.5
    assert (agreed[clear] == planted[clear]).mean() > 0.8
    turned = judge(prompts, splits.held_out.second, splits.held_out.first)
    assert (agreed + turned).tolist() == [1.0] * n


@pytest.fixture
def served():
    """A server on this machine that prefers the answer that insures, and what it was asked."""
    asked = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = body["messages"][0]["content"]
            asked.append((self.path, body["model"], text))
            a, b = (text.index(mark) for mark in ("\nA: ", "\nB: "))
            places = [k for k in (a, b) if "Insure" in text[k:].split("\n\n")[0]]
            word = "neither" if len(places) != 1 else "A" if places == [a] else "B"
            said = json.dumps({"choices": [{"message": {"content": word}}]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said if body["model"] != "broken" else b"{}")

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    server.server_close()


def test_a_chat_model_can_be_the_judge(served):
    address, asked = served
    judge = ChatJudge(address, "local")
    assert wins(judge, P, [GOOD, BAD, BAD], [BAD, GOOD, NEUTRAL]).tolist() == [1.0, 0.0, 0.5]
    assert {(path, model) for path, model, _ in asked} == {("/v1/chat/completions", "local")}


def test_a_server_that_does_not_answer_is_one_line(served):
    address, _ = served
    for judge in (ChatJudge(address, "broken"), ChatJudge("http://127.0.0.1:9/v1", "x", 2.0)):
        with pytest.raises(BadInput, match=r"procedure\.judge\.endpoint=http.*does not answer"):
            judge(P, [GOOD] * 3, [BAD] * 3)


def test_no_chat_model_is_asked_unless_named(study, procedure):
    assert study.judge is planted_judge
    named = procedure.model_copy(update={"judge": ChatChoice(endpoint="http://x/v1", model="m")})
    assert replace(study, procedure=named).judge == ChatJudge("http://x/v1", "m")
    with pytest.raises(ValueError, match="endpoint"):
        ChatChoice(endpoint="file:///etc/hostname", model="m")


def test_the_win_rate_at_equal_length_weighs_its_comparisons():
    """Repeating a comparison is giving it so much more weight."""
    won = np.array([1.0, 0.0, 0.5, 1.0])
    ours, theirs = ["aaaa", "bb", "c", "ddd"], ["a", "bbbb", "cc", "ddd"]
    twice = [0, 1, 1, 2, 3, 3]
    repeated = length_controlled(won[twice], [ours[k] for k in twice], [theirs[k] for k in twice])
    weights = np.array([1.0, 2.0, 1.0, 2.0])
    assert length_controlled(won, ours, theirs, weights) == pytest.approx(repeated)
    assert repeated != pytest.approx(length_controlled(won, ours, theirs), abs=1e-3)


def test_the_win_rate_at_equal_length_by_hand():
    """On gaps of log 2 times −1 and 1; then on 1, 2 and 3, where the line leads to 5/3."""
    assert length_controlled(np.array([1.0, 0.0]), ["", "aaa"], ["a", "a"]) == pytest.approx(0.5)
    ours, won = ["a", "a" * 3, "a" * 7], np.array([1.0, 1.0, 0.0])
    assert length_controlled(won, ours, [""] * 3) == 1.0
    assert length_controlled(1 - won, ours, [""] * 3) == 0.0


def test_a_chat_model_is_asked_for_one_word_with_the_key_of_the_environment(monkeypatch):
    asked = []

    def opened(request, timeout):
        asked.append((request, timeout))
        return io.BytesIO(b'{"choices": [{"message": {"content": " b, I think"}}]}')

    monkeypatch.setattr("urllib.request.urlopen", opened)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    judge = ChatJudge("http://x/v1/", "m", 7.0)
    assert judge(["q"], ["one"], ["two"]).tolist() == [0.0]
    monkeypatch.delenv("OPENAI_API_KEY")
    assert judge(["q"], ["one"], ["two"]).tolist() == [0.0]
    (request, timeout), (other, _) = asked
    assert timeout == 7.0
    assert request.full_url == "http://x/v1/chat/completions"
    assert request.get_header("Authorization") == "Bearer secret"
    assert not other.has_header("Authorization")
    body = json.loads(request.data)
    assert (body["temperature"], body["max_tokens"], body["model"]) == (0, 1, "m")
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert message["content"].endswith("Question: q\n\nA: one\n\nB: two")
