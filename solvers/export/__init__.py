"""Boards in the formats of other solvers, and their solutions as layouts."""
