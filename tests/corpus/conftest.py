"""The corpus holds Python source as data, which is not to be collected."""

collect_ignore_glob = ["cases/*"]
