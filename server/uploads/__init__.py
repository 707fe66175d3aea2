"""What comes from a browser as a file: how much may come, and where it waits."""
