"""Plays the games of a plan on a Dask cluster that is there already.

Its workers need this program installed, in the same version. Dask starts the games of a worker that dies
anew; a game is one task with a key of its own, so that it counts once.
"""

from __future__ import annotations

import logging
import re
import sys
from collections import deque
from contextlib import contextmanager, suppress
from threading import Lock, Timer, get_ident
from typing import TYPE_CHECKING, Any

import msgspec

from .arena import Hall
from .games import SfumatoError
from .games.errors import shown
from .plan import Settings
from .records import Record

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

#: seconds in which a cluster must answer and show a worker
PATIENCE = 30.0
#: and after which it is said that it has not yet
SILENCE = 3.0
#: what `distributed` would look for without end if it is written otherwise
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?[^/\s]+:\d+")
#: games for every thread of the cluster: one that is played and one that waits
EACH = 2
#: loggers whose errors are told here, in one line
CHATTER = ("distributed", "distributed.client", "tornado", "tornado.application")


class Cluster:
    """An executor. The signature is this program's, which the workers must have too."""

    def __init__(self, address: str, signature: int, patience: float = PATIENCE) -> None:
        if not ADDRESS.fullmatch(address):
            message = f"expected an address as in tcp://host:8786, got {shown(address)}"
            raise SfumatoError("bad_cluster", message, "--dask")
        self.patience = patience
        self.address = address
        self.signature = signature

    def __call__(self, settings: Settings, numbers: Sequence[int]) -> Generator[Record, None, None]:
        distributed = library()
        for name in CHATTER:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            with self.waiting():
                client = distributed.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError) as error:
            raise SfumatoError("bad_cluster", f"no Dask scheduler answers: {error}", self.address) from None
        written = msgspec.json.encode(settings)
        try:
            with self.waiting():
                client.wait_for_workers(1, timeout=self.patience)
            yield from self.play(client, written, deque(numbers))
        except distributed.TimeoutError:
            raise SfumatoError("bad_cluster", "the cluster has no workers", self.address) from None
        except (distributed.CancelledError, distributed.comm.CommClosedError):
            raise SfumatoError("bad_cluster", "the cluster has gone away", self.address) from None
        except distributed.scheduler.KilledWorker as error:
            raise SfumatoError("worker_died", " ".join(str(error).split()), self.address) from None
        finally:
            with suppress(Exception):
                client.run(clear, written)
            client.close()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Says what is waited for, if it takes long."""
        said = f"sfumato: waiting for the Dask cluster at {self.address}, {self.patience:g} s at most"
        timer = Timer(SILENCE, lambda: print(said, file=sys.stderr, flush=True))
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def play(self, client: Any, written: bytes, left: deque[int]) -> Generator[Record, None, None]:
        ending = library().as_completed(loop=client.loop, with_results=True)
        going = 0
        while left or going:
            while left and going < EACH * threads(client):
                number = left.popleft()
                key = f"sfumato-{client.id}-{number}"
                ending.add(client.submit(on_cluster, written, number, self.signature, key=key, pure=False,
                                         priority=-number))
                going += 1
            future, record = next(ending)
            if future.cancelled():
                raise library().CancelledError(future.key)
            going -= 1
            future.release()
            yield msgspec.json.decode(record, type=Record)


def library() -> Any:
    """Dask's `distributed`: an extra, and slow to import."""
    try:
        import distributed
    except ImportError:
        message = "needs the package `distributed`: pip install 'sfumato[cluster]'"
        raise SfumatoError("bad_cluster", message, "--dask") from None
    return distributed


def threads(client: Any) -> int:
    """How many games the cluster plays at once, as it is now."""
    workers: dict[str, int] = client.nthreads()
    return max(1, sum(workers.values()))


#: the halls of this worker process: one per thread
_halls: dict[int, tuple[bytes, Hall]] = {}
_guard = Lock()


def on_cluster(written: bytes, number: int, signature: int) -> bytes:
    """A game on a worker of the cluster."""
    with _guard:
        known, hall = _halls.get(get_ident(), (b"", None))
    if hall is None or known != written:
        require_same_program(signature)
        if hall is not None:
            hall.close()
        hall = Hall(msgspec.json.decode(written, type=Settings))
        with _guard:
            _halls[get_ident()] = written, hall
    return msgspec.json.encode(hall.play(number))


def require_same_program(signature: int) -> None:
    """Refuses a worker that has another version installed, and may play otherwise."""
    from .signature import signature as own

    if (found := own()) != signature:
        message = f"a worker has a sfumato of signature {found}; this program has {signature}"
        raise SfumatoError("bad_cluster", message)


def clear(written: bytes) -> None:
    """Ends what a worker process keeps for a run."""
    with _guard:
        ended = [thread for thread, (known, _) in _halls.items() if known == written]
        halls = [_halls.pop(thread)[1] for thread in ended]
    for hall in halls:
        hall.close()
