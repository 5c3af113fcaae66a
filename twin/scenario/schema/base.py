"""What every part of a scenario document shares."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
"""Name given once to a generator or a thing; generated items are ``id/index``."""

ItemId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}(/[0-9]{1,6}){0,4}$")]
"""Address of one thing: ``gpu/3/12/1/7`` is row 3, rack 12, node 1, GPU 7 of row generator ``gpu``."""


class DocumentPart(BaseModel):
    """A frozen piece of the document; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
