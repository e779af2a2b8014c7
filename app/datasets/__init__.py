"""Data sets of positions as Parquet files."""
