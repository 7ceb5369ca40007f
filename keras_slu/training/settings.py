"""What all parts of a recipe are made of."""

from typing import Annotated

import pydantic
from pydantic import Field

Rate = Annotated[float, Field(ge=0.0, lt=1.0)]
Positive = Annotated[int, Field(ge=1)]
Even = Annotated[int, Field(ge=2, multiple_of=2)]
AboveZero = Annotated[float, Field(gt=0.0)]


class Settings(pydantic.BaseModel):
    """Settings refuse keys that they do not know, and never change."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
