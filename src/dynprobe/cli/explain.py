"""`dynprobe explain`: observe, judge, show."""

from __future__ import annotations

import os
import sys

from dynprobe.gate.limits import Limits
from dynprobe.render import View
from dynprobe.spec.model import Options
from dynprobe.spec.probe import parse_mark_dynamic

from . import options as opt
from .observing import observed
from .order import JAX_BY_DEFAULT, check_jax, check_process, make_probe, names_of
from .output import opened
from .publish import held_to, publish
from .terminal import Color, uses_color, width_of


def explain(
    target: opt.TargetText,
    shapes: opt.Shapes = None,
    call: opt.Calls = None,
    inputs: opt.Inputs = None,
    dtype: opt.DType = "f32",
    device: opt.Device = "cpu",
    seed: opt.Seed = 0,
    init: opt.Init = "randn",
    repeat: opt.Repeat = 1,
    backend: opt.Backend = "eager",
    dynamic: opt.DynamicShapes = opt.Dynamic.AUTO,
    mark_dynamic: opt.MarkDynamic = None,
    fullgraph: opt.FullGraph = False,
    grad: opt.Grad = None,
    train: opt.Train = None,
    recompile_limit: opt.RecompileLimit = None,
    alone: opt.Alone = False,
    eager: opt.Eager = False,
    timeout: opt.Timeout = 300.0,
    setup: opt.Setup = None,
    factory: opt.Factory = False,
    app_dir: opt.AppDir = None,
    in_process: opt.InProcess = False,
    no_jax: opt.NoJax = False,
    jax: opt.Twin = None,
    static_argnames: opt.StaticArgnames = None,
    jaxpr: opt.JaxprText = False,
    require_jax: opt.RequireJax = False,
    max_jax_traces: opt.MaxJaxTraces = None,
    output_format: opt.OutputFormat = opt.Format.TEXT,
    output: opt.Outputs = None,
    color: opt.ColorChoice = Color.AUTO,
    width: opt.Width = None,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
    graphs: opt.Graphs = False,
    all_guards: opt.AllGuards = False,
) -> int:
    """Call a function and say, call by call, what Dynamo did and why.

    \b
      dynprobe explain examples/first_steps.py:f --shapes 4,4,5
      dynprobe explain pkg.nets:Net -c 4x8xf32 -c "5x8xf32,mode='fast'"
    """
    limits = Limits(require_jax=require_jax, max_jax_traces=max_jax_traces)
    asked = bool(jax or static_argnames or jaxpr or limits)
    options = Options(
        backend=backend,
        dynamic={"auto": None, "true": True, "false": False}[dynamic],
        mark_dynamic=tuple(parse_mark_dynamic(text) for text in mark_dynamic or ()),
        fullgraph=fullgraph,
        grad=grad,
        train=train,
        recompile_limit=recompile_limit,
        timeout=timeout,
        dtype=dtype,
        device=device,
        seed=seed,
        init=init,  # type: ignore[arg-type]  # checked by check_options
        repeat=repeat,
        factory=factory,
        app_dir=app_dir,
        setup=setup,
        graph_code=graphs,
        alone=alone,
        eager=eager,
        jax=not (no_jax or in_process) and (JAX_BY_DEFAULT or asked),
        twin=jax,
        static_argnames=names_of(static_argnames),
        jaxpr=jaxpr,
    )
    view = View(
        width=width_of(width, sys.stdout),
        color=uses_color(color, sys.stdout, os.environ),
        quiet=quiet,
        verbose=verbose,
        graphs=graphs,
        all_guards=all_guards,
    )
    check_process(options, in_process=in_process)
    check_jax(options, limits, no_jax=no_jax)
    probe = make_probe(target, shapes=shapes, calls=call or (), inputs=inputs, options=options)
    with opened(output or []) as artefacts:
        seen = observed(probe, in_process=in_process, quiet=quiet, verbose=verbose)
        return publish(held_to(seen, limits), output_format, view, artefacts, width)
