"""One folder per question that a user asks: its specs, results, findings, figures, sections and controls."""
