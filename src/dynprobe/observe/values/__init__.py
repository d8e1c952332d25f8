"""What the target is called with, and how values are named."""
