"""A tree that was moved in its text says the same, and every place in it has moved as far."""

import pickle
from collections.abc import Iterator

from twin.scenario.text.parse import parse
from twin.scenario.text.source_tree import SourceMark, Tree

TEXT = "a: 1\nb:\n  - {id: x, c: [1, 2]}\n  - id: y\n    d:\n      e: text\n"


def _places(tree: Tree) -> Iterator[tuple[SourceMark, int, int]]:
    yield tree.mark, tree.start, tree.end
    if isinstance(tree.value, dict):
        for entry in tree.value.values():
            yield entry.mark, entry.start, entry.stop
            yield from _places(entry.tree)
    elif isinstance(tree.value, list):
        for item in tree.value:
            yield from _places(item)


def test_every_place_moves_as_far_also_when_moved_again_before_or_after_somebody_looks() -> None:
    before = parse(TEXT, "one")
    for looked in (False, True):
        once = before.moved(2, 30)
        if looked:
            assert once.value["b"].tree.value[0].id() == "x"
        twice = once.moved(1, 4)
        assert twice.plain() == before.plain()
        expected = [(SourceMark(m.file, m.line + 3, m.column), a + 34, b + 34) for m, a, b in _places(before)]
        assert list(_places(twice)) == expected
        assert twice == before.moved(3, 34)
    assert list(_places(before)) == list(_places(parse(TEXT, "one")))


def test_items_are_known_by_their_ids_and_what_is_sent_away_comes_whole() -> None:
    moved = parse(TEXT, "one").moved(5, 100)
    assert [item.id() for item in moved.value["b"].tree.value] == ["x", "y"]
    sent = parse(TEXT, "one").moved(5, 100)
    assert pickle.loads(pickle.dumps(sent)) == moved
