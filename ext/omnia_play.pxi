# OMNIA, playing it well: the greedy rule, playouts, judging a position. A part of omnia.pyx.

# The greedy rule. Worth is counted in twentieths of a point, so that ties are ties.

cdef enum:
    POINT = 20
    PER_COIN = 10
    PER_COLOURED = 16
    PER_CHARACTER = 12
    PER_DRAW = 24           # of three cities, as an action

cdef inline int weight(int symbol) noexcept nogil:
    # What a symbol on an action card is worth, in twentieths.
    if symbol == WORK or symbol == INVENTION:
        return 20
    if symbol == CHARACTER or symbol == COINS2:
        return 18
    return 14 if symbol == DRAW else 10


cdef inline int weight_of(const Rules *r, int card) noexcept nogil:
    return weight(r.symbols[card][0]) + weight(r.symbols[card][1])


cdef inline int hope(int effect) noexcept nogil:
    # What an effect that is still to be decided on is worth.
    if effect == WORK or effect == INVENTION:
        return 32
    return 20 if effect == CHARACTER else 16 if effect == DRAW else 0


cdef inline int worth(const Rules *r, const Aims *a, const Tableau *t, int seat) noexcept nogil:
    # Points if the game ended now, and a little for everything that may still give some.
    return (POINT * points_of(r, a, t, seat) + PER_COIN * t[seat].coins
            + PER_COLOURED * (t[seat].coloured[0] + t[seat].coloured[1])
            + PER_CHARACTER * t[seat].characters)


cdef inline void add_option(const Rules *r, const State *s, int action, Tableau *t) noexcept nogil:
    # The mover's tableau after a pick or coins.
    cdef int kind, face, effect, bank = s.bank
    if action < FIRST_PICK:
        t.coins += min(bank, 1 + action - TAKE_COINS)
        return
    kind = symbol_of(action) - WORK
    face = action - FIRST_PICK - FACES * kind
    effect = r.effect[kind][face]
    t.printed += r.points[kind][face]
    t.coins -= r.price[kind][face]
    if kind == PEOPLE:
        t.characters += 1
    elif face < COLOURS:
        t.code[kind] += digit[face]
        t.coloured[kind] += 1
    else:
        t.leonardo[kind] += 1
    if effect <= COINS2:
        t.coins += min(bank + r.price[kind][face], 1 + effect)


cdef int gain(const Rules *r, const State *s, const Aims *a, Tableau *t, int action) noexcept nogil:
    # What an option of the mover adds to its worth, hopes included.
    cdef Tableau kept
    cdef int before, after, kind
    if action == DRAW_CITY:
        return PER_DRAW
    kept = t[s.to_move]
    before = worth(r, a, t, s.to_move)
    add_option(r, s, action, &t[s.to_move])
    after = worth(r, a, t, s.to_move)
    t[s.to_move] = kept
    if action >= FIRST_PICK:
        kind = symbol_of(action) - WORK
        after += hope(r.effect[kind][action - FIRST_PICK - FACES * kind])
    return after - before


cdef int best_gain(const Rules *r, const State *s, const Aims *a, Tableau *t, uint64_t among,
                   int *best) noexcept nogil:
    # The option of greatest gain, the lowest of equals, and its gain.
    cdef int value, most = -1000000
    while among:
        value = gain(r, s, a, t, DONE + lowest(among))
        if value > most:
            most = value
            best[0] = DONE + lowest(among)
        among &= among - 1
    return most


cdef int greedy_keep(const Rules *r, const State *s) noexcept nogil:
    # The two cards of greatest weight, the lower one first.
    cdef int packet = packet_held(r, s.to_move, s.draft_step)
    cdef uint32_t cards = cards_at(s, slot_of(packet, IN_PACKET)), allowed = draft_choices(r, s)
    cdef int best = -1, second = -1, card
    if cards_at(s, slot_of(packet, s.draft_step)):
        cards = allowed
    while cards:
        card = lowest(cards)
        if best < 0 or weight_of(r, card) > weight_of(r, best):
            second = best
            best = card
        elif second < 0 or weight_of(r, card) > weight_of(r, second):
            second = card
        cards &= cards - 1
    if cards_at(s, slot_of(packet, s.draft_step)):
        return best
    return min(best, second)


cdef int greedy_card(const Rules *r, const State *s) noexcept nogil:
    # What its symbols can bring now, less what the card may be worth later.
    cdef Tableau t[SEATS]
    cdef Aims a
    cdef int card, value, most = -1000000, best = -1, symbol, _action = 0
    cdef int brings[DRAW + 1]
    cdef uint32_t left = hand_of(r, s, s.to_move)
    aims_of(r, s.cities_active, &a)
    tableaux(r, s, t)
    for symbol in range(DRAW + 1):
        brings[symbol] = max(0, best_gain(r, s, &a, t, options(r, s, symbol), &_action))
    while left:
        card = lowest(left)
        value = 20 * (brings[r.symbols[card][0]] + brings[r.symbols[card][1]]) - 7 * weight_of(r, card)
        if value > most:
            most = value
            best = card
        left &= left - 1
    return FIRST_PLAY + best


