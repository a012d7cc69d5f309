"""How a test says that something is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sfumato.games import SfumatoError


@contextmanager
def refused(*parts: str, code: str = "", path: str | None = None) -> Iterator[None]:
    """What happens inside is refused, with a message that names all of these."""
    with pytest.raises(SfumatoError) as caught:
        yield
    error = caught.value
    for part in parts:
        assert part in str(error)
    assert error.message
    assert error.code.isidentifier()
    assert not code or error.code == code
    assert path is None or error.path == path
