"""A forward hook that is registered after the first call."""

import torch

from dynprobe import Call

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())


def before(x):
    return net(x)


def to_fives(module, args, output):
    return output * 0 + 5


def register():
    net[0].register_forward_hook(to_fives)


def guard_hooks():
    torch._dynamo.config.skip_nnmodule_hook_guards = False


def calls():
    return [Call((torch.ones(3),)), Call((torch.ones(3),), before=register)]


def calls_after_register():
    return [Call((torch.ones(3),), before=register), Call((torch.ones(3),))]


FIXES = {
    "first": {"calls": calls_after_register, "same": False},
    "guards": {"setup": guard_hooks, "recompiles": 1, "same": False},
}
COMMAND = ["--eager"]
