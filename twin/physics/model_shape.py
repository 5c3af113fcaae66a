"""Shape of a transformer: what its layers are made of, and the weights and work that follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Experts:
    """Mixture-of-experts layers in place of the feed-forward network.

    Attributes
    ----------
    count, per_token
        Routed experts of a layer, and how many of them see each token.
    ffn
        Width of one expert.
    shared
        Experts of the same width that see every token.
    dense_layers
        First layers that keep the model's own dense feed-forward network.
    most_nodes
        Nodes that a token may go to, where the router limits them; 0: as many as its experts are on.
    """

    count: int
    per_token: int
    ffn: int
    shared: int = 0
    dense_layers: int = 0
    most_nodes: int = 0

    @property
    def active_ffn(self) -> int:
        """Inner width over all experts that one token passes."""
        return (self.per_token + self.shared) * self.ffn


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention: queries, keys and values come from small projections (DeepSeek-V2, V3).

    Attributes
    ----------
    query_rank, kv_rank
        Widths of the two compressed vectors.
    head_plain, head_rotary, head_value
        Of one head: query and key without position, with rotary position, and value.
    """

    query_rank: int
    kv_rank: int
    head_plain: int
    head_rotary: int
    head_value: int

    @property
    def head_key(self) -> int:
        """Width of a query or key of one head."""
        return self.head_plain + self.head_rotary


WINDOW_TILE = 128
"""Keys of one tile of fused attention: the edges of a window are computed whole."""


@dataclass(frozen=True, slots=True)
class AttentionWindow:
    """Attention to the last tokens alone, in most layers (GPT-OSS, Gemma).

    Attributes
    ----------
    tokens
        That a token of such a layer sees.
    full_every
        One layer of so many sees the whole sequence; 0: none does.
    """

    tokens: int
    full_every: int = 0

    def seen(self, seq: float) -> float:
        """Return the mean over layers of what a causal sequence sees, as if all layers saw so many tokens."""
        near = min(self.tokens + WINDOW_TILE, seq)
        windowed = 2 * near - near * near / seq  # twice the mean length: causal products count half of it
        return self.full * seq + (1.0 - self.full) * windowed

    @property
    def full(self) -> float:
        """Share of the layers that see the whole sequence."""
        return 1.0 / self.full_every if self.full_every else 0.0

    def kept(self, context: float) -> float:
        """Return the mean over layers of the tokens whose keys and values the next token needs."""
        return self.full * context + (1.0 - self.full) * min(context, self.tokens)


@dataclass(frozen=True, slots=True)
class StateSpace:
    """State-space layers, Mamba-2, between those of attention; each layer is then one mixer (Nemotron-H).

    Attributes
    ----------
    layers, feed_forward
        How many layers are state-space ones, and how many are feed-forward networks; attention has the others.
    heads, head
        Heads of a state-space layer, and the width of one.
    state
        Numbers of state for each channel.
    groups
        Groups of heads that share input and output matrices.
    """

    layers: int
    feed_forward: int
    heads: int
    head: int
    state: int
    groups: int = 8

    @property
    def width(self) -> int:
        """Channels of a layer."""
        return self.heads * self.head

    @property
    def projected(self) -> int:
        """Width of the input projection: gate, channels, input and output matrices, step of each head."""
        return 2 * self.width + 2 * self.groups * self.state + self.heads

    def parameters(self, hidden: int) -> float:
        """Return the weights of a layer, without its short convolution."""
        return float(hidden * (self.projected + self.width))


