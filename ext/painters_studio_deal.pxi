# Atelier: The Painter's Studio: hiding and dealing. A part of painters_studio.pyx.
#
# A seat knows its own hand, with it the returned cards that it drew, and the card that it returned. All other
# patrons may lie in any order in the unknown places: those cards of the other hands that were not returned by
# anybody, the other returned cards, and the body of the deck. In table order (hide) or shuffled (deal).

cdef struct Unknown:
    uint8_t cards[PATRONS]
    int n
    int laid


cdef inline int next_card(Unknown *u) noexcept nogil:
    u.laid += 1
    return u.cards[u.laid - 1]


cdef inline int returned_in(const Rules *r, const State *s, int seat) noexcept nogil:
    # How many returned cards a hand has.
    cdef int other, n = 0
    for other in range(r.players):
        n += s.taker[other] == seat
    return n


cdef void lay_unknown(const Rules *r, State *s, int seat, Unknown *u) noexcept nogil:
    cdef int own[SEATS]
    cdef int other, _card
    for other in range(r.players):
        own[other] = popcount(s.hand[other]) - returned_in(r, s, other)
    for other in range(r.players):
        if other != seat:
            s.hand[other] = 0
            for _card in range(own[other]):
                s.hand[other] |= <uint16_t>(1 << next_card(u))
    for other in range(r.players):
        if other != seat and s.tail[other] >= 0 and s.taker[other] != seat:
            s.tail[other] = <int8_t>next_card(u)
        if s.taker[other] >= 0:
            s.hand[s.taker[other]] |= <uint16_t>(1 << s.tail[other])


cdef inline uint32_t known_patrons(const State *s, int seat) noexcept nogil:
    return s.hand[seat] | (<uint32_t>1 << s.tail[seat] if s.tail[seat] >= 0 else 0)


cdef inline void gather(uint32_t patrons, Unknown *u) noexcept nogil:
    while patrons:
        u.cards[u.n] = <uint8_t>lowest_bit(patrons)
        u.n += 1
        patrons &= patrons - 1


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    cdef State *s = <State *>state
    cdef Unknown u
    if s.phase == OVER:
        return
    u.n = u.laid = 0
    gather(ALL_PATRONS & ~known_patrons(s, seat), &u)
    lay_unknown(<const Rules *>rules, s, seat, &u)


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    cdef State *s = <State *>state
    cdef Unknown u
    if s.phase == OVER:
        return
    u.n = u.laid = 0
    gather(ALL_PATRONS & ~known_patrons(s, seat), &u)
    shuffle(chance, NEW_PATRON, u.cards, u.n)
    if chance.script != NULL:
        lay_named(<const Rules *>rules, s, seat, chance, &u)
    lay_unknown(<const Rules *>rules, s, seat, &u)


# Dealing a world in which the coming step can end the game with the hands that a script names

cdef uint32_t named_hand(const Chance *chance, int seat) noexcept nogil:
    cdef Word *due = named(chance, WORD_HAND, seat)
    cdef uint32_t patrons = 0
    cdef int i
    if due != NULL:
        for i in range(due.count):
            patrons |= <uint32_t>1 << (due.value[i] & 15)
    return patrons


cdef void bring_forward(Unknown *u, uint32_t patrons) noexcept nogil:
    # The next card is one of these, if one of them is left.
    cdef int i
    cdef uint8_t card
    for i in range(u.laid, u.n):
        card = u.cards[i]
        if patrons >> card & 1:
            u.cards[i] = u.cards[u.laid]
            u.cards[u.laid] = card
            break
    u.laid += 1


cdef void lay_named(const Rules *r, const State *s, int seat, Chance *chance, Unknown *u) noexcept nogil:
    # Orders the unknown cards so that `lay_unknown` gives the named ones to the hands that show them. What
    # does not fit is left to the step to refuse; so is a card that the mover draws from the body.
    cdef uint32_t hands[SEATS]
    cdef uint32_t shown = 0, wanted
    cdef int other, _card, drawn = -1
    for other in range(r.players):
        hands[other] = named_hand(chance, other)
        shown |= hands[other]
    if popcount(hands[s.to_move]) > popcount(s.hand[s.to_move]) and patron_body(r, s) == 0:
        drawn = top_of_tail(r, s)
    for other in range(r.players):
        if other != seat:
            for _card in range(popcount(s.hand[other]) - returned_in(r, s, other)):
                bring_forward(u, hands[other])
    for other in range(r.players):
        if other != seat and s.tail[other] >= 0 and s.taker[other] != seat:
            wanted = hands[s.to_move] if other == drawn else ~shown
            bring_forward(u, hands[s.taker[other]] if s.taker[other] >= 0 else wanted)
    u.laid = 0
