"""The computation of a training step term by term, with widths, shapes and rates put in: what a student does again."""

from __future__ import annotations

from dataclasses import dataclass

from twin.physics.attention import CAUSAL_SHARE, FLASH_BACKWARD, attention
from twin.physics.gemm import memory_rate, product, product_rate
from twin.physics.sharding import OPTIMIZER_BYTES_PER_WEIGHT, optimizer_s, replicated_weights
from twin.physics.training import DEFERRED_HEAD, StepParts
from twin.physics.training_inputs import Model, Parallel, Profile, SoftwareStack
from twin.physics.training_layer import ELEMENTWISE_BACKWARD
from twin.planning.job.llm import LlmJob
from twin.planning.profile.profiles import load_calibrated
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import rounded

_SAME = 5e-3
"""The terms are shown where they give what the planner does within this share of it [-]."""
_NORM_BYTES, _ACTIVATION_BYTES = 22, 4
"""Memory traffic of norms and residuals, and of the activation function, per token and unit of width, 16-bit [B]."""


@dataclass(frozen=True, slots=True)
class ComputedTerm:
    """One term: what it is, its formula, the same with numbers, and its time [s]; None: it is a number of something."""

    title: str
    formula: str
    numbers: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class StepComputation:
    """The computation of a step on one GPU: its terms, the whole [s] at the reference clock, and the rates it uses."""

    terms: tuple[ComputedTerm, ...]
    whole_s: float
    profile: str
    rates: Profile
    precision_peak_flops_s: float


def step_computation(job: LlmJob, parts: StepParts) -> StepComputation | None:
    """Return the computation of a step of a dense transformer, term by term.

    Parameters
    ----------
    job
        As it is planned.
    parts
        What the planner gives for it.

    Returns
    -------
    None of what these terms do not hold: experts, latent attention, state-space layers, unfused kernels,
    recomputation, or a step that waits for the CPU.
    """
    if not isinstance(job.model, Model) or job.stack is None:
        return None
    model, cut, stack = job.model, job.parallel, job.stack
    unlike = model.experts or model.latent or model.state_space or model.predicted
    if unlike or not stack.flash or not stack.compiled or stack.recompute == "full":
        return None
    calibrated = load_calibrated(job.profile) if isinstance(job.profile, str) else job.profile
    rates = calibrated.profile
    layer_terms, layer_s = _layer(model, cut, stack, rates)
    head = _head(model, cut, stack, rates)
    held = replicated_weights(model, cut, rates.domain_gpus, job.network.members)
    update_s = optimizer_s(held, stack, rates)
    weights = update_s * memory_rate(rates) / OPTIMIZER_BYTES_PER_WEIGHT
    microbatches, layers = cut.microbatches, model.layers / cut.pp
    heads = microbatches / cut.pp if stack.even_stages else microbatches
    assert head.seconds is not None
    whole_s = microbatches * layers * layer_s + heads * head.seconds + update_s + rates.fixed_s
    if abs(whole_s / (parts.productive_s + parts.launch_s) - 1.0) > _SAME:
        return None
    all_heads = f"{heads:g} x {_ms(head.seconds)}"
    terms = (
        ComputedTerm(
            "Microbatches of a step", "m = G / (d b)",
            f"{cut.global_batch:,} / ({cut.dp} x {cut.microbatch}) = {microbatches:g}",
        ),
        ComputedTerm(
            "Tokens of one on a GPU", "x = b s / c",
            f"{cut.microbatch} x {model.seq:,} / {cut.cp} = {_tokens(model, cut):,.0f}",
        ),
        *layer_terms,
        head,
        ComputedTerm(
            "Optimizer", f"{OPTIMIZER_BYTES_PER_WEIGHT} B x weights updated by a GPU",
            f"{OPTIMIZER_BYTES_PER_WEIGHT} x {rounded(weights / 1e6)} million", update_s,
        ),
        ComputedTerm(
            "Computation of a step", "m (L / p) layer + m head + optimizer + fixed time",
            f"{microbatches:g} x {model.layers} / {cut.pp} x {_ms(layer_s)} + {all_heads} + {_ms(update_s)} + "
            f"{_ms(rates.fixed_s)}", whole_s,
        ),
    )  # fmt: skip
    return StepComputation(terms, whole_s, calibrated.name, rates, product_rate(rates, stack.precision))


def _tokens(model: Model, cut: Parallel) -> float:
    return cut.microbatch * model.seq / cut.cp


