"""Steps that tests of the tab Analyse share."""

from typing import Any

from tests.page.conftest import Opened
from tests.page.site import expect

CONFLICT = ["11?", "???", "3??"]


def read_rows(page: Any) -> list[str]:
    """The rows that the board of the tab shows."""
    script = """() => [...document.querySelectorAll("#analyse [role=row]")].map((row) =>
        [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.dataset.symbol).join(""))"""
    found: list[str] = page.evaluate(script)
    return found


def expect_board(page: Any, rows: list[str]) -> None:
    """Wait for the board to show these rows."""
    script = """(rows) => JSON.stringify(rows) === JSON.stringify(
        [...document.querySelectorAll("#analyse [role=row]")].map((row) => [
            ...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.dataset.symbol).join("")
        ))"""
    page.wait_for_function(script, arg=rows)


def cell(page: Any, row: int, col: int) -> Any:
    return page.locator("#analyse").get_by_role(
        "gridcell", name=f"row {row + 1}, column {col + 1}:"
    )


def press(page: Any, name: str) -> None:
    page.locator("#analyse").get_by_role("button", name=name, exact=True).click()


def open_tab(page: Any, name: str) -> None:
    """Choose one of the tabs beside the board."""
    page.locator("#analyse").get_by_role("tab", name=name, exact=True).click()


def show_reading(page: Any) -> None:
    """Show how a text can be read, which is folded up."""
    page.locator("#analyse").get_by_text("How to read it").click()


def wait_for_text(page: Any, text: str) -> None:
    """Wait for a text on the tab."""
    expect(page.locator("#analyse")).to_contain_text(text)


def clipboard(page: Any) -> str:
    """Return the text of the clipboard once something was copied."""
    expect(page.locator("#message")).to_contain_text("Copied.")
    found: str = page.evaluate("navigator.clipboard.readText()")
    return found


def sharing(opened: Opened, path: str) -> Any:
    return opened(path, permissions=["clipboard-read", "clipboard-write"])


def paste(page: Any, text: str) -> Any:
    """Read a text; where the page says what it was."""
    page.get_by_label("A board as text").fill(text)
    press(page, "Read")
    return page.locator("#analyse .import").get_by_role("status")


def paste_text(page: Any, text: str) -> None:
    """Paste a text where the keyboard is."""
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const how = { clipboardData, bubbles: true, cancelable: true };
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", how));
        }""",
        text,
    )


def drop(page: Any, name: str, content: bytes) -> None:
    """Drop a file on the board."""
    page.evaluate(
        """([name, content]) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([new Uint8Array(content)], name));
            const how = { dataTransfer, bubbles: true, cancelable: true };
            document.querySelector("#analyse .board").dispatchEvent(new DragEvent("drop", how));
        }""",
        [name, list(content)],
    )
