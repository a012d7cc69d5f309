# Chance: where every random outcome of a game comes from.
#
# One stream per source (a deck, the dice, the first player, ...), so that the k-th card drawn from a
# deck is the same whoever draws it, however many dice were rolled in between. A core numbers its own
# sources from 0; PLAYS is the stream of the decisions that a playout makes.
#
# A script stands in for the generator: a list of words, each an outcome ("draw ck") or a revelation
# ("from 0") in numbers. A core asks for the word that is due and obeys it, or calls `misfit` when the
# position cannot obey. What a script leaves out is drawn.

from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t

cdef enum:
    STREAMS = 8             # per table
    PLAYS = 7               # the stream of a playout's own decisions
    MAX_WORDS = 64          # in a script
    MAX_VALUES = 24         # in a word

cdef struct Word:
    int16_t word            # the core's number of this word
    int16_t seat            # the seat that the word names, -1 if it names none
    int16_t count           # how many values follow
    int16_t used            # 1 once the core has taken it
    int16_t value[MAX_VALUES]

cdef struct Script:
    int32_t count
    int32_t misfit          # 1 once the position could not obey
    int32_t label           # of the action that is about to be played, -1: not told
    Word words[MAX_WORDS]

cdef struct Chance:
    uint64_t stream[STREAMS]
    Script *script          # NULL: everything is drawn


cdef inline uint64_t mix64(uint64_t x) noexcept nogil:
    # The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection in which every bit counts.
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline void seed_chance(Chance *chance, uint64_t seed) noexcept nogil:
    cdef int k
    for k in range(STREAMS):
        chance.stream[k] = mix64(mix64(seed) + <uint64_t>0x9E3779B97F4A7C15 * <uint64_t>(k + 1))
    chance.script = NULL


cdef inline uint64_t next64(Chance *chance, int stream) noexcept nogil:
    chance.stream[stream] += <uint64_t>0x9E3779B97F4A7C15
    return mix64(chance.stream[stream])


cdef inline uint32_t scaled(uint32_t bits, uint32_t n, Chance *chance, int stream) noexcept nogil:
    # One of 0..n-1 from 32 random bits, exactly uniform (Lemire 2019): in rare cases more are drawn.
    cdef uint64_t m = <uint64_t>bits * n
    cdef uint32_t limit
    if <uint32_t>m < n:
        limit = (<uint32_t>0 - n) % n
        while <uint32_t>m < limit:
            m = (next64(chance, stream) >> 32) * n
    return <uint32_t>(m >> 32)


cdef inline uint32_t below(Chance *chance, int stream, uint32_t n) noexcept nogil:
    # One of 0..n-1; n at least 1.
    return scaled(<uint32_t>(next64(chance, stream) >> 32), n, chance, stream)


cdef inline int draw_from_counts(Chance *chance, int stream, uint8_t *counts, uint32_t total) noexcept nogil:
    # The face of one card taken at random out of `counts`, which holds `total` cards (at least 1).
    cdef uint32_t left = below(chance, stream, total)
    cdef int face = 0
    while left >= counts[face]:
        left -= counts[face]
        face += 1
    counts[face] -= 1
    return face


cdef inline void shuffle(Chance *chance, int stream, uint8_t *cards, uint32_t n) noexcept nogil:
    cdef uint32_t i, j
    cdef uint8_t card
    for i in range(n, 1, -1):
        j = below(chance, stream, i)
        card = cards[i - 1]
        cards[i - 1] = cards[j]
        cards[j] = card


cdef inline bint noisy(Chance *chance, uint32_t threshold) noexcept nogil:
    # True for a share of the calls; `threshold` comes from `noise_threshold`, once per playout.
    return <uint32_t>(next64(chance, PLAYS) >> 33) < threshold


cdef inline uint32_t noise_threshold(double noise) noexcept nogil:
    if noise >= 1.0:
        return <uint32_t>0x80000000
    return <uint32_t>(noise * 2147483648.0) if noise > 0.0 else 0


cdef inline Word *named(const Chance *chance, int word, int seat) noexcept nogil:
    # The first unused `word` of `seat` (-1: of the table) in the script, left there; NULL: left to chance.
    cdef int i
    cdef Script *script = chance.script
    if script == NULL:
        return NULL
    for i in range(script.count):
        if not script.words[i].used and script.words[i].word == word and script.words[i].seat == seat:
            return &script.words[i]
    return NULL


cdef inline Word *scripted(Chance *chance, int word, int seat) noexcept nogil:
    # The same, taken out of the script.
    cdef Word *due = named(chance, word, seat)
    if due != NULL:
        due.used = 1
    return due


cdef inline void misfit(Chance *chance) noexcept nogil:
    # The position cannot obey the script. The step must still leave a legal position behind.
    if chance.script != NULL:
        chance.script.misfit = 1


cdef inline void confirm(Chance *chance, int word, int seat, int value) noexcept nogil:
    # The step shows this; a script that says something else does not fit this world.
    cdef Word *due = scripted(chance, word, seat)
    if due != NULL and (due.count != 1 or due.value[0] != value):
        misfit(chance)


cdef inline bint obeyed(const Script *script) noexcept nogil:
    # Every word was used and none was impossible.
    cdef int i
    if script.misfit:
        return False
    for i in range(script.count):
        if not script.words[i].used:
            return False
    return True


cdef inline void rewind(Script *script) noexcept nogil:
    cdef int i
    script.misfit = 0
    for i in range(script.count):
        script.words[i].used = 0


cdef class Source:
    cdef Chance chance
