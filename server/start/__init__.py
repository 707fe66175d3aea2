"""Work of the server before it answers for the first time."""
