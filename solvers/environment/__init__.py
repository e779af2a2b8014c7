"""Minesweeper as an environment for learners: many games at once, and what each move was worth.

`dealing` and `clicks` are compiled, `games` holds what is shown of many games, and `truth` has the
exact chances. `single` and `vector` are what Gymnasium takes, so they need the extra ``env``;
nothing else here does. `text` is for players that write, such as language models.
"""
