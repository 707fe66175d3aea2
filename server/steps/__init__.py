"""What a page is told at a step of a control, and in which order it handles that."""
