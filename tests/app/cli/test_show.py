"""Answers are printed for people: pages, analyses, explanations step by step, repairs."""

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.cli import show
from minecheck.minefield import parse
from minecheck.solvers import Answer, Deadline, answer_question
from minecheck.solvers.tasks.conflicts import AllConflicts
from tests.app.cli.running import drop_source, one_line, run
from tests.app.questions.responses import drop_elapsed
from tests.app.serving import contradictory
from tests.processes import running_program
from tests.tasks import Task, question_of


def test_layouts_and_samples_are_printed_until_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    for task, first in ((Task.LAYOUTS, "layout 1\n"), (Task.SAMPLE, "sample 1 of seed 0\n")):
        seed: dict[str, Any] = {"seed": 0} if task is Task.SAMPLE else {}
        question = question_of(task, parse("1?\n??"), offset=1, limit=2, **seed)
        for seconds in (60.0, -1.0):
            found = answer_question(question)
            show.Shown(question, Deadline.in_seconds(seconds)).print_answer(found)
            printed = capsys.readouterr().out
            assert (first in printed) == found.complete == (seconds > 0)
            if task is Task.LAYOUTS:
                assert ("more with --offset 1\n" in printed) == (seconds < 0)


def test_analyze_command_prints_counts_forced_cells_and_chances() -> None:
    found = run("analyze", "-", "--mines", "2", stdin=b"?1??\n????\n")
    assert drop_source(found.stdout) == (
        "consistent\nfor example\n  B11B\n  1111\n"
        "10 layouts in all\n"
        "0 mines and 0 safe cells are forced\n  ?1??\n  ????\n"
        "chance of a mine, in percent\n   20   .  20  50\n   20  20  20  50\n"
    )


def test_analyze_command_prints_fractions() -> None:
    found = run("analyze", "-", "--density", "1/3", "--fractions", stdin=b"?1?\n")
    assert drop_source(found.stdout).endswith("chance of a mine\n  1/2   . 1/2\n")
    assert "likelihood 4/9\n" in found.stdout


def test_only_certain_chances_are_0_and_100_as_in_pictures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = show.Screen(Deadline.in_seconds(None))
    almost = 1 - 1e-12
    show.print_chances(screen, [[0, Fraction(1, 10**400), 0.004, 0.25], [1, 0.996, almost, None]])
    assert capsys.readouterr().out.splitlines()[1:] == [
        "    0  <1  <1  25",
        "  100 >99 >99   .",
    ]


# Explanations


def run_explain(rows: str, *options: str) -> tuple[int, list[str]]:
    found = run("explain", "-", *options, stdin=rows.encode())
    assert found.stderr == ""
    verdict, *lines = drop_source(found.stdout).splitlines()
    assert verdict == ["consistent", "inconsistent"][found.exit_code]
    return found.exit_code, lines


def test_explain_command_prints_title_and_numbered_steps() -> None:
    status, lines = run_explain("?1??\n", "--mines", "1")
    assert (status, lines[0]) == (0, "row 0 column 3: safe (global)")
    assert [line[:6] for line in lines[1:]] == ["   1. ", "   2. ", "   3. "]
    assert lines[-1].endswith("row 0, column 3 is safe.")


def test_explain_command_groups_cells_that_are_forced_alike() -> None:
    status, lines = run_explain("3?\n??\n")
    title = "row 0 column 1, row 1 column 0, row 1 column 1: mine (trivial)"
    assert (status, len(lines), lines[0]) == (0, 2, title)
    assert lines[1].startswith("   1. The 3 at row 0, column 0 ")


def test_explain_command_indents_steps_that_rest_on_supposition() -> None:
    status, lines = run_explain("BB4?2\n??BB?\nB6??3\nBB22B\n", "--cell", "1,1")
    assert (status, lines[0]) == (0, "row 1 column 1: mine (look-ahead)")
    numbers = [int(line.split(".")[0]) for line in lines[1:]]
    assert numbers == list(range(1, len(lines)))
    depth = [len(line[6:]) - len(line[6:].lstrip()) for line in lines[1:]]
    assert (depth[0], depth[-2], depth[-1], set(depth)) == (2, 2, 0, {0, 2})
    assert lines[1].strip().startswith("1.   Suppose ")


def test_explain_command_with_cell_explains_one_cell() -> None:
    assert len(run_explain("1?S?1\n")[1]) == 4
    status, lines = run_explain("1?S?1\n", "--cell", "0,3")
    assert (status, len(lines), lines[0]) == (0, 2, "row 0 column 3: mine (trivial)")


def test_explain_command_shows_unforced_cell_both_ways() -> None:
    assert run_explain("?1?\n", "--cell", "0,2") == (
        0,
        ["not forced: it may be a mine", "  01B", "or safe", "  B10"],
    )


def test_explain_command_prints_walk_in_place_of_explanations() -> None:
    status, lines = run_explain("??2??\n?121?\n?????\n", "--walk")
    assert status == 0
    assert lines[0] == (
        "1. [single clue] By the clue at row 0, column 2 (it needs 2 more mines), "
        "(0, 1) and (0, 3) are mines."
    )
    assert len(lines) == 3


@pytest.mark.parametrize("rows", ["2?\n", "1?\nS?\nB1\n0B\n"])
def test_explain_command_explains_inconsistent_board(rows: str) -> None:
    status, lines = run_explain(rows)
    assert status == 1
    assert lines[0].startswith("   1. ")
    assert lines[-1].startswith("contradict each other: the clues at row ")


