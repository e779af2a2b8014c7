"""What can be asked: one record a question, from which all else derives."""
