# Atelier: The Painter's Studio: the invariants of a position, in the order of their numbers; each reads only
# what the earlier ones have made safe. A part of painters_studio.pyx.

# The rules

cdef bint rules_fit(const Rules *r) noexcept nogil:
    # What memory safety rests on, that games end (R20), and that somebody becomes First Master.
    cdef uint64_t turn_powers = 0
    cdef int i, colour, cost
    for i in range(PAINTINGS):
        cost = 0
        for colour in range(COLOURS):
            if r.cost[i][colour] > 12:
                return False
            cost += r.cost[i][colour]
        if not 1 <= cost <= 12 or r.sends_home[i] > 4 or r.when[i] > WHEN_PAINTED or r.effect[i] >= EFFECTS:
            return False
        if r.when[i] and not amount_fits(r.effect[i], r.amount[i]):
            return False
        if r.when[i] == IN_TURN:
            if r.effect[i] == RECOVER_DIE:
                return False
            turn_powers |= <uint64_t>1 << i
    for i in range(PATRONS):
        if r.patron_counts[i] >= COUNTED or r.patron_unit[i] == 0:
            return False
    return (turn_powers == r.turn_powers and not r.masterpieces & ~ALL_PAINTINGS
            and popcount64(r.masterpieces) > 2 * SEATS)


cdef bint amount_fits(int effect, int amount) noexcept nogil:
    if effect == GAIN_PAINT or effect == GAIN_INSPIRATION or effect == PLACE_STUDENTS:
        return 1 <= amount <= 4
    return amount < KINDS if effect == SET_DIE else amount == 1


cdef int most_points(const Rules *r) noexcept nogil:
    # The upper end of the range of scores.
    cdef int i, most = MASTER_POINTS + painting_score(r, ALL_PAINTINGS)
    for i in range(PATRONS):
        most += r.patron_most[i]
    return most


# Positions

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if not in_range(r, s):
        return 1
    if not chosen_in_order(r, s):
        return 2
    if not placed_in_order(r, s):
        return 3
    if not paintings_possible(r, s):
        return 4
    if not display_full(s):
        return 5
    if not paint_complete(s):
        return 6
    if not students_possible(r, s):
        return 7
    if not tokens_complete(r, s):
        return 8
    if not dice_possible(r, s):
        return 9
    if not patrons_possible(r, s):
        return 10
    if not patron_deck_possible(r, s):
        return 11
    if not master_possible(r, s):
        return 12
    if not used_possible(r, s):
        return 13
    if s.spent > in_play(s) or (in_play(s) and not s.spent and not s.active[s.to_move]):
        return 14
    if s.inspired and (r.inspiration_ends or not s.spent):
        return 15
    if s.last_rank and not (s.phase == TURN and r.canonical and s.spent and not s.inspired):
        return 16
    return 0 if action_possible(r, s) else 17


cdef inline bint in_play(const State *s) noexcept nogil:
    return TURN <= s.phase < OVER


cdef bint in_range(const Rules *r, const State *s) noexcept nogil:
    # Numbers that the game has; what no seat has is at rest.
    cdef int seat
    if not -1 <= s.to_move < r.players or s.phase > OVER or (s.to_move < 0) != (s.phase == OVER):
        return False
    if s.first_start >= r.players or not -1 <= s.first_master < r.players:
        return False
    if (s.round == 0) != (s.phase < TURN) or s.round > r.max_rounds:
        return False
    if s.spent > 1 or s.inspired > 1 or s.moved > 1 or s.pending > 1 or s.last_rank > 2 * COLOURS:
        return False
    if s.owner >= r.players or s.colour >= COLOURS or not -1 <= s.card < PAINTINGS:
        return False
    for seat in range(SEATS):
        if not -1 <= s.tail[seat] < PATRONS or not -1 <= s.taker[seat] < r.players:
            return False
        if seat >= r.players and (s.hand[seat] or s.owned[seat] or s.tail[seat] >= 0 or s.taker[seat] >= 0):
            return False
    return s.zero[0] == s.zero[1] == s.zero[2] == s.zero[3] == 0


cdef bint chosen_in_order(const Rules *r, const State *s) noexcept nogil:
    # PS-S8, R13
    cdef int i, seat = s.first_start, chosen = 0
    if s.phase >= TURN:
        return True
    for i in range(r.players):
        if s.tail[seat] >= 0:
            if chosen < i:
                return False
            chosen += 1
        seat = next_seat(r, seat)
    if s.phase == START:
        return chosen == r.players
    return chosen < r.players and s.to_move == (s.first_start + chosen) % r.players


cdef bint placed_in_order(const Rules *r, const State *s) noexcept nogil:
    # PS-S9
    cdef int i, seat = s.first_start, placed = 0
    if s.phase >= TURN:
        return True
    for i in range(r.players):
        seat = seat_before(r, seat)
        if four(s.students[seat]):
            if placed < i or in_all(s.students[seat]) != 1 or popcount(some(s.students[seat])) != 1:
                return False
            placed += 1
    if s.phase == PATRON:
        return placed == 0
    return placed < r.players and s.to_move == (s.first_start + 2 * r.players - 1 - placed) % r.players


cdef bint paintings_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint64_t laid = s.display
    cdef int seat
    if laid & ~ALL_PAINTINGS:
        return False
    for seat in range(SEATS):
        if s.owned[seat] & ~ALL_PAINTINGS or s.owned[seat] & laid or (s.owned[seat] and s.phase < TURN):
            return False
        laid |= s.owned[seat]
    return True


