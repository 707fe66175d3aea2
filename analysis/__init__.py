"""The statistics: arrays in, frozen results out; nothing of ours, no pandas and no plotly is imported."""