@dataclass(frozen=True, slots=True)
class Model:
    """A transformer, dense or with experts.

    Attributes
    ----------
    layers
        Transformer layers; may be fractional for a mean pipeline stage.
    hidden, ffn
        Width of the residual stream and of the feed-forward network.
    heads, kv_heads
        Attention heads and key-value heads (equal without grouped-query attention).
    vocab
        Vocabulary size.
    gated
        Whether the feed-forward network has a gate (three matrices, SwiGLU) or not (two).
    seq
        Tokens of one sequence.
    experts
        Mixture of experts; none: every layer is dense.
    latent
        Latent attention; none: plain or grouped-query attention.
    head_size
        Width of an attention head; none: hidden / heads.
    window
        Sliding windows of attention; none: every layer sees the whole sequence.
    predicted
        Further tokens predicted at once (multi-token prediction): each is one more layer with one more head.
    state_space
        State-space layers; none: every layer is attention and a feed-forward network.
    """

    layers: float
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    vocab: int
    gated: bool
    seq: int
    experts: Experts | None = None
    latent: Latent | None = None
    head_size: int | None = None
    window: AttentionWindow | None = None
    predicted: int = 0
    state_space: StateSpace | None = None

    @property
    def query_width(self) -> float:
        """Width of the queries of all heads, without latent attention."""
        return self.hidden if self.head_size is None else self.heads * self.head_size

    @property
    def attention_width(self) -> float:
        """Mean width of the vectors that attention multiplies over all heads."""
        if self.latent is None:
            return self.query_width
        return self.heads * (self.latent.head_key + self.latent.head_value) / 2

    @property
    def key_value_width(self) -> float:
        """Width of keys and values together, of all heads."""
        if self.latent is None:
            return 2 * self.query_width * self.kv_heads / self.heads
        return self.heads * (self.latent.head_key + self.latent.head_value)

    @property
    def seen(self) -> float:
        """Tokens that attention multiplies with: the whole sequence, or the mean of windows and whole ones."""
        return self.seq if self.window is None else self.window.seen(self.seq)

    def kept(self, context: float) -> float:
        """Return the tokens before the next one whose keys and values a mean layer with attention needs."""
        return context if self.window is None else self.window.kept(context)

    @property
    def attention_share(self) -> float:
        """Share of the layers that have attention."""
        if self.state_space is None:
            return 1.0
        return 1.0 - (self.state_space.layers + self.state_space.feed_forward) / self.layers

    @property
    def state_space_share(self) -> float:
        """Share of the layers that are state-space ones."""
        return self.state_space.layers / self.layers if self.state_space is not None else 0.0

    @property
    def feed_forward_share(self) -> float:
        """Share of the layers that have a feed-forward network, of experts or not."""
        return self.state_space.feed_forward / self.layers if self.state_space is not None else 1.0

    @property
    def attention_parameters(self) -> float:
        """Weights of the attention of one layer, without norms."""
        h = self.hidden
        if self.latent is None:
            return h * self.query_width * (2 + 2 * self.kv_heads / self.heads)
        latent = self.latent
        down = h * (latent.query_rank + latent.kv_rank + latent.head_rotary)
        up = self.heads * (
            latent.query_rank * latent.head_key + latent.kv_rank * (latent.head_plain + latent.head_value)
        )
        return down + up + self.heads * latent.head_value * h

    @property
    def expert_share(self) -> float:
        """Share of the layers that have experts."""
        if self.experts is None:
            return 0.0
        return self.feed_forward_share - self.experts.dense_layers / self.layers

    @property
    def dense_share(self) -> float:
        """Share of the layers that have a dense feed-forward network."""
        return self.feed_forward_share - self.expert_share

    @property
    def plain_layer_parameters(self) -> float:
        """Weights of a mean layer without its routed experts: those that every token uses, and the router."""
        h, matrices = self.hidden, 3 if self.gated else 2
        base = self.attention_share * self.attention_parameters + 4 * h
        if self.state_space is not None:
            base += self.state_space_share * self.state_space.parameters(h)
        if self.experts is None:
            return base + self.feed_forward_share * h * self.ffn * matrices
        seen = h * (self.experts.count + self.experts.shared * self.experts.ffn * matrices)
        return base + self.dense_share * h * self.ffn * matrices + self.expert_share * seen

    @property
    def expert_layer_parameters(self) -> float:
        """Weights of the routed experts of a mean layer; 0 for a dense model."""
        if self.experts is None:
            return 0.0
        expert_parameters = self.hidden * self.experts.ffn * (3 if self.gated else 2)
        return self.expert_share * self.experts.count * expert_parameters

    @property
    def layer_parameters(self) -> float:
        """Weights of a mean layer, norms and biases as 4 h."""
        return self.plain_layer_parameters + self.expert_layer_parameters

    @property
    def active_layer_parameters(self) -> float:
        """Weights of a mean layer that one token sees."""
        if self.experts is None:
            return self.plain_layer_parameters
        seen = self.experts.per_token / self.experts.count
        return self.plain_layer_parameters + seen * self.expert_layer_parameters

    @property
    def blocks(self) -> float:
        """Layers with those that predict further tokens."""
        return self.layers + self.predicted

    @property
    def parameters(self) -> float:
        """Weights of the model with untied input and output embedding."""
        return self.layers * self.layer_parameters + 2 * self.vocab * self.hidden

    @property
    def active_parameters(self) -> float:
        """Weights that one token sees, both embeddings counted whole; all of them in a dense model."""
        return self.layers * self.active_layer_parameters + 2 * self.vocab * self.hidden

    def step_flop(self, global_batch: float) -> float:
        """Return the model FLOP of one step [FLOP]: forward and backward, no recompute, attention not halved.

        Of experts only those that a token sees count. Publishers count differently, so compare step times
        between sources, never MFU.
        """
        s, h = self.seq, self.hidden
        forward = 2 * s * self.blocks * (self.active_layer_parameters - 4 * h)
        forward += 4 * s * self.seen * self.attention_width * self.attention_share * self.blocks
        forward += 2 * s * h * self.vocab * (1 + self.predicted)
        return 3.0 * global_batch * forward
