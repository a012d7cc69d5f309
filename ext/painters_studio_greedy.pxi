# Atelier: The Painter's Studio: the greedy rule, from what the mover knows. A part of painters_studio.pyx.

cdef enum:
    MOST_LEGAL = 60

cdef struct Plan:
    double left                 # rounds, this one included
    int target                  # the painting aimed at, -1: none
    uint32_t lacks              # colours that it lacks
    int missing                 # paints that it lacks
    double weight[COLOURS]      # of a paint
    uint64_t wanted             # face-up paintings that are worth their paint


cdef double rounds_left(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, most = 0
    cdef double left
    if s.final_round:
        left = s.final_round - s.round + 1
    else:
        for seat in range(r.players):
            most = max(most, popcount64(s.owned[seat] & r.masterpieces))
        left = 8.0 if most == 0 else 6.0 if most == 1 else 3.0
    return min(left, r.max_rounds - s.round + 1.0)


cdef inline double power_value(const Rules *r, int card, double left) noexcept nogil:
    cdef int effect = r.effect[card]
    if r.when[card] == NO_POWER:
        return 0.0
    if r.when[card] == IN_TURN:
        return (1.5 if effect == SWAP_PAINT else 2.0 if effect == SET_DIE else 1.0) * left / 6.0
    if effect == GAIN_INSPIRATION:
        return 0.7 * r.amount[card]
    if effect == PLACE_STUDENTS:
        return 0.6 * r.amount[card]
    if effect == GAIN_PAINT:
        return 0.8 * r.amount[card]
    if effect == COLLECT_PAINT:
        return 1.2
    if effect == ONE_PATRON:
        return 3.0
    return 0.9 if effect == RECOVER_DIE else 0.4


cdef double painting_value(const Rules *r, const State *s, int card, double left) noexcept nogil:
    # What a painting brings, less the students that go home.
    cdef int seat = s.to_move
    cdef uint64_t owned = s.owned[seat], bit = <uint64_t>1 << card
    cdef double value = r.points[card] + power_value(r, card, left)
    value += hand_score(r, s, seat, owned | bit) - hand_score(r, s, seat, owned)
    if s.first_master < 0 and r.masterpieces & bit:
        value += 1.5
        if popcount64(owned & r.masterpieces) + 1 >= MASTERPIECES_TO_END:
            value += MASTER_POINTS
    return value - 0.4 * min(<int>r.sends_home[card], in_all(s.students[seat]))


cdef inline int lacking(const Rules *r, const State *s, int seat, int card, int colour) noexcept nogil:
    return max(0, r.cost[card][colour] - s.paint[seat][colour])


cdef inline int missing_paint(const Rules *r, const State *s, int seat, int card) noexcept nogil:
    return (lacking(r, s, seat, card, 0) + lacking(r, s, seat, card, 1)
            + lacking(r, s, seat, card, 2) + lacking(r, s, seat, card, 3))


cdef void make_plan(const Rules *r, const State *s, Plan *p) noexcept nogil:
    cdef uint64_t rest = s.display
    cdef int card, colour, seat = s.to_move
    cdef double value, worth, most = -1000.0
    p.left = rounds_left(r, s)
    p.target = -1
    p.wanted = 0
    p.lacks = 0
    p.missing = 0
    while rest:
        card = lowest_bit64(rest)
        rest &= rest - 1
        value = painting_value(r, s, card, p.left)
        worth = value / (1.2 + 0.8 * missing_paint(r, s, seat, card))
        if worth > most + 1e-9:
            most = worth
            p.target = card
        if p.left <= 1.0 or value / (1.2 + 0.8 * in_all(r.cost[card])) > 0.75:
            p.wanted |= <uint64_t>1 << card
    if p.target >= 0:
        p.wanted |= <uint64_t>1 << p.target
        p.missing = missing_paint(r, s, seat, p.target)
    for colour in range(COLOURS):
        if p.target >= 0 and lacking(r, s, seat, p.target, colour):
            p.weight[colour] = 1.0
            p.lacks |= <uint32_t>1 << colour
        else:
            p.weight[colour] = 0.1 if s.paint[seat][colour] >= 4 else 0.35


cdef inline double income(const Plan *p, uint32_t colours) noexcept nogil:
    cdef double total = 0.0
    while colours:
        total += p.weight[lowest_bit(colours)]
        colours &= colours - 1
    return total


# Students

cdef double place_value(const Rules *r, const State *s, const Plan *p, int colour) noexcept nogil:
    cdef int seat = s.to_move, other, best = 0, mine = s.students[seat][colour] + 1
    cdef double value = 0.15 + 0.05 * p.weight[colour]
    cdef bint leads
    for other in range(r.players):
        if other != seat:
            best = max(best, s.students[other][colour])
    leads = mine > best or (r.players == 4 and mine == best)
    if leads and stocked(s) & ~led(r, s, seat) & <uint32_t>1 << colour:
        value += 1.2 * p.weight[colour] * min(1.0, p.left / 3.0)
    if mine == best:
        value += 0.12 * p.weight[colour]
    return value - 0.02 * max(0, mine - best - 1)


cdef double others_income(const Rules *r, const State *s) noexcept nogil:
    cdef int other, paints = 0
    for other in range(r.players):
        if other != s.to_move:
            paints += popcount(collected(r, s, other))
    return paints


cdef double shift_value(const Rules *r, const State *s, const Plan *p, int owner, int action) noexcept nogil:
    cdef State after = s[0]
    shift(after.students[owner], action)
    return (income(p, collected(r, &after, s.to_move)) - income(p, collected(r, s, s.to_move))
            + 0.25 * (others_income(r, s) - others_income(r, &after)))


cdef double best_shift(const Rules *r, const State *s, const Plan *p, int owner) noexcept nogil:
    # Of this seat's students; -1000: it has none at the piles.
    cdef uint16_t out[16]
    cdef int i
    cdef double most = -1000.0
    for i in range(list_shifts(some(s.students[owner]), ALL_COLOURS, out, 0)):
        most = max(most, shift_value(r, s, p, owner, out[i]))
    return most


cdef double best_shift_of_all(const Rules *r, const State *s, const Plan *p) noexcept nogil:
    cdef int owner
    cdef double most = -1000.0
    for owner in range(r.players):
        most = max(most, best_shift(r, s, p, owner))
    return most


# Powers

cdef double swap_value(const Rules *r, const State *s, const Plan *p, int action) noexcept nogil:
    cdef int giver = giver_of(action)
    cdef bint spare = p.target < 0 or s.paint[s.to_move][giver] > r.cost[p.target][giver]
    return 0.9 * (p.weight[taker_of(action)] - (0.3 if spare else 1.2))


cdef double best_swap(const Rules *r, const State *s, const Plan *p) noexcept nogil:
    cdef uint16_t out[16]
    cdef int i
    cdef double most = -1000.0
    for i in range(list_shifts(some(s.paint[s.to_move]), stocked(s), out, 0)):
        most = max(most, swap_value(r, s, p, out[i]))
    return most


cdef double set_die_value(const Rules *r, const State *s, const Plan *p, int kind) noexcept nogil:
    if s.dice[kind]:
        return -1.0
    if kind == PAINT_DIE:
        return 2.0 if payable_now(r, s, s.to_move) & p.wanted else -1.0
    if kind == COLLECT_DIE:
        return 0.9 if popcount(collected(r, s, s.to_move)) >= 2 else -1.0
    return 0.5 if kind == GAIN_DIE and stocked(s) & p.lacks else -1.0


cdef double use_value(const Rules *r, const State *s, const Plan *p, int card) noexcept nogil:
    cdef int effect = r.effect[card]
    if effect == SWAP_PAINT:
        return best_swap(r, s, p)
    if effect == SET_DIE:
        return set_die_value(r, s, p, r.amount[card])
    if effect == REROLL_DIE:
        return 0.35 if s.dice[PLACE_DIE] or s.dice[MOVE_DIE] else -1.0
    if effect == MOVE_OWN:
        return 0.8 * best_shift(r, s, p, s.to_move)
    if effect == MOVE_STUDENTS:
        return 0.8 * best_shift_of_all(r, s, p)
    if effect == BUY_PAINT:
        return 0.5 if p.missing == 1 else -1.0
    return 1.0


# Decisions

cdef double collect_value(const Rules *r, const State *s, const Plan *p) noexcept nogil:
    cdef uint32_t colours = collected(r, s, s.to_move), rest = colours
    cdef double value = 0.0
    while rest:
        value += 0.9 * max(p.weight[lowest_bit(rest)], 0.5)
        rest &= rest - 1
    if popcount(colours) == 1 and p.weight[lowest_bit(colours)] < 0.5:
        value -= 0.6
    return value


cdef double turn_value(const Rules *r, const State *s, const Plan *p, int action) noexcept nogil:
    cdef int seat = s.to_move
    cdef double value
    if action < FIRST_GAIN:
        return place_value(r, s, p, action - FIRST_PLACE)
    if action < FIRST_BACK:
        return 0.2 + 0.8 * p.weight[action - FIRST_GAIN]
    if action == DO_MOVE:
        return 0.1 + 0.8 * best_shift_of_all(r, s, p)
    if action == DO_COLLECT:
        return collect_value(r, s, p)
    if action == INSPIRE:
        return 0.2 if p.left <= 1.0 else 0.42
    if action == REROLL:
        return 0.45 if s.tokens[seat] >= 2 else -1.0
    if action == DRAW_PATRON:
        return 3.0 if p.left <= 3.0 or s.tokens[seat] >= 4 else 1.0
    if action == END_TURN:
        return 0.3
    if action >= FIRST_USE:
        return use_value(r, s, p, action - FIRST_USE)
    if action < FIRST_TOKEN_PAINT:
        value = painting_value(r, s, action - FIRST_PAINT, p.left)
        return 0.5 + value if p.wanted >> (action - FIRST_PAINT) & 1 else -0.5
    value = painting_value(r, s, action - FIRST_TOKEN_PAINT, p.left)
    return value - 1.6 if p.wanted >> (action - FIRST_TOKEN_PAINT) & 1 and value > 2.0 else -1.0


cdef double back_value(const Rules *r, const State *s, const Plan *p, int colour) noexcept nogil:
    # The least income lost, then the fuller pile
    cdef State after = s[0]
    after.students[s.to_move][colour] -= 1
    return (income(p, collected(r, &after, s.to_move)) - income(p, collected(r, s, s.to_move))
            + 0.001 * s.students[s.to_move][colour])


cdef double die_value(const Rules *r, const State *s, int kind) noexcept nogil:
    # Of giving a die away
    if kind == PLACE_DIE:
        return 0.3
    if kind == MOVE_DIE:
        return 0.5
    if kind == COLLECT_DIE:
        return -popcount(collected(r, s, s.to_move))
    return -1.0 if kind == GAIN_DIE else -2.0


cdef double step_value(const Rules *r, const State *s, const Plan *p, int action) noexcept nogil:
    if action == SKIP:
        return 0.01 if s.phase == MOVE else -0.4 if s.phase == E_SET or s.phase == E_REROLL else 0.0
    if s.phase == RETURN:
        return back_value(r, s, p, action - FIRST_BACK)
    if s.phase == MOVE:
        return shift_value(r, s, p, s.owner, action)
    if s.phase == E_OWN:
        return shift_value(r, s, p, s.to_move, action)
    if s.phase == E_SWAP:
        return swap_value(r, s, p, action)
    if s.phase == E_SET or s.phase == E_REROLL:
        return die_value(r, s, action - FIRST_DIE)
    return turn_value(r, s, p, action)


cdef double set_up_value(const Rules *r, const State *s, int action) noexcept nogil:
    cdef uint64_t rest = s.display
    cdef int seat, colour = action - FIRST_PLACE, counts
    cdef double value = 0.0
    if s.phase == PATRON:
        counts = r.patron_counts[action]
        if counts == OF_SET and r.counted[action] == r.masterpieces:
            return 5.0
        return 4.0 if counts == OF_SET or counts == FULL_SETS else 3.0 if counts == PILES_LED else 2.0
    while rest:
        value += r.cost[lowest_bit64(rest)][colour]
        rest &= rest - 1
    for seat in range(r.players):
        value -= 3.0 * s.students[seat][colour]
    return value


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef uint16_t out[MOST_LEGAL]
    cdef Plan p
    cdef int i, best = 0, n = legal(rules, state, out)
    cdef double value, most = -1e9
    if n > 1 and s.phase >= TURN:
        make_plan(r, s, &p)
    for i in range(n if n > 1 else 0):
        if s.phase < TURN:
            value = set_up_value(r, s, out[i])
        elif s.phase == TURN:
            value = turn_value(r, s, &p, out[i])
        else:
            value = step_value(r, s, &p, out[i])
        if value > most + 1e-9:
            most = value
            best = i
    return out[best]
