"""The target: found, made ready, described; and whether a call fits it."""
