"""Programs on the graphics card, lent to layers: the next layer of a kind takes the one that the last has left.

Compiling and linking costs milliseconds, and after an edit of the hall many layers are made anew at once.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from vispy import gloo

_MOST_LEFT = 2
"""Programs of a kind that wait for their next layer: layers are made anew one after the other, boxes in twos."""
_PLAIN = (float, tuple)
"""Kinds of values that stay as they are and can be compared."""
_left: weakref.WeakKeyDictionary[Any, dict[tuple[str, str], list[gloo.Program]]] = weakref.WeakKeyDictionary()


class Program:
    """A program as long as its layer lives. Whoever draws sets all uniforms: some may be left of the layer before.

    A uniform that is set to the value it has is not sent again: most of a picture is as in the one before.

    Parameters
    ----------
    vertex, fragment
        Text of the shaders.
    """

    def __init__(self, vertex: str, fragment: str) -> None:
        left = _left.setdefault(gloo.get_current_canvas(), {}).setdefault((vertex, fragment), [])
        self._lent = left.pop() if left else gloo.Program(vertex, fragment)
        self._next: gloo.VertexBuffer | None = None
        self._set: dict[str, object] = {}
        weakref.finalize(self, _give_back, self._lent, left).atexit = False

    def __setitem__(self, name: str, value: object) -> None:
        known = self._set.get(name)
        if type(value) in _PLAIN:
            same = type(known) is type(value) and known == value
        else:
            same = known is value and not isinstance(value, np.ndarray)  # whose values may be others now
        if same and known is not None:
            return
        self._set[name] = value
        self._lent[name] = value

    def bind(self, vertices: gloo.VertexBuffer) -> None:
        """Take the fields of a vertex buffer as attributes, from the next picture on.

        vispy would keep what each buffer asks for until the program is drawn, and some never are: a ghost moves on
        at every step of the mouse, and is drawn in one colour at most.
        """
        self._next = vertices

    def draw(self, mode: str, indices: gloo.IndexBuffer | None = None) -> None:
        """Draw into the current context."""
        if self._next is not None:
            self._lent.bind(self._next)
            self._next = None
        self._lent.draw(mode, indices)


def _give_back(program: gloo.Program, left: list[gloo.Program]) -> None:
    """Keep a program for the next layer, without the buffers and textures of the last one."""
    if len(left) < _MOST_LEFT:
        for _kind, _type, name in program.variables:
            program[name] = None
        left.append(program)


def forget_idle(canvas: object) -> None:
    """Give up the programs of a canvas that no layer has: those of what is not drawn any more, about a MiB each."""
    for left in _left.get(canvas, {}).values():
        left.clear()
