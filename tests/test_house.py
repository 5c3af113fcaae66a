"""The house rules that no single module can see: layers, folders, sizes, what is imported, what is written."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).parents[1]
LOWER = (
    "units",
    "catalog",
    "physics",
    "scenario",
    "plant",
    "planning",
    "record",
    "economics",
    "sim",
    "runtime",
    "api",
)
"""Packages below the view, and the public interface, which loads Qt only once it is asked for a picture."""
MAX_LINES = 500
ROOMY = 30
"""Modules in a folder of the packages that have rooms; 50 in others."""
WITH_ROOMS = ("app", "sim", "scenario", "view3d", "commands", "planning")
Node = TypeVar("Node", bound=ast.AST)


@pytest.fixture(scope="module", autouse=True)
def _files_read_once() -> Iterator[None]:
    """Let these tests share what they read, which is no garbage before the last of them."""
    gc.disable()
    yield
    for read in (tracked, tree, by_kind):
        read.cache_clear()
    gc.enable()


@cache
def tracked() -> list[Path]:
    """Return the files of the repository; of an unpacked archive without git, all that it holds."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    folders = ("twin", "scenes", "assets", "tests", "packaging", ".ci")
    inside = [
        file for folder in folders for file in (ROOT / folder).rglob("*") if "__pycache__" not in file.parts
    ]
    return [file for file in [*ROOT.iterdir(), *inside] if file.is_file()]


