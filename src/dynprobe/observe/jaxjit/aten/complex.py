"""complex."""
