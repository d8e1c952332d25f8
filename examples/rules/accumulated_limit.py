"""All entries of a code object together have a limit too; here it is lowered to 4."""

import torch

from dynprobe import Call


def before(x, mode):
    return x + len(mode)


def limited(limit):
    def set_limit():
        torch._dynamo.config.accumulated_recompile_limit = limit

    x = torch.ones(2)
    first = Call((x, ""), before=set_limit)
    return [first, *(((x, "m" * i), {}) for i in range(1, 6))]


def calls():
    return limited(4)


def raised():
    return limited(16)


FIXES = {
    "limit": {"calls": raised, "recompiles": 5},
}
