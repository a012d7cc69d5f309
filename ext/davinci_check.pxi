# Atelier Da Vinci: the invariants of a position, in the order of their numbers; each reads only what the
# earlier ones have made safe. A part of davinci.pyx.

# The rules

cdef int slots_in_all(const Rules *r) noexcept nogil:
    # The most slots that the paintings in play can have.
    cdef int i, painting, best, total = 0
    cdef uint32_t counted = 0
    for i in range(r.paintings):
        best = -1
        for painting in range(PAINTINGS):
            if not counted >> painting & 1:
                if best < 0 or popcount(r.marked[painting]) > popcount(r.marked[best]):
                    best = painting
        counted |= <uint32_t>1 << best
        total += popcount(r.marked[best])
    return total


cdef int card_worth(const Rules *r) noexcept nogil:
    # The most esteem that one card can bring: its value, all masteries, and the level for itself.
    cdef int colour, mastery, depicted, most = 0, top = 0
    for colour in range(COLOURS):
        depicted = 0
        for mastery in range(MASTERIES):
            depicted += r.depicts[mastery] >> colour & 1
        most = max(most, depicted)
    for colour in range(LEVELS):
        top = max(top, r.level_bonus[colour])
    return VALUES + most + top


cdef int most_points(const Rules *r) noexcept nogil:
    # The upper end of the range of scores.
    cdef int i, most = slots_in_all(r) * card_worth(r)
    for i in range(PAINTINGS):
        most += r.painting_points[i]
    for i in range(ACHIEVEMENTS):
        most += r.achievement_points[i]
    return most


cdef bint rules_fit(const Rules *r) noexcept nogil:
    # What memory safety and R2 rest on.
    cdef int painting, slot, colour, i, n, first = 0, second = 0, cards = 0
    if r.mastery_bonus > PER_ACTION or r.completion_bonus > ALL_BONUSES or r.marked[PAINTINGS]:
        return False
    for i in range(LEVELS):
        if r.level_bonus[i] > 9 or (i and r.level_from[i] <= r.level_from[i - 1]):
            return False
    for painting in range(PAINTINGS):
        for slot in range(SLOTS):
            colour = r.colour[painting][slot]
            if (colour != NONE) != (r.marked[painting] >> slot & 1) or (colour != NONE and colour >= COLOURS):
                return False
            if r.clash[painting][slot] & ~r.marked[painting]:
                return False
            for i in range(COLOURS):
                if (r.of_colour[painting][i] >> slot & 1) != (colour == i):
                    return False
        n = popcount(r.marked[painting])
        if n > first:
            first, second = n, first
        elif n > second:
            second = n
        if n < 2 or r.marked[painting] >> SLOTS:
            return False
    for colour in range(COLOURS):
        if r.of_colour[PAINTINGS][colour]:
            return False
    for i in range(ACHIEVEMENTS):
        if r.achievement_rule[i] >= ACHIEVEMENTS:
            return False
    for i in range(FACES):
        cards += r.deck[i]
    return 7 * r.players + first + second - 1 <= cards <= 200


# Positions

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if not in_range(r, s):
        return 1
    if (s.to_move < 0) != (s.phase == OVER):
        return 2
    if s.phase == OVER and not ending(s) and s.round != r.round_cap:
        return 3
    if not hands_possible(r, s):
        return 4
    if not hidden_sorted(r, s):
        return 5
    if not paintings_possible(r, s):
        return 6
    if not cards_complete(r, s):
        return 7
    if cards_in(s.table) > 2 * r.players:
        return 8
    if not action_possible(r, s):
        return 9
    if not fresh_possible(r, s):
        return 10
    if not leonardo_possible(r, s):
        return 11
    return 0 if numbers_bounded(r, s) else 12


