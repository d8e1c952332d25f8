"""ATen operators as functions of jax: a module a family, each filling the tables of `registry`."""
