"""How an answer is reached: at once, bounded, or with all effort, in which process."""
