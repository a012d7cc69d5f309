# Atelier: The Painter's Studio: what follows a decision, up to the next one. A part of painters_studio.pyx.

# Chance

cdef inline int kind_of(uint32_t face) noexcept nogil:
    # Of a face 0 to 5: the first two are one kind.
    return <int>face - 1 if face else 0


cdef inline bint are_kinds(const Word *told, int count) noexcept nogil:
    cdef int i
    for i in range(told.count):
        if not 0 <= told.value[i] < KINDS:
            return False
    return told.count == count


cdef void roll(State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-T2: all active dice of the seat to move.
    cdef int i, n = s.active[s.to_move]
    cdef uint32_t faces = 1
    cdef Word *due = scripted(chance, WORD_ROLL, -1)
    for i in range(n):
        faces *= 6
    faces = below(chance, ROLLS, faces)
    memset(s.dice, 0, KINDS)
    if due != NULL and not are_kinds(due, n):
        misfit(chance)
        due = NULL
    for i in range(n):
        s.dice[kind_of(faces % 6) if due == NULL else due.value[i]] += 1
        faces //= 6
    if event != NULL:
        memcpy(event.roll, s.dice, KINDS)


cdef void roll_one(State *s, Chance *chance, Event *event) noexcept nogil:
    cdef int kind = kind_of(below(chance, ROLLS, 6))
    cdef Word *due = scripted(chance, WORD_DIE, -1)
    if due != NULL and are_kinds(due, 1):
        kind = due.value[0]
    elif due != NULL:
        misfit(chance)
    s.dice[kind] += 1
    if event != NULL:
        event.die = <uint8_t>kind


cdef void refill(State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-D8, R11
    cdef uint64_t deck = ALL_PAINTINGS & ~s.display & ~all_owned(s), drawn, told
    if deck == 0:
        return
    drawn = any_of(deck, chance, NEW_PAINTING)
    told = named_set(chance, WORD_REFILL, -1, 1, deck)
    if told:
        drawn = told
    s.display |= drawn
    if event != NULL:
        event.refill = <uint8_t>lowest_bit64(drawn)


cdef inline void exchange(State *s, int one, int other) noexcept nogil:
    # Two patrons change places, wherever they lie.
    cdef uint16_t both = <uint16_t>(1 << one | 1 << other)
    cdef int seat
    for seat in range(SEATS):
        if popcount(s.hand[seat] & both) == 1:
            s.hand[seat] ^= both
        if s.tail[seat] == one:
            s.tail[seat] = <int8_t>other
        elif s.tail[seat] == other:
            s.tail[seat] = <int8_t>one


cdef int named_patron(State *s, Chance *chance, uint32_t body, int due) noexcept nogil:
    # The patron that a script says the mover draws. It comes from elsewhere if the mover cannot tell.
    cdef Word *told = scripted(chance, WORD_PATRON, -1)
    cdef int seat = s.to_move, patron
    if told == NULL:
        return due
    patron = told.value[0] & 15
    if told.count == 1 and patron == due:
        return due
    if told.count != 1 or s.hand[seat] >> patron & 1 or s.tail[seat] == patron or s.tail[seat] == due:
        misfit(chance)
        return due
    if not body >> patron & 1:
        exchange(s, patron, due)
    return patron


cdef void draw_patron(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-I3: from the body, and when that is empty from the tail.
    cdef uint32_t body = patron_body(r, s)
    cdef int top = -1, patron
    if body:
        patron = lowest_bit64(any_of(body, chance, NEW_PATRON))
    else:
        top = top_of_tail(r, s)
        patron = s.tail[top]
    patron = named_patron(s, chance, body, patron)
    if top >= 0:
        s.taker[top] = s.to_move
    s.hand[s.to_move] |= <uint16_t>(1 << patron)
    if event != NULL:
        event.patron = <uint8_t>patron


# Set-up

cdef void keep(const Rules *r, State *s, int patron) noexcept nogil:
    # PS-S8, R13
    s.tail[s.to_move] = <int8_t>lowest_bit(s.hand[s.to_move] & ~(<uint32_t>1 << patron))
    s.hand[s.to_move] = <uint16_t>(1 << patron)
    s.to_move = <int8_t>next_seat(r, s.to_move)
    if s.to_move == s.first_start:
        s.phase = START
        s.to_move = <int8_t>seat_before(r, s.first_start)


cdef inline int seat_before(const Rules *r, int seat) noexcept nogil:
    return seat - 1 if seat else r.players - 1


cdef void place_first(const Rules *r, State *s, int colour, Chance *chance, Event *event) noexcept nogil:
    # PS-S9
    s.students[s.to_move][colour] = 1
    if s.to_move == s.first_start:
        begin_round(r, s, chance, event)
    else:
        s.to_move = <int8_t>seat_before(r, s.to_move)


# Rounds and turns

cdef void begin_round(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-T1, PS-T11
    s.round += 1
    memset(s.active, DICE, r.players)
    if event != NULL:
        event.round = s.round
    begin_turn(s, (s.first_start + s.round - 1) % r.players, chance, event)


cdef void begin_turn(State *s, int seat, Chance *chance, Event *event) noexcept nogil:
    s.to_move = <int8_t>seat
    s.phase = TURN
    s.spent = s.last_rank = s.inspired = 0
    roll(s, chance, event)


cdef void end_turn(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-T10..T12, PS-E2
    cdef int seat = next_seat(r, s.to_move)
    if not r.once_a_round:
        s.used = 0
    while s.active[seat] == 0 and seat != s.to_move:
        seat = next_seat(r, seat)
    if s.active[seat]:
        begin_turn(s, seat, chance, event)
        return
    s.used = 0
    if s.round == s.final_round or s.round == r.max_rounds:
        finish(r, s, chance, event)
    else:
        begin_round(r, s, chance, event)


cdef void finish(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-E3, R24: all hands are turned up; whoever returned a card is forgotten. No die is active by now.
    cdef Word *due
    cdef uint32_t patrons
    cdef int seat
    for seat in range(r.players):
        patrons = named_hand(chance, seat)
        due = scripted(chance, WORD_HAND, seat)
        if due != NULL and (patrons != s.hand[seat] or due.count != popcount(patrons)):
            misfit(chance)
        if event != NULL:
            event.hand[seat] = s.hand[seat]
    memset(s.tail, -1, sizeof(s.tail))
    memset(s.taker, -1, sizeof(s.taker))
    memset(s.dice, 0, sizeof(s.dice))
    s.spent = s.last_rank = s.inspired = 0
    s.phase = OVER
    s.to_move = -1
    if event != NULL:
        event.over = 1


cdef inline void spend(State *s, int kind) noexcept nogil:
    # PS-T6
    s.dice[kind] -= 1
    s.active[s.to_move] -= 1
    s.spent = 1


cdef void inspire(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-T5, PS-T9, R2, R6
    cdef int kind = 0
    while s.dice[kind] == 0:
        kind += 1
    spend(s, kind)
    s.tokens[s.to_move] += supply(s) > 0
    if r.inspiration_ends:
        end_turn(r, s, chance, event)
    else:
        s.inspired = 1


cdef void collect(const Rules *r, State *s, Event *event) noexcept nogil:
    cdef uint32_t colours = collected(r, s, s.to_move)
    cdef int colour
    for colour in range(COLOURS):
        s.paint[s.to_move][colour] += <uint8_t>(colours >> colour & 1)
    if event != NULL:
        event.collected |= <uint8_t>colours


# Painting

cdef void paint(const Rules *r, State *s, int card, Chance *chance, Event *event) noexcept nogil:
    # PS-D5, PS-D6, PS-E1, R18
    cdef uint64_t bit = <uint64_t>1 << card
    cdef int seat = s.to_move, colour, home
    for colour in range(COLOURS):
        s.paint[seat][colour] -= r.cost[card][colour]
    s.display &= ~bit
    s.owned[seat] |= bit
    s.pending = 1
    s.card = <int8_t>card
    if s.first_master < 0 and popcount64(s.owned[seat] & r.masterpieces) >= MASTERPIECES_TO_END:
        s.first_master = <int8_t>seat
        s.final_round = s.round + 1
        if event != NULL:
            event.master = <uint8_t>seat
    home = min(<int>r.sends_home[card], in_all(s.students[seat]))
    if home:
        s.phase = RETURN
        s.left = <uint8_t>home
    else:
        painted(r, s, chance, event)


cdef void painted(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # PS-D7, R10
    if r.when[s.card] == WHEN_PAINTED and usable(r, s, s.card):
        begin_effect(r, s, chance, event)
    else:
        action_done(s, chance, event)


cdef void action_done(State *s, Chance *chance, Event *event) noexcept nogil:
    if s.pending:
        refill(s, chance, event)
    s.left = s.colour = s.owner = s.moved = s.pending = 0
    s.card = -1
    s.phase = TURN


# Powers

cdef void begin_move(const Rules *r, State *s) noexcept nogil:
    s.phase = MOVE
    s.owner = <uint8_t>s.to_move
    if four(s.students[s.owner]) == 0:
        s.owner = <uint8_t>next_owner(r, s, s.owner)


cdef void begin_effect(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # The effect of the card at work, which is usable: the phase of its decisions, or it is done at once.
    cdef uint8_t counts[COLOURS]
    cdef int effect = r.effect[s.card], amount = r.amount[s.card], seat = s.to_move
    cdef int phase = phase_of(effect)
    if phase == OVER:
        do_at_once(r, s, effect, amount, chance, event)
        action_done(s, chance, event)
    elif phase == MOVE:
        begin_move(r, s)
    else:
        s.phase = <uint8_t>phase
        if phase == E_GAIN:
            stock(s, counts)
            s.left = <uint8_t>min(amount, in_all(counts))
        elif phase == E_PLACE:
            s.left = <uint8_t>min(amount, pool(s, seat))


cdef void do_at_once(const Rules *r, State *s, int effect, int amount, Chance *chance,
                     Event *event) noexcept nogil:
    if effect == GAIN_INSPIRATION:
        s.tokens[s.to_move] += <uint8_t>min(amount, supply(s))
    elif effect == COLLECT_PAINT:
        collect(r, s, event)
    elif effect == ONE_PATRON:
        draw_patron(r, s, chance, event)
    else:
        # R20
        s.active[s.to_move] += 1
        roll_one(s, chance, event)


cdef inline int giver_of(int action) noexcept nogil:
    return (action - FIRST_SHIFT) // 3


cdef inline int taker_of(int action) noexcept nogil:
    cdef int giver = giver_of(action), other = (action - FIRST_SHIFT) % 3
    return other + (other >= giver)


cdef inline void shift(uint8_t *counts, int action) noexcept nogil:
    counts[giver_of(action)] -= 1
    counts[taker_of(action)] += 1


cdef void move_on(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    # PS-D2
    cdef int owner = next_owner(r, s, s.owner)
    if action != SKIP:
        shift(s.students[s.owner], action)
        s.moved = 1
    if owner < 0:
        action_done(s, chance, event)
    else:
        s.owner = <uint8_t>owner


cdef void take_step(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    # The next step of the action that is not over
    cdef int seat = s.to_move
    if s.phase == MOVE:
        move_on(r, s, action, chance, event)
        return
    if s.phase == RETURN or s.phase == E_GAIN or s.phase == E_PLACE:
        s.colour = <uint8_t>(action & 3)
        s.left -= 1
        if s.phase == RETURN:
            s.students[seat][s.colour] -= 1
        elif s.phase == E_GAIN:
            s.paint[seat][s.colour] += 1
        else:
            s.students[seat][s.colour] += 1
        if s.left:
            return
        if s.phase == RETURN:
            s.colour = 0
            painted(r, s, chance, event)
            return
    elif action != SKIP:
        if s.phase == E_OWN:
            shift(s.students[seat], action)
        elif s.phase == E_SWAP:
            shift(s.paint[seat], action)
        elif s.phase == E_BUY:
            s.tokens[seat] -= 1
            s.paint[seat][action - FIRST_GAIN] += 1
        else:
            s.dice[action - FIRST_DIE] -= 1
            if s.phase == E_SET:
                s.dice[r.amount[s.card]] += 1
            else:
                roll_one(s, chance, event)
    action_done(s, chance, event)


# Decisions

cdef void take_turn(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int seat = s.to_move
    s.last_rank = 0
    if action < FIRST_BACK:
        # R19: the ranks of `place` and `gain` rise with their ids
        if action < FIRST_GAIN:
            spend(s, PLACE_DIE)
            s.students[seat][action - FIRST_PLACE] += 1
        else:
            spend(s, GAIN_DIE)
            s.paint[seat][action - FIRST_GAIN] += 1
        s.last_rank = <uint8_t>(action - FIRST_PLACE + 1) if r.canonical else 0
    elif action == DO_MOVE:
        spend(s, MOVE_DIE)
        begin_move(r, s)
    elif action == DO_COLLECT:
        spend(s, COLLECT_DIE)
        collect(r, s, event)
    elif action == INSPIRE:
        inspire(r, s, chance, event)
    elif action == REROLL:
        s.tokens[seat] -= REROLL_COST
        roll(s, chance, event)
    elif action == DRAW_PATRON:
        s.tokens[seat] -= PATRON_COST
        draw_patron(r, s, chance, event)
    elif action == END_TURN:
        end_turn(r, s, chance, event)
    elif action < FIRST_TOKEN_PAINT:
        spend(s, PAINT_DIE)
        paint(r, s, action - FIRST_PAINT, chance, event)
    elif action < FIRST_USE:
        s.tokens[seat] -= PAINT_COST
        paint(r, s, action - FIRST_TOKEN_PAINT, chance, event)
    else:
        s.card = <int8_t>(action - FIRST_USE)
        s.used |= <uint64_t>1 << s.card
        begin_effect(r, s, chance, event)


cdef inline void decide(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    if s.phase == TURN:
        take_turn(r, s, action, chance, event)
    elif s.phase == PATRON:
        keep(r, s, action)
    elif s.phase == START:
        place_first(r, s, action - FIRST_PLACE, chance, event)
    else:
        take_step(r, s, action, chance, event)


cdef inline int forced(const Rules *r, const State *s) noexcept nogil:
    # R16: the decision that is played by itself; -1: there is none.
    cdef uint16_t out[16]
    cdef Choices c
    if s.phase == TURN:
        if not s.spent:
            return -1
        look_round(r, s, &c)
        return END_TURN if nothing_left(&c) else -1
    if s.phase < TURN or s.phase == OVER:
        return -1
    return out[0] if list_step(r, s, out) == 1 else -1


cdef inline void step(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    while action >= 0:
        decide(r, s, action, chance, event)
        action = forced(r, s)
