"""Certificates: saved, and verified by the page itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minecheck.minefield.certificates.document import read_certificates
from minecheck.minefield.certificates.judge import verify_all
from tests.app.serving import Server
from tests.page.analyse.tab import CONFLICT, open_tab, press, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

#: Runs the page's checker on an answer; "" or why it is rejected.
VERIFY = """async ([answer, rows, mines]) => {
    const { verified } = await import("/page/analyse/certificates.js");
    try { verified(answer, { rows, mines, density: null }); return ""; }
    catch (error) { return `${error.constructor.name}: ${error.message}`; }
}"""
FORCED = ["1?2?", "??3?", "12??"]


def ask(server: Server, rows: list[str], mines: int | None) -> dict[str, Any]:
    body = {"board": rows, "certificate": True, **({} if mines is None else {"mines": mines})}
    found: dict[str, Any] = server.post("/v1/forced", body).json()
    return found


def test_verify_button_describes_the_certificate_of_forced_cells(opened: Opened) -> None:
    page = opened(link(FORCED, 4))
    wait_for_text(page, "1 layout")
    open_tab(page, "Tools")
    press(page, "Verify")
    panel = page.locator("#analyse .certificates")
    expect(panel).to_contain_text("Verified.")
    expect(panel).to_contain_text("A layout fits: the certificate has one. It meets all 5 clues")
    expect(panel).to_contain_text("4 mines and 3 safe cells in every layout")


def test_verify_button_names_the_clues_of_a_contradiction(opened: Opened) -> None:
    page = opened(link(CONFLICT))
    wait_for_text(page, "Inconsistent.")
    open_tab(page, "Tools")
    press(page, "Verify")
    panel = page.locator("#analyse .certificates")
    expect(panel).to_contain_text("Verified.")
    expect(panel).to_contain_text("(row 1, column 1; row 3, column 1)")


def test_certificate_of_a_count_is_saved_and_can_be_verified(
    opened: Opened, tmp_path: Path
) -> None:
    page = opened(link(FORCED, 4))
    wait_for_text(page, "1 layout")
    open_tab(page, "Tools")
    page.locator("#analyse [name=proved]").select_option("analyze")
    with page.expect_download() as download:
        press(page, "Save certificate")
    download.value.save_as(tmp_path / "certificate.json")
    saved = json.loads((tmp_path / "certificate.json").read_text())
    assert saved["count"] == "1"
    (counted,) = verify_all(read_certificates(saved["certificate"]))
    assert counted is not None
    press(page, "Verify")
    wait_for_text(page, "The page itself verifies verdicts and forced cells.")


def test_page_verifier_rejects_changed_certificates(opened: Opened, server: Server) -> None:
    page = opened(link(["?1??"]))
    answer = ask(server, ["?1??"], 1)
    assert page.evaluate(VERIFY, [answer, ["?1??"], 1]) == ""
    text = json.dumps(answer)
    changes = {
        '"B100"': '"B1B0"',
        "c claim\\n3 0": "c claim\\n-3 0",
        "1 2 0": "1 0",
        "-2 4 0": "2 4 0",
        "10 0 9 8 1 0": "10 0 9 8 0",
        "[0, 2, 1]": "[0, 2, 2]",
        '"cell": [0, 3]': '"cell": [0, 2]',
    }
    for was, now in changes.items():
        assert text.count(was) == 1, was
        other = text.replace(was, now)
        found = page.evaluate(VERIFY, [json.loads(other), ["?1??"], 1])
        assert found.startswith("CertificateFault"), was
    assert page.evaluate(VERIFY, [answer, ["?1??"], 2]).startswith("CertificateFault")
    assert page.evaluate(VERIFY, [answer, ["?2??"], 1]).startswith("CertificateFault")
    del answer["certificate"]["proofs"][1:]
    assert "no proof for row 1, column 4" in page.evaluate(VERIFY, [answer, ["?1??"], 1])


@pytest.fixture
def checker(opened: Opened) -> Any:
    return opened(link(["?1??"]))


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_page_verifier_accepts_the_certificates_of_the_service(
    checker: Any, server: Server, data: st.DataObject
) -> None:
    width = data.draw(st.integers(2, 6))
    row = st.text("?????1123B", min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=5))
    unknown = "".join(rows).count("?")
    known = "".join(rows).count("B")
    mines = data.draw(st.none() | st.integers(known, known + unknown))
    answer = ask(server, rows, mines)
    if answer.get("certificate") is None:
        return
    verify_all(read_certificates(answer["certificate"]))
    assert checker.evaluate(VERIFY, [answer, rows, mines]) == ""
