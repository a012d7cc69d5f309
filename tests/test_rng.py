"""Chance: the generator against one written here in plain Python, and the fairness of its helpers."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from sfumato.ext.rng import Source, mixed
from sfumato.ext.state import LIMITS
from walks import chi_square_fits

GAMMA = 0x9E3779B97F4A7C15
ALL = (1 << 64) - 1
STREAMS = range(LIMITS["streams"])
PLAYS = 7
SEEDS = (0, 1, 7, 1 << 63, ALL)


def mix64(x: int) -> int:
    """The finaliser of splitmix64, as its authors give it."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & ALL
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & ALL
    return x ^ (x >> 31)


class Splitmix:
    """One stream of a seed."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = mix64((mix64(seed) + GAMMA * (stream + 1)) & ALL)

    def next64(self) -> int:
        self.state = (self.state + GAMMA) & ALL
        return mix64(self.state)

    def below(self, n: int) -> int:
        """Lemire 2019: the high half of a product, drawn again where the low half would favour some."""
        while True:
            product = (self.next64() >> 32) * n
            if product % (1 << 32) >= (1 << 32) % n:
                return product >> 32


def test_the_mixer_is_splitmix64() -> None:
    """The first outputs for seed 1234567 as published (Rosetta Code, "Pseudo-random numbers/Splitmix64")."""
    state, outputs = 1234567, []
    for _ in range(5):
        state = (state + GAMMA) & ALL
        outputs.append(mix64(state))
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_stream_is_a_splitmix_of_its_own(seed: int) -> None:
    source = Source(seed)
    plain = [Splitmix(seed, stream) for stream in STREAMS]
    for _ in range(50):
        for stream in STREAMS:
            assert source.next64(stream) == plain[stream].next64()


def test_a_stream_does_not_notice_draws_from_another() -> None:
    alone = Source(3)
    expected = [alone.next64(0) for _ in range(20)]
    disturbed = Source(3)
    drawn = []
    for turn in range(20):
        for stream in STREAMS[1:]:
            for _ in range(turn % 3):
                disturbed.below(stream, 6)
        drawn.append(disturbed.next64(0))
    assert drawn == expected


def test_streams_and_seeds_differ_from_one_another() -> None:
    first = {Source(seed).next64(stream) for seed in range(200) for stream in STREAMS}
    assert len(first) == 200 * len(STREAMS)


def test_two_streams_roll_independent_dice() -> None:
    source = Source(11)
    met = Counter((source.below(0, 6), source.below(1, 6)) for _ in range(36 * 200))
    pairs = list(itertools.product(range(6), repeat=2))
    assert chi_square_fits([met[pair] for pair in pairs], [200] * 36)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 52, 1000, (1 << 31) + 1, 3 << 30, (1 << 32) - 1])
def test_below_is_lemires_method_exactly(n: int) -> None:
    source, plain = Source(5), Splitmix(5, 2)
    for _ in range(300):
        assert source.below(2, n) == plain.below(n) < n


@pytest.mark.parametrize("n", [2, 3, 7, 52])
def test_below_is_uniform(n: int) -> None:
    source = Source(n)
    met = Counter(source.below(0, n) for _ in range(200 * n))
    assert chi_square_fits([met[k] for k in range(n)], [200] * n)


def test_below_has_no_favourites_where_a_product_alone_would_have() -> None:
    """With n = 3 * 2^30, scaling 32 bits without a second draw would hit each third number twice as often."""
    source = Source(6)
    met = Counter(source.below(0, 3 << 30) % 3 for _ in range(3000))
    assert chi_square_fits([met[k] for k in range(3)], [1000] * 3)


def test_cards_are_drawn_from_counts_as_from_a_pack() -> None:
    source = Source(8)
    met: Counter[int] = Counter()
    for _ in range(2000):
        face, left = source.draw(0, [3, 0, 1, 6])
        met[face] += 1
        assert left == [3 - (face == 0), 0, 1 - (face == 2), 6 - (face == 3)]
    assert met[1] == 0
    assert chi_square_fits([met[0], met[2], met[3]], [600, 200, 1200])


def test_a_pack_drawn_to_its_end_gives_every_card_once() -> None:
    source = Source(9)
    counts, drawn = [2, 0, 3, 1], []
    while any(counts):
        face, counts = source.draw(4, counts)
        drawn.append(face)
    assert sorted(drawn) == [0, 0, 2, 2, 2, 3]


def test_a_shuffle_of_four_cards_gives_each_of_24_orders_as_often() -> None:
    source = Source(10)
    met = Counter(source.shuffled(0, b"abcd") for _ in range(24 * 200))
    orders = [bytes(order) for order in itertools.permutations(b"abcd")]
    assert chi_square_fits([met[order] for order in orders], [200] * 24)
    assert sum(met.values()) == sum(met[order] for order in orders)


@pytest.mark.parametrize("cards", [b"", b"a", bytes(range(256))])
def test_a_shuffle_keeps_the_cards(cards: bytes) -> None:
    assert sorted(Source(1).shuffled(0, cards)) == list(cards)


@pytest.mark.parametrize("noise", [0.1, 0.25, 0.5, 0.9])
def test_noise_is_a_share_of_the_decisions(noise: float) -> None:
    source = Source(12)
    noisy = sum(source.noisy(noise) for _ in range(10_000))
    assert chi_square_fits([noisy, 10_000 - noisy], [10_000 * noise, 10_000 * (1 - noise)])


def test_noise_0_is_never_and_noise_1_always() -> None:
    source = Source(13)
    assert not any(source.noisy(0.0) or source.noisy(-1.0) for _ in range(2000))
    assert all(source.noisy(1.0) and source.noisy(2.0) for _ in range(2000))


def test_noise_draws_from_the_stream_of_plays_alone() -> None:
    source, other = Source(14), Source(14)
    source.noisy(0.5)
    for stream in STREAMS:
        assert (source.next64(stream) == other.next64(stream)) == (stream != PLAYS)


def test_a_mixed_seed_depends_on_every_number_and_their_order() -> None:
    seeds = [mixed(*numbers) for numbers in itertools.product(range(4), repeat=3)]
    assert len(set(seeds)) == 64
    assert mixed(1, 2) != mixed(2, 1)
    assert mixed(1) != mixed(1, 0) != mixed(1, 0, 0)
    assert mixed(3, 5) == mixed(3, 5)
    assert mixed(-1) == mixed(ALL)
    # mix64(((mix64(0 + 3 + 1)) * GAMMA + 5 + 1) mod 2^64), written out
    assert mixed(3, 5) == mix64((mix64(4) * GAMMA + 6) & ALL)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda source: source.next64(8), "stream: expected 0 to 7, got 8"),
        (lambda source: source.next64(-1), "stream: expected 0 to 7, got -1"),
        (lambda source: source.below(0, 0), "n: expected 1 to 4294967295, got 0"),
        (lambda source: source.below(0, 1 << 32), "n: expected 1 to 4294967295, got 4294967296"),
        (lambda source: source.draw(0, []), "counts: expected 1 to 256 numbers that are not all 0"),
        (lambda source: source.draw(0, [0, 0]), "counts: expected 1 to 256 numbers that are not all 0"),
        (lambda source: source.shuffled(0, bytes(257)), "cards: expected at most 256, got 257"),
    ],
)
def test_what_chance_cannot_do_is_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    source, untouched = Source(1), Source(1)
    with pytest.raises(ValueError, match=message):
        call(source)
    assert source.next64(0) == untouched.next64(0)
