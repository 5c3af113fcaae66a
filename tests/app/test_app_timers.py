"""A call that is put off has an owner: PySide 6.10 and 6.11 may end the process with a timer that has none.

Such a timer has a wrapper in Python that Qt alone holds. Where Python knew of another object at its address before, as
of the item of a widget that has left its layout, the wrapper is released after it was freed: the window died once in
some thousand acts. A timer with an owner goes another way.
"""

from __future__ import annotations

import ast
from pathlib import Path

from house_code import modules_with

import twin.app
import twin.view3d


def test_calls_put_off_have_an_owner() -> None:
    bare = []
    for package in (twin.app, twin.view3d):
        for path, tree in modules_with(Path(package.__path__[0]), "singleShot"):
            for node in ast.walk(tree):
                late = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("singleShot")
                if isinstance(node, ast.Call) and late and len(node.args) < 3:
                    bare.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert not bare, bare
