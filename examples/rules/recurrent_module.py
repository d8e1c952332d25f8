"""An LSTM in a compiled function."""

import torch

torch.manual_seed(0)
LSTM = torch.nn.LSTM(3, 3)


def before(x):
    return LSTM(torch.sin(x))[0] + 1


def calls():
    return [torch.ones(2, 1, 3)]


def allow():
    torch._dynamo.config.allow_rnn = True


FIXES = {
    "allow_rnn": {"setup": allow},
}
