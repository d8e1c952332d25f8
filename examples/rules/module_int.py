"""A module counts its calls and computes with the count."""

import torch


class Warmup(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


before = Warmup()


def calls():
    return [torch.ones(3)] * 5


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        self.calls += 1
        return x * self.calls


def unspec():
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


def passed(x, calls):
    return x * calls


def passed_calls():
    return [((torch.ones(3), torch.tensor(n)), {}) for n in range(1, 6)]


FIXES = {
    "buffer": {"target": Counted()},
    "unspec": {"setup": unspec, "dynamic": True},
    "argument": {"target": passed, "calls": passed_calls},
}
