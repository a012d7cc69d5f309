# OMNIA: what rules the core can play, and the invariants of a position, in the order of their numbers; each
# reads only what the earlier ones have made safe. A part of omnia.pyx.

cdef bint rules_fit(const Rules *r) noexcept nogil:
    # Safe on any bytes. What a card table may hold, and why not, games/omnia.py tells.
    cdef int kind, i
    if not 2 <= r.players <= SEATS or not MARKET <= r.characters <= CHARACTERS or not 1 <= r.cities <= CITIES:
        return False
    if r.coins > COINS or r.players * r.start_coins > r.coins or popcount(r.pack) != HAND * r.players:
        return False
    if r.pack >> CARDS:
        return False
    for i in range(CARDS):
        if r.symbols[i][0] > r.symbols[i][1] or r.symbols[i][1] > DRAW:
            return False
    for kind in range(KINDS):
        for i in range(CHARACTERS):
            if r.effect[kind][i] > DRAW and r.effect[kind][i] != NONE:
                return False
            if r.price[kind][i] > COINS or r.points[kind][i] > 15:
                return False
    for kind in range(2):
        if not MARKET <= in_all(r.copies[kind]) <= 32:
            return False
        for i in range(FACES):
            if r.copies[kind][i] > COPIES:
                return False
    return cities_fit(r)


cdef bint cities_fit(const Rules *r) noexcept nogil:
    cdef int n[RESOURCES + 1]
    cdef int city, resource, uses
    memset(n, 0, sizeof(n))
    for city in range(r.cities):
        if (r.set_points[city] == 0) == (r.majority[city] == 0) or r.set_points[city] > 15:
            return False
        if r.of[city] > OF_BOTH or r.mode[city][0] > DIFF or r.mode[city][1] > DIFF:
            return False
        uses = 0
        for resource in range(RESOURCES):
            uses += r.need[city][resource]
            if r.need[city][resource] > SIDE - 1:
                return False
        if (uses == 0) != (r.set_points[city] == 0):
            return False
        if uses:
            resource = used_alone(r, city)
            n[resource if resource >= 0 else RESOURCES] += 1
    for resource in range(RESOURCES + 1):
        if n[resource] > OF_ONE:
            return False
    return True


cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if not time_possible(r, s):
        return 1
    if not slots_possible(r, s):
        return 2
    if not plays_possible(r, s):
        return 3
    if not turn_possible(r, s):
        return 4
    if not faces_possible(r, s):
        return 5
    if not characters_possible(r, s):
        return 6
    if not coins_possible(r, s):
        return 7
    if not cities_possible(r, s):
        return 8
    if not known_possible(r, s):
        return 9
    if not rest_unused(r, s):
        return 10
    if s.phase != OVER and not can_go_on(r, s):
        return 11
    return 0


cdef bint time_possible(const Rules *r, const State *s) noexcept nogil:
    if s.phase > OVER or not -1 <= s.to_move < r.players or s.round > ROUNDS or s.draft_step > LAST_STEP:
        return False
    if (s.to_move < 0) != (s.phase == OVER) or (s.round == ROUNDS) != (s.phase == OVER):
        return False
    return (s.draft_step < LAST_STEP) == (s.phase == DRAFT) and (s.phase != DRAFT or s.round == 0)


cdef bint slots_possible(const Rules *r, const State *s) noexcept nogil:
    # What lies in each slot: two cards for a finished step, none for one to come.
    cdef int n[SEATS][IN_PACKET + 1]
    cdef int card, packet, step, due, holder
    memset(n, 0, sizeof(n))
    for card in range(CARDS):
        if (s.slot[card] != NONE) != (r.pack >> card & 1):
            return False
        if s.slot[card] == NONE:
            continue
        packet = s.slot[card] >> 3
        step = s.slot[card] & 7
        if packet >= r.players or step > IN_PACKET:
            return False
        n[packet][step] += 1
    for packet in range(r.players):
        due = HAND
        for step in range(IN_PACKET):
            due -= n[packet][step]
            if step < s.draft_step:
                if n[packet][step] != 2:
                    return False
            elif step == LAST_STEP:
                if n[packet][step] != (s.draft_step == LAST_STEP):
                    return False
            elif step > s.draft_step:
                if n[packet][step]:
                    return False
            else:
                holder = (packet + step) % r.players
                if holder == s.to_move:
                    if n[packet][step] > 1:
                        return False
                elif n[packet][step] != (2 if holder < s.to_move else 0):
                    return False
        if n[packet][IN_PACKET] != due:
            return False
    return True


cdef inline bint has_played(const Rules *r, const State *s, int seat) noexcept nogil:
    # Whether the seat has played its card of this round.
    cdef int first = first_seat(r, s.round)
    cdef int turn = (seat - first + r.players) % r.players, now = (s.to_move - first + r.players) % r.players
    return turn < now or (turn == now and s.phase != PLAY)


