"""Raises what Ctrl-C raises, as it is imported."""

raise KeyboardInterrupt
