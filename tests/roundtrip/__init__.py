"""Studies of known content, written as people keep them and read back: right, asked, or wrong."""
