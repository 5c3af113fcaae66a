"""Pictures of buildings beside a scene: read by their heads, refused with the reason before anything is expanded."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from twin.handover.package import package_bytes
from twin.handover.unpack import unpacked_scene
from twin.scenario import ScenarioError, load
from twin.scenario.file.own_copies import copy_own_files
from twin.scenario.formats.underlay_file import PictureError, looked_at, picture

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{}</svg>'
HEAD = 'format: twin/scenario\nversion: 3\nextends: builtin:lab-16\ncatalog: "2026.11"\ntitle: T\n'
SCENE = HEAD + "halls: [{id: lab, building: {underlay: {file: FILE, width: 10 m}}}]\n"


def png(width: int, height: int, rows: bytes = b"") -> bytes:
    """Return a PNG file whose head says a size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def jpeg(width: int, height: int) -> bytes:
    """Return the head of a JPEG file."""
    return (
        b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08"
        + struct.pack(">HH", height, width)
        + b"\x01\x01\x11\x00"
    )


def scene(folder: Path, file: str, data: bytes | None) -> Path:
    if data is not None:
        (folder / file).write_bytes(data)
    path = folder / "hall.twin.yaml"
    path.write_text(SCENE.replace("FILE", file))
    return path


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (png(3, 2, b"\x00" * 20), "png", (3, 2)),
        (jpeg(640, 480), "jpeg", (640, 480)),
        (SVG.format("<path d='M0 0'/>").encode(), "svg", (40, 20)),
        (
            b"<svg width='80mm' height='40mm'/>",
            "svg",
            (pytest.approx(302.36, abs=0.01), pytest.approx(151.18, abs=0.01)),
        ),
        (SVG.format('<defs><g id="a"><path/></g></defs><use href="#a"/>').encode(), "svg", (40, 20)),
    ],
)
def test_a_picture_is_known_by_its_head(data: bytes, kind: str, size: tuple[float, float]) -> None:
    found = looked_at(data)
    assert (found.kind, (found.width, found.height)) == (kind, size)


LAUGHS = "<!DOCTYPE svg [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{('&' + chr(97 + n) + ';') * 10}'>" for n in range(9)
)
DOUBLED = "".join(
    f'<g id="g{n}">{f"""<use href="#g{n - 1}"/>""" * 2 if n else "<path/>"}</g>' for n in range(40)
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png(100_000, 100_000), "has 100,000 x 100,000 pixels; at most 20,000 a side and 40 million in all"),
        (png(15_000, 15_000), "has 15,000 x 15,000 pixels"),
        (png(0, 5), "has no size"),
        (png(3, 2)[:20], "is a damaged PNG picture"),
        (jpeg(65_000, 65_000), "has 65,000 x 65,000 pixels"),
        (b"\xff\xd8\xff\xe0\x00\x04", "is a damaged JPEG picture"),
        (b"GIF89a....", "is no PNG, JPEG or SVG picture"),
        (b"\x80\x81", "is no PNG, JPEG or SVG picture"),
        (b"<html/>", "is no SVG picture"),
        (b"<svg", "is no SVG picture: unclosed token in line 1"),
        (SVG.format('<image href="file:///etc/passwd"/>').encode(), "has a <image>"),
        (SVG.format('<use href="http://h/x.svg#a"/>').encode(), "reaches for a file outside itself"),
        (SVG.format('<rect fill="url(file:///x#a)"/>').encode(), "reaches for a file outside itself"),
        (SVG.format("<style>@import 'x.css';</style>").encode(), "reaches for a file outside itself"),
        (SVG.format("<style>a{fill:url(http://h/)}</style>").encode(), "reaches for a file outside itself"),
        (b'<?xml-stylesheet href="x.css"?>' + SVG.format("").encode(), "reaches for a file outside itself"),
        (f"{LAUGHS}]>{SVG.format('<text>&j;</text>')}".encode(), "declares entities"),
        (
            b'<!DOCTYPE svg SYSTEM "http://h/x.dtd" [<!ENTITY % p SYSTEM "file:///x">]><svg/>',
            "declares entities",
        ),
        (SVG.format("<script/>").encode(), "has a <script>"),
        (SVG.format('<g onload="x"/>').encode(), "has the script onload"),
        (SVG.format("<g>" * 300 + "</g>" * 300).encode(), "has elements more than 200 deep"),
        (SVG.format("<g/>" * 60_000).encode(), "has more than 50,000 elements"),
        (
            SVG.format(f"<defs>{DOUBLED}</defs><use href='#g39'/>").encode(),
            "repeats its elements to more than 50,000",
        ),
        (SVG.format('<g id="a"><use href="#a"/></g>').encode(), "repeats an element within itself"),
        (b"<svg/>", "has no size; give it a viewBox"),
        (b'<svg viewBox="0 0 1e9 1"/>', "has no size"),
        (b'<svg viewBox="0 0 500 1"/>', "is more than 100 times as long as wide"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(PictureError) as caught:
        looked_at(data)
    assert str(caught.value).startswith(reason)


def test_a_scene_that_names_one_is_refused_at_its_key(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(scene(tmp_path, "big.png", png(100_000, 100_000)))
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (6, "halls[lab].building.underlay.file")
    assert "has 100,000 x 100,000 pixels" in str(problem)
    with pytest.raises(ScenarioError, match="does not exist"):
        load(scene(tmp_path, "none.png", None))
    with pytest.raises(ScenarioError, match="must be a path inside the folder"):
        load(scene(tmp_path, "../none.png", None))
    with (tmp_path / "huge.png").open("wb") as huge:
        huge.truncate(21_000_000)
    with pytest.raises(ScenarioError, match="larger than 20 MB"):
        load(scene(tmp_path, "huge.png", None))


def test_it_goes_along_to_another_folder_and_in_a_package(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    data = SVG.format("<path d='M0 0'/>").encode()
    document = load(scene(home, "plan.svg", data))
    underlay = document.scenario.halls[0].building.underlay
    assert picture(underlay.digest).data == data
    assert copy_own_files(document.scenario, other) == [other / "plan.svg"]
    (other / "plan.svg").write_text("another")
    with pytest.raises(ScenarioError, match="is another file"):
        copy_own_files(document.scenario, other)
    packed = package_bytes(document)
    assert "scene/plan.svg" in zipfile.ZipFile(BytesIO(packed)).namelist()
    (tmp_path / "p.zip").write_bytes(packed)
    opened = load(unpacked_scene(tmp_path / "p.zip"))
    assert opened.scenario.halls[0].building.underlay == underlay


def test_another_picture_of_the_same_name_is_another_scene(tmp_path: Path) -> None:
    first = load(scene(tmp_path, "plan.svg", SVG.format("<path d='M0 0'/>").encode())).scenario
    second = load(scene(tmp_path, "plan.svg", SVG.format("<path d='M1 10'/>").encode())).scenario
    assert first != second
