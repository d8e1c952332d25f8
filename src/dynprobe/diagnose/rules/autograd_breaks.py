"""Graph breaks at gradients, hooks, parameters and optimizers."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import callee, has_code, is_kind

_TRACE = "torch._dynamo.config.trace_autograd_ops = True"


def _optimizes(site: GraphBreak) -> bool:
    """Its break lies in torch's optimizers, or one of their methods is called: torch names the file
    of what it does not trace."""
    in_torch = "torch/optim/" in site.file
    called = "torch/optim/" in site.explanation and bool(callee(site))
    return in_torch or called or callee(site).startswith(("Optimizer.", "LRScheduler."))


OPTIMIZER_STEP = BreakRule(
    id="optimizer-step",
    title="The optimizer's part of a training step",
    why="""\
`Optimizer.step()` breaks the graph before and after its own computation, and `zero_grad()` is not
captured. Nothing is gained by compiling them with the model: the step can be compiled by itself
(`torch.compile(optimizer.step)`).""",
    fixes=(
        Fix(
            key="outside",
            text="compile the computation of the loss alone, and call the optimizer outside "
            "{function}",
        ),
    ),
    matches=_optimizes,
)
BACKWARD_CALL = BreakRule(
    id="backward-call",
    title="backward() in the compiled function",
    why="""\
Dynamo ends the graph at `backward()`. torch differentiates what was compiled anyway: a compiled
forward pass has a compiled backward pass, wherever `backward()` is called.""",
    fixes=(
        Fix(key="outside", text="return the loss, and call backward() outside {function}"),
        Fix(
            key="trace",
            text=f"or {_TRACE}, where what the function returns is detached",
            since=(2, 13),
        ),
    ),
    matches=lambda site: is_kind(site, "GB0123", "Unsupported Tensor.backward() call"),
)
AUTOGRAD_GRAD = BreakRule(
    id="autograd-grad",
    title="torch.autograd.grad in the compiled function",
    why="""\
Dynamo ends the graph at `torch.autograd.grad`, unless it is told to trace it; then no result may be
returned whose own gradient would need what the call used up. `torch.func.grad` of a function is
captured.""",
    fixes=(
        Fix(key="func", text="torch.func.grad(loss_of)(x), where the loss is a function of x"),
        Fix(
            key="trace",
            text=f"or {_TRACE}, where what the function returns is detached or the gradient itself",
            since=(2, 13),
        ),
    ),
    matches=lambda site: (
        is_kind(site, "GB9186", "GB4927", "using `torch.autograd.grad`", "autograd.grad consumed")
        or has_code(site, r"\bautograd\.grad\(")
    ),
)
REQUIRES_GRAD_CALL = BreakRule(
    id="requires-grad-call",
    title="requires_grad is set in the compiled function",
    why="""\
Whether a tensor needs a gradient is part of what a graph is captured for, so it may not change in
the middle of one: `requires_grad_()` and `x.requires_grad = True` end it. A tensor made in the
function that is marked and returned ends it as well.""",
    fixes=(
        Fix(
            key="outside",
            text="set it before {function} is called; where a part must not have a gradient, "
            "detach() is captured",
        ),
    ),
    matches=lambda site: is_kind(
        site,
        *("GB0125", "GB0206", "GB8985", "GB7324"),
        *("Unsupported Tensor.requires_grad_() call", "setattr() on Tensor.requires_grad"),
        *("requires_grad_() intermediate leaked", "returning intermediate with requires_grad_()"),
    ),
)
RETAIN_GRAD = BreakRule(
    id="retain-grad",
    title="retain_grad() in the compiled function",
    why="The frame that calls `retain_grad()` is given up, and runs eagerly for good.",
    fixes=(
        Fix(
            key="outside",
            text="return the tensor, and ask for its gradient outside {function}",
        ),
    ),
    matches=lambda site: is_kind(site, "GB0108", "Tensor.retain_grad()"),
)
GRAD_FN = BreakRule(
    id="grad-fn",
    title="A tensor is asked for its grad_fn",
    why="""\
While Dynamo captures, tensors have no autograd graph, so `grad_fn` cannot be read and the frame is
given up. `requires_grad` and `is_leaf` can be read.""",
    fixes=(
        Fix(
            key="requires_grad",
            text="where it asks whether there is a gradient: y.requires_grad in place of y.grad_fn",
        ),
    ),
    matches=lambda site: is_kind(site, "GB0104", "Tensor with grad_fn()"),
)
HOOK_REGISTRATION = BreakRule(
    id="hook-registration",
    title="A module's hook is set in the compiled function",
    why="""\
Dynamo captures hooks that a module has when the call begins. Setting one in the compiled function
is not captured, and its handle cannot be kept over a graph break: the frame is given up.""",
    fixes=(Fix(key="outside", text="register the hook once, before {function} is first called"),),
    matches=lambda site: (
        is_kind(site, "GB0013", "Attempted to represent unregistered RemovableHandle")
        or has_code(site, r"\.register_\w*hook\(")
    ),
)
PARAMETER_CREATED = BreakRule(
    id="parameter-created",
    title="A parameter, or a layer that has some, is made in the compiled function",
    why="""\
Dynamo does not capture `nn.Parameter(…)`, the constructor of a layer that has parameters, or
`torch.ones(…, requires_grad=True)` and its like. It ends the graph; and parameters that are new on
every call are never trained.""",
    fixes=(
        Fix(
            key="outside",
            text="make it once, before {function} is called: in __init__ of the module",
        ),
    ),
    matches=lambda site: is_kind(
        site,
        *("GB0264", "GB0225", "Attempted to use `torch.nn.Parameter()` constructor"),
        "Attempted to use tensor creation function with requires_grad=True",
    ),
)
AUTOGRAD_BREAK_RULES: tuple[BreakRule, ...] = (
    OPTIMIZER_STEP,
    BACKWARD_CALL,
    AUTOGRAD_GRAD,
    REQUIRES_GRAD_CALL,
    RETAIN_GRAD,
    GRAD_FN,
    HOOK_REGISTRATION,
    PARAMETER_CREATED,
)
