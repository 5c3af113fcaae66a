"""Power flow of a tree: hand cases, conservation, units that share, the inverse, Frontier's chain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.physics.power_flow import PowerTree, levels_of, stage_input_w


def _tree(parent, units=None, a=0.0, b=1.0, c=0.0):
    parent = np.array(parent)
    n = len(parent)
    units = np.ones(n, int) if units is None else np.array(units)
    return PowerTree(
        levels_of(parent), parent, units, *(np.broadcast_to(np.asarray(x, float), n) for x in (a, b, c))
    )


def test_two_stages_by_hand():
    tree = _tree([-1, 0], a=[10.0, 1.0], b=[1.01, 1.0], c=[0.0, 1e-3])
    out_w, own_w, in_w = tree.solve(np.array([0.0, 100.0]))
    assert in_w[1] == pytest.approx(1 + 100 + 10)
    assert out_w[0] == pytest.approx(111.0)
    assert in_w[0] == pytest.approx(10 + 1.01 * 111)
    assert not own_w.any()


def test_branches_units_sources_and_charging_by_hand():
    # A root with two branches, one of two units, the other with a dead item; another root beside it.
    parent, units = np.array([-1, 0, 0, 1, 2, 2, -1]), np.array([1, 2, 1, 1, 1, 0, 1])
    levels = levels_of(parent)
    assert [level.tolist() for level in levels] == [[3, 4, 5], [1, 2], [0, 6]]
    a_w, b = np.array([10.0, 2, 0, 1, 3, 5, 4]), np.array([1.0, 1.5, 1, 2, 1, 1, 1])
    tree = PowerTree(levels, parent, units, a_w, b, np.array([0, 0.01, 0.001, 0, 0, 0, 0.5]))
    load_w = np.array([7.0, 5, 0, 4, 6, 0, 2])
    out_w, own_w, in_w = tree.solve(load_w)
    first_w, second_w = 4 + 1.5 * 14 + 0.005 * 14**2, 9 + 0.001 * 9**2
    assert out_w == pytest.approx([7 + first_w + second_w, 5 + 9, 9, 4, 6, 0, 2], rel=1e-14)
    assert in_w == pytest.approx(
        [10 + 7 + first_w + second_w, first_w, second_w, 1 + 2 * 4, 3 + 6, 0, 4 + 2 + 0.5 * 4], rel=1e-14
    )
    assert own_w.tolist() == [0] * 7
    # The first branch is given 4 W, the second charges with 1 W; a UPS at the root takes 3 W more.
    offered_w, extra_w = np.array([0.0, 4, -1, 0, 0, 0, 0]), np.array([3.0, 0, 0, 0, 0, 0, 0])
    out_w, own_w, in_w = tree.solve(load_w, offered_w, extra_w)
    first_w, second_w = 4 + 1.5 * 10 + 0.005 * 10**2, 10 + 0.001 * 10**2
    assert own_w.tolist() == offered_w.tolist()
    assert out_w == pytest.approx([7 + first_w + second_w, 14, 9, 4, 6, 0, 2], rel=1e-14)
    assert in_w == pytest.approx([3 + 10 + 7 + first_w + second_w, first_w, second_w, 9, 9, 0, 8], rel=1e-14)


def test_an_item_is_above_none_that_it_may_hang_on():
    parent, spare = np.array([-1, 0, 0, 1, -1]), np.array([-1, -1, 1, 2, 3])
    assert [level.tolist() for level in levels_of(parent)] == [[3], [1, 2], [0, 4]]
    assert [level.tolist() for level in levels_of(parent, spare)] == [[4], [3], [2], [1], [0]]
    assert levels_of() == []


def test_losing_one_of_four_units_costs_copper_and_saves_a_no_load_loss():
    four = float(stage_input_w(300.0, 4, 2.0, 1.0, 1e-3))
    three = float(stage_input_w(300.0, 3, 2.0, 1.0, 1e-3))
    assert four == pytest.approx(4 * (2 + 75 + 1e-3 * 75**2))
    assert three == pytest.approx(3 * (2 + 100 + 10))


def test_a_source_gives_no_more_than_is_used_and_an_island_gives_all():
    tree = _tree([-1, 0], b=[1.02, 1.0])
    out_w, own_w, in_w = tree.solve(np.array([0.0, 50.0]), np.array([80.0, 0.0]))
    assert own_w[0] == out_w[0] == 50.0
    assert in_w[0] == 0.0
    _, own_w, in_w = tree.solve(np.array([0.0, 50.0]), np.array([-20.0, 0.0]))
    assert (own_w[0], in_w[0]) == (-20.0, pytest.approx(1.02 * 70))
    _, own_w, in_w = tree.solve(np.array([0.0, 50.0]), np.array([np.inf, 0.0]))
    assert (own_w[0], in_w[0]) == (50.0, 0.0)


def test_a_dead_item_takes_nothing():
    _, _, in_w = _tree([-1, 0], units=[1, 0], a=5.0).solve(np.zeros(2))
    assert in_w.tolist() == [5.0, 0.0]


@st.composite
def _trees(draw):
    count = draw(st.integers(1, 25))
    parent = [-1] + [draw(st.integers(-1, i - 1)) for i in range(1, count)]
    numbers = st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count)
    return (
        parent,
        *(np.array(draw(numbers)) for _ in range(4)),
        draw(st.lists(st.integers(1, 4), min_size=count, max_size=count)),
    )


@settings(max_examples=80, deadline=None)
@given(_trees())
def test_what_the_roots_take_is_load_and_losses(tree):
    parent, load, a, c, offered, units = tree
    net = _tree(parent, units, 10 * a, 1.0, 1e-4 * c)
    out_w, own_w, in_w = net.solve(1e3 * load, 500 * offered)
    roots = np.array(parent) < 0
    losses = in_w - (out_w - own_w)
    assert np.all(losses >= -1e-9)
    assert in_w[roots].sum() + own_w.sum() == pytest.approx(
        1e3 * load.sum() + losses.sum(), rel=1e-12, abs=1e-9
    )
    assert np.all(own_w <= out_w + 1e-12)


@settings(max_examples=40, deadline=None)
@given(_trees())
def test_what_hangs_below_all_buses_is_worked_out_once_for_the_same_loads(tree):
    parent, load, a, c, offered, units = tree
    figures = 10 * a, np.ones(len(parent)), 1e-4 * c
    buses = np.arange(0, len(parent), 5)
    levels, units = levels_of(np.array(parent)), np.array(units)
    net = PowerTree(levels, np.array(parent), units, *figures, buses)
    afresh = PowerTree(levels, np.array(parent), units, *figures)
    load_w, before = 1e3 * load, None
    for share in (1.0, 0.0, -0.5):
        offered_w = np.where(np.isin(np.arange(len(parent)), buses), share * 500 * offered, 0.0)
        flows = net.solve(load_w, offered_w)
        for now_w, whole_w in zip(flows, afresh.solve(load_w.copy(), offered_w), strict=True):
            assert now_w.tolist() == whole_w.tolist()
        for now_w, before_w in zip(flows, before or flows, strict=True):
            assert not np.delete(now_w - before_w, net.reached).any()
        before = flows
    assert net.solve(2 * load_w)[2].tolist() == afresh.solve(2 * load_w)[2].tolist()


@pytest.mark.parametrize(
    ("cpu", "gpu", "total_kw", "loss_kw"),
    [(0.0, 0.0, 7306.5, 570.8), (0.33, 0.79, 22954.5, 1497.1), (1.0, 1.0, 28227.9, 1809.3)],
)
def test_the_stages_of_frontier_give_its_published_powers(cpu, gpu, total_kw, loss_kw):
    # ExaDigiT RAPS, config/frontier.yaml @6c142bfd; the same numbers come from scenes/frontier.twin.yaml.
    parts_w = 90 + cpu * 190 + 4 * (88 + gpu * 472) + 74.26 + 4 * 20 + 30
    node_w = stage_input_w(parts_w, 1, 13 / 0.98, 1 / 0.98, 0.0)
    chassis_w = 16 * node_w + 4 * 250
    racks_w = 9472 / 16 * stage_input_w(chassis_w, 4, 17 / 0.96, 1 / 0.96, 0.0)
    total_w = racks_w + 25 * 8473.47
    useful_w = 9472 * parts_w + 9472 / 16 * 1000
    assert total_w / 1e3 == pytest.approx(total_kw, abs=0.06)
    assert (racks_w - useful_w) / 1e3 == pytest.approx(loss_kw, abs=0.06)
