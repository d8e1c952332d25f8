"""An attribute is read past the class, by name."""

import torch


class Settings:
    def __init__(self):
        self.values = {"scale": 2.0}

    def __getattr__(self, name):
        return object.__getattribute__(self, "values")[name]


class Direct(Settings):
    def __getattr__(self, name):
        return self.values[name]


class Super(Settings):
    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def __getattr__(self, name):
        return self.values[name]


SETTINGS, DIRECT, SUPER = Settings(), Direct(), Super()


def before(x):
    return torch.sin(x) * SETTINGS.scale


def calls():
    return [torch.ones(3)]


def plain(x):
    return torch.sin(x) * DIRECT.scale


def through_super(x):
    return torch.sin(x) * SUPER.scale


FIXES = {
    "plain": {"target": plain},
    "super": {"target": through_super},
}
