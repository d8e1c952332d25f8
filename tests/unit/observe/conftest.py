"""As in the integration tests: texts that torch itself writes differ between its versions."""

from torch_differences import expect_differences as pytest_collection_modifyitems  # noqa: F401
