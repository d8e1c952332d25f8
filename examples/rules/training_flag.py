"""A model is trained, evaluated, and trained again."""

import torch

from dynprobe import Call


class Net(torch.nn.Module):
    def forward(self, x):
        x = torch.sin(x)
        return x + 1 if self.training else x


before = Net()


def train():
    before.train()


def evaluate():
    before.eval()


def calls():
    x = torch.ones(3)
    return [Call((x,), before=train), Call((x,), before=evaluate), Call((x,), before=train)]


COMPILED = {
    mode: torch.compile(before, backend="eager", isolate_recompiles=True) for mode in (True, False)
}


@torch.compiler.disable
def chosen(x):
    return COMPILED[before.training](x)


def isolated(x):
    return chosen(x)


def once():
    return [torch.ones(3)] * 3


FIXES = {
    "isolate": {"target": isolated},
    "once": {"setup": evaluate, "calls": once, "same": False},  # no training
}
