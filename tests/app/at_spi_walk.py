"""Walks the tree of a program as screen readers see it, over AT-SPI, and prints it as JSON.

Run by Debian's Python, which has python3-dbus, on the session bus of the program: ``at_spi_walk.py NAME SECONDS``.
Each line is one object: role, name, description, states, roles and names above it. The last word is ``end``.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import dbus

ACCESSIBLE = "org.a11y.atspi.Accessible"
ROOT = "/org/a11y/atspi/accessible/root"
FOCUSABLE, SHOWING = 11, 25
"""Numbers of states, AT-SPI 2."""
MOST = 20_000


class Bus:
    """The bus of accessibility."""

    def __init__(self) -> None:
        session = dbus.SessionBus()
        status = dbus.Interface(
            session.get_object("org.a11y.Bus", "/org/a11y/bus"), "org.freedesktop.DBus.Properties"
        )
        status.Set("org.a11y.Status", "IsEnabled", True)
        status.Set("org.a11y.Status", "ScreenReaderEnabled", True)
        address = dbus.Interface(
            session.get_object("org.a11y.Bus", "/org/a11y/bus"), "org.a11y.Bus"
        ).GetAddress()
        self._bus = dbus.bus.BusConnection(address)

    def call(self, name: str, path: str, method: str) -> Any:
        """Return what a method of an accessible object answers."""
        return getattr(
            dbus.Interface(self._bus.get_object(name, path, introspect=False), ACCESSIBLE), method
        )()

    def value(self, name: str, path: str, prop: str) -> str:
        """Return a property of an accessible object."""
        thing = self._bus.get_object(name, path, introspect=False)
        return str(dbus.Interface(thing, "org.freedesktop.DBus.Properties").Get(ACCESSIBLE, prop))


def program(bus: Bus, wanted: str, seconds: float) -> tuple[str, str]:
    """Return the program of a name, once it is there and has a window."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for name, path in bus.call("org.a11y.atspi.Registry", ROOT, "GetChildren"):
            try:
                if bus.value(name, path, "Name") == wanted and bus.call(name, path, "GetChildren"):
                    return str(name), str(path)
            except dbus.DBusException:
                continue  # it has just ended
        time.sleep(0.2)
    sys.exit(f"no program {wanted} on the bus")


def walk(bus: Bus, name: str, path: str) -> None:
    """Print each object below one."""
    todo: list[tuple[str, str, tuple[str, ...]]] = [(name, path, ())]
    seen = 0
    while todo and seen < MOST:
        name, path, above = todo.pop()
        try:
            low, high = bus.call(name, path, "GetState")
            states = int(low) | int(high) << 32
            role = str(bus.call(name, path, "GetRoleName"))
            thing = {
                "role": role,
                "name": bus.value(name, path, "Name"),
                "description": bus.value(name, path, "Description"),
                "focusable": bool(states >> FOCUSABLE & 1),
                "showing": bool(states >> SHOWING & 1),
                "above": above,
            }
            children = (
                [] if role in ("table", "tree", "tree table", "list") else bus.call(name, path, "GetChildren")
            )
        except dbus.DBusException:
            continue  # a widget that went while it was walked
        seen += 1
        print(json.dumps(thing | {"children": len(children)}))
        todo += [(str(child), str(at), (*above, f"{role} {thing['name']}".strip())) for child, at in children]
    print("end")


if __name__ == "__main__":
    found = Bus()
    walk(found, *program(found, sys.argv[1], float(sys.argv[2])))
