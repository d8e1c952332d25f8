"""Recompiles because of what modules hold."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .base import CauseRule, Fix
from .held import (
    branches,
    is_held,
    is_ints,
    on_class,
    on_module,
    on_several,
    shapes_the_graph,
)


def _module_int(cause: Cause) -> bool:
    number = is_ints(cause) and is_held(cause) and not shapes_the_graph(cause)
    return number and on_module(cause) and not on_class(cause)


def _is_parameter(cause: Cause) -> bool:
    """A property of a parameter or buffer, or whether there is one."""
    tensor = cause.row.kind in ("size", "rank", "stride", "dtype", "device", "requires_grad")
    return tensor or bool(cause.distinct & {"Parameter", "Tensor"})


_REGION = Fix(
    key="region",
    text="compile what calls the layers, so that all of them are in one graph: "
    "torch.compile of the whole model or stack",
)
_ISOLATE = Fix(
    key="isolate",
    text="or compile each layer by itself with entries of its own: "
    "torch.compile(layer, isolate_recompiles=True)",
    since=(2, 13),
)

TRAINING_FLAG = CauseRule(
    id="training-flag",
    title="A module was switched between train and eval",
    why="""\
`module.training` is guarded wherever code reads it: `nn.Dropout` and the batch norms do, and so
does a forward that says `if self.training`. Training and evaluation are two entries. That is all
it costs while the same two come back, but each is compiled anew for what else changes, and both
count towards one recompile limit.""",
    fixes=(
        Fix(
            key="isolate",
            text="compile the module once for training and once for evaluation, with entries "
            "apart: torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
        Fix(
            key="once",
            text="or call train() or eval() on the whole model once, before the first call",
        ),
    ),
    matches=lambda cause: cause.row.kind == "value" and cause.row.source.endswith(".training"),
)
LAYER_PARAMETERS = CauseRule(
    id="layer-parameters",
    title="Modules that share their code differ in their parameters",
    why="""\
Cache entries belong to the code object, so all instances of a layer class share them when the
layers are called one by one. A parameter's shape, dtype and `requires_grad` are guarded, and
whether it is there: each kind of layer has an entry of its own, up to the recompile limit.""",
    fixes=(_REGION, _ISOLATE),
    matches=lambda cause: on_several(cause) and _is_parameter(cause),
)
LAYER_INDEX = CauseRule(
    id="layer-index",
    title="Modules that share their code differ in an attribute",
    why="""\
Cache entries belong to the code object, so all instances of a layer class share them when the
layers are called one by one. An attribute that tells them apart, such as `layer_idx`, makes one
entry for each layer; from the ninth on, they run eagerly in silence.

Where one compiled function calls all the layers, they are inlined into one graph, and each
attribute is a constant of it.""",
    fixes=(_REGION, _ISOLATE),
    matches=lambda cause: cause.row.kind in ("value", "type", "identity") and on_several(cause),
)
MODULE_INT = CauseRule(
    id="module-int",
    title="An int attribute of a module changed",
    why="""\
Dynamo takes an `int` that hangs on an `nn.Module` for a constant, also where it sits in an object,
list or dict on the module. A counter or step that `forward` reads makes a new entry for each value,
up to the recompile limit. (A `float` there becomes a symbol at its second value.)

With `allow_unspec_int_on_nn_module` it becomes a symbol as an int argument does: at its second
value, or with `dynamic=True` at once.""",
    fixes=(
        Fix(
            key="buffer",
            text="where code only computes with it, make it a tensor: "
            'self.register_buffer("{attribute}", torch.tensor(…))',
        ),
        Fix(
            key="unspec",
            text="or set torch._dynamo.config.allow_unspec_int_on_nn_module = True and compile "
            "with dynamic=True",
        ),
        Fix(key="argument", text="or pass it to the compiled function as a tensor"),
    ),
    matches=lambda cause: _module_int(cause) and not branches(cause),
)
MODULE_INT_BRANCH = CauseRule(
    id="module-int-branch",
    title="An int attribute of a module changed, and a branch reads it",
    why="""\
Dynamo takes an `int` that hangs on an `nn.Module` for a constant: a step that `forward` compares
with something makes a new entry for each value, up to the recompile limit. As a symbol it makes one
entry for each side of the branch. (A tensor in its place would break the graph at the branch.)""",
    fixes=(
        Fix(
            key="unspec",
            text="set torch._dynamo.config.allow_unspec_int_on_nn_module = True and compile with "
            "dynamic=True: then each side of the branch is compiled once",
        ),
        Fix(
            key="outside",
            text="or branch outside and keep what follows from it in {name}: a bool that changes "
            "once recompiles once",
        ),
    ),
    matches=lambda cause: _module_int(cause) and branches(cause),
)
FROZEN_PARAMETER = CauseRule(
    id="frozen-parameter",
    title="A parameter was frozen or unfrozen",
    why="""\
Whether a parameter requires gradients is guarded. `module.requires_grad_(False)` after the first
call compiles everything that reads the module once more, and so does unfreezing it later.""",
    fixes=(Fix(key="before", text="freeze or unfreeze before the first call"),),
    matches=lambda cause: cause.row.kind == "requires_grad" and cause.row.holder == "module",
)
SUBMODULES = CauseRule(
    id="submodules-changed",
    title="Submodules were added or taken away",
    why="""\
A loop over an `nn.ModuleList` or `nn.ModuleDict` is unrolled while it is captured, for the modules
that are there. With another number of them nothing captured fits.""",
    fixes=(Fix(key="before", text="build all of the model before the first call"),),
    matches=lambda cause: cause.row.kind == "length" and cause.row.source.endswith("._modules)"),
)
MODULE_RULES: tuple[CauseRule, ...] = (
    TRAINING_FLAG,
    LAYER_PARAMETERS,
    LAYER_INDEX,
    MODULE_INT,
    MODULE_INT_BRANCH,
    FROZEN_PARAMETER,
    SUBMODULES,
)
