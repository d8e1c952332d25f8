"""One function, compiled in two places with two backends."""

import torch


def work(x):
    return torch.sin(x) + 1


COMPILED = [torch.compile(work, backend=backend) for backend in ("eager", "aot_eager")]
SAME = [torch.compile(work, backend="eager") for _ in range(2)]
APART = [
    torch.compile(work, backend=backend, isolate_recompiles=True)
    for backend in ("eager", "aot_eager")
]


def both(compiled):
    """Calls each in turn, from code that is not compiled itself."""

    @torch.compiler.disable
    def in_turn(x):
        return compiled[0](x) + compiled[1](x)

    def target(x):
        return in_turn(x)

    return target


before = both(COMPILED)


def calls():
    return [torch.ones(3)] * 2


FIXES = {
    "one": {"target": both(SAME)},
    "isolate": {"target": both(APART)},
}
