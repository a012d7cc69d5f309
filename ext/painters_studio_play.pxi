# Atelier: The Painter's Studio: playouts, and judging a position. A part of painters_studio.pyx.

# Playouts

cdef inline int best_painting(const Rules *r, uint64_t cards) noexcept nogil:
    # Of the most points; a masterpiece counts for more.
    cdef int card, best = lowest_bit64(cards), value, most = -1
    while cards:
        card = lowest_bit64(cards)
        value = r.points[card] + 2 * <int>(r.masterpieces >> card & 1)
        if value > most:
            most = value
            best = card
        cards &= cards - 1
    return best


cdef inline int nearest_painting(const Rules *r, const State *s) noexcept nogil:
    # The one that lacks least, for the points that it brings; -1: there is none.
    cdef uint64_t rest = s.display
    cdef int card, value, most = -1000, best = -1
    while rest:
        card = lowest_bit64(rest)
        rest &= rest - 1
        value = r.points[card] - 3 * missing_paint(r, s, s.to_move, card)
        if value > most:
            most = value
            best = card
    return best


cdef inline uint32_t would_lead(const Rules *r, const State *s, uint32_t colours) noexcept nogil:
    # Of these colours those where one more student makes a lead that is not there yet
    cdef uint32_t mine = four(s.students[s.to_move]) | HIGH, leads = mine
    cdef uint32_t margin = ONES if r.players == 4 else 0
    cdef int other
    for other in range(r.players):
        if other != s.to_move:
            leads &= mine + margin - four(s.students[other])
    return colours & marked(leads) & ~led(r, s, s.to_move)


cdef inline int any_colour(uint32_t colours, Chance *chance) noexcept nogil:
    return lowest_bit64(any_of(colours, chance, PLAYS))


cdef int light_gain(const Rules *r, const State *s, uint32_t colours) noexcept nogil:
    # The colour that the nearest painting lacks most
    cdef int colour, most = -1, best = lowest_bit(colours), card = nearest_painting(r, s)
    while colours and card >= 0:
        colour = lowest_bit(colours)
        colours &= colours - 1
        if lacking(r, s, s.to_move, card, colour) > most:
            most = lacking(r, s, s.to_move, card, colour)
            best = colour
    return FIRST_GAIN + best


cdef int light_turn(const Rules *r, const State *s, Chance *chance) noexcept nogil:
    cdef Choices c
    cdef uint32_t leads
    cdef int card
    look_round(r, s, &c)
    if c.paint:
        return FIRST_PAINT + best_painting(r, c.paint)
    if c.token_paint:
        card = best_painting(r, c.token_paint)
        if r.points[card] >= 4:
            return FIRST_TOKEN_PAINT + card
    if c.collect and popcount(collected(r, s, s.to_move)) >= 2:
        return DO_COLLECT
    if c.place:
        leads = would_lead(r, s, c.place)
        return FIRST_PLACE + any_colour(leads if leads else c.place, chance)
    if c.gain:
        return light_gain(r, s, c.gain)
    if c.collect:
        return DO_COLLECT
    if c.patron:
        return DRAW_PATRON
    return END_TURN if s.spent else INSPIRE


cdef int light_move(const Rules *r, const State *s, Chance *chance) noexcept nogil:
    cdef uint16_t out[16]
    cdef int n
    if s.phase == TURN:
        return light_turn(r, s, chance)
    n = legal(r, s, out)
    if s.phase == MOVE and s.owner != s.to_move and out[0] == SKIP:
        return SKIP
    return out[below(chance, PLAYS, n)]


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef uint16_t out[MOST_LEGAL]
    cdef uint32_t threshold = noise_threshold(noise)
    cdef int action, played = 0
    while s.to_move >= 0 and played != plies:
        played += 1
        if noise >= 1.0 or noisy(chance, threshold):
            action = out[below(chance, PLAYS, legal(r, s, out))]
        else:
            action = light_move(r, s, chance)
        step(r, s, action, chance, NULL)
    return played


# Judging a position

cdef struct Weights:
    # What a seat's means are worth in points, by the stage of the game
    double paint
    double lead
    double token
    double die
    double masterpiece
    double aim                  # of the best painting in reach
    double spread               # the smaller, the more a point tells about who wins
    double to_come              # points that everybody may expect alike

# Fitted to 2,100 greedy games with 2 to 4 players, some with a few random moves: the first six so that the
# spread of "points at the end less points now" and the log-loss of the winner are small.
cdef Weights[4] STAGES = [
    Weights(0.45, 1.45, 0.0, 0.5, 0.0, 0.5, 9.0, 28.0),     # by the most masterpieces on a board
    Weights(0.75, 2.0, 0.0, 0.55, 1.5, 0.3, 7.0, 17.0),
    Weights(0.78, 1.3, 0.2, 0.95, 2.0, 0.3, 4.8, 3.0),
    Weights(0.4, 0.2, 0.6, 0.75, 0.0, 0.2, 2.0, -2.5),      # the last round
]


cdef int stage(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, most = 0
    if s.round and (s.round == s.final_round or s.round == r.max_rounds):
        return 3
    for seat in range(r.players):
        most = max(most, popcount64(s.owned[seat] & r.masterpieces))
    return min(most, 2)


cdef double best_aim(const Rules *r, const State *s, int seat) noexcept nogil:
    cdef uint64_t rest = s.display
    cdef double value, most = 0.0
    cdef int card
    while rest:
        card = lowest_bit64(rest)
        rest &= rest - 1
        value = r.points[card] + 1.5 * <int>(r.masterpieces >> card & 1)
        most = max(most, value / (1.2 + 0.8 * missing_paint(r, s, seat, card)))
    return most


cdef double expected(const Rules *r, const State *s, int seat, const Weights *w) noexcept nogil:
    cdef int colour, paints = 0
    for colour in range(COLOURS):
        paints += min(<int>s.paint[seat][colour], 4)
    return (score(r, s, seat) + w.paint * paints + w.lead * popcount(led(r, s, seat))
            + w.token * s.tokens[seat] + w.die * s.active[seat]
            + w.masterpiece * popcount64(s.owned[seat] & r.masterpieces) + w.aim * best_aim(r, s, seat))


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Softmax over seats of the expected points
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef const Weights *w = &STAGES[stage(r, s)]
    cdef int ranks[SEATS]
    cdef double total = 0.0, top = 0.0
    cdef int seat, winners = 0
    if s.phase == OVER:
        outcome(rules, state, scores, ranks)
        for seat in range(r.players):
            winners += ranks[seat] == 1
        for seat in range(r.players):
            shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
        return
    for seat in range(r.players):
        scores[seat] = expected(r, s, seat, w)
        top = max(top, scores[seat])
    for seat in range(r.players):
        shares[seat] = exponential(max(-600.0, (scores[seat] - top) / w.spread))
        total += shares[seat]
    for seat in range(r.players):
        shares[seat] /= total
        scores[seat] = max(0.0, scores[seat] + w.to_come)
