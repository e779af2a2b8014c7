"""Links to positions."""

import pytest

from tests.page.analyse.tab import (
    clipboard,
    expect_board,
    open_tab,
    press,
    read_rows,
    sharing,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import TURNS, expect, link

pytestmark = pytest.mark.slow

#: 2 to the power of 100 layouts: more than 10 to the power of 30.
LARGE = ["?" * 10] * 10


def test_position_link_that_unpacks_late_does_not_replace_a_newer_link(opened: Opened) -> None:
    page = opened("/#analyse")
    wait_for_text(page, "12,012 layouts")
    script = """async () => {
        const { toParameters } = await import("/page/shared/position-link.js");
        const Plain = DecompressionStream;
        window.DecompressionStream = function (format) {
            const { writable, readable } = new Plain(format);
            const later = async (chunk, controller) => {
                await new Promise((resolve) => { window.unpack = resolve; });
                controller.enqueue(chunk);
            };
            const slow = new TransformStream({ transform: later });
            return { writable, readable: readable.pipeThrough(slow) };
        };
        const packed = await toParameters({ rows: Array(50).fill("?".repeat(100)), mines: null,
            density: null });
        location.hash = `analyse?${packed}`;
        await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
        location.hash = "analyse?b=_1";
        return packed;
    }"""
    assert page.evaluate(script).startswith("b=~")
    wait_for_text(page, "1 layout")
    page.wait_for_function("() => window.unpack")
    page.evaluate("() => window.unpack()")
    page.evaluate(TURNS)
    assert read_rows(page) == ["?1"]


@pytest.mark.parametrize(
    "kept",
    ['{"rows":[]}', '{"rows":[1]}', '{"rows":["1","12"],"mines":null}', '{"rows":["z"]}', "[", "5"],
)
def test_stored_position_that_is_not_a_board_is_ignored(opened: Opened, kept: str) -> None:
    page = opened("/#play")
    page.evaluate("(kept) => sessionStorage.setItem('minecheck.position', kept)", kept)
    page.get_by_role("link", name="Analyse").click()
    wait_for_text(page, "12,012 layouts")


@pytest.mark.parametrize("rows", [["?1??", "F2BS"], ["?" * 30] * 16], ids=["short", "packed"])
def test_copied_position_link_opens_an_equal_board(opened: Opened, rows: list[str]) -> None:
    page = sharing(opened, link(rows, 2))
    expect_board(page, rows)
    open_tab(page, "Tools")
    press(page, "Copy link")
    copied = clipboard(page)
    assert len(copied) < len(opened.url) + 60
    other = opened(copied.removeprefix(opened.url))
    expect_board(other, rows)
    assert other.get_by_label("Mines in all").input_value() == "2"


def test_position_link_is_plain_without_compression(opened: Opened) -> None:
    page = sharing(opened, link(["???", "???"]))
    expect_board(page, ["???", "???"])
    script = """async () => {
        delete globalThis.CompressionStream;
        const { toParameters, fromParameters } = await import("/page/shared/position-link.js");
        const rows = Array(16).fill("?".repeat(30));
        const position = { rows, mines: 99, density: null, topology: "rectangle", rules: {} };
        const text = await toParameters(position);
        const again = await fromParameters(new URLSearchParams(text));
        return [text.includes("~"), JSON.stringify(again) === JSON.stringify(position)];
    }"""
    assert page.evaluate(script) == [False, True]


@pytest.mark.parametrize(
    "hash_", ["analyse?b=_2__.____&amp;m=3", "analyse%3Fb%3D_2__.____%26m%3D3"], ids=["html", "url"]
)
def test_escaped_position_link_keeps_its_total(opened: Opened, hash_: str) -> None:
    page = opened(f"/#{hash_}")
    expect_board(page, ["?2??", "????"])
    expect(page.get_by_label("Mines in all")).to_have_value("3")


def test_invalid_position_links_are_reported_with_the_reason(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    wait_for_text(page, "2 layouts")
    reasons = {
        "b=12.1": "its rows differ in length",
        "b=1x": "it has the symbol",
        "b=": "it is empty",
        "b=~!!": "it is damaged",
        "b=~S0osSk0uSQUA": "it",
        "b=12&mines=3": 'its part "mines" is unknown',
        "b=12&m=1&m=2": 'it has the part "m" twice',
        "b=12&m=many": "its number of mines is not a whole number",
        "b=12&d=2": "its density is not between 0 and 1",
        f"b={'.'.join(['1' * 1001] * 2)}": "2\u00d71001 cells are too many",
    }
    message = page.locator("#message-problem")
    for hash_, why in reasons.items():
        page.evaluate("(hash) => { location.hash = hash; }", f"analyse?{hash_}")
        expect(message).to_contain_text(f"The board of this link cannot be read: {why}")
        page.get_by_role("button", name="Close the message").click()
    assert read_rows(page) == ["?1?"]


def test_position_link_larger_than_a_board_is_not_unpacked(opened: Opened) -> None:
    page = opened("/#analyse")
    script = """async () => {
        const { fromParameters } = await import("/page/shared/position-link.js");
        const zeros = new Blob(["0".repeat(1 << 24)]).stream();
        const packed = zeros.pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
        const base64 = btoa(String.fromCharCode(...bytes));
        const url = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        const parameters = new URLSearchParams({ b: `~${url}` });
        return fromParameters(parameters).catch((error) => error.message);
    }"""
    assert "too large" in page.evaluate(script)


def test_position_link_is_opened_again_after_the_board_changed(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    expect_board(page, ["?1?"])
    first_url = page.url
    page.locator("#analyse .cell").first.focus()
    page.keyboard.press("2")
    expect_board(page, ["21?"])
    page.wait_for_url(lambda url: url != first_url)
    page.evaluate("(url) => { location.href = url; }", first_url)
    expect_board(page, ["?1?"])
