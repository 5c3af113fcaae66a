"""All parts there are to build with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from twin import resources
from twin.catalog.cause_parts import CausePart
from twin.catalog.cloud_parts import ShapePart
from twin.catalog.compute_parts import CpuPart, GpuPart, NodePart, RackPart, StoragePart
from twin.catalog.cooling_parts import (
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
    TankPart,
)
from twin.catalog.errors import CatalogError, UnknownPart
from twin.catalog.figure import Figure
from twin.catalog.kinds import PART_TYPES
from twin.catalog.load import FileContents, check_references, read_parts, read_sources
from twin.catalog.machine_failure import MachineFailurePart
from twin.catalog.network_parts import CablePart, NicPart, SwitchPart, TechnologyPart
from twin.catalog.own_texts import OwnText, read_own
from twin.catalog.part import Part
from twin.catalog.power_parts import (
    BatteryPart,
    BusbarPart,
    GeneratorPart,
    PduPart,
    PowerShelfPart,
    PsuPart,
    TransformerPart,
    UpsPart,
)
from twin.catalog.price_parts import PricePart

P = TypeVar("P", bound=Part)


class Catalog:
    """Parts by id, each number with its provenance. Read it with `load_catalog`.

    Attributes
    ----------
    version
        Edition of the shipped catalogue, "2026.11".
    digest
        SHA-256 of all files read, for the header of a run.
    own_parts
        Ids of the parts that came from files beside a scene.
    own_models
        Models from files beside a scene, by name.
    own_texts
        These files.
    """

    def __init__(
        self,
        contents: FileContents,
        digest: str,
        own_parts: tuple[str, ...] = (),
        own_texts: tuple[OwnText, ...] = (),
    ) -> None:
        self.version = contents.edition
        self.digest = digest
        self.own_parts, self.own_texts = own_parts, own_texts
        self.own_models = dict(contents.models)
        self._parts = contents.parts
        self._figures = contents.figures
        self._contents = contents

    def part(self, part_id: str) -> Part:
        """Return the part of any kind; raises UnknownPart."""
        found = self._parts.get(part_id)
        if found is None:
            raise UnknownPart("part", part_id, self._parts)
        return found

    def ids(self, kind: str | None = None) -> tuple[str, ...]:
        """Return the ids of one kind, or all; raises UnknownPart for an unknown kind."""
        if kind is not None and kind not in PART_TYPES:
            raise UnknownPart("kind of part", kind, PART_TYPES)
        return tuple(part.id for part in self._parts.values() if kind is None or kind == part.KIND)

    def contents(self) -> FileContents:
        """Return a copy of all that was read, to add to."""
        return self._contents.copy()

    def __contains__(self, part_id: object) -> bool:
        return part_id in self._parts

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts.values())

    def __len__(self) -> int:
        return len(self._parts)

    def place(self, part_id: str) -> str:
        """Return file and line of a part; raises UnknownPart."""
        return "{}:{}".format(*self._contents.places[self.part(part_id).id])

    def provenance(self, part_id: str, key: str) -> Figure:
        """Return the figure of a number: `provenance("H100-SXM", "tdp_w")`.

        Groups have the keys `nics[0]`, `layout[2]`, ... Raises UnknownPart when there is no such number.
        """
        figures = self._figures[self.part(part_id).id]
        found = figures.get(key)
        if found is None:
            raise UnknownPart(f"figure of {part_id}", key, figures)
        return found

    def figures(self, part_id: str) -> tuple[Figure, ...]:
        """Return all numbers of a part in order; raises UnknownPart."""
        return tuple(self._figures[self.part(part_id).id].values())

    @property
    def causes(self) -> tuple[CausePart, ...]:
        """Return the causes of failure that a scene takes with ``failures: {rates: catalog}``."""
        return tuple(part for part in self._parts.values() if isinstance(part, CausePart))

    @property
    def machine_failures(self) -> dict[str, MachineFailurePart]:
        """Return how often machines of the facility fail, by their sort."""
        return {part.id: part for part in self._parts.values() if isinstance(part, MachineFailurePart)}

    @property
    def prices(self) -> tuple[PricePart, ...]:
        """Return what a site costs beside its parts."""
        return tuple(part for part in self._parts.values() if isinstance(part, PricePart))

    @property
    def shapes(self) -> tuple[ShapePart, ...]:
        """Return what clouds rent out."""
        return tuple(part for part in self._parts.values() if isinstance(part, ShapePart))

    def gpu(self, part_id: str) -> GpuPart:
        """Return a GPU; raises UnknownPart with the nearest names, as all accessors by kind do."""
        return self._of(GpuPart, part_id)

    def cpu(self, part_id: str) -> CpuPart:
        """Return a CPU."""
        return self._of(CpuPart, part_id)

    def node(self, part_id: str) -> NodePart:
        """Return a node."""
        return self._of(NodePart, part_id)

    def rack(self, part_id: str) -> RackPart:
        """Return a rack type."""
        return self._of(RackPart, part_id)

    def nic(self, part_id: str) -> NicPart:
        """Return a network adapter."""
        return self._of(NicPart, part_id)

    def switch(self, part_id: str) -> SwitchPart:
        """Return a switch."""
        return self._of(SwitchPart, part_id)

    def cable(self, part_id: str) -> CablePart:
        """Return a cable."""
        return self._of(CablePart, part_id)

    def technology(self, part_id: str) -> TechnologyPart:
        """Return a network technology."""
        return self._of(TechnologyPart, part_id)

    def storage(self, part_id: str) -> StoragePart:
        """Return a storage unit."""
        return self._of(StoragePart, part_id)

    def cdu(self, part_id: str) -> CduPart:
        """Return a coolant distribution unit."""
        return self._of(CduPart, part_id)

    def crah(self, part_id: str) -> CrahPart:
        """Return an air handler."""
        return self._of(CrahPart, part_id)

    def rdhx(self, part_id: str) -> RdhxPart:
        """Return a rear door heat exchanger."""
        return self._of(RdhxPart, part_id)

    def tank(self, part_id: str) -> TankPart:
        """Return an immersion tank."""
        return self._of(TankPart, part_id)

    def chiller(self, part_id: str) -> ChillerPart:
        """Return a chiller."""
        return self._of(ChillerPart, part_id)

    def dry_cooler(self, part_id: str) -> DryCoolerPart:
        """Return a dry cooler."""
        return self._of(DryCoolerPart, part_id)

    def cooling_tower(self, part_id: str) -> CoolingTowerPart:
        """Return a cooling tower."""
        return self._of(CoolingTowerPart, part_id)

    def pdu(self, part_id: str) -> PduPart:
        """Return a power distribution unit."""
        return self._of(PduPart, part_id)

    def busbar(self, part_id: str) -> BusbarPart:
        """Return a busbar."""
        return self._of(BusbarPart, part_id)

    def power_shelf(self, part_id: str) -> PowerShelfPart:
        """Return a power shelf."""
        return self._of(PowerShelfPart, part_id)

    def psu(self, part_id: str) -> PsuPart:
        """Return a power supply."""
        return self._of(PsuPart, part_id)

    def ups(self, part_id: str) -> UpsPart:
        """Return an uninterruptible power supply."""
        return self._of(UpsPart, part_id)

    def transformer(self, part_id: str) -> TransformerPart:
        """Return a transformer."""
        return self._of(TransformerPart, part_id)

    def generator(self, part_id: str) -> GeneratorPart:
        """Return a generator."""
        return self._of(GeneratorPart, part_id)

    def battery(self, part_id: str) -> BatteryPart:
        """Return a battery storage."""
        return self._of(BatteryPart, part_id)

    def _of(self, part_type: type[P], part_id: str) -> P:
        found = self._parts.get(part_id)
        if isinstance(found, part_type):
            return found
        raise UnknownPart(part_type.KIND, part_id, self.ids(part_type.KIND))


def load_catalog(extra: Iterable[Path | str] = ()) -> Catalog:
    """Return the shipped catalogue, with the parts of further files.

    Parameters
    ----------
    extra
        Catalogue files beside a scenario. They add parts and sources and may cite the shipped ones.

    Raises
    ------
    CatalogError
        When a file cannot be read or is wrong, with file, line, key and what would be right.
    """
    files = tuple(Path(path) for path in extra)
    if not files:
        return _shipped()
    texts = []
    for path in files:
        try:
            texts.append(OwnText(str(path), "parts", path.read_text(encoding="utf-8")))
        except OSError as error:
            raise CatalogError(str(path), 0, "", f"cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise CatalogError(str(path), 0, "", "is no UTF-8 text; a catalogue is a YAML file") from None
    return with_own(tuple(texts))


@lru_cache(maxsize=8)
def with_own(texts: tuple[OwnText, ...], shipped: Catalog | None = None) -> Catalog:
    """Return a catalogue with the parts and models of files beside a scene; raises as `load_catalog`.

    Own parts are things that can be bought. They may cite shipped sources and contain shipped parts, and have ids of
    their own.

    Parameters
    ----------
    texts
        Of the files.
    shipped
        What they are added to; none: the shipped catalogue.
    """
    if shipped is None:
        shipped = _shipped()
    contents = shipped.contents()
    own = read_own(texts, contents)
    digest = hashlib.sha256(shipped.digest.encode())
    for file, _, text in texts:
        digest.update(f"{file}\0{len(text)}\0{text}".encode())
    return Catalog(contents, digest.hexdigest(), own, texts)


def catalog_from_texts(texts: dict[str, str]) -> Catalog:
    """Return the catalogue of these files alone (file name -> text); raises as `load_catalog`."""
    contents = FileContents()
    documents = read_sources(texts, contents)
    for file, document in documents.items():
        read_parts(document, file, contents)
    check_references(contents)
    digest = hashlib.sha256()
    for file, text in texts.items():
        digest.update(f"{Path(file).name}\0{len(text)}\0{text}".encode())
    return Catalog(contents, digest.hexdigest())


@lru_cache(maxsize=1)
def _shipped() -> Catalog:
    return catalog_from_texts(shipped_texts())


@lru_cache(maxsize=1)
def shipped_texts() -> dict[str, str]:
    """Return the files of the shipped catalogue (file name -> text)."""
    folder = resources.folder("assets") / "catalog"
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {
        entry.name: entry.read_text(encoding="utf-8") for entry in entries if entry.name.endswith(".yaml")
    }
