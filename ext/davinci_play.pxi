# Atelier Da Vinci, playing it well: the greedy rule, playouts, judging a position. A part of davinci.pyx.

# The greedy rule

cdef struct Plan:
    # A Paint action in the making: cards in hand by face, and of each place what the present set would do.
    uint8_t cards[FACES]
    int bonus[COLOURS]          # mastery points of a card
    int unfilled[2]
    int points[2]               # of the paintings
    int collected[2]            # points that cards of this action have there already
    int laid[2]
    int values[2]
    int gains[2]
    int first                   # action of the set's first card
    int best                    # the same of the best set
    double worth


cdef inline void need_by_colour(const Rules *r, const State *s, int *need) noexcept nogil:
    cdef uint32_t unfilled = open_slots(r, s)
    cdef int colour
    for colour in range(COLOURS):
        need[colour] = popcount(unfilled & slots_of(r, s, colour))


cdef inline double card_value(int face, const int *need) noexcept nogil:
    return 0.5 * value_of(face) + (0.5 if need[colour_of(face)] else 0.0)


cdef void count_hand(const State *s, int seat, uint8_t *cards) noexcept nogil:
    cdef int i
    for i in range(FACES):
        cards[i] = s.known[seat][i]
    for i in range(s.hid_n[seat]):
        cards[s.hid_face[seat][i]] += 1


cdef void plan_paint(const Rules *r, const State *s, Plan *p) noexcept nogil:
    cdef int colour, mastery, place, slot
    cdef uint32_t unfilled = open_slots(r, s)
    count_hand(s, s.to_move, p.cards)
    for colour in range(COLOURS):
        p.bonus[colour] = 0
        for mastery in range(MASTERIES):
            if s.mast_owner[mastery] == s.to_move:
                p.bonus[colour] += r.depicts[mastery] >> colour & 1
    for place in range(2):
        p.unfilled[place] = popcount(unfilled >> SLOTS * place & 0x3F)
        p.points[place] = r.painting_points[s.place[place]] if s.place[place] != NONE else 0
        p.collected[place] = p.laid[place] = p.values[place] = p.gains[place] = 0
        for slot in range(SLOTS):
            if s.fresh[place] >> slot & 1:
                p.collected[place] += s.slot_value[place][slot] + p.bonus[r.colour[s.place[place]][slot]]
    p.best = -1
    p.worth = -1000.0


cdef inline double set_worth(const Plan *p) noexcept nogil:
    # A set of cards: a painting that it completes brings its points; else the cards bring theirs, one less if
    # somebody may complete it with a single card.
    cdef double worth = 0.0
    cdef int place
    for place in range(2):
        if p.laid[place] == 0:
            continue
        if p.laid[place] == p.unfilled[place]:
            worth += p.points[place] - 0.3 * p.values[place] - p.collected[place]
        else:
            worth += p.gains[place] - (p.unfilled[place] - p.laid[place] == 1)
    return worth


cdef void try_sets(const Rules *r, const State *s, Plan *p, uint32_t usable, int left) noexcept nogil:
    # All sets that begin with what is laid and go on among the usable slots, in their order.
    cdef int key, place, colour, face, painting, value
    cdef uint32_t rest = usable
    cdef double worth
    while rest:
        key = lowest_bit(rest)
        rest &= rest - 1
        place = key >= SLOTS
        painting = s.place[place]
        colour = r.colour[painting][key - SLOTS * place]
        for value in range(1, VALUES + 1):
            face = 4 * colour + value - 1
            if p.cards[face] == 0:
                continue
            if p.laid[0] + p.laid[1] == 0:
                p.first = FIRST_PAINT + VALUES * (SLOTS * painting + key - SLOTS * place) + value - 1
            p.laid[place] += 1
            p.values[place] += value
            p.gains[place] += value + p.bonus[colour]
            worth = set_worth(p)
            if worth > p.worth or (worth == p.worth and p.first < p.best):
                p.worth = worth
                p.best = p.first
            if left > 1:
                p.cards[face] -= 1
                try_sets(r, s, p, rest & ~wet_beside(r, s, key), left - 1)
                p.cards[face] += 1
            p.laid[place] -= 1
            p.values[place] -= value
            p.gains[place] -= value + p.bonus[colour]


