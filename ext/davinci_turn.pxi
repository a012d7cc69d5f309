# Atelier Da Vinci: what follows a decision, up to the next one. A part of davinci.pyx.

cdef int card_from_deck(State *s, Chance *chance, int word, int when, Event *event) noexcept nogil:
    # DV-E2, R14: the discard pile becomes the deck when a card is needed and there is none.
    cdef int face
    if s.deck_n == 0:
        for face in range(FACES):
            s.deck[face] = s.discard[face]
            s.deck_n += s.discard[face]
            s.discard[face] = 0
        s.cycle += 1
        if event != NULL:
            event.reshuffle = <uint8_t>when
        take_word(chance, WORD_RESHUFFLE)
    face = take_from(s, chance, next_value(chance, word, -1))
    return face if face >= 0 else draw_card(s, chance)


cdef void take(const Rules *r, State *s, int face, Chance *chance, Event *event) noexcept nogil:
    if s.phase == MAIN:
        # DV-C3
        s.take_left = TAKE_LIMIT + (s.help == s.to_move)
        s.phase = TAKE
    s.table[face] -= 1
    s.known[s.to_move][face] += 1
    s.hand_n[s.to_move] += 1
    s.take_left -= <uint8_t>value_of(face)
    s.last = <uint8_t>face
    if faces_to_take(s) == 0:
        taken(r, s, chance, event)


