"""Traces against every run written out, and for machines that make their states as they go."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import hu_lin, kadlac
from minecheck.automata.machine import Machine, Reader
from minecheck.automata.runs import trace_word
from tests.reference.kadlac_layouts import guessing
from tests.reference.runs import Runs, accepts

MACHINES = [
    hu_lin.build_machine(),
    hu_lin.build_merged_machine(),
    kadlac.build_machine(),
    guessing(),
]


@st.composite
def readings(draw: st.DrawFn) -> tuple[Machine, list[str]]:
    """A machine and a word of up to six columns, often one that no run gets stuck on."""
    machine = draw(st.sampled_from(MACHINES))
    word: list[str] = []
    state: str | None = machine.start
    for _ in range(draw(st.integers(0, 6))):
        going = [s for s in machine.symbols if state is not None and machine.follow(state, s)]
        stray = not going or draw(st.integers(0, 7)) == 7
        word.append(draw(st.sampled_from([*machine.symbols, "07"] if stray else going)))
        ends = machine.follow(state, word[-1]) if state is not None else ()
        state = draw(st.sampled_from(ends)) if ends else None
    return machine, word


def runs(machine: Reader, word: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """The runs over each prefix of ``word``, from the empty one on."""
    found: list[list[tuple[str, ...]]] = [[(machine.start,)]]
    for symbol in word:
        found.append([(*run, end) for run in found[-1] for end in machine.follow(run[-1], symbol)])
    return found


@given(readings())
def test_trace_shows_the_states_of_all_runs_together(reading: tuple[Machine, list[str]]) -> None:
    machine, word = reading
    prefixes = runs(machine, word)
    accepting = [run for run in prefixes[-1] if machine.is_accepting(run[-1])]
    read = trace_word(machine, word)
    assert read.start == machine.start
    assert [step.symbol for step in read.steps] == word
    for index, step in enumerate(read.steps, 1):
        assert step.reached == {run[-1] for run in prefixes[index]}
        assert step.live == {run[index] for run in accepting}
    assert read.accepted is accepts(machine, word) is bool(accepting)
    if accepting:
        assert read.dies is None
    else:
        stuck = [index for index in range(len(word)) if not prefixes[index + 1]]
        assert read.dies == min(stuck, default=len(word))


@pytest.mark.parametrize(
    ("word", "dies"),
    [
        (["44"], 0),
        (["??", "0B"], 1),
        (["00", "BB", "??"], 1),
        (["22"], 1),
        (["11", "??", "22", "00"], 3),
        (["??", "22"], None),
        ([], None),
    ],
)
def test_trace_says_where_the_last_run_dies(word: list[str], dies: int | None) -> None:
    read = trace_word(hu_lin.build_machine(), word)
    assert read.dies == dies
    assert read.accepted is (dies is None)
    assert all(not step.live for step in read.steps) or read.accepted


def test_trace_rejects_the_empty_word_where_the_start_does_not_accept() -> None:
    read = trace_word(kadlac.build_machine(), "")
    assert (read.steps, read.accepted, read.dies) == ((), False, 0)


class Brackets:
    """Accepts balanced brackets. There is a state for every depth, so no table of them."""

    start = "0"

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        self.requests[state, symbol] += 1
        depths = {"(": [1], ")": [-1], "?": [1, -1]}[symbol]
        return tuple(str(int(state) + change) for change in depths if int(state) + change >= 0)

    def is_accepting(self, state: str) -> bool:
        return state == "0"


def test_trace_reads_a_machine_without_a_table() -> None:
    read = trace_word(Brackets(), "??(?)?")
    assert [set(map(int, step.reached)) for step in read.steps] == [
        {1}, {0, 2}, {1, 3}, {0, 2, 4}, {1, 3}, {0, 2, 4}
    ]  # fmt: skip
    assert [set(map(int, step.live)) for step in read.steps] == [
        {1}, {0, 2}, {1, 3}, {2}, {1}, {0}
    ]  # fmt: skip
    assert trace_word(Brackets(), "(()").dies == 3
    assert trace_word(Brackets(), "())(").dies == 2


def test_long_trace_requests_each_move_once() -> None:
    brackets = Brackets()
    read = trace_word(brackets, "()(())" * 5000)
    assert read.accepted
    assert len(read.steps) == 30_000
    assert set(brackets.requests.values()) == {1}


def test_long_trace_computes_each_step_between_sets_once() -> None:
    steps = trace_word(hu_lin.build_machine(), ["1?", "??", "1?"] * 5000).steps
    assert len({id(step.reached) for step in steps}) < 10
    assert len({id(step.live) for step in steps}) < 10


@given(readings())
def test_live_states_of_a_trace_are_those_of_its_layouts(
    reading: tuple[Machine, list[str]],
) -> None:
    machine, word = reading
    if machine.columns and word:
        layouts = list(Runs(machine, word).layouts())
        for index, step in enumerate(trace_word(machine, word).steps):
            shown = {column for state in step.live for column in machine.columns[state]}
            assert shown == {tuple(layout[index].tolist()) for layout in layouts}
