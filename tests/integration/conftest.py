"""What torch does otherwise than the version these tests were written on is expected to fail."""

from torch_differences import expect_differences as pytest_collection_modifyitems  # noqa: F401