cdef int greedy_act(const Rules *r, const State *s) noexcept nogil:
    cdef Tableau t[SEATS]
    cdef Aims a
    cdef uint64_t allowed = act_choices(r, s), mine
    cdef int action = DONE, value
    if allowed & BIT(DRAW_CITY):
        return DRAW_CITY
    aims_of(r, s.cities_active, &a)
    tableaux(r, s, t)
    mine = options(r, s, s.left[0])
    if not mine:
        mine = options(r, s, s.left[1])
    value = best_gain(r, s, &a, t, allowed & mine, &action)
    if value > 0:
        return action
    if allowed & BIT(PASS):
        return PASS
    value = best_gain(r, s, &a, t, allowed & ~DECLINING, &action)
    return DONE if value <= 0 and allowed & BIT(DONE) else action


cdef int greedy_effect(const Rules *r, const State *s) noexcept nogil:
    cdef Tableau t[SEATS]
    cdef Aims a
    cdef int action = SKIP
    aims_of(r, s.cities_active, &a)
    tableaux(r, s, t)
    return action if best_gain(r, s, &a, t, options(r, s, s.pending), &action) > 0 else SKIP


cdef int greedy_city(const Rules *r, const State *s) noexcept nogil:
    # The city that brings the mover most beyond what it brings the luckiest opponent.
    cdef Tableau t[SEATS]
    cdef Aims now, then
    cdef int before[SEATS]
    cdef int seat, i, city, mine, theirs, lead, most = -1000000, best = ACTIVATE_NONE
    cdef uint32_t drawn = 0
    aims_of(r, s.cities_active, &now)
    tableaux(r, s, t)
    for seat in range(r.players):
        before[seat] = points_of(r, &now, t, seat)
    for i in range(cities_drawn(s)):
        drawn |= <uint32_t>1 << s.city_pack[i]
    while drawn:
        city = lowest(drawn)
        drawn &= drawn - 1
        aims_of(r, s.cities_active | <uint32_t>1 << city, &then)
        mine = 0
        theirs = -1000000
        for seat in range(r.players):
            i = points_of(r, &then, t, seat) - before[seat]
            if seat == s.to_move:
                mine = i
            else:
                theirs = max(theirs, i)
        lead = mine - theirs
        if lead > most and (lead > 0 or (lead == 0 and mine > 0)):
            most = lead
            best = FIRST_ACTIVATE + city
    return best


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if s.phase == DRAFT:
        return greedy_keep(r, s)
    if s.phase == PLAY:
        return greedy_card(r, s)
    if s.phase == ACT:
        return greedy_act(r, s)
    return greedy_effect(r, s) if s.phase == EFFECT else greedy_city(r, s)


# Playouts: busy play, which declines nothing while there is something to do; but a city is chosen as the
# greedy rule has it, since one of three laid down at random helps the others as often (2 players, 1000
# simulations: 69 +- 8 % against playouts that lay down any city; a greedy choice of action cards, picks or
# kept cards on top was no better).

cdef inline int one_of(uint64_t bits, Chance *chance) noexcept nogil:
    return nth(bits, <int>below(chance, PLAYS, popcount(bits)))


cdef inline uint64_t busy(uint64_t allowed) noexcept nogil:
    # Of the decisions of a turn; `forgo` leads to a pick, `done` to none.
    cdef uint64_t doing = allowed & ~DECLINING
    if doing:
        return doing
    return BIT(PASS) if allowed & BIT(PASS) else allowed


cdef inline int light_move(const Rules *r, const State *s, Chance *chance) noexcept nogil:
    cdef int first = 0
    cdef uint64_t allowed
    if s.phase == CITY:
        return greedy_city(r, s)
    allowed = choices(r, s, &first)
    return first + one_of(busy(allowed) if first == DONE else allowed, chance)


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef uint32_t threshold = noise_threshold(noise)
    cdef uint64_t allowed
    cdef int action, first = 0, played = 0
    while s.to_move >= 0 and played != plies:
        played += 1
        if noise >= 1.0 or noisy(chance, threshold):
            allowed = choices(r, s, &first)
            action = first + one_of(allowed, chance)
        else:
            action = light_move(r, s, chance)
        step(r, s, action, chance, NULL)
    return played


# Judging a position. The weights come from a fit to 60 playouts each of 900 positions out of mostly greedy
# games, 2 to 4 players.

cdef double *SPREAD = [20.0, 8.0, 6.0, 4.5, 4.0, 2.5]   # points that make a difference, by round
cdef double PER_TURN = 2.0                              # points that a turn brings


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Softmax over seats of what they are worth and may still get; the more rounds are left, the less it says.
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef Tableau t[SEATS]
    cdef Aims a
    cdef int ranks[SEATS]
    cdef double z[SEATS]
    cdef double total = 0.0, top = -1000.0, to_come
    cdef int seat, winners = 0
    if s.phase == OVER:
        outcome(rules, state, scores, ranks)
        for seat in range(r.players):
            winners += ranks[seat] == 1
        for seat in range(r.players):
            shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
        return
    aims_of(r, s.cities_active, &a)
    tableaux(r, s, t)
    for seat in range(r.players):
        to_come = PER_TURN * (ROUNDS - s.round - (s.phase != DRAFT and has_played(r, s, seat)))
        z[seat] = worth(r, &a, t, seat) / <double>POINT + to_come
        scores[seat] = points_of(r, &a, t, seat) + to_come
        top = max(top, z[seat])
    for seat in range(r.players):
        shares[seat] = exponential(max(-600.0, (z[seat] - top) / SPREAD[s.round]))
        total += shares[seat]
    for seat in range(r.players):
        shares[seat] /= total
        scores[seat] = min(scores[seat], <double>r.most_points)
