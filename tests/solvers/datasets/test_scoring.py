"""Scores of replies: full, partial and none, whatever their form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.datasets.scoring import score_reply
from minecheck.solvers.datasets.tasks import TaskKind

BOARD = "1??\n???\n???"


def score(kind: str, answer: str, reply: str) -> float:
    return score_reply({"kind": kind, "answer": answer, "board": BOARD, "mines": 2}, reply)


@pytest.mark.parametrize(
    ("kind", "answer", "reply", "expected"),
    [
        ("consistency", "yes", "ANSWER: yes", 1),
        ("consistency", "yes", "So it is.\n**Answer: Yes.**", 1),
        ("consistency", "yes", "ANSWER: no", 0),
        ("consistency", "yes", "ANSWER: yes and no", 0),
        ("consistency", "no", "ANSWER: yes\nANSWER: no", 1),
        ("forced", "0,1; 2,3", "ANSWER: 2,3; 0,1", 1),
        ("forced", "0,1; 2,3", "ANSWER: (0, 1), (2, 3)", 1),
        ("forced", "0,1; 2,3", "ANSWER: 0,1", 0.5),
        ("forced", "0,1; 2,3", "ANSWER: 0,1; 0,1; 0,1", 0.5),
        ("forced", "0,1; 2,3", "ANSWER: 0,1; 2,3; 1,1", 0.5),
        ("forced", "0,1; 2,3", "ANSWER: 0,1; 1,1; 1,2", 0),
        ("forced", "0,1; 2,3", "ANSWER: none", 0),
        ("forced", "none", "ANSWER: none", 1),
        ("forced", "none", "ANSWER: 0,0", 0),
        ("forced", "0,1", "ANSWER: 0,1 and maybe 0,2", 0),
        ("count", "1200", "ANSWER: 1,200", 1),
        ("count", "1200", "ANSWER: 1200", 1),
        ("count", "1200", "ANSWER: 1200 or 1201", 0),
        ("count", "1200", "ANSWER: 1201", pytest.approx(0.4994, abs=1e-3)),
        ("count", "1200", "ANSWER: 2400", 0),
        ("count", "1200", "ANSWER: 0", 0),
        ("count", "1200", "ANSWER: " + "9" * 40, 0),
        ("chance", "0.25", "ANSWER: 0.25", 1),
        ("chance", "0.25", "ANSWER: .25", 1),
        ("chance", "0.25", "ANSWER: 25%.", 1),
        ("chance", "0.25", "ANSWER: 1/4", 1),
        ("chance", "0.25", "ANSWER: 0.30", pytest.approx(0.5)),
        ("chance", "0.25", "ANSWER: 0.5", 0),
        ("chance", "0.25", "ANSWER: 25", 0),
        ("chance", "0.25", "ANSWER: 1/0", 0),
        ("chance", "0.25", "ANSWER: 1/4 or 1/3", 0),
        ("chance", "0.25", "ANSWER: 0.2-0.3", 0),
        ("chance", "0.3333333333333333", "ANSWER: 1/3", 1),
        ("move", "", "ANSWER: 0,2", 1),
        ("move", "", "ANSWER: 0,1", 0),
        ("move", "", "ANSWER: 0,0", 0),
        ("move", "", "I do not know.", 0),
    ],
)
def test_score_of_a_reply_is_full_partial_or_zero(
    kind: str, answer: str, reply: str, expected: float
) -> None:
    assert score(kind, answer, reply) == expected


@given(
    st.sampled_from(TaskKind),
    st.text(max_size=100) | st.text("0123456789,;./% ()yesno-", max_size=60),
)
def test_score_of_any_reply_is_from_0_to_1(kind: TaskKind, reply: str) -> None:
    answer = {"consistency": "yes", "count": "3", "chance": "0.5"}.get(kind.value, "0,1; 0,2")
    assert 0 <= score(kind.value, answer, reply) <= 1


@pytest.mark.parametrize("kind", ["move", "count"])
def test_score_of_a_missing_reply_is_zero(kind: str) -> None:
    assert score_reply({"kind": kind, "answer": "3", "board": "1?", "mines": 1}, None) == 0


def test_score_rejects_an_unknown_kind() -> None:
    with pytest.raises(ValueError, match="riddle"):
        score("riddle", "", "ANSWER: 1")
