"""Batches of two classes."""

import torch


class Image:
    def __init__(self, data):
        self.data = data


class Audio(Image):
    pass


def before(batch):
    return torch.sin(batch.data)


def calls():
    return [Image(torch.ones(3)), Audio(torch.ones(3)), Image(torch.ones(3))]


COMPILED = {
    kind: torch.compile(before, backend="eager", isolate_recompiles=True) for kind in (Image, Audio)
}


@torch.compiler.disable
def in_turn(data):
    return [compiled(kind(data)) for kind, compiled in COMPILED.items()]


def isolated(data):
    return in_turn(data)


def one_call():
    return [torch.ones(3)]


def unpacked(data):
    return torch.sin(data)


def unpacked_calls():
    return [batch.data for batch in calls()]


FIXES = {
    "isolate": {"target": isolated, "calls": one_call, "same": False},  # one call for both
    "unpack": {"target": unpacked, "calls": unpacked_calls},
}
