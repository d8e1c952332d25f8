"""The step of an optimizer with momentum is compiled by itself."""

import torch

from dynprobe import Call

PARAMETERS = [torch.nn.Parameter(torch.ones(3)) for _ in range(2)]
OPTIMIZER = torch.optim.SGD(PARAMETERS, lr=0.1, momentum=0.9)


def before():
    OPTIMIZER.step()


def backward():
    """What the caller does before each step."""
    for parameter in PARAMETERS:
        parameter.grad = torch.ones(3)


def start():
    OPTIMIZER.state.clear()
    backward()


def calls():
    return [Call(before=start), Call(before=backward), Call(before=backward)]


def first_step():
    start()
    OPTIMIZER.step()
    backward()


def later_calls():
    return [Call(before=first_step), Call(before=backward), Call(before=backward)]


FIXES = {
    "first": {"calls": later_calls},
}
