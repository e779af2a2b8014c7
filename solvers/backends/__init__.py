"""The methods that answer questions, one a file, behind one protocol."""
