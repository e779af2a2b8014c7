"""A typed client for minecheck, the Minesweeper consistency service.

`Client` and `AsyncClient` have the same methods, one for each question. Options
are keyword arguments named as in the API, answers are dicts as in the API
(`minecheck_client.answers`) but for counts and offsets, which are integers.
Threads may share a `Client`, tasks an `AsyncClient`. `Game` plays what ``boards``
answers.
"""

from minecheck_client.async_client import AsyncClient
from minecheck_client.batch import Summary
from minecheck_client.client import Client
from minecheck_client.game import Game
from minecheck_client.problem import Incomplete, Problem

__all__ = ["AsyncClient", "Client", "Game", "Incomplete", "Problem", "Summary"]