cdef void draw(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    cdef int face = card_from_deck(s, chance, WORD_DRAW, BEFORE_DRAW, event)
    add_hidden(s, s.to_move, face)
    if event != NULL:
        event.drawn = <uint8_t>face
    taken(r, s, chance, event)


cdef void taken(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # DV-C5
    s.take_left = 0
    s.last = NONE
    if s.hand_n[s.to_move] > HAND_LIMIT:
        s.phase = DISCARD
        s.to_discard = s.hand_n[s.to_move] - HAND_LIMIT
    else:
        action_done(r, s, chance, event)


cdef void discard(const Rules *r, State *s, int face, Chance *chance, Event *event) noexcept nogil:
    lose_card(s, s.to_move, face, chance, event)
    s.discard[face] += 1
    s.to_discard -= 1
    s.last = <uint8_t>face
    if s.to_discard == 0:
        s.last = NONE
        action_done(r, s, chance, event)


cdef inline void lay_open(State *s, int seat, int at, Event *event) noexcept nogil:
    # A hidden card becomes a known one.
    cdef int face = s.hid_face[seat][at]
    note_shown(event, seat, s.hid_cycle[seat][at], face)
    remove_hidden(s, seat, at)
    s.known[seat][face] += 1
    s.hand_n[seat] += 1


cdef void claim(const Rules *r, State *s, int mastery, Chance *chance, Event *event) noexcept nogil:
    # DV-M1..M3, R9: of each colour the known cards are shown first, then hidden ones, the lower first.
    cdef int colour, face, named, short, at, seat = s.to_move
    for colour in range(COLOURS):
        short = named = r.need[mastery][colour]
        for face in range(4 * colour, 4 * colour + 4):
            short -= s.known[seat][face]
        while named and lay_open_named(s, seat, colour, chance, event):
            named -= 1
            short -= 1
        for face in range(4 * colour, 4 * colour + 4):
            at = hidden_copy(s, seat, face)
            while short > 0 and at >= 0:
                lay_open(s, seat, at, event)
                short -= 1
                at = hidden_copy(s, seat, face)
    s.mast_owner[mastery] = <uint8_t>seat
    action_done(r, s, chance, event)


cdef void paint(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int card = action - FIRST_PAINT, painting = card // (VALUES * SLOTS), value = (card & 3) + 1
    cdef int slot = (card >> 2) % SLOTS, place = s.place[1] == painting, seat = s.to_move
    lose_card(s, seat, 4 * r.colour[painting][slot] + value - 1, chance, event)
    s.slot_value[place][slot] = <uint8_t>value
    s.fresh[place] |= <uint8_t>(1 << slot)
    s.placed += 1
    s.last = <uint8_t>(SLOTS * place + slot)
    if open_slots(r, s) >> SLOTS * place & 0x3F == 0:
        complete(r, s, place, chance, event)
    # R20: a Paint action ends by itself for reasons that everybody sees.
    if (s.placed == PAINT_MAX or s.hand_n[seat] == 0
            or usable_slots(r, s) & slots_behind(s.last) == 0):
        painted(r, s, chance, event)
    else:
        s.phase = PAINT


cdef void complete(const Rules *r, State *s, int place, Chance *chance, Event *event) noexcept nogil:
    # DV-P10..P13
    cdef int slot, colour, painting = s.place[place]
    for slot in range(SLOTS):
        if not s.slot_value[place][slot]:
            continue
        colour = r.colour[painting][slot]
        if r.completion_bonus == ALL_BONUSES:
            s.done_count[colour] += s.fresh[place] >> slot & 1
        s.discard[4 * colour + s.slot_value[place][slot] - 1] += 1
        s.slot_value[place][slot] = 0
    s.fresh[place] = 0
    s.paint_owner[painting] = <uint8_t>s.to_move
    s.place[place] = NONE
    if event != NULL:
        event.completed = <uint8_t>painting
    if paintings_left(r, s) > 0:
        s.place[place] = <uint8_t>draw_painting(r, s, chance)
        s.last = NONE
        if event != NULL:
            event.painting = s.place[place]


cdef inline int level(const Rules *r, int esteem) noexcept nogil:
    cdef int i, bonus = 0
    for i in range(LEVELS):
        if esteem >= r.level_from[i]:
            bonus = r.level_bonus[i]
    return bonus


cdef int mastery_points(const Rules *r, const State *s, int seat, const uint8_t *counts) noexcept nogil:
    # DV-P8, R7, for the cards of an action, counted by colour.
    cdef int mastery, colour, points = 0, cards
    for mastery in range(MASTERIES):
        if s.mast_owner[mastery] != seat:
            continue
        cards = 0
        for colour in range(COLOURS):
            if r.depicts[mastery] >> colour & 1:
                cards += counts[colour] if r.mastery_bonus == PER_CARD else min(<int>counts[colour], 1)
        points += min(cards, 1) if r.mastery_bonus == PER_ACTION else cards
    return points


cdef void painted(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # DV-P5, DV-P6, R8. The fresh cards are those that DV-P9 leaves their points.
    cdef uint8_t counts[COLOURS]
    cdef int place, slot, colour, points = 0, seat = s.to_move
    for colour in range(COLOURS):
        counts[colour] = s.done_count[colour]
        s.done_count[colour] = 0
    for place in range(2):
        for slot in range(SLOTS):
            if s.fresh[place] >> slot & 1:
                points += s.slot_value[place][slot]
                counts[r.colour[s.place[place]][slot]] += 1
    if points or r.completion_bonus != LEVEL_FOR_FRESH:
        points += level(r, s.esteem[seat])
    points += mastery_points(r, s, seat, counts)
    s.esteem[seat] += <uint16_t>points
    s.placed = 0
    s.last = NONE
    if event != NULL:
        event.gain = <uint16_t>points
    action_done(r, s, chance, event)


cdef void action_done(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # DV-T3, DV-L1, DV-L4
    cdef uint32_t slots
    cdef int face
    if s.to_move == s.leonardo:
        slots = leonardo_slots(r, s)
        if slots_for(r, s, faces_in(s.table)) & slots:
            s.phase = LEONARDO
            return
        face = card_from_deck(s, chance, WORD_TURN, BEFORE_TURN, event)
        if event != NULL:
            event.turned = <uint8_t>face
        if slots_of(r, s, colour_of(face)) & slots:
            s.drawn = <uint8_t>face
            s.phase = LEO_DRAWN
            return
        s.discard[face] += 1
    turn_done(r, s, chance, event)


cdef void leonardo(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int card = action - FIRST_LEONARDO, painting = card // (VALUES * SLOTS), value = (card & 3) + 1
    cdef int slot = (card >> 2) % SLOTS
    if s.phase == LEONARDO:
        s.table[4 * r.colour[painting][slot] + value - 1] -= 1
    s.drawn = NONE
    s.slot_value[s.place[1] == painting][slot] = <uint8_t>value
    turn_done(r, s, chance, event)


cdef void turn_done(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    s.fresh[0] = s.fresh[1] = 0
    s.phase = MAIN
    s.to_move = <int8_t>next_seat(r, s.to_move)
    if s.to_move != s.leonardo:
        return
    # DV-G1, R17
    if ending(s) or s.round == r.round_cap:
        finish(r, s, chance, event)
        return
    # DV-E1..E4
    refill(r, s, chance, event)
    give_help(r, s, event)
    s.leonardo = <uint8_t>next_seat(r, s.leonardo)
    s.to_move = <int8_t>s.leonardo
    s.round += 1


cdef void refill(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    cdef int face, i, n, first = 0, before, need = 2 * r.players - cards_in(s.table)
    for n in range(need):
        before = s.cycle
        face = card_from_deck(s, chance, WORD_REFILL, n, event)
        s.table[face] += 1
        if event != NULL:
            if s.cycle != before:
                first = n
            i = n
            while i > first and event.refill[i - 1] > face:
                event.refill[i] = event.refill[i - 1]
                i -= 1
            event.refill[i] = <uint8_t>face
            event.refill_n += 1


cdef inline void give_help(const Rules *r, State *s, Event *event) noexcept nogil:
    # DV-E3
    cdef int seat, best = 0
    cdef bint tied = False
    for seat in range(1, r.players):
        if s.hand_n[seat] == s.hand_n[best] and s.esteem[seat] == s.esteem[best]:
            tied = True
        elif s.hand_n[seat] < s.hand_n[best] or (s.hand_n[seat] == s.hand_n[best]
                                                 and s.esteem[seat] < s.esteem[best]):
            best = seat
            tied = False
    if tied:
        return
    if event != NULL and s.help != best:
        event.help = <uint8_t>best
    s.help = <uint8_t>best


cdef void finish(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # DV-G5, R22: all hands are laid open. A card drawn in this very step is told as drawn.
    cdef int seat, mover = s.to_move - 1 if s.to_move else r.players - 1
    s.to_move = -1
    s.phase = OVER
    for seat in range(r.players):
        while s.hid_n[seat]:
            take_shown(chance, seat, s.hid_cycle[seat][0], s.hid_face[seat][0])
            lay_open(s, seat, 0, event)
    if event != NULL and event.drawn != NONE:
        forget_shown(event, mover, s.cycle if event.reshuffle != BEFORE_TURN else s.cycle - 1, event.drawn)


cdef inline void forget_shown(Event *event, int seat, int cycle, int face) noexcept nogil:
    cdef int i, j
    for i in range(event.shown_n):
        if shown_key(event.shown_seat[i], event.shown_cycle[i],
                     event.shown_face[i]) == shown_key(seat, cycle, face):
            event.shown_n -= 1
            for j in range(i, event.shown_n):
                event.shown_seat[j] = event.shown_seat[j + 1]
                event.shown_cycle[j] = event.shown_cycle[j + 1]
                event.shown_face[j] = event.shown_face[j + 1]
            event.shown_seat[event.shown_n] = 0
            event.shown_cycle[event.shown_n] = 0
            event.shown_face[event.shown_n] = 0
            return


cdef inline void step(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    if action >= FIRST_LEONARDO:
        leonardo(r, s, action, chance, event)
    elif action >= FIRST_PAINT:
        paint(r, s, action, chance, event)
    elif action >= FIRST_CLAIM:
        claim(r, s, action - FIRST_CLAIM, chance, event)
    elif action >= FIRST_DISCARD:
        discard(r, s, action - FIRST_DISCARD, chance, event)
    elif action >= FIRST_TAKE:
        take(r, s, action - FIRST_TAKE, chance, event)
    elif action == DRAW:
        draw(r, s, chance, event)
    elif s.phase == TAKE:
        taken(r, s, chance, event)
    else:
        painted(r, s, chance, event)
