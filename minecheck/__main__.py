"""The command line: ``python -m minecheck``."""

from minecheck.app.cli.main import main

main()