@pytest.mark.parametrize(
    "cell", ["0,1", "1,0", "0,9", "x", "", "0", "0,", "-1,0", "0,0,0", "\u0660,0"]
)
def test_explain_command_rejects_cell_that_is_not_unknown(cell: str) -> None:
    found = run("explain", "-", f"--cell={cell}", stdin=b"?1??\n")
    one_line(found, "--cell")


@pytest.mark.parametrize("rows", ["?1??\n", "2?\n", "3?\n??\n", "F1?\n"])
@pytest.mark.parametrize("task", ["explain", "repair"])
def test_explain_and_repair_commands_with_json_print_answer_of_service(
    client: TestClient, task: str, rows: str
) -> None:
    answer = client.post(f"/v1/{task}", content=rows, headers={"Content-Type": "text/plain"})
    found = run(task, "-", "--json", stdin=rows.encode())
    assert drop_elapsed(json.loads(found.stdout)) == drop_elapsed(answer.json())
    assert found.exit_code == (1 if answer.json()["consistent"] is False else 0)


def test_explain_command_trusts_flags_on_demand() -> None:
    flags = ["flags right: none", "flags wrong: none", "flags unproved: row 0 column 0"]
    assert run_explain("F1?\n") == (0, ["no cell is forced", *flags])
    status, lines = run_explain("F1?\n", "--trust-flags")
    assert (status, lines[0]) == (0, "row 0 column 2: safe (trivial)")


# Repairs


def test_repair_command_draws_repaired_board() -> None:
    found = run("repair", "-", stdin=b"1?2\n")
    assert (found.exit_code, found.stderr) == (1, "")
    assert drop_source(found.stdout) == (
        "inconsistent\nrepair 0\n  1?1\ncontradict each other: the clues at row 0 column 2\n"
    )


def test_repair_command_numbers_repairs_up_to_limit() -> None:
    rows = b"0?1\n"
    found = drop_source(run("repair", "-", stdin=rows).stdout)
    assert "repair 0\n" in found
    assert "repair 1\n" in found
    assert {"  1?1", "  0?0"} <= set(found.splitlines())
    assert "--limit" not in found
    fewer = run("repair", "-", "--limit", "1", stdin=rows)
    assert (fewer.exit_code, fewer.stderr) == (1, "")
    assert "repair 1" not in fewer.stdout
    assert "there may be more, with --limit\n" in fewer.stdout


def test_repair_command_lists_no_repair_of_consistent_board() -> None:
    found = run("repair", "-", stdin=b"?1?\n")
    assert (found.exit_code, found.stderr) == (0, "")
    assert "repair 0" not in found.stdout


@pytest.mark.parametrize(("rows", "mines"), [("BB\n", "1"), ("S1?\n", "3")])
def test_repair_command_says_that_no_clue_change_repairs_infeasible_total(
    rows: str, mines: str
) -> None:
    found = run("repair", "-", "--mines", mines, stdin=rows.encode())
    assert found.exit_code == 1
    assert found.stdout.startswith("inconsistent\nno change of clues helps: ")
    assert "the total of mines" in found.stdout


@pytest.mark.parametrize("limit", ["0", "-1", "x"])
def test_repair_command_rejects_invalid_limit(limit: str) -> None:
    found = run("repair", "-", f"--limit={limit}", stdin=b"1?2\n")
    assert (found.exit_code, found.stdout) == (2, "")


def test_moves_command_prints_moves_with_chances() -> None:
    found = run("moves", "-", "--mines", "4", "--limit", "1", stdin=b"??2\n24?\n???\n")
    assert drop_source(found.stdout) == (
        "consistent\n"
        "chance to win with best play: 66.67 %\n"
        "open row 2 column 0\n"
        "  ??2\n  24?\n  ???\n"
        "   row column  safe %  two clicks %  win %\n"
        "     2      0   66.67         66.67  66.67\n"
        "a guess that cannot be avoided, 66.67 %: row 0 column 0, row 2 column 0, row 2 column 1\n"
    )


def test_moves_command_prints_bounds_of_chance_to_win() -> None:
    found = run("moves", "-", "--mines", "30", stdin=b"??????????\n" * 10)
    assert found.stdout.startswith("consistent\nchance to win with best play: between ")


# Conflicts


def test_each_conflict_is_printed_once_during_search(capsys: pytest.CaptureFixture[str]) -> None:
    question = AllConflicts(parse("1??1??1\n2??2??2"), limit=10)
    shown = show.Shown(question, Deadline())
    printed = []

    def keep(known: Answer) -> None:
        shown.print_new(known)
        printed.append(capsys.readouterr().out)

    found = answer_question(question, keep=keep)
    shown.print_answer(found)
    printed.append(capsys.readouterr().out)
    parts = [text.splitlines() for text in printed if text]
    assert parts[-1].pop().startswith("answered by ")
    assert [lines[-1].partition(":")[0] for lines in parts] == [
        "conflict 0",
        "conflict 1",
        "conflict 2",
        "contradict each other",
    ]
    assert parts[0][0] == "inconsistent"
    assert [len(lines) for lines in parts] == [2, 1, 1, 1]


@pytest.mark.slow
def test_conflicts_command_prints_conflicts_before_end_of_search() -> None:
    command = [sys.executable, "-m", "minecheck", "conflicts", "-", "--limit", "1000000"]
    with running_program(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(contradictory()) + "\n")
        process.stdin.close()
        assert process.stdout.readline() == "inconsistent\n"
        assert process.stdout.readline().startswith("conflict 0: the clues at ")
        assert process.poll() is None
        process.kill()
