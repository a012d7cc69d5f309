# The Enigma of Leonardo, playing it well: the greedy rule, playouts, judging a position. Part of enigma.pyx.

# The greedy rule

cdef inline uint16_t at_least_two(uint16_t a, uint16_t b, uint16_t c) noexcept nogil:
    return (a & b) | (a & c) | (b & c)


cdef inline int pairs(const uint16_t *m, uint16_t need) noexcept nogil:
    # (line, needed symbol) pairs with the symbol on at least two of the three cards
    return (popcount(at_least_two(m[0], m[2], m[4]) & need) + popcount(at_least_two(m[1], m[2], m[3]) & need))


cdef inline int standing(const uint16_t *m, uint16_t need) noexcept nogil:
    # (line, needed symbol) pairs with the symbol on all three
    return popcount(m[0] & m[2] & m[4] & need) + popcount(m[1] & m[2] & m[3] & need)


cdef inline int keys_gained(const Rules *r, const State *s, const uint16_t *m, int cell, uint16_t stock,
                            uint16_t *gain) noexcept nogil:
    # Keys that the mover gets for a play that makes its cross `m`: line keys (`gain`), 1 for a due bonus.
    cdef uint16_t owned = s.keys[s.to_move]
    gain[0] = lines_shown(r, m, cell) & ~owned & stock
    if (m[0] & m[1] & m[2] & m[3] & m[4]) and not s.bonus_used >> s.to_move & 1 and stock & ~owned & ~gain[0]:
        return popcount(gain[0]) + 1
    return popcount(gain[0])


cdef int bonus_choice(const Rules *r, const State *s) noexcept nogil:
    # Never decline; take the key whose symbol the own cards show least.
    cdef int seat = s.to_move, symbol, i, shows, least = 1000, best = -1
    cdef uint16_t open_keys = supply(r, s) & ~s.keys[seat]
    for symbol in range(SYMBOLS):
        if not open_keys >> symbol & 1:
            continue
        shows = 0
        for i in range(CELLS):
            shows += 2 * (r.symbols[s.cross[seat][i]] >> symbol & 1)
        for i in range(HAND):
            if s.hand_face[seat][i] != NO_CARD:
                shows += r.symbols[s.hand_face[seat][i]] >> symbol & 1
        if shows < least:
            least = shows
            best = symbol
    return TAKE_KEY + best


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    # v = 10 gain + pairs of the mover - 2 (pairs of the next seat + 7 standing lines of the next seat)
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef uint16_t out[HAND * CELLS]
    cdef uint16_t mine[CELLS]
    cdef uint16_t theirs[CELLS]
    cdef uint16_t gain, stock, mine_before, theirs_before
    cdef int i, n, face, cell, value, gained, seat = s.to_move, left = next_seat(r, seat)
    cdef int best = -1, best_value = -1000000
    if s.phase == BONUS:
        return bonus_choice(r, s)
    masks_of(r, s, seat, mine)
    masks_of(r, s, left, theirs)
    n = legal(rules, state, out)
    for i in range(n):
        face = out[i] // CELLS
        cell = out[i] % CELLS
        mine_before = mine[cell]
        theirs_before = theirs[cell]
        theirs[cell] = mine_before
        mine[cell] = r.symbols[face]
        stock = supply(r, s)
        gained = keys_gained(r, s, mine, cell, stock, &gain)
        if r.single:
            stock &= ~gain
        value = (10 * gained + pairs(mine, stock & ~s.keys[seat] & ~gain)
                 - 2 * (pairs(theirs, stock & ~s.keys[left]) + 7 * standing(theirs, stock & ~s.keys[left])))
        mine[cell] = mine_before
        theirs[cell] = theirs_before
        if popcount(s.keys[seat]) + gained >= KEYS_TO_WIN:
            return out[i]
        if value > best_value:
            best_value = value
            best = out[i]
    return best


# Playouts. A playout works on flat lists instead of counts and sorted hands, and writes them back at the
# end: drawing is one look-up, nothing is sorted on the way, and a hand's faces stand in one word, so that
# one subtraction finds a face that it holds twice.

cdef enum:
    SYMBOL_SHIFT = 8            # a card in a cross: symbols above, face below
    SYMBOL_BITS = 0xFFF00

cdef extern from *:
    """
    #define EVERY_BYTE UINT64_C(0x0101010101)   /* times a face: that face in all five places */
    """
    const uint64_t EVERY_BYTE

cdef struct Playout:
    uint64_t faces[SEATS]       # a byte per hand card
    uint16_t marks[SEATS][HAND]
    uint32_t cross[SEATS][CELLS]
    uint8_t deck[CARDS]
    uint8_t discard[CARDS]
    int deck_n
    int discard_n
    int empty                   # the place of the mover's hand that the draw fills


