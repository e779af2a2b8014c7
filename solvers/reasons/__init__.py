"""Why: deductions, explanations in words, repairs and proofs."""
