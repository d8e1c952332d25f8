"""An optional package is looked for on the way, and is not there."""

import torch


def before(x):
    try:
        import no_such_package
    except ImportError:
        no_such_package = None
    return torch.sin(x) + (no_such_package is None)


def calls():
    return [torch.ones(3)]


try:
    import no_such_package
except ImportError:
    no_such_package = None


def imported(x):
    return torch.sin(x) + (no_such_package is None)


FIXES = {
    "module": {"target": imported},
}
