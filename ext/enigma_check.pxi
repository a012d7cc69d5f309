# The Enigma of Leonardo: the invariants of a position, in the order of their numbers; each reads only what
# the earlier ones have made safe. A part of enigma.pyx.

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if not in_range(r, s):
        return 1
    if (s.to_move < 0) != (s.phase == OVER):
        return 2
    if s.turns > r.max_turns or (s.phase != OVER and s.turns == r.max_turns):
        return 3
    if not hands_complete(r, s):
        return 4
    if not hands_sorted(r, s):
        return 5
    if not cards_complete(r, s):
        return 6
    if not keys_possible(r, s):
        return 7
    if s.phase == BONUS and not bonus_possible(r, s):
        return 8
    if not end_possible(r, s):
        return 9
    return 0


cdef bint in_range(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i, face
    if not -1 <= s.to_move < r.players or s.phase > OVER or s.bonus_used >> r.players:
        return False
    for seat in range(SEATS):
        if s.keys[seat] & ~ALL_KEYS or (seat >= r.players and s.keys[seat]):
            return False
        for i in range(HAND):
            face = s.hand_face[seat][i]
            if face == NO_CARD:
                if s.hand_mark[seat][i] or (seat < r.players and i < HAND - 1):
                    return False
            elif seat >= r.players or face >= r.faces:
                return False
        for i in range(CELLS):
            if (s.cross[seat][i] >= r.faces) if seat < r.players else (s.cross[seat][i] != NO_CARD):
                return False
    for face in range(r.faces, FACES):
        if s.deck[face] or s.discard[face]:
            return False
    return True


cdef inline bint short_hand(const State *s, int seat) noexcept nogil:
    return s.hand_face[seat][HAND - 1] == NO_CARD


cdef bint hands_complete(const Rules *r, const State *s) noexcept nogil:
    # Four cards: nobody in play, the mover in bonus, one seat if the game ended before the draw.
    cdef int seat, short = 0
    for seat in range(r.players):
        short += short_hand(s, seat)
    if s.phase == PLAY:
        return short == 0
    if s.phase == BONUS:
        return short == 1 and short_hand(s, s.to_move)
    return short == (1 if s.turns < r.max_turns else 0)


cdef bint hands_sorted(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i
    if s.shuffle > s.turns:
        return False
    for seat in range(r.players):
        for i in range(HAND - short_hand(s, seat)):
            if s.hand_mark[seat][i] > s.shuffle:
                return False
            if i and (s.hand_mark[seat][i - 1] > s.hand_mark[seat][i]
                      or (s.hand_mark[seat][i - 1] == s.hand_mark[seat][i]
                          and s.hand_face[seat][i - 1] > s.hand_face[seat][i])):
                return False
    return True


cdef bint cards_complete(const Rules *r, const State *s) noexcept nogil:
    cdef int count[FACES]
    cdef int seat, i, face, deck = 0
    for face in range(r.faces):
        count[face] = s.deck[face] + s.discard[face]
        deck += s.deck[face]
    for seat in range(r.players):
        for i in range(CELLS):
            count[s.cross[seat][i]] += 1
        for i in range(HAND - short_hand(s, seat)):
            count[s.hand_face[seat][i]] += 1
    for face in range(r.faces):
        if count[face] != r.copies[face]:
            return False
    return deck == s.deck_n


cdef bint keys_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, other, keys
    for seat in range(r.players):
        keys = popcount(s.keys[seat])
        if keys > KEYS_TO_WIN + 1:
            return False
        if keys >= KEYS_TO_WIN and not (s.phase == OVER and short_hand(s, seat)):
            return False
        if r.single:
            for other in range(seat):
                if s.keys[seat] & s.keys[other]:
                    return False
    return True


cdef bint bonus_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint16_t m[CELLS]
    cdef uint16_t common
    masks_of(r, s, s.to_move, m)
    common = m[0] & m[1] & m[2] & m[3] & m[4]
    # A common symbol still to be had would have come as a line key.
    return bonus_due(r, s, s.to_move, m) and (common & supply(r, s) & ~s.keys[s.to_move]) == 0


cdef bint end_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat
    if s.phase != OVER:
        return not dead_end(r, s)
    if s.turns == r.max_turns:
        return True
    for seat in range(r.players):
        if popcount(s.keys[seat]) >= KEYS_TO_WIN:
            return True
    return dead_end(r, s)
