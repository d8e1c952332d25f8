"""A learning rate that a scheduler moves."""

import torch

from dynprobe import Call


class Training:
    def __init__(self, rate):
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.optimizer = torch.optim.SGD([self.weight], lr=rate)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, 0.5)

    def epoch(self):
        self.weight.grad = torch.ones(3)
        self.scheduler.step()


def before(optimizer):
    optimizer.step()


def trained(rate):
    training = Training(rate)
    return [Call((training.optimizer,), before=training.epoch) for _ in range(3)]


def calls():
    return trained(0.1)


def tensors():
    return trained(torch.tensor(0.1))


FIXES = {
    "tensor": {"calls": tensors},
}
