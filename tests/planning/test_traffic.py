"""Traffic of jobs between their nodes, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from twin.physics.sharding import data_parallel_bytes
from twin.physics.training_inputs import Members, Parallel, SoftwareStack
from twin.planning.job.job import LlmJob, VisionJob
from twin.planning.network.traffic import PHASES, Traffic, exchanges_of, llm_exchanges, traffic_of
from twin.planning.profile.models import load_model
from twin.plant.routes import EVERY_CARD

LLAMA = load_model("llama3-8b").model
DATA, FORWARD, BACKWARD, TENSOR, CONTEXT, EXPERT = range(len(PHASES))


def of(parallel: Parallel, per_node: int = 8, cards: int = 8, domain: np.ndarray | None = None) -> Traffic:
    """Return the traffic of Llama 3 8B, each node its own domain unless told."""
    nodes = -(-parallel.gpus // per_node)
    domains = np.arange(nodes) if domain is None else domain
    return traffic_of(llm_exchanges(LLAMA, parallel, SoftwareStack()), per_node, cards, domains)


def pairs(traffic: Traffic, kind: int) -> set[tuple[int, int]]:
    """Return who sends to whom, by places of the job."""
    mine = traffic.flows.group == kind
    return set(zip(traffic.flows.source[mine].tolist(), traffic.flows.target[mine].tolist(), strict=True))


def test_tensor_groups_stay_in_their_node_and_replicas_form_rings() -> None:
    traffic = of(Parallel(8, 1, 1, 4, 1, 1, 64))
    assert pairs(traffic, DATA) == {(0, 1), (1, 2), (2, 3), (3, 0)}
    assert set(traffic.flows.group.tolist()) == {DATA}
    assert set(traffic.flows.source_card.tolist()) == {EVERY_CARD}
    assert traffic.flows.weight.tolist() == [1.0] * 4
    sent = data_parallel_bytes(LLAMA, Parallel(8, 1, 1, 4, 1, 1, 64), SoftwareStack())
    assert traffic.step_bytes[DATA] == pytest.approx(
        sent
    )  # one member of the group in a node: its card takes all


def test_members_in_one_node_share_the_way_out() -> None:
    parallel = Parallel(2, 1, 1, 16, 1, 1, 64)
    traffic = of(parallel)
    assert pairs(traffic, DATA) == {(0, 1), (1, 2), (2, 3), (3, 0)}
    assert traffic.step_bytes[DATA] == pytest.approx(
        data_parallel_bytes(LLAMA, parallel, SoftwareStack()) / 4
    )


def test_stages_talk_both_ways_and_take_turns() -> None:
    parallel = Parallel(8, 2, 1, 2, 1, 1, 64)
    traffic = of(parallel)
    assert pairs(traffic, FORWARD) == {(0, 2), (1, 3)}
    assert pairs(traffic, BACKWARD) == {(2, 0), (3, 1)}
    one_way = 32 * 2 * LLAMA.seq * LLAMA.hidden / 8
    assert traffic.step_bytes[[FORWARD, BACKWARD]] == pytest.approx(one_way)


def test_an_interleaved_pipeline_is_a_circle() -> None:
    traffic = of(Parallel(8, 4, 1, 1, 2, 1, 64))
    assert pairs(traffic, FORWARD) == {(0, 1), (1, 2), (2, 3), (3, 0)}
    assert pairs(of(Parallel(8, 4, 1, 1, 1, 1, 64)), BACKWARD) == {(3, 2), (2, 1), (1, 0)}


def test_context_and_tensor_groups_that_cross_nodes() -> None:
    traffic = of(Parallel(8, 1, 2, 2, 1, 1, 64))
    assert pairs(traffic, CONTEXT) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    wide = of(Parallel(16, 1, 1, 2, 1, 1, 64))
    assert pairs(wide, TENSOR) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert wide.step_bytes[TENSOR] > 0


def test_a_domain_of_many_nodes_keeps_its_traffic() -> None:
    inside = of(Parallel(8, 1, 1, 4, 1, 1, 64), per_node=4, cards=4, domain=np.zeros(8, np.int64))
    assert not inside.step_bytes.any()
    assert not len(inside.flows.group)
    two = of(Parallel(8, 1, 1, 4, 1, 1, 64), per_node=4, cards=4, domain=np.repeat([0, 1], 4))
    # Replicas 0 and 1 are one domain, 2 and 3 the other: each sends to its like over there.
    assert pairs(two, DATA) == {(0, 4), (1, 5), (2, 6), (3, 7), (4, 0), (5, 1), (6, 2), (7, 3)}


def test_two_ranks_to_a_card() -> None:
    traffic = of(Parallel(8, 1, 1, 4, 1, 1, 64), cards=4)
    assert traffic.flows.weight.tolist() == [2.0] * 4
    assert set(traffic.flows.source_card.tolist()) == {EVERY_CARD}


def test_flows_on_some_cards_only_are_told_apart() -> None:
    """Three GPUs to a tensor group do not fill nodes evenly: cards differ."""
    traffic = of(Parallel(4, 1, 1, 3, 1, 1, 63))  # 12 GPUs: a node and a half
    mine = traffic.flows.group == DATA
    assert (traffic.flows.source_card[mine] >= 0).all()
    assert (traffic.flows.source[mine] != traffic.flows.target[mine]).all()


def test_experts_exchange_with_all_other_nodes_of_their_group() -> None:
    mixtral = load_model("mixtral-8x7b").model
    parallel = Parallel(1, 1, 1, 32, 1, 1, 64, ep=32)
    traffic = traffic_of(llm_exchanges(mixtral, parallel, SoftwareStack()), 8, 8, np.arange(4))
    assert pairs(traffic, EXPERT) == {(a, b) for a in range(4) for b in range(4) if a != b}
    mine = traffic.flows.group == EXPERT
    assert traffic.flows.weight[mine].tolist() == pytest.approx([1 / 3] * 12)


def test_experts_that_are_cut_less_than_the_rest_reach_further() -> None:
    """Tensor 8: eight replicas on eight nodes; experts whole on a GPU: groups of 16 ranks are two nodes."""
    mixtral = load_model("mixtral-8x7b").model
    as_dense = Parallel(8, 1, 1, 8, 1, 1, 64, ep=8)
    whole = Parallel(8, 1, 1, 8, 1, 1, 64, ep=8, etp=1)
    wide = Parallel(8, 1, 1, 8, 1, 1, 64, ep=16, etp=1)
    sent = [
        traffic_of(llm_exchanges(mixtral, p, SoftwareStack()), 8, 8, np.arange(8))
        for p in (as_dense, whole, wide)
    ]
    assert len(pairs(sent[0], EXPERT)) == 8 * 7
    assert pairs(sent[1], EXPERT) == set()
    assert pairs(sent[2], EXPERT) == {(a, a ^ 1) for a in range(8)}


def test_vision_is_one_ring_of_gradients() -> None:
    job = VisionJob(32, "a100", 1e12, 1e6, 1e9, 8)
    (exchange,) = exchanges_of(job, 32)
    traffic = traffic_of((exchange,), 8, 8, np.arange(4))
    assert pairs(traffic, DATA) == {(0, 1), (1, 2), (2, 3), (3, 0)}
    assert traffic.step_bytes[DATA] == pytest.approx(2 * 31 / 32 * 2e9 / 8)


def test_one_node_sends_nothing() -> None:
    job = LlmJob("llama3-8b", Parallel(8, 1, 1, 1, 1, 1, 64), "h100")
    traffic = traffic_of(exchanges_of(job, 8), 8, 8, np.arange(1))
    assert not traffic.step_bytes.any()


def test_a_tensor_group_over_two_domains_goes_through_the_cards_of_each_half() -> None:
    parallel = Parallel(8, 1, 1, 2, 1, 1, 64)
    whole = of(parallel, per_node=4, cards=4, domain=np.array([0, 0, 1, 1]))
    assert pairs(whole, TENSOR) == set()
    assert whole.members == Members(data=1)
    split = of(parallel, per_node=4, cards=4, domain=np.array([0, 1, 2, 2]))
    assert pairs(split, TENSOR) == {(0, 1), (1, 0)}
    assert split.members == Members(data=1, tensor=4)
    (tensor,) = [e for e in llm_exchanges(LLAMA, parallel, SoftwareStack()) if e.phase == TENSOR]
    assert split.step_bytes[TENSOR] == pytest.approx(tensor.rank_bytes / 4)


def test_a_spare_elsewhere_is_alone_and_rings_pass_it_once() -> None:
    """Replicas 0, 1, 3 stand together, a spare holds the place of 2: the ring leaves the domain once, and returns."""
    parallel = Parallel(4, 1, 1, 4, 1, 1, 64)
    traffic = of(parallel, per_node=4, cards=4, domain=np.array([0, 0, 7, 0]))
    assert pairs(traffic, DATA) == {(3, 2), (2, 0)}
    assert traffic.members == Members(data=1)
    assert traffic.step_bytes[DATA] == pytest.approx(data_parallel_bytes(LLAMA, parallel, SoftwareStack()))


def test_uneven_halves_send_through_the_cards_of_the_smaller() -> None:
    parallel = Parallel(
        2, 1, 1, 8, 1, 1, 64
    )  # nodes of 4 GPUs: two replicas each; domains of three nodes and one
    traffic = of(parallel, per_node=4, cards=4, domain=np.array([0, 0, 0, 1]))
    assert traffic.members == Members(data=2)
    assert pairs(traffic, DATA) == {(2, 3), (3, 0)}
    assert traffic.flows.weight.tolist() == [1.0, 1.0]  # on each card
    assert traffic.step_bytes[DATA] == pytest.approx(
        data_parallel_bytes(LLAMA, parallel, SoftwareStack()) / 2
    )


def test_pipeline_first_keeps_the_stages_of_a_replica_together() -> None:
    by_stage, by_replica = (Parallel(8, 2, 1, 2, 1, 1, 64, order=o) for o in ("data-first", "pipeline-first"))
    racks = np.array([0, 0, 1, 1])
    assert pairs(of(by_stage), FORWARD) == {(0, 2), (1, 3)}
    assert pairs(of(by_replica), FORWARD) == {(0, 1), (2, 3)}
    assert pairs(of(by_replica), DATA) == {(0, 2), (2, 0), (1, 3), (3, 1)}
    assert of(by_replica, domain=racks).members == Members(data=1, stages=True)
    assert of(by_stage, domain=racks).members == Members()
    assert [cut.stage_gpus(16) for cut in (by_stage, by_replica)] == [16, 8]


def test_replicas_of_experts_are_together_less_than_replicas_of_the_rest() -> None:
    mixtral = load_model("mixtral-8x7b").model
    cut = Parallel(1, 1, 1, 32, 1, 1, 64, ep=8)
    traffic = traffic_of(llm_exchanges(mixtral, cut, SoftwareStack()), 8, 8, np.array([0, 0, 1, 1]))
    assert traffic.members == Members(data=16, replicas=2)
