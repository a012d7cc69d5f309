"""Chance, open to tests: the same generator that the cores draw from."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from .rng cimport (
    STREAMS, below, draw_from_counts, mix64, next64, noise_threshold, noisy, seed_chance, shuffle,
)


def mixed(*numbers: int) -> int:
    """A seed that depends on all of the numbers and on their order."""
    cdef uint64_t seed = 0
    for number in numbers:
        seed = mix64(seed * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>(number & 0xFFFFFFFFFFFFFFFF) + 1)
    return seed


cdef class Source:
    """A seeded chance with its streams, one call at a time."""

    def __init__(self, seed: int) -> None:
        seed_chance(&self.chance, <uint64_t>seed)

    def next64(self, stream: int) -> int:
        return next64(&self.chance, require_stream(stream))

    def below(self, stream: int, n: int) -> int:
        if not 1 <= n <= 0xFFFFFFFF:
            raise ValueError(f"n: expected 1 to {0xFFFFFFFF}, got {n}")
        return below(&self.chance, require_stream(stream), <uint32_t>n)

    def draw(self, stream: int, counts: list[int]) -> tuple[int, list[int]]:
        """A face, and the counts without it."""
        cdef uint8_t held[256]
        cdef uint32_t total = 0
        cdef int i
        if not 0 < len(counts) <= 256 or sum(counts) < 1:
            raise ValueError("counts: expected 1 to 256 numbers that are not all 0")
        for i in range(len(counts)):
            held[i] = counts[i]
            total += held[i]
        face = draw_from_counts(&self.chance, require_stream(stream), held, total)
        return face, [held[i] for i in range(len(counts))]

    def shuffled(self, stream: int, cards: bytes) -> bytes:
        cdef uint8_t held[256]
        if len(cards) > 256:
            raise ValueError(f"cards: expected at most 256, got {len(cards)}")
        memcpy(held, <const char *>cards, len(cards))
        shuffle(&self.chance, require_stream(stream), held, len(cards))
        return (<const char *>held)[:len(cards)]

    def noisy(self, noise: float) -> bool:
        return noisy(&self.chance, noise_threshold(noise))


cdef int require_stream(int stream) except -1:
    if not 0 <= stream < STREAMS:
        raise ValueError(f"stream: expected 0 to {STREAMS - 1}, got {stream}")
    return stream
