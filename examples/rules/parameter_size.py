"""An embedding that grows while it is in use."""

import torch

from dynprobe import Call

TABLE = torch.nn.Embedding(4, 2)


def before(index):
    return TABLE.weight.sum(0) + index


def grow(rows):
    TABLE.weight = torch.nn.Parameter(torch.ones(rows, 2))


def calls():
    return [Call((torch.ones(2),), before=lambda n=n: grow(n)) for n in (4, 5, 6)]


def force():
    torch._dynamo.config.force_parameter_static_shapes = False
    torch._dynamo.config.force_nn_module_property_static_shapes = False


FIXES = {
    "force": {"setup": force, "recompiles": 1},
}
