"""Files that come from a browser: how much may come, and where it waits."""