cdef bint plays_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, card, due
    cdef int n[SEATS]
    memset(n, 0, sizeof(n))
    if s.played & ~r.pack or (s.phase == DRAFT and s.played):
        return False
    if s.phase == DRAFT:
        return True
    for card in range(CARDS):
        if s.played >> card & 1:
            n[holder_of[r.players - 2][s.slot[card]]] += 1
    for seat in range(r.players):
        due = s.round
        if s.phase != OVER:
            due += has_played(r, s, seat)
        if n[seat] != due:
            return False
    return True


cdef bint turn_possible(const Rules *r, const State *s) noexcept nogil:
    cdef const uint8_t *symbols
    if s.phase < ACT or s.phase == OVER:
        return (s.card == NONE and s.left[0] == NONE and s.left[1] == NONE and not s.passed
                and s.first_plain == NONE and s.pending == NONE)
    if s.card >= CARDS or not s.played >> s.card & 1 or s.passed > 1:
        return False
    if holder_of[r.players - 2][s.slot[s.card]] != s.to_move:
        return False
    symbols = r.symbols[s.card]
    if s.left[0] != NONE and s.left[0] != symbols[0] and s.left[0] != symbols[1]:
        return False
    if s.left[1] != NONE and (s.left[0] != symbols[0] or s.left[1] != symbols[1]):
        return False
    if (s.phase == EFFECT) != (s.pending != NONE):
        return False
    if s.phase != ACT:
        return (s.left[1] == NONE and not s.passed and s.first_plain == NONE
                and (s.pending == NONE or WORK <= s.pending <= DRAW))
    if s.left[0] == NONE or ((s.passed or s.first_plain != NONE) and s.left[1] != NONE):
        return False
    if s.passed:
        return s.first_plain == NONE and s.left[0] == symbols[1]
    return s.first_plain == NONE or (
        symbols[0] == symbols[1] and TAKE_COINS <= s.first_plain < DRAW_CITY
        and (r.plain & BIT(s.first_plain)) != 0 and symbol_of(s.first_plain) == s.left[0])


cdef inline bint shows_all(const Rules *r, const State *s) noexcept nogil:
    # The market was just filled, and cards are missing only if the pack is empty.
    return s.phase == DRAFT or (s.phase == PLAY
                                and (not r.refill_round or s.to_move == first_seat(r, s.round)))


cdef bint faces_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int side, face, seat, n, shown, left
    for side in range(2):
        shown = left = 0
        for face in range(FACES):
            n = s.pack[side][face] + s.market[side][face]
            for seat in range(r.players):
                n += s.owned[seat][side][face]
            if n != r.copies[side][face]:
                return False
            shown += s.market[side][face]
            left += s.pack[side][face]
        if shown > MARKET or (shown < MARKET and left and shows_all(r, s)):
            return False
    return True


cdef bint characters_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint32_t met = s.char_pack
    cdef int seat, shown = popcount(s.char_market)
    if met & s.char_market:
        return False
    met |= s.char_market
    for seat in range(r.players):
        if met & s.characters[seat]:
            return False
        met |= s.characters[seat]
    if shown > MARKET or (shown < MARKET and s.char_pack and shows_all(r, s)):
        return False
    return met == (<uint32_t>1 << r.characters) - 1


cdef bint coins_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, n = s.bank
    for seat in range(r.players):
        n += s.coins[seat]
    return n == r.coins


cdef bint cities_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint32_t met = s.cities_active
    cdef int i
    if s.city_len > CITIES - 1 or not met:
        return False
    for i in range(s.city_len):
        if s.city_pack[i] >= r.cities or met >> s.city_pack[i] & 1:
            return False
        met |= <uint32_t>1 << s.city_pack[i]
    return met == (<uint32_t>1 << r.cities) - 1


cdef bint known_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int i
    for i in range(s.city_len):
        if s.city_known[i] >> r.players:
            return False
    if s.phase != CITY:
        return True
    for i in range(cities_drawn(s)):
        if not s.city_known[i] >> s.to_move & 1:
            return False
    return s.city_len > 0


cdef bint rest_unused(const Rules *r, const State *s) noexcept nogil:
    cdef int i, side, face
    for i in range(s.city_len, CITIES - 1):
        if s.city_pack[i] != NONE or s.city_known[i]:
            return False
    for i in range(r.players, SEATS):
        if s.coins[i] or s.characters[i]:
            return False
        for side in range(2):
            for face in range(FACES):
                if s.owned[i][side][face]:
                    return False
    return True


cdef bint can_go_on(const Rules *r, const State *s) noexcept nogil:
    # Something is legal, and in `act` and `effect` something beside declining.
    cdef int first = 0
    cdef uint64_t found = choices(r, s, &first)
    if s.phase == ACT or s.phase == EFFECT:
        found &= ~(BIT(DONE) | BIT(SKIP))
    return found != 0
