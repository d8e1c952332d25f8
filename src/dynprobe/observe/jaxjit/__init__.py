"""What `jax.jit` does with the same calls: a named twin, or the torch function itself through a
bridge. Everything here runs in a worker of its own."""
