"""What goes out: a queue of messages and one thread that writes them, so that nobody waits for a slow reader.

Answers are always taken; their number is bounded by the requests that are under way. Of the reports on one
search only the latest waits, and none while the queue is full. Whoever reads requests waits for room before
the next one: so memory stays bounded.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Outbox:
    """Writes to a file descriptor."""

    def __init__(self, descriptor: int, most: int, gone: Callable[[], object] = lambda: None) -> None:
        self.most = most
        #: the reader has gone: nothing is written any more
        self.broken = False
        self._descriptor = descriptor
        self._gone = gone
        self._queue: deque[list[bytes]] = deque()
        self._reports: dict[object, list[bytes]] = {}
        self._size = 0
        self._writing = False
        self._changed = threading.Condition()
        threading.Thread(target=self._work, daemon=True, name="sfumato writer").start()

    def put(self, data: bytes, key: object = None) -> None:
        """Queues a message; one with a key takes the place of an earlier one that still waits."""
        with self._changed:
            if self.broken or (key is not None and self._size > self.most):
                return
            waiting = self._reports.get(key) if key is not None else None
            if waiting is not None:
                self._size += len(data) - len(waiting[0])
                waiting[0] = data
                return
            entry = [data]
            self._queue.append(entry)
            self._size += len(data)
            if key is not None:
                self._reports[key] = entry
            self._changed.notify_all()

    def room(self, seconds: float) -> bool:
        """Waits until there is room for more; False: not yet."""
        with self._changed:
            return self._changed.wait_for(lambda: self._size <= self.most or self.broken, seconds)

    def flush(self, seconds: float | None) -> bool:
        """Waits until all is written; False: not yet."""
        with self._changed:
            return self._changed.wait_for(self._empty, seconds)

    def _empty(self) -> bool:
        return self.broken or not (self._queue or self._writing)

    def _work(self) -> None:
        while not self.broken:
            data = self._take()
            try:
                while data:
                    data = data[self._write(data):]
            except OSError:
                with self._changed:
                    self.broken = True
                    self._queue.clear()
                    self._changed.notify_all()
                self._gone()
                return
            with self._changed:
                self._writing = False
                self._changed.notify_all()

    def _write(self, data: memoryview) -> int:
        """Bytes that were written; waits for the reader."""
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:  # whoever gave us the stream does not want to wait for it
            poll = select.poll()
            poll.register(self._descriptor, select.POLLOUT)
            poll.poll()
            return 0

    def _take(self) -> memoryview:
        """All that waits. What is being written no longer counts as waiting, and is no more than `most` and
        one answer for each request under way."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue))
            data = b"".join(entry[0] for entry in self._queue)
            self._queue.clear()
            self._reports.clear()
            self._size = 0
            self._writing = True
            return memoryview(data)
