"""A logger on the way."""

import logging

import torch

LOGGER = logging.getLogger(__name__)


def before(x):
    y = torch.sin(x)
    LOGGER.debug("shape %s", y.shape)
    return y + 1


def calls():
    return [torch.ones(3)]


def quiet(x):
    y = torch.sin(x)
    if not torch.compiler.is_compiling():
        LOGGER.debug("shape %s", y.shape)
    return y + 1


def ignore():
    torch._dynamo.config.ignore_logger_methods.add(logging.Logger.debug)


FIXES = {
    "is_compiling": {"target": quiet},
    "ignore": {"setup": ignore},
}