cdef inline uint32_t card_of(const Rules *r, uint32_t face) noexcept nogil:
    return <uint32_t>r.symbols[face] << SYMBOL_SHIFT | face


cdef inline uint32_t face_at(uint64_t faces, int slot) noexcept nogil:
    return <uint32_t>(faces >> 8 * slot & 255)


cdef inline int spread(const Rules *r, const uint8_t *counts, uint8_t *cards) noexcept nogil:
    cdef int face, _copy, n = 0
    for face in range(r.faces):
        for _copy in range(counts[face]):
            cards[n] = <uint8_t>face
            n += 1
    return n


cdef inline void unpack(const Rules *r, const State *s, Playout *p) noexcept nogil:
    cdef int seat, i
    for seat in range(r.players):
        p.faces[seat] = 0
        for i in range(HAND):
            p.cross[seat][i] = card_of(r, s.cross[seat][i])
            p.faces[seat] |= <uint64_t>s.hand_face[seat][i] << 8 * i
            p.marks[seat][i] = s.hand_mark[seat][i]
    p.deck_n = spread(r, s.deck, p.deck)
    p.discard_n = spread(r, s.discard, p.discard)
    p.empty = HAND - 1


cdef inline void pack(const Rules *r, State *s, const Playout *p) noexcept nogil:
    cdef int seat, i, n
    cdef uint32_t face
    for seat in range(r.players):
        n = 0
        for i in range(HAND):
            s.cross[seat][i] = <uint8_t>(p.cross[seat][i] & 255)
            face = face_at(p.faces[seat], i)
            if face != NO_CARD:
                s.hand_face[seat][n] = <uint8_t>face
                s.hand_mark[seat][n] = p.marks[seat][i]
                n += 1
        for i in range(n, HAND):
            s.hand_face[seat][i] = NO_CARD
            s.hand_mark[seat][i] = 0
        sort_hand(s, seat)
    memset(s.deck, 0, sizeof(s.deck))
    memset(s.discard, 0, sizeof(s.discard))
    for i in range(p.deck_n):
        s.deck[p.deck[i]] += 1
    for i in range(p.discard_n):
        s.discard[p.discard[i]] += 1
    s.deck_n = <uint8_t>p.deck_n


cdef bint first_copy(const Playout *p, int seat, int slot) noexcept nogil:
    # Of equal faces in a hand: the one of the lowest mark, which is the one played (R19).
    cdef int i
    cdef uint32_t face = face_at(p.faces[seat], slot)
    for i in range(HAND):
        if i != slot and face_at(p.faces[seat], i) == face:
            if p.marks[seat][i] < p.marks[seat][slot]:
                return False
            if p.marks[seat][i] == p.marks[seat][slot] and i < slot:
                return False
    return True


cdef inline bint plain_copy(const Playout *p, int seat, int slot) noexcept nogil:
    # True for one of the cards of each face. A zero byte of `other` is an equal face (its own place is one);
    # a borrow may set a bit too many, never too few, and then the marks are looked at.
    cdef uint64_t other = p.faces[seat] ^ EVERY_BYTE * face_at(p.faces[seat], slot)
    cdef uint64_t equal = (other - EVERY_BYTE) & ~other & EVERY_BYTE << 7
    return equal & (equal - 1) == 0 or first_copy(p, seat, slot)


