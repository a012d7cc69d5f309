"""Worker threads for what takes long: a bounded number, shared fairly.

A job takes as many slots as it has threads, and there are as many slots as workers. The next to start is a
job of the highest priority; among these, one of the key (a held game, or questions by observation) that was
served longest ago; among these, the one that came first. A job that needs more slots than are free is waited
for, so that small ones cannot keep a large one waiting for ever.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: keys whose last turn is remembered, beyond those that wait
MOST_KEYS = 1024


@dataclass(eq=False)
class Job:
    """Something to do. `work` looks at `cancelled` now and then."""

    work: Callable[[Job], None]
    key: str = ""
    priority: int = 0
    slots: int = 1
    cancelled: bool = False
    number: int = field(default=0, init=False)


class Pool:
    """Starts threads as they are needed."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._free = workers
        self._idle = 0
        self._threads: list[threading.Thread] = []
        self._waiting: list[Job] = []
        self._running: set[Job] = set()
        self._served: dict[str, int] = {}
        self._came = 0
        self._started = 0
        self._changed = threading.Condition()

    def submit(self, job: Job) -> None:
        """Queues a job."""
        job.slots = min(job.slots, self.workers)
        with self._changed:
            self._came += 1
            job.number = self._came
            self._waiting.append(job)
            if self._idle < len(self._waiting) and len(self._threads) < self.workers:
                self._threads.append(threading.Thread(target=self._work, daemon=True, name="sfumato worker"))
                self._threads[-1].start()
            self._changed.notify_all()

    def withdraw(self, job: Job) -> bool:
        """Marks a job as cancelled. True: it had not begun, and never will."""
        with self._changed:
            job.cancelled = True
            if job in self._waiting:
                self._waiting.remove(job)
                self._changed.notify_all()
                return True
            return False

    def join(self, seconds: float | None = None) -> bool:
        """Waits until nothing is left to do; False: it took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._running, seconds)

    def _work(self) -> None:
        while True:
            job = self._take()
            with suppress(Exception):  # whoever gave the job sees to its faults
                job.work(job)
            with self._changed:
                self._running.discard(job)
                self._free += job.slots
                self._changed.notify_all()

    def _take(self) -> Job:
        """The next job, with its slots."""
        with self._changed:
            self._idle += 1
            while (job := self._next()) is None:
                self._changed.wait()
            self._idle -= 1
            self._waiting.remove(job)
            self._running.add(job)
            self._free -= job.slots
            self._started += 1
            self._served[job.key] = self._started
            self._forget()
            return job

    def _next(self) -> Job | None:
        """The job whose turn it is; None: there is none, or not yet room for it."""
        if not self._waiting:
            return None
        job = min(self._waiting, key=lambda job: (-job.priority, self._served.get(job.key, 0), job.number))
        return job if job.slots <= self._free else None

    def _forget(self) -> None:
        """Keeps the memory of turns bounded."""
        if len(self._served) > 2 * MOST_KEYS:
            waiting = {job.key for job in self._waiting}
            latest = sorted(self._served, key=lambda key: self._served[key])[-MOST_KEYS:]
            self._served = {key: self._served[key] for key in {*latest, *waiting} if key in self._served}
