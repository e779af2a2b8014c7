"""`minecheck serve` as on a machine without compiled kernels, until it reads a line from stdin."""

import asyncio
import sys

from minecheck.app.cli import interim
from minecheck.app.cli.main import main
from minecheck.app.execution import warm
from minecheck.app.execution.compilation import Report

_list_missing = warm.list_missing


async def _compile_apart(report: Report) -> int:
    report(5, 9)
    await asyncio.to_thread(sys.stdin.readline)
    warm.list_missing = _list_missing
    return 0


if __name__ == "__main__":
    warm.list_missing = lambda: warm.list_kernels()[:3]
    vars(interim)["compile_apart"] = _compile_apart
    main()
