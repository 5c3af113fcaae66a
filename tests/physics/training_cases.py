"""Models, cuts, stacks and networks that the laws of the step time are tried on."""

from __future__ import annotations

from hypothesis import strategies as st

from twin.physics.training import Model, Parallel, SoftwareStack
from twin.physics.training_inputs import Experts, Latent, TrainingNetwork
from twin.planning.profile.profiles import load_profile, profile_names

LLAMA_70B = Model(80, 8192, 28672, 64, 8, 128256, True, 8192)
SMALL = Model(24, 2048, 8192, 16, 16, 51200, False, 2048)
MIXTRAL = Model(32, 4096, 14336, 32, 8, 32000, True, 4096, Experts(8, 2, 14336))
DEEPSEEK = Model(
    61,
    7168,
    18432,
    128,
    128,
    129280,
    True,
    4096,
    Experts(256, 8, 2048, 1, 3),
    Latent(1536, 512, 128, 64, 128),
)
CUT = Parallel(tp=4, pp=4, cp=2, dp=8, vp=5, microbatch=1, global_batch=128)

profiles = st.sampled_from(profile_names()).map(load_profile)
stacks = st.builds(
    SoftwareStack,
    recompute=st.sampled_from(["none", "selective", "full"]),
    seq_parallel=st.booleans(),
    flash=st.booleans(),
    sharding=st.sampled_from(["none", "optimizer", "gradients", "weights"]),
    tp_overlap=st.booleans(),
    dp_overlap=st.booleans(),
    p2p_overlap=st.booleans(),
    ep_overlap=st.booleans(),
    grad_bytes=st.sampled_from([2, 4]),
    deferred_head=st.booleans(),
    launch_s=st.sampled_from([0.0, 1.1e-3, 20e-3]),
    precision=st.sampled_from(["bf16", "fp8"]),
)
shares = st.floats(0.02, 2.0)
networks = st.builds(
    TrainingNetwork,
    data=shares,
    pipeline=shares,
    tensor=shares,
    context=shares,
    expert=shares,
    hop_extra_s=st.floats(0.0, 1e-4),
)


@st.composite
def cut_models(draw: st.DrawFn) -> tuple[Model, Parallel]:
    """Return a model and a legal cut of it."""
    model = draw(st.sampled_from([LLAMA_70B, SMALL, MIXTRAL, DEEPSEEK]))
    degree = st.sampled_from([1, 2, 4, 8])
    pp = draw(degree)
    cp, dp, microbatch = (
        draw(degree),
        draw(st.sampled_from([1, 2, 16, 128])),
        draw(st.sampled_from([1, 2, 4])),
    )
    tp = draw(degree)
    etp = draw(st.sampled_from([None, *(e for e in (1, 2, 8) if tp % e == 0)])) if model.experts else None
    apart = cp * dp if etp is None else tp * cp * dp // etp
    experts = st.sampled_from([ep for ep in (1, 2, 8) if model.experts and apart % ep == 0] or [1])
    parallel = Parallel(
        tp=tp,
        pp=pp,
        cp=cp,
        dp=dp,
        vp=draw(st.sampled_from([1, 2, 3])) if pp > 1 else 1,
        microbatch=microbatch,
        global_batch=dp * microbatch * draw(st.integers(1, 64)),
        ep=draw(experts),
        etp=etp,
    )
    return model, parallel
