"""A hook is set on a module while it is called."""

import torch

torch.manual_seed(0)
LAYER = torch.nn.Linear(3, 3)


def double(module, inputs, output):
    return output * 2


def before(x):
    handle = LAYER.register_forward_hook(double)
    y = LAYER(torch.sin(x))
    handle.remove()
    return y + 1


def calls():
    return [torch.ones(3)]


HOOKED = torch.nn.Linear(3, 3)
HOOKED.load_state_dict(LAYER.state_dict())
HOOKED.register_forward_hook(double)


def outside(x):
    return HOOKED(torch.sin(x)) + 1


FIXES = {
    "outside": {"target": outside},
}
