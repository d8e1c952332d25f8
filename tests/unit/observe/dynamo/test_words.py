"""Guard sources in the user's words."""

from __future__ import annotations

import pytest

from dynprobe.observe.dynamo.words import Words, is_library_source


def wrapper(*args, **kwargs):
    return args, kwargs


def target(self, x, mode="a", *, cache=None, **extra):
    return self, x, mode, cache, extra


def make_closure(scale):
    def inner(x):
        return x * scale

    return inner


SAID = [
    ("L['x']", "x"),
    ("L['self']._modules['proj']", "self.proj"),
    ("L['self']._modules['proj']._parameters['weight']", "self.proj.weight"),
    ("L['self']._modules['layers']._modules['3'].layer_idx", "self.layers[3].layer_idx"),
    ("L['self']._modules['norm']._buffers['running_mean']", "self.norm.running_mean"),
    ("L['self'].__dict__['scale']", "self.scale"),
    ("L['self'].__dict__['_modules']['lin']._parameters['bias']", "self.lin.bias"),
    ("L['self'].__dict__['_parameters']['weight']", "self.weight"),
    ("dict(type(L['self']).__dict__)['step']", "type(self).step"),
    ("dict(type(L['self']._modules['a']).__mro__[1].__dict__)['step']", "type(self.a).step"),
    ("L['x'].size()[0]", "x.shape[0]"),
    ("L['extra']['input_ids']", "input_ids"),
    ("L['cache'][0]['k']", "cache[0]['k']"),
    ("G['SCALE']", "global SCALE"),
    ("G['cfg'].depth", "global cfg.depth"),
    ("G['__import_torch_dot_nn'].functional", "torch.nn.functional"),
    ("G['__builtins_dict___4']['iter']", "iter"),
    ("L['h']['a[b]']", "h['a[b]']"),
    ("G['os'].environ._data[b'MODE']", "os.environ['MODE']"),
    ("G['environ']._data[b'MODE']", "os.environ['MODE']"),
    ("G['os'].environ._data", "global os.environ._data"),
    ("L['cfg'].environ._data[b'MODE']", "cfg.environ._data[b'MODE']"),
]


@pytest.mark.parametrize(("text", "said"), SAID)
def test_sources(text, said):
    assert Words(target.__code__).source(text) == said


def test_conditions_keep_their_operators():
    words = Words(target.__code__)
    assert words.say("L['y'].size()[0] == L['x'].size()[0]") == "y.shape[0] == x.shape[0]"
    assert words.say("len(G['Probe'].seen) == 1") == "len(Probe.seen) == 1"


def test_a_wrapper_of_the_target_has_the_targets_names():
    words = Words(wrapper.__code__, ("self", "input_ids", "mask"))
    assert words.source("L['args'][0]._modules['proj']") == "self.proj"
    assert words.source("L['args'][1]") == "input_ids"
    assert words.source("L['kwargs']['mask']") == "mask"
    assert words.source("L['args'][7]") == "args[7]"


def test_the_users_own_varargs_keep_their_name():
    assert Words(wrapper.__code__).source("L['args'][0]") == "args[0]"


def test_closures():
    words = Words(make_closure(2).__code__)
    assert words.source("L['scale']") == "closure scale"
    assert words.source("L['x']") == "x"


def test_a_value_kept_over_a_break():
    code = target.__code__.replace(co_name="torch_dynamo_resume_in_target_at_13")
    said = Words(code).source("L['___stack0']")
    assert said == "(value 0 kept over the break at line 13)"


def test_library_sources():
    assert is_library_source("G['__import_torch_dot_nn'].functional")
    assert is_library_source("G['__builtins_dict___0']['len']")
    assert not is_library_source("G['SCALE']")
    assert not is_library_source("L['x']")
