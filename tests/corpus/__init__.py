"""Small files, one per shape of table, each with its right reading."""
