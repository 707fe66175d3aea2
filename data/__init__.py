"""Data sets: import of files, the DuckDB store, named queries. The only package that knows SQL or duckdb."""
