"""Boards in the languages of other solvers, and their solutions as layouts."""
