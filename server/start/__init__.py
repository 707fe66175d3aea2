"""What the server does before it answers for the first time."""
