"""The examples in the README of the clients are true."""

import re

from tests.app.serving import Server
from tests.clients.conftest import CLIENTS
from tests.clients.playing import run_in_node

README = (CLIENTS / "README.md").read_text()


def block(language: str, server: Server) -> str:
    (code,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(code.replace("http://127.0.0.1:8000", server.url))


def test_python_lines_of_client_readme_give_shown_values(server: Server) -> None:
    checked, lines = re.subn(
        r"^( +)(.+?)  # (.+)$", r"\1assert (\2) == (\3)", block("python", server), flags=re.M
    )
    assert lines == 6
    exec(checked, {})


def test_browser_lines_of_client_readme_print_shown_values(server: Server) -> None:
    code = block("js", server)
    shown = " ".join(re.findall(r"; // (.+)$", code, re.MULTILINE))
    printing = f"""
        const {{ inspect }} = await import("node:util");
        const printed = [];
        const console = {{ log: (value) => printed.push(inspect(value)) }};
        {code.replace('import { Game, Minecheck } from "./minecheck.js";', "")}
        return printed.join(" ");
    """
    assert run_in_node(printing) == shown
