"""The browser module runs in a page of another origin, in Chromium."""

import json
from typing import Any

import pytest

from tests.app.serving import Server
from tests.browser import browser

pytestmark = pytest.mark.slow

__all__ = ["browser"]


def run(browser: Any, origin: str, server: Server, script: str) -> Any:
    """Run the body of an async function in a page of an origin, and return its result."""
    page = browser.new_page()
    try:
        page.goto(f"{origin}/package.json")
        found = page.evaluate(
            f"""async (url) => {{
                const {{ Minecheck, MinecheckProblem }} = await import("/minecheck.js");
                const service = new Minecheck(url);
                const run = async () => {{ {script} }};
                return JSON.stringify(
                    await run(), (_, value) => typeof value === "bigint" ? `${{value}}n` : value
                );
            }}""",
            server.url,
        )
    finally:
        page.close()
    return json.loads(found)


def test_page_of_allowed_origin_asks_service(
    browser: Any, origins: list[str], server: Server
) -> None:
    script = """
        const { count } = await service.count(Array(150).fill("?".repeat(150)));
        const { witness } = await service.check("?1??", { mines: 1, request_id: "from-a-page" });
        const layouts = [];
        for await (const layout of service.layoutsStream("?1??")) layouts.push(layout);
        return [count === 2n ** 22500n, witness, layouts.length];
    """
    assert run(browser, origins[0], server, script) == [True, ["B100"], 4]


def test_page_of_allowed_origin_reads_problem_with_request_id(
    browser: Any, origins: list[str], server: Server
) -> None:
    script = """
        try { await service.check("9", { request_id: "from-a-page" }); }
        catch (error) { return [error instanceof MinecheckProblem, error.code, error.requestId]; }
    """
    found = run(browser, origins[0], server, script)
    assert found == [True, "unknown-symbol", "from-a-page"]


def test_page_of_allowed_origin_asks_about_thousands_of_boards(
    browser: Any, origins: list[str], server: Server
) -> None:
    script = """
        function* boards() { for (let n = 0; n < 2000; n += 1) yield "?".repeat(1 + n % 60); }
        let [right, answers] = [true, 0];
        for await (const { count } of service.batch("count", boards())) {
            right &&= count === 1n << BigInt(1 + answers % 60);
            answers += 1;
        }
        return [right, answers];
    """
    assert run(browser, origins[0], server, script) == [True, 2000]


def test_page_can_abort_its_requests(browser: Any, origins: list[str], server: Server) -> None:
    script = """
        const leaving = new AbortController();
        const names = [];
        try {
            const layouts = service.layoutsStream("?".repeat(60), { signal: leaving.signal });
            for await (const layout of layouts) leaving.abort();
        } catch (error) { names.push(error.name); }
        try { await service.check("?", { signal: leaving.signal }); }
        catch (error) { names.push(error.name); }
        return [names, (await service.count("?")).count];
    """
    assert run(browser, origins[0], server, script) == [["AbortError", "AbortError"], "2n"]


def test_error_names_cors_setting_for_page_of_other_origin(
    browser: Any, origins: list[str], server: Server
) -> None:
    script = """
        try { return await new Minecheck(url, { retries: 0 }).check("?"); }
        catch (error) { return [error instanceof TypeError, error.cause.name, error.message]; }
    """
    *kind, message = run(browser, origins[1], server, script)
    assert kind == [True, "TypeError"]
    assert f"no response from {server.url}/v1/check. If it is running, CORS is the" in message
    assert f"MINECHECK_CORS_ORIGINS={origins[1]} " in message
