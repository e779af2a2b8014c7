"""Hints in the page, from the click to the marks on the board, against the bare call for them."""

from typing import Any

from benchmarks.serving import service
from benchmarks.timing import report
from tests.browser import chromium

_GAMES = 5
#: In the page: an expert game that needs no guess, hint by hint, each with the same call made bare.
_PLAYED = """async ([name, mark, seed]) => {
    const find = (selector) => document.querySelector(`#play ${selector}`);
    const all = (selector) => [...document.querySelectorAll(`#play ${selector}`)];
    const button = (text) => all("button").find(({ textContent }) => textContent === text);
    const until = (selector) => new Promise((resolve) => {
        const watch = new MutationObserver(() => {
            if (!find(selector)) return;
            watch.disconnect();
            resolve();
        });
        watch.observe(find(".board"), { subtree: true, childList: true, attributes: true });
    });
    const seconds = async (action) => {
        // What was shown before is painted by then.
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
        const started = performance.now();
        await action();
        return (performance.now() - started) / 1000;
    };
    const plain = window.fetch;
    let asked = null;
    window.fetch = (resource, options) => {
        asked = [resource, { ...options, signal: undefined }];
        return plain(resource, options);
    };
    const shown = async () => {
        const marked = until(mark);
        button(name).click();
        await marked;
        // To find where everything lies is a part of showing it.
        document.body.getBoundingClientRect();
    };
    const dealt = until(".cell[data-symbol='0']");
    location.hash = `play?height=16&width=30&mines=99&first=8,15&seed=${seed}&guessFree=1`;
    await dealt;
    const pairs = [];
    while (find(".play-said").dataset.kind !== "won") {
        const ours = await seconds(shown);
        pairs.push([ours, await seconds(async () => (await plain(...asked)).text())]);
        if (name === "Heat map") {
            button(name).click();
            button("Hint").click();
            await until("[data-kind='safe']");
        }
        for (const cell of all("[data-kind='safe']")) {
            if (cell.dataset.symbol === "?") cell.click();
        }
    }
    window.fetch = plain;
    return pairs;
}"""


def run() -> None:
    """Positions of whole expert games, one after the other."""
    with service(workers=2) as port, chromium() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/#play")
        page.locator("#play .cell").first.wait_for()
        for name, mark in (("Hint", "[data-kind]"), ("Heat map", "[data-heat]")):
            games: list[Any] = [
                page.evaluate(_PLAYED, [name, mark, seed]) for seed in range(_GAMES + 1)
            ]
            pairs = [(ours, bare) for game in games[1:] for ours, bare in game]
            report(f"{name} at expert size", pairs, "bare call", 2)
