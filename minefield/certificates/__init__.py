"""Answers that anybody can check: documents with proofs, and what judges them."""
