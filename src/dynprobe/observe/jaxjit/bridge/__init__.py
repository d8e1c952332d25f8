"""The bridge: an unmodified torch function, traced by jax.

`dtypes` and `values` carry tensors over, `boxes` and `tensor` hold a jax value where torch wants a
tensor, `mode` answers each ATen operation: `aten` tables first, then torch's decompositions, then
the real kernel behind a callback. `call` puts a whole function through it."""
