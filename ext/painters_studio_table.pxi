# Atelier: The Painter's Studio: what lies on the table. A part of painters_studio.pyx.

# Four counts in a word: none is above 15, so that sums and differences of words never carry from one byte
# into the next, and the highest bit of each byte can hold the answer of a comparison.

cdef inline uint32_t four(const uint8_t *counts) noexcept nogil:
    cdef uint32_t word
    memcpy(&word, counts, COLOURS)
    return word


cdef inline uint32_t marked(uint32_t word) noexcept nogil:
    # The bytes whose highest bit is set, a bit each: the product gathers these bits in its own highest byte.
    return ((word & HIGH) >> 7) * <uint32_t>0x01020408 >> 24


cdef inline uint32_t some(const uint8_t *counts) noexcept nogil:
    # The colours of which there is at least one.
    return marked((four(counts) | HIGH) - ONES)


cdef inline int in_all(const uint8_t *counts) noexcept nogil:
    return <int>(four(counts) * ONES >> 24)


# Piles and students

cdef inline uint32_t paint_held(const State *s) noexcept nogil:
    # Of each colour by all players
    return four(s.paint[0]) + four(s.paint[1]) + four(s.paint[2]) + four(s.paint[3])


cdef inline uint32_t stocked(const State *s) noexcept nogil:
    # The piles that are not empty
    return marked((ONES * PAINT_PER_COLOUR | HIGH) - paint_held(s) - ONES)


cdef inline void stock(const State *s, uint8_t *counts) noexcept nogil:
    cdef uint32_t word = ONES * PAINT_PER_COLOUR - paint_held(s)
    memcpy(counts, &word, COLOURS)


cdef inline int pool(const State *s, int seat) noexcept nogil:
    return STUDENTS - in_all(s.students[seat])


cdef inline bint anybody_out(const State *s) noexcept nogil:
    return four(s.students[0]) | four(s.students[1]) | four(s.students[2]) | four(s.students[3])


cdef inline uint32_t led(const Rules *r, const State *s, int seat) noexcept nogil:
    # PS-D3, PS-D4, R5: the piles where the seat has the most students.
    cdef uint32_t mine = four(s.students[seat]) | HIGH, most = mine - ONES
    cdef uint32_t margin = 0 if r.players == 4 else ONES
    cdef int other
    for other in range(r.players):
        if other != seat:
            most &= mine - four(s.students[other]) - margin
    return marked(most)


cdef inline uint32_t collected(const Rules *r, const State *s, int seat) noexcept nogil:
    # PS-D10: where it would take paint.
    return led(r, s, seat) & stocked(s)


cdef inline int next_owner(const Rules *r, const State *s, int seat) noexcept nogil:
    # The next seat with a student at a pile, clockwise up to the mover; -1: there is none.
    seat = next_seat(r, seat)
    while seat != s.to_move:
        if four(s.students[seat]):
            return seat
        seat = next_seat(r, seat)
    return -1


cdef inline int next_seat(const Rules *r, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < r.players else 0


# Tokens, paintings and patrons

cdef inline int supply(const State *s) noexcept nogil:
    return TOKENS - in_all(s.tokens)


cdef inline uint64_t all_owned(const State *s) noexcept nogil:
    return s.owned[0] | s.owned[1] | s.owned[2] | s.owned[3]


cdef inline uint64_t payable_now(const Rules *r, const State *s, int seat) noexcept nogil:
    # The face-up paintings whose cost the seat can pay
    cdef uint64_t rest = s.display, found = 0
    cdef uint32_t paint = four(s.paint[seat]) | HIGH
    while rest:
        if (paint - four(r.cost[lowest_bit64(rest)]) & HIGH) == HIGH:
            found |= rest & (0 - rest)
        rest &= rest - 1
    return found


cdef inline uint32_t patron_body(const Rules *r, const State *s) noexcept nogil:
    # The part of the patron deck that nobody has seen
    cdef uint32_t elsewhere = s.hand[0] | s.hand[1] | s.hand[2] | s.hand[3]
    cdef int seat
    for seat in range(r.players):
        if s.tail[seat] >= 0:
            elsewhere |= <uint32_t>1 << s.tail[seat]
    return ALL_PATRONS & ~elsewhere


cdef inline int patron_deck(const Rules *r, const State *s) noexcept nogil:
    return PATRONS - popcount(s.hand[0]) - popcount(s.hand[1]) - popcount(s.hand[2]) - popcount(s.hand[3])


cdef inline int top_of_tail(const Rules *r, const State *s) noexcept nogil:
    # The seat whose returned card comes next when the body is empty (R13)
    cdef int seat = s.first_start
    while s.taker[seat] >= 0:
        seat = next_seat(r, seat)
    return seat


cdef inline uint64_t any_of(uint64_t members, Chance *chance, int stream) noexcept nogil:
    # One of a set that is not empty, each as likely: a set of one.
    cdef uint32_t left = below(chance, stream, popcount64(members))
    while left:
        members &= members - 1
        left -= 1
    return members & (0 - members)


# Powers

cdef bint usable(const Rules *r, const State *s, int card) noexcept nogil:
    cdef int effect = r.effect[card], seat = s.to_move
    cdef uint32_t mine
    if effect == GAIN_PAINT:
        return stocked(s) != 0
    if effect == GAIN_INSPIRATION:
        return supply(s) > 0
    if effect == PLACE_STUDENTS:
        return pool(s, seat) > 0
    if effect == COLLECT_PAINT:
        return collected(r, s, seat) != 0
    if effect == MOVE_STUDENTS:
        return anybody_out(s)
    if effect == ONE_PATRON:
        return patron_deck(r, s) > 0
    if effect == RECOVER_DIE:
        return s.active[seat] < DICE
    if effect == SWAP_PAINT:
        mine = some(s.paint[seat])
        return mine and popcount(mine | stocked(s)) > 1 and stocked(s)
    if effect == SET_DIE:
        return s.active[seat] > s.dice[r.amount[card]]
    if effect == REROLL_DIE:
        return s.active[seat] > 0
    if effect == MOVE_OWN:
        return four(s.students[seat]) != 0
    return s.tokens[seat] and stocked(s)


cdef inline int phase_of(int effect) noexcept nogil:
    # The phase in which an effect is decided; over: there is nothing to decide.
    if effect == GAIN_PAINT:
        return E_GAIN
    if effect == PLACE_STUDENTS:
        return E_PLACE
    if effect == MOVE_STUDENTS:
        return MOVE
    if effect == MOVE_OWN:
        return E_OWN
    if effect == SWAP_PAINT:
        return E_SWAP
    if effect == SET_DIE:
        return E_SET
    if effect == REROLL_DIE:
        return E_REROLL
    return E_BUY if effect == BUY_PAINT else OVER