cdef bint in_range(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i
    if not -1 <= s.to_move < r.players or s.phase > OVER or s.leonardo >= r.players:
        return False
    if (s.help >= r.players and s.help != NONE) or not 1 <= s.round <= r.round_cap:
        return False
    if s.drawn >= FACES and s.drawn != NONE:
        return False
    for i in range(2):
        if s.place[i] >= PAINTINGS and s.place[i] != NONE:
            return False
        if s.fresh[i] >> SLOTS or s.ach[i] >= ACHIEVEMENTS:
            return False
    for i in range(BOTH):
        if s.slot_value[i // SLOTS][i % SLOTS] > VALUES:
            return False
    for i in range(PAINTINGS):
        if s.paint_owner[i] >= r.players and s.paint_owner[i] != NONE:
            return False
    for i in range(MASTERIES):
        if s.mast_owner[i] >= r.players and s.mast_owner[i] != NONE:
            return False
    for seat in range(SEATS):
        if s.hid_n[seat] > HIDDEN or s.hand_n[seat] > 2 * HAND_LIMIT:
            return False
        if seat >= r.players and (s.hand_n[seat] or s.hid_n[seat] or s.esteem[seat]):
            return False
        for i in range(HIDDEN):
            if s.hid_face[seat][i] >= FACES:
                return False
    return s.ach[0] < s.ach[1]


cdef bint hands_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, limit
    for seat in range(SEATS):
        if cards_in(s.known[seat]) + s.hid_n[seat] != s.hand_n[seat]:
            return False
        if s.phase == OVER and s.hid_n[seat]:
            return False
        limit = HAND_LIMIT
        if s.hid_n[seat] > limit + (seat == s.to_move and s.phase == DISCARD and s.to_discard == 1):
            return False
        if seat == s.to_move and s.phase == TAKE:
            # At least a point was taken for each card above the limit.
            limit += TAKE_LIMIT + (s.help == seat) - s.take_left
        elif seat == s.to_move and s.phase == DISCARD:
            limit += s.to_discard
            if s.hand_n[seat] != limit:
                return False
        if s.hand_n[seat] > limit:
            return False
    return True


cdef bint hidden_sorted(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i
    for seat in range(SEATS):
        for i in range(HIDDEN):
            if i >= s.hid_n[seat]:
                if s.hid_cycle[seat][i] or s.hid_face[seat][i]:
                    return False
                continue
            if s.hid_cycle[seat][i] > s.cycle:
                return False
            if i and (s.hid_cycle[seat][i - 1] > s.hid_cycle[seat][i]
                      or (s.hid_cycle[seat][i - 1] == s.hid_cycle[seat][i]
                          and s.hid_face[seat][i - 1] > s.hid_face[seat][i])):
                return False
    return True


cdef bint paintings_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int place, left = paintings_left(r, s)
    cdef uint32_t laid = filled_slots(s), marked
    if left < 0 or (s.place[0] != NONE and s.place[0] == s.place[1]):
        return False
    for place in range(2):
        marked = r.marked[row(s, place)]
        if laid >> SLOTS * place & 0x3F & ~marked:
            return False
        if s.place[place] == NONE:
            if left:
                return False
        elif s.paint_owner[s.place[place]] != NONE or laid >> SLOTS * place & 0x3F == marked:
            return False
    return True


cdef bint cards_complete(const Rules *r, const State *s) noexcept nogil:
    cdef int count[FACES]
    cdef int seat, i, face, place
    for face in range(FACES):
        count[face] = s.deck[face] + s.discard[face] + s.table[face] + (s.drawn == face)
        for seat in range(r.players):
            count[face] += s.known[seat][face]
    for seat in range(r.players):
        for i in range(s.hid_n[seat]):
            count[s.hid_face[seat][i]] += 1
    for place in range(2):
        for i in range(SLOTS):
            if s.slot_value[place][i]:
                count[4 * r.colour[s.place[place]][i] + s.slot_value[place][i] - 1] += 1
    for face in range(FACES):
        if count[face] != r.deck[face]:
            return False
    return cards_in(s.deck) == s.deck_n


cdef bint action_possible(const Rules *r, const State *s) noexcept nogil:
    # The fields of an action that is not over are used in its phase and rest in all others.
    cdef int colour, done = 0
    for colour in range(COLOURS):
        done += s.done_count[colour]
    if s.phase == TAKE:
        if not 1 <= s.take_left <= TAKE_LIMIT or s.last >= FACES or not s.known[s.to_move][s.last]:
            return False
    elif s.take_left:
        return False
    if s.phase == DISCARD:
        if not 1 <= s.to_discard <= HAND_LIMIT or (s.last >= FACES and s.last != NONE):
            return False
    elif s.to_discard:
        return False
    if s.phase == PAINT:
        if not 1 <= s.placed < PAINT_MAX or (s.last >= BOTH and s.last != NONE):
            return False
        if s.placed < done + popcount(s.fresh[0]) + popcount(s.fresh[1]):
            return False
        if done and r.completion_bonus != ALL_BONUSES:
            return False
    elif s.placed or done:
        return False
    if s.last != NONE and s.phase != TAKE and s.phase != DISCARD and s.phase != PAINT:
        return False
    return (s.drawn != NONE) == (s.phase == LEO_DRAWN)


cdef bint fresh_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint32_t fresh = s.fresh[0] | <uint32_t>s.fresh[1] << SLOTS, rest = fresh
    if fresh & ~filled_slots(s) or popcount(fresh) > PAINT_MAX:
        return False
    if fresh and s.phase != PAINT and s.phase != LEONARDO and s.phase != LEO_DRAWN:
        return False
    while rest:
        if wet_beside(r, s, lowest_bit(rest)) & fresh:
            return False
        rest &= rest - 1
    return True


cdef bint leonardo_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint32_t faces
    if s.phase != LEONARDO and s.phase != LEO_DRAWN:
        return True
    if s.to_move != s.leonardo:
        return False
    faces = faces_in(s.table) if s.phase == LEONARDO else <uint32_t>1 << s.drawn
    return (slots_for(r, s, faces) & leonardo_slots(r, s)) != 0


cdef bint numbers_bounded(const Rules *r, const State *s) noexcept nogil:
    # Room for all that can still be added: esteem for every slot that is to be filled or not yet scored, and
    # at most three reshuffles a turn.
    cdef int seat, painting, turns, slots = s.placed
    for painting in range(PAINTINGS):
        if s.paint_owner[painting] == NONE:
            slots += popcount(r.marked[painting])
    slots -= popcount(filled_slots(s))
    for seat in range(r.players):
        if s.esteem[seat] + slots * card_worth(r) > MOST_ESTEEM:
            return False
    turns = r.players * s.round
    if s.to_move >= 0:
        turns += (s.to_move - s.leonardo + r.players) % r.players - r.players
    return s.cycle <= 5000 + 3 * turns + (2 if s.to_move >= 0 and s.phase != MAIN else 0)