def _layer(
    model: Model, cut: Parallel, stack: SoftwareStack, rates: Profile
) -> tuple[list[ComputedTerm], float]:
    """Return the terms of a layer for one microbatch, and both of its passes [s]."""
    x, t, h, f = _tokens(model, cut), cut.tp, model.hidden, model.ffn
    width = round(model.query_width + model.key_value_width)
    up = 2 * f if model.gated else f
    products = [
        _product(title, formula, x, (n, k), (columns, depth), product_rate(rates, stack.precision), rates)
        for title, formula, n, k, columns, depth in (
            ("Queries, keys, values", "2 x h (q + kv) / t", width, h, t, 1),
            ("Output of attention", "2 x q h / t", h, round(model.query_width), 1, t),
            ("Feed-forward, up and gate" if model.gated else "Feed-forward, up", "2 x h u / t", up, h, t, 1),
            ("Feed-forward, down", "2 x f h / t", h, f, 1, t),
        )
    ]
    forward_s = sum(term.seconds or 0.0 for term in products)
    scores_s = attention(x, model, t, stack, rates)[0].total_s
    flop = CAUSAL_SHARE * 4.0 * x * model.seen * model.attention_width / t
    share = flop / (scores_s * rates.peak_flops_s)
    scores = ComputedTerm(
        "Attention",
        f"{CAUSAL_SHARE:g} x 4 x s q / t",
        f"{CAUSAL_SHARE:g} x 4 x {x:,.0f} x {model.seen:,.0f} x {model.attention_width:,.0f} / {t} = "
        f"{rounded(flop / 1e9)} GFLOP at {share:.3f} of the peak",
        scores_s,
    )
    cut_norms = t if stack.seq_parallel else 1
    moved = x * (_NORM_BYTES * h / cut_norms + _ACTIVATION_BYTES * f / t)
    norms_s = moved / memory_rate(rates)
    norms = ComputedTerm(
        "Norms, residuals, activation",
        f"x ({_NORM_BYTES} h / {'t' if stack.seq_parallel else '1'} + {_ACTIVATION_BYTES} f / t) B",
        f"{x:,.0f} x ({_NORM_BYTES} x {h:,} / {cut_norms} + {_ACTIVATION_BYTES} x {f:,} / {t}) = "
        f"{rounded(moved / 1e6)} MB",
        norms_s,
    )
    of_scores, of_norms = 1.0 + FLASH_BACKWARD, 1.0 + ELEMENTWISE_BACKWARD
    both_s = 3.0 * forward_s + of_scores * scores_s + of_norms * norms_s
    both = ComputedTerm(
        "A layer, both passes",
        f"3 products + {of_scores:g} attention + {of_norms:g} norms",
        f"3 x {_ms(forward_s)} + {of_scores:g} x {_ms(scores_s)} + {of_norms:g} x {_ms(norms_s)}",
        both_s,
    )
    return [*products, scores, norms, both], both_s


def _product(
    title: str,
    formula: str,
    x: float,
    shape: tuple[int, int],
    cuts: tuple[int, int],
    flops_s: float,
    rates: Profile,
) -> ComputedTerm:
    """Return the product of x tokens with weights (n, k) in the rows, of which a GPU has a part of one side."""
    (n, k), (columns, depth) = shape, cuts
    flop = 2.0 * x * n * k / (columns * depth)
    return ComputedTerm(
        title,
        formula,
        f"2 x {x:,.0f} x {k:,} x {n:,} / {columns * depth} = {rounded(flop / 1e9)} GFLOP",
        product(x, n / columns, k / depth, flops_s, rates).total_s,
    )


def _head(model: Model, cut: Parallel, stack: SoftwareStack, rates: Profile) -> ComputedTerm:
    """Return output projection and loss of a microbatch on the last stage, 16-bit."""
    x, t = _tokens(model, cut), cut.tp
    logits = product(x, model.vocab / t, model.hidden, product_rate(rates, "bf16"), rates)
    moved = rates.loss_bytes * x * model.vocab / t
    kept, words = (DEFERRED_HEAD, "2/3 x ") if stack.deferred_head else (1.0, "")
    loss_s = moved / memory_rate(rates)
    flop = 2.0 * x * model.vocab / t * model.hidden
    return ComputedTerm(
        "Head and loss, last stage",
        f"{words}(3 (2 x h V / t) + {rates.loss_bytes:g} x V / t B)",
        f"{words}(3 x {_ms(logits.total_s)} of {rounded(flop / 1e9)} GFLOP + {_ms(loss_s)} of "
        f"{rounded(moved / 1e6)} MB)",
        kept * (3.0 * logits.total_s + loss_s),
    )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.3f}" if seconds < 0.1 else f"{1e3 * seconds:,.1f}"


def computation_table(found: StepComputation, ledger_s: float | None) -> Markup:
    """Return the terms as a table; `ledger_s`: what kept steps computed in the mean [s], None: unknown."""
    rows: list[tuple[Child, ...]] = [
        (
            term.title,
            term.formula,
            term.numbers,
            "" if term.seconds is None else number(term.seconds, _ms(term.seconds)),
        )
        for term in found.terms
    ]
    rates = found.rates
    ledger = f"; the ledger has {ledger_s:.2f} s in the mean, at the clocks of this run" if ledger_s else ""
    notes = (
        "Widths: t tensor, p pipeline, d data, c context. b microbatch, G batch, x tokens in formulas and times in "
        "numbers, B the unit byte, s sequence, h hidden, q queries, kv keys and values, f feed-forward, u up and gate, "
        "V vocabulary, L layers. F FLOP of a product take "
        f"F (1 + \N{SQUARE ROOT}(F0 / F)) / R, with F0 = {rounded(rates.gemm_ramp_flop / 1e9)} GFLOP and R = "
        f"{rounded(found.precision_peak_flops_s / 1e12)} TFLOP/s ({rates.gemm_efficiency:g} of the peak of "
        f"{rounded(rates.peak_flops_s / 1e12)}); memory gives {rounded(memory_rate(rates) / 1e12)} TB/s "
        f"({rates.hbm_efficiency:g} of {rounded(rates.hbm_bytes_s / 1e12)}): fitted, profile {found.profile}. "
        f"Together {found.whole_s:.3f} s at the reference clock{ledger}."
    )
    heads = ("term", "formula", "in this job", "ms")
    caption = "Computation of a step, term by term"
    return joined(
        [
            table(heads, rows, right=1, caption=caption),
            tag("p", notes, class_="note"),
        ]
    )