cdef bint display_full(const State *s) noexcept nogil:
    cdef int laid = popcount64(s.display), due = DISPLAY - s.pending
    if laid == due:
        return True
    return laid < due and not ALL_PAINTINGS & ~s.display & ~all_owned(s)


cdef bint paint_complete(const State *s) noexcept nogil:
    cdef int seat, colour, held
    for colour in range(COLOURS):
        held = 0
        for seat in range(SEATS):
            held += s.paint[seat][colour]
        if held > PAINT_PER_COLOUR or (held and s.phase < TURN):
            return False
    return True


cdef bint students_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, colour, out
    for seat in range(SEATS):
        out = 0
        for colour in range(COLOURS):
            out += s.students[seat][colour]
        if out > STUDENTS or (seat >= r.players and (out or four(s.paint[seat]))):
            return False
    return True


cdef bint tokens_complete(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, held = 0
    for seat in range(SEATS):
        held += s.tokens[seat]
        if seat >= r.players and s.tokens[seat]:
            return False
        if s.phase < TURN and seat < r.players and s.tokens[seat] != 1:
            return False
    return held <= TOKENS


cdef bint dice_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int i, shown = 0
    for i in range(KINDS):
        shown += s.dice[i]
    for i in range(SEATS):
        if s.active[i] > DICE or (s.active[i] and (i >= r.players or not in_play(s))):
            return False
    return shown == (s.active[s.to_move] if in_play(s) else 0)


cdef bint patrons_possible(const Rules *r, const State *s) noexcept nogil:
    # No patron lies in two places; a returned one that was drawn lies with whoever drew it.
    cdef uint32_t laid = 0, returned = 0
    cdef int seat, taker
    for seat in range(r.players):
        if s.hand[seat] & laid or (s.phase == OVER and s.hand[seat] == 0):
            return False
        laid |= s.hand[seat]
    for seat in range(r.players):
        taker = s.taker[seat]
        if s.tail[seat] < 0:
            if taker >= 0:
                return False
            continue
        if s.phase == OVER or returned >> s.tail[seat] & 1:
            return False
        returned |= <uint32_t>1 << s.tail[seat]
        if (laid if taker < 0 else ~<uint32_t>s.hand[taker]) >> s.tail[seat] & 1:
            return False
    return True


cdef bint patron_deck_possible(const Rules *r, const State *s) noexcept nogil:
    # The returned cards are drawn last, in their order; a kept card is never lost.
    cdef int i, kept, seat = s.first_start, taken = 0
    if s.phase == OVER:
        return True
    for i in range(r.players):
        if s.tail[seat] < 0 and s.phase >= TURN:
            return False
        if s.taker[seat] >= 0:
            if taken < i or s.phase < TURN:
                return False
            taken += 1
        kept = popcount(s.hand[seat]) - returned_in(r, s, seat)
        if kept < 1 or (s.phase < TURN and kept != 1 + (s.tail[seat] < 0)):
            return False
        seat = next_seat(r, seat)
    return not taken or not patron_body(r, s)


cdef bint master_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, most = 0
    for seat in range(r.players):
        most = max(most, popcount64(s.owned[seat] & r.masterpieces))
    if (s.first_master >= 0) != (most >= MASTERPIECES_TO_END) or (s.first_master < 0) != (s.final_round == 0):
        return False
    if s.phase == OVER and s.round != s.final_round and s.round != r.max_rounds:
        return False
    if s.first_master < 0:
        return True
    if popcount64(s.owned[s.first_master] & r.masterpieces) < MASTERPIECES_TO_END:
        return False
    return s.round == s.final_round or s.round + 1 == s.final_round


cdef bint used_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint64_t owned = 0
    if in_play(s):
        owned = all_owned(s) if r.once_a_round else s.owned[s.to_move]
    return not s.used & ~(owned & r.turn_powers)


cdef bint action_possible(const Rules *r, const State *s) noexcept nogil:
    # An action that is not over has its card, its steps and something to decide; else all of it rests.
    cdef uint16_t out[16]
    cdef int n
    cdef bint steps = s.phase == RETURN or s.phase == E_GAIN or s.phase == E_PLACE
    if s.phase <= TURN or s.phase == OVER:
        return s.card < 0 and not (s.left or s.colour or s.owner or s.moved or s.pending)
    if (s.left > 0) != steps or (s.colour and not steps) or ((s.owner or s.moved) and s.phase != MOVE):
        return False
    if s.card < 0:
        if s.phase != MOVE or s.pending or not s.spent or s.inspired:
            return False
    elif not card_at_work(r, s):
        return False
    if s.phase == MOVE and not four(s.students[s.owner]):
        return False
    if s.phase == E_BUY and not s.tokens[s.to_move]:
        return False
    n = list_step(r, s, out)
    return n > 1 or (n == 1 and out[0] != SKIP)


cdef bint card_at_work(const Rules *r, const State *s) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << s.card
    if not s.owned[s.to_move] & bit:
        return False
    if s.phase == RETURN:
        return s.pending and s.left <= r.sends_home[s.card]
    if r.when[s.card] != (WHEN_PAINTED if s.pending else IN_TURN) or (not s.pending and not s.used & bit):
        return False
    if phase_of(r.effect[s.card]) != s.phase:
        return False
    if s.phase == E_PLACE and s.left > pool(s, s.to_move):
        return False
    return s.left <= r.amount[s.card]