cdef inline int random_play(const Playout *p, int seat, uint32_t bits, Chance *chance) noexcept nogil:
    # 5 * slot + cell, uniform over the legal plays: a face in hand twice counts once.
    cdef int choice = <int>scaled(bits, HAND * CELLS, chance, PLAYS)
    while not plain_copy(p, seat, choice // CELLS):
        choice = <int>below(chance, PLAYS, HAND * CELLS)
    return choice


cdef int light_play(const Rules *r, const State *s, const Playout *p, Chance *chance) noexcept nogil:
    # The highest gain if there is one; else a random play that leaves the next seat no standing line of
    # a key it needs; else any. Ties at random.
    #
    # A card of symbols c in a cell gives c & through[cell] | beside[cell]: its own line, and
    # the line that it does not touch. What the next seat gets depends on the cell alone.
    cdef uint16_t through[CELLS]
    cdef uint16_t beside[CELLS]
    cdef uint16_t rest[CELLS]           # what the four other cards have in common
    cdef bint safe[CELLS]
    cdef int choices[HAND * CELLS]
    cdef uint16_t m[CELLS]
    cdef uint16_t theirs[CELLS]
    cdef uint16_t before, c, gain, column, row, stock = supply(r, s), need = stock & ~s.keys[s.to_move]
    cdef int slot, cell, value, most = -1, n = 0, seat = s.to_move, left = next_seat(r, seat)
    cdef bint bonus = not s.bonus_used >> seat & 1
    for cell in range(CELLS):
        m[cell] = <uint16_t>(p.cross[seat][cell] >> SYMBOL_SHIFT)
        theirs[cell] = <uint16_t>(p.cross[left][cell] >> SYMBOL_SHIFT)
    column = 0 if r.played_line else m[0] & m[2] & m[4]
    row = 0 if r.played_line else m[1] & m[2] & m[3]
    through[0], through[1], through[3], through[4] = m[2] & m[4], m[2] & m[3], m[1] & m[2], m[0] & m[2]
    through[2] = (m[0] & m[4]) | (m[1] & m[3])
    beside[0], beside[1], beside[2], beside[3], beside[4] = row, column, 0, column, row
    rest[0], rest[1] = through[0] & m[1] & m[3], through[1] & m[0] & m[4]
    rest[3], rest[4] = through[3] & m[0] & m[4], through[4] & m[1] & m[3]
    rest[2] = m[0] & m[4] & m[1] & m[3]
    for cell in range(CELLS):
        before = theirs[cell]
        theirs[cell] = m[cell]
        safe[cell] = standing(theirs, stock & ~s.keys[left]) == 0
        theirs[cell] = before
    for slot in range(HAND):
        if not plain_copy(p, seat, slot):
            continue
        c = r.symbols[face_at(p.faces[seat], slot)]
        for cell in range(CELLS):
            gain = ((c & through[cell]) | beside[cell]) & need
            value = 2 * popcount(gain)
            if bonus and (c & rest[cell]) != 0 and (need & ~gain) != 0:
                value += 2
            if value == 0:
                value = safe[cell]
            if value > most:
                most = value
                n = 0
            if value == most:
                choices[n] = CELLS * slot + cell
                n += 1
    return choices[below(chance, PLAYS, n)]


cdef inline void playout_draw(const Rules *r, State *s, Playout *p, uint32_t bits,
                              Chance *chance) noexcept nogil:
    cdef int i, seat = s.to_move, shift = 8 * p.empty
    cdef uint32_t at
    if p.deck_n == 0:
        for i in range(p.discard_n):
            p.deck[i] = p.discard[i]
        p.deck_n = p.discard_n
        p.discard_n = 0
        s.shuffle += 1
    at = scaled(bits, p.deck_n, chance, PLAYS)
    p.faces[seat] = p.faces[seat] & ~(<uint64_t>255 << shift) | <uint64_t>p.deck[at] << shift
    p.marks[seat][p.empty] = s.shuffle
    p.deck_n -= 1
    p.deck[at] = p.deck[p.deck_n]
    next_turn(r, s)


cdef bint playout_lines(const Rules *r, State *s, Playout *p, int cell) noexcept nogil:
    # Some line shows a symbol: keys and bonus. True if the turn goes on to its draw.
    cdef int i, seat = s.to_move
    cdef uint16_t m[CELLS]
    for i in range(CELLS):
        m[i] = <uint16_t>(p.cross[seat][i] >> SYMBOL_SHIFT)
    if not receive(r, s, seat, lines_shown(r, m, cell) & ~s.keys[seat] & supply(r, s)):
        if not bonus_due(r, s, seat, m):
            return True
        s.phase = BONUS
    p.faces[seat] |= <uint64_t>NO_CARD << 8 * p.empty
    return False


cdef inline void playout_play(const Rules *r, State *s, Playout *p, int choice, uint32_t bits,
                              Chance *chance) noexcept nogil:
    cdef int seat = s.to_move, left = next_seat(r, seat), slot = choice // CELLS, cell = choice % CELLS
    cdef uint32_t *cross = p.cross[seat]
    p.discard[p.discard_n] = <uint8_t>(p.cross[left][cell] & 255)
    p.discard_n += 1
    p.cross[left][cell] = cross[cell]
    cross[cell] = card_of(r, face_at(p.faces[seat], slot))
    p.empty = slot
    if cross[2] & ((cross[0] & cross[4]) | (cross[1] & cross[3])) & SYMBOL_BITS:
        if not playout_lines(r, s, p, cell):
            return
    playout_draw(r, s, p, bits, chance)


cdef void playout_bonus(const Rules *r, State *s, Playout *p, bint random, Chance *chance) noexcept nogil:
    cdef uint16_t out[SYMBOLS + 1]
    cdef int action
    if random:
        action = out[below(chance, PLAYS, legal(r, s, out))]
    else:
        pack(r, s, p)
        action = bonus_choice(r, s)
    if action != DECLINE:
        s.bonus_used |= <uint8_t>(1 << s.to_move)
        if receive(r, s, s.to_move, <uint16_t>(1 << (action - TAKE_KEY))):
            return
    playout_draw(r, s, p, <uint32_t>next64(chance, PLAYS), chance)


cdef int random_turns(const Rules *r, State *s, Playout *p, Chance *chance, int plies) noexcept nogil:
    cdef int choice, played = 0
    cdef uint64_t bits
    while s.to_move >= 0 and played != plies:
        played += 1
        if s.phase == BONUS:
            playout_bonus(r, s, p, True, chance)
            continue
        # one random number a turn: its upper half chooses the play, its lower half the card drawn
        bits = next64(chance, PLAYS)
        choice = random_play(p, s.to_move, <uint32_t>(bits >> 32), chance)
        playout_play(r, s, p, choice, <uint32_t>bits, chance)
    return played


cdef int light_turns(const Rules *r, State *s, Playout *p, Chance *chance, double noise,
                     int plies) noexcept nogil:
    cdef int choice, played = 0
    cdef uint32_t threshold = noise_threshold(noise)
    cdef bint random
    cdef uint64_t bits
    while s.to_move >= 0 and played != plies:
        played += 1
        random = noisy(chance, threshold)
        if s.phase == BONUS:
            playout_bonus(r, s, p, random, chance)
            continue
        bits = next64(chance, PLAYS)
        if random:
            choice = random_play(p, s.to_move, <uint32_t>(bits >> 32), chance)
        else:
            choice = light_play(r, s, p, chance)
        playout_play(r, s, p, choice, <uint32_t>bits, chance)
    return played


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef Playout p
    cdef int played
    unpack(r, s, &p)
    if noise >= 1.0:
        played = random_turns(r, s, &p, chance, plies)
    else:
        played = light_turns(r, s, &p, chance, noise, plies)
    pack(r, s, &p)
    return played


# Judging a position

cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Softmax over seats of z = A keys + B (keys above 4) + 0.13 pairs + 0.15 (to move) + 0.2 (bonus unused);
    # a standing line of the seat to move counts as 0.8 of a key. A and B from a fit on greedy games. Within
    # three rounds of the cap A counts double; in the last round the keys decide.
    # Points: whoever wins has seven keys, another seat 0.7 of what the leader still lacks beyond its own (360
    # positions, 2 to 4 players, against 40 playouts each: off by 0.44 keys on average, without bias); near
    # the cap less.
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef double a = 1.7 if r.players == 2 else 0.6 if r.players == 3 else 0.5
    cdef double b = 0.9 if r.players == 2 else 0.5 if r.players == 3 else 0.7
    cdef uint16_t m[CELLS]
    cdef int ranks[SEATS]
    cdef double z[SEATS]
    cdef double total = 0.0, top = -1000.0, most = 0.0, time, gain
    cdef int seat, winners = 0, left = r.max_turns - s.turns
    cdef uint16_t need
    if s.phase == BONUS and popcount(s.keys[s.to_move]) + 1 >= KEYS_TO_WIN:     # any key wins
        for seat in range(r.players):
            scores[seat] = popcount(s.keys[seat]) + (seat == s.to_move)
            shares[seat] = 1.0 if seat == s.to_move else 0.0
        return
    if s.phase == OVER or left <= r.players:
        outcome(rules, state, scores, ranks)
        for seat in range(r.players):
            winners += ranks[seat] == 1
        for seat in range(r.players):
            shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
        return
    if left < 3 * r.players:
        a *= 2.0
    for seat in range(r.players):
        masks_of(r, s, seat, m)
        need = supply(r, s) & ~s.keys[seat]
        scores[seat] = popcount(s.keys[seat])
        if seat == s.to_move:
            scores[seat] += 1.0 if s.phase == BONUS else 0.8 * standing(m, need)
        z[seat] = (a * scores[seat] + b * max(0.0, scores[seat] - 4.0) + 0.13 * pairs(m, need)
                   + 0.15 * (seat == s.to_move) + 0.2 * (1 - (s.bonus_used >> seat & 1)))
        most = max(most, scores[seat])
        top = max(top, z[seat])
    for seat in range(r.players):
        z[seat] = exponential(z[seat] - top)
        total += z[seat]
    time = min(1.0, <double>left / (20 * r.players))
    for seat in range(r.players):
        shares[seat] = z[seat] / total
        if scores[seat] < KEYS_TO_WIN:
            gain = max(0.0, min(KEYS_TO_WIN - 1.0 - scores[seat], 0.7 * (KEYS_TO_WIN - most)))
            gain += shares[seat] * (KEYS_TO_WIN - scores[seat] - gain)
            scores[seat] += time * gain
        scores[seat] = min(scores[seat], KEYS_TO_WIN + 1.0)