cdef double best_paint(const Rules *r, const State *s, int *action) noexcept nogil:
    # The first card of the best set; -1: no card can be placed.
    cdef Plan p
    cdef uint32_t mine = slots_for(r, s, held(s, s.to_move))
    plan_paint(r, s, &p)
    try_sets(r, s, &p, usable_slots(r, s) & slots_behind(s.last) & mine, PAINT_MAX - s.placed)
    action[0] = p.best
    return p.worth


cdef double best_take(const Rules *r, const State *s, const int *need, int first, int left, int room,
                      int *face) noexcept nogil:
    # The best set of table cards of faces from `first` on, and its lowest face; -1: no card fits.
    cdef int f, taken, after, n
    cdef double worth, most = -1000.0, more
    face[0] = -1
    for f in range(first, FACES):
        worth = 0.0
        n = min(<int>s.table[f], left // value_of(f))
        for taken in range(1, n + 1):
            worth += card_value(f, need) + 0.2 - (2.0 if taken > room else 0.0)
            more = best_take(r, s, need, f + 1, left - taken * value_of(f), room - taken, &after)
            more = worth + (more if after >= 0 and more > 0.0 else 0.0)
            if more > most:
                most = more
                face[0] = f
    return most


cdef double best_claim(const Rules *r, const State *s, int *action) noexcept nogil:
    cdef uint32_t open_to_me = claims(r, s, held(s, s.to_move))
    cdef int mastery, owned = 0, aim
    cdef double worth, most = -1000.0
    cdef bint wanted = False
    for mastery in range(MASTERIES):
        owned += s.mast_owner[mastery] == s.to_move
    for aim in range(2):
        wanted |= r.achievement_rule[s.ach[aim]] == TWO_MASTERIES
    action[0] = -1
    for mastery in range(MASTERIES):
        if not open_to_me >> mastery & 1:
            continue
        worth = (1.08 * popcount(r.depicts[mastery])
                 * (r.paintings - PAINTINGS + paintings_owned(s, NONE)) / r.players)
        if wanted and owned == 1:
            worth += 4.0
        if worth > most:
            most = worth
            action[0] = FIRST_CLAIM + mastery
    return most


cdef int greedy_main(const Rules *r, const State *s, const int *need) noexcept nogil:
    cdef int face, action, best = DRAW, seat = s.to_move
    cdef double worth, most
    most = best_take(r, s, need, 0, TAKE_LIMIT + (s.help == seat), HAND_LIMIT - s.hand_n[seat], &face)
    if face >= 0:
        best = FIRST_TAKE + face
    worth = best_claim(r, s, &action)
    if action >= 0 and worth > most:
        most = worth
        best = action
    worth = best_paint(r, s, &action) + level(r, s.esteem[seat]) + (1.5 if s.hand_n[seat] >= 4 else 0.0)
    return action if action >= 0 and worth > most else best


cdef int lowest_of(const uint16_t *out, const double *worth, int n) noexcept nogil:
    cdef int i, best = 0
    for i in range(1, n):
        if worth[i] < worth[best]:
            best = i
    return out[best]


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef uint16_t out[VALUES * BOTH]
    cdef double worth[VALUES * BOTH]
    cdef int need[COLOURS]
    cdef int i, n, found
    need_by_colour(r, s, need)
    if s.phase == MAIN:
        return greedy_main(r, s, need)
    if s.phase == TAKE:
        if best_take(r, s, need, s.last, s.take_left, HAND_LIMIT - s.hand_n[s.to_move], &found) > 0.0:
            return FIRST_TAKE + found
        return STOP
    if s.phase == PAINT:
        return found if best_paint(r, s, &found) > 0.0 else STOP
    n = legal(rules, state, out)
    for i in range(n):
        worth[i] = card_value(out[i] - FIRST_DISCARD, need) if s.phase == DISCARD else out[i] & 3
    return lowest_of(out, worth, n)


# Playouts

cdef inline int light_take(const State *s, const int *need, int first, int left, int room) noexcept nogil:
    # The lowest face of a set: high values that some slot needs, then others, while there is room. -1: none.
    cdef uint32_t faces = faces_in(s.table) >> first << first, rest, wanted = 0
    cdef int value, face, copies, lowest = FACES, turn, colour
    for colour in range(COLOURS):
        if need[colour]:
            wanted |= <uint32_t>15 << 4 * colour
    for turn in range(2):
        for value in range(VALUES, 0, -1):
            if value > left:
                continue
            rest = faces & (<uint32_t>0x11111 << (value - 1)) & (wanted if turn == 0 else ~wanted)
            while rest and room > 0 and value <= left:
                face = lowest_bit(rest)
                rest &= rest - 1
                copies = min(min(<int>s.table[face], left // value), room)
                left -= copies * value
                room -= copies
                lowest = min(lowest, face)
    return lowest if lowest < FACES else -1


cdef int light_paint(const Rules *r, const State *s, uint32_t faces) noexcept nogil:
    # The first card of a set: the highest values that complete nothing, and a card that completes a painting
    # whose points are more than what the action has put there. -1: none.
    cdef uint32_t usable = usable_slots(r, s) & slots_behind(s.last), unfilled = open_slots(r, s)
    cdef uint32_t rest, slots
    cdef int unplaced = PAINT_MAX - s.placed, value, face, place, key, copies, i, slot
    cdef int open_at[2]
    cdef int put[2]
    cdef int lowest = BOTH, lowest_face = 0
    for place in range(2):
        open_at[place] = popcount(unfilled >> SLOTS * place & 0x3F)
        put[place] = 0
        for slot in range(SLOTS):
            if s.fresh[place] >> slot & 1:
                put[place] += s.slot_value[place][slot]
    for value in range(VALUES, 0, -1):
        rest = faces & <uint32_t>0x11111 << (value - 1)
        while rest:
            face = lowest_bit(rest)
            rest &= rest - 1
            slots = slots_of(r, s, colour_of(face))
            copies = s.known[s.to_move][face]
            for i in range(s.hid_n[s.to_move]):
                copies += s.hid_face[s.to_move][i] == face
            while copies and unplaced and slots & usable:
                place = open_at[1] > open_at[0]
                if not slots & usable & <uint32_t>0x3F << SLOTS * place:
                    place = 1 - place
                if open_at[place] == 1 and r.painting_points[s.place[place]] <= put[place]:
                    usable &= ~(<uint32_t>0x3F << SLOTS * place)
                    continue
                key = lowest_bit(slots & usable & <uint32_t>0x3F << SLOTS * place)
                usable &= ~(<uint32_t>1 << key | wet_beside(r, s, key))
                open_at[place] -= 1
                put[place] += value
                copies -= 1
                unplaced -= 1
                if key < lowest:
                    lowest = key
                    lowest_face = face
    if lowest == BOTH:
        return -1
    place = lowest >= SLOTS
    return FIRST_PAINT + VALUES * (SLOTS * s.place[place] + lowest - SLOTS * place) + (lowest_face & 3)


cdef int light_main(const Rules *r, const State *s, const int *need, Chance *chance) noexcept nogil:
    cdef uint32_t faces = held(s, s.to_move), usable = usable_slots(r, s), found
    cdef int counts[COLOURS]
    cdef int colour, value, face, cards = 0, total = 0, room, action, seat = s.to_move
    colours_held(s, seat, counts)
    for colour in range(COLOURS):
        value = popcount(usable & slots_of(r, s, colour))
        if counts[colour] and value:
            cards += min(counts[colour], value)
            total += value_of(31 - highest_zeros(faces & <uint32_t>15 << 4 * colour))
    found = claims(r, s, faces)
    if found and 2 * (PAINTINGS - paintings_owned(s, NONE)) < r.paintings and below(chance, PLAYS, 2):
        return FIRST_CLAIM + lowest_bit(found)
    if cards >= 3 or (cards == 2 and total >= 5) or (cards and s.hand_n[seat] >= HAND_LIMIT):
        action = light_paint(r, s, faces)
        if action >= 0:
            return action
    room = max(1, HAND_LIMIT - s.hand_n[seat])
    face = light_take(s, need, 0, TAKE_LIMIT + (s.help == seat), room)
    if face >= 0:
        return FIRST_TAKE + face
    action = light_paint(r, s, faces)
    return action if action >= 0 else DRAW


cdef int light_discard(const State *s, const int *need) noexcept nogil:
    cdef uint16_t out[FACES]
    cdef double worth[FACES]
    cdef int i, face, n = list_discards(s, out)
    for i in range(n):
        face = out[i] - FIRST_DISCARD
        worth[i] = value_of(face) + (VALUES if need[colour_of(face)] else 0)
    return lowest_of(out, worth, n)


cdef int light_move(const Rules *r, const State *s, Chance *chance) noexcept nogil:
    cdef uint16_t out[VALUES * BOTH]
    cdef int need[COLOURS]
    cdef int found
    if s.phase == LEONARDO or s.phase == LEO_DRAWN:
        return out[below(chance, PLAYS, legal(r, s, out))]
    if s.phase == PAINT:
        found = light_paint(r, s, held(s, s.to_move))
        return found if found >= 0 else STOP
    need_by_colour(r, s, need)
    if s.phase == MAIN:
        return light_main(r, s, need, chance)
    if s.phase == DISCARD:
        return light_discard(s, need)
    found = light_take(s, need, s.last, s.take_left, HAND_LIMIT - s.hand_n[s.to_move])
    return FIRST_TAKE + found if found >= 0 else STOP


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef uint16_t out[1 + 2 * SEATS + MASTERIES + VALUES * BOTH]
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

cdef double unscored(const Rules *r, const State *s) noexcept nogil:
    # What the mover's Paint action would bring if it ended now.
    cdef int place, slot, points = level(r, s.esteem[s.to_move])
    for place in range(2):
        for slot in range(SLOTS):
            if s.fresh[place] >> slot & 1:
                points += s.slot_value[place][slot]
    return points


cdef double expected(const Rules *r, const State *s, int seat, const int *need,
                     double actions) noexcept nogil:
    # Points at the end but for what everybody may expect alike. The weights are those of a linear fit of the
    # scores after playouts on 12,000 positions out of greedy games, 2 to 5 players; `actions` is the number
    # of Paint actions that a seat has still before it.
    cdef uint8_t cards[FACES]
    cdef int face, mastery, colours = 0
    cdef double points = s.esteem[seat] + painting_points(r, s, seat)
    if ending(s):
        return points + 0.9 * achieved(r, s, seat)
    count_hand(s, seat, cards)
    for face in range(FACES):
        if cards[face]:
            points += cards[face] * value_of(face) * (0.57 if need[colour_of(face)] else 0.39)
    for mastery in range(MASTERIES):
        if s.mast_owner[mastery] == seat:
            colours += popcount(r.depicts[mastery])
    points += actions * (0.8 / r.players * level(r, s.esteem[seat]) + 0.55 * colours)
    points += 0.2 * achieved(r, s, seat)
    if seat == s.to_move:
        points += 0.4
        if s.phase == PAINT:
            points += 0.85 * unscored(r, s)
    return points


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Softmax over seats of the expected points; the more slots are left to paint, the less they say.
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int ranks[SEATS]
    cdef int need[COLOURS]
    cdef double left, actions, total = 0.0, top = 0.0
    cdef int seat, winners = 0
    if s.phase == OVER:
        outcome(rules, state, scores, ranks)
        for seat in range(r.players):
            winners += ranks[seat] == 1
        for seat in range(r.players):
            shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
        return
    need_by_colour(r, s, need)
    left = popcount(open_slots(r, s)) + 5.6 * paintings_left(r, s)
    actions = left / (3.3 * r.players)
    for seat in range(r.players):
        scores[seat] = expected(r, s, seat, need, actions)
        top = max(top, scores[seat])
    for seat in range(r.players):
        shares[seat] = exponential(max(-600.0, (scores[seat] - top) / (2.5 + 0.15 * left)))
        total += shares[seat]
    for seat in range(r.players):
        shares[seat] /= total
        scores[seat] += 8.8 * actions