def modules() -> list[Path]:
    return [file for file in tracked() if file.suffix == ".py" and file.is_relative_to(ROOT / "twin")]


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def by_kind(file: Path) -> Mapping[type[ast.AST], list[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in ast.walk(tree(file)):
        found.setdefault(type(node), []).append(node)
    return found


def nodes(kind: type[Node], file: Path) -> list[Node]:
    """Return all nodes of a kind in a file, those inside others too."""
    return by_kind(file).get(kind, [])  # type: ignore[return-value]


def test_layers_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(lint), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_below_the_view_loads_qt() -> None:
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in modules()]
    lower = [name.removesuffix(".__init__") for name in names if name.split(".")[1] in LOWER]
    code = f"""
import importlib, sys
for name in {lower!r}:
    importlib.import_module(name)
print(*sorted(name for name in sys.modules if name.split('.')[0] in ('PySide6', 'vispy', 'OpenGL', 'psygnal')))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
    assert {name.split(".")[1] for name in lower} == set(LOWER)


def test_modules_are_short() -> None:
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in modules()}
    assert {str(file.relative_to(ROOT)): n for file, n in lines.items() if n > MAX_LINES} == {}


def test_no_folder_holds_more_modules_than_one_finds_one_in() -> None:
    counts: Counter[Path] = Counter(file.parent.relative_to(ROOT / "twin") for file in modules())
    limits = {
        folder: ROOMY if folder.parts[:1] and folder.parts[0] in WITH_ROOMS else 50 for folder in counts
    }
    assert {str(folder): n for folder, n in counts.items() if n > limits[folder]} == {}


def test_modules_import_each_other_in_no_circle() -> None:
    """Imports for types count too: who needs another's type only names what it needs of it in a protocol."""
    files = {_module(file): file for file in modules()}
    imports = {name: _imports(name, file, files) for name, file in files.items()}
    left = dict(imports)
    while free := [name for name, wanted in left.items() if not wanted & left.keys()]:
        for name in free:
            del left[name]
    assert {name: sorted(wanted & left.keys()) for name, wanted in left.items()} == {}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(name: str, file: Path, files: Mapping[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in nodes(ast.ImportFrom, file):
        if node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & files.keys()) or {node.module}
    for plain in nodes(ast.Import, file):
        found |= {alias.name for alias in plain.names}
    return (found & files.keys()) - {name}


def test_public_classes_have_names_of_their_own() -> None:
    places: dict[str, list[str]] = {}
    for file in modules():
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(_module(file))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_types_of_arrays_have_one_name_each() -> None:
    local = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in modules()
        if file != ROOT / "twin" / "arrays.py"
        for node in tree(file).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and node.value is not None
        and ast.unparse(node.value).startswith(("NDArray[", "np.ndarray["))
    ]
    assert local == [], "they stand in twin/arrays.py"


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {file.stem for file in modules()}
    assert not names & {"utils", "util", "helpers", "helper", "misc", "common"}


def test_top_level_folders_are_those_of_the_design() -> None:
    folders = {file.relative_to(ROOT).parts[0] for file in tracked() if len(file.relative_to(ROOT).parts) > 1}
    assert folders == {"twin", "scenes", "assets", "tests", "packaging", ".ci", ".github"}


def test_every_package_has_tests() -> None:
    packages = {
        file.relative_to(ROOT / "twin").parts[0] for file in modules() if file.parent != ROOT / "twin"
    }
    tested = {file.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")}
    assert packages <= tested


def test_no_address_of_a_package_registry_is_written_down() -> None:
    addresses = (
        "pypi." + "org",
        "pythonhosted." + "org",
        "--index" + "-url",
        "--extra-index" + "-url",
        "/simp" + "le/",
    )
    allowed = "--no-emit-" + "index-url"
    found = []
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8").replace(allowed, "")
        except UnicodeDecodeError:  # a picture
            continue
        found += [f"{file.relative_to(ROOT)}: {address}" for address in addresses if address in text]
    assert found == []


def test_nothing_in_a_file_is_ever_executed() -> None:
    calls = [
        f"{file.relative_to(ROOT)}:{node.lineno} {node.func.id}"
        for file in modules()
        for node in nodes(ast.Call, file)
        if isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec", "compile", "__import__"}
    ]
    assert calls == []


def test_pickle_and_shells_are_not_used() -> None:
    text = {file: file.read_text(encoding="utf-8") for file in modules()}
    bad = ("import pickle", "import marshal", "import shelve", "shell=True", "yaml.load(", "os.system(")
    assert [f"{file.name}: {word}" for file, said in text.items() for word in bad if word in said] == []


def test_the_lock_has_every_dependency_with_its_hash() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    names = {
        name.split(">")[0].split("=")[0].split("<")[0].strip().lower().replace(".", "-") for name in wanted
    }
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {line.split("==")[0].strip().lower(): line for line in lock.splitlines() if "==" in line}
    assert names <= set(locked)
    assert lock.count("==") <= lock.count("--hash=sha256:")


PRIVATE_ELSEWHERE = {
    "tests/api/test_api_import.py": {"_MODULES"},  # what `twin.__all__` is made from
    "tests/sim/power_scenes.py": {"_now"},  # the clock of SimPy has no setter
    "tests/sim/test_edits_refused.py": {"_now"},
    "tests/sim/test_sim_network.py": {"_solve", "_share", "_solved", "_place", "_faults", "_work"},
    "tests/sim/test_sim_network_speed.py": {"_share", "_solved", "_step", "_sum", "_sit", "_alarm"},
    "tests/view3d/test_programs.py": {"_commands"},  # of vispy: which queues are still alive
    "twin/sim/core/timers.py": {"_now", "_queue"},  # of SimPy
    "twin/sim/edits/editing.py": {"_build", "_hold"},  # an edit carries the state of a run over
    "twin/sim/edits/heat_transfer.py": {"_leaving", "_seen_c", "_measure", "_base_part", "_variants"},
    "twin/sim/edits/release.py": {"_hold", "_call"},
    "twin/sim/edits/state_transfer.py": {"_holder", "_rest_w"},
    "twin/view3d/gl/free_gl.py": {"_objects"},  # of vispy: it keeps what was deleted
    "twin/view3d/view/hall_view.py": {"_secondary_context", "_surface"},  # of vispy, on closing
}
"""Private names of another module's class, by the file that uses them: the list only shrinks.

The two tests of the network time and compare the steps of its solver one by one.
"""
NOT_PRIVATE = {"_replace", "_asdict", "_fields"}
"""Public names of named tuples, which begin so that no field is called alike."""
OWN_BASES = ("self", "cls", "mcs", "super()", "os", "sys")


def test_private_names_stay_in_their_module() -> None:
    found: dict[str, set[str]] = {}
    for file in [*modules(), *(ROOT / "tests").rglob("*.py")]:
        own = NOT_PRIVATE.union(_defined_in(file))
        for node in nodes(ast.Attribute, file):
            if node.attr.startswith("_") and node.attr[1:2] != "_":
                if node.attr in own or ast.unparse(node.value) in OWN_BASES:
                    continue
                found.setdefault(file.relative_to(ROOT).as_posix(), set()).add(node.attr)
    strange = {file: sorted(names - PRIVATE_ELSEWHERE.get(file, set())) for file, names in found.items()}
    assert {file: names for file, names in strange.items() if names} == {}


def _defined_in(file: Path) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, fields, and attributes of `self`."""
    for made in (*nodes(ast.FunctionDef, file), *nodes(ast.ClassDef, file)):
        yield made.name
    for field in nodes(ast.AnnAssign, file):
        if isinstance(field.target, ast.Name):
            yield field.target.id
    for node in nodes(ast.Attribute, file):
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            yield node.attr


def test_waits_for_the_window_have_no_time_limit() -> None:
    """A test waits for what happens, never for how long: `PatientBot` ends only a hang."""
    waits = {"waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"}
    limited = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for call in nodes(ast.Call, file)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in waits
        and any(option.arg == "timeout" for option in call.keywords)
    ]
    assert not limited
