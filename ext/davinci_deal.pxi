# Atelier Da Vinci: hiding, and dealing, where a script may say what must lie where. A part of davinci.pyx.
#
# For a seat the hidden cards of a cycle in other hands and, if it is the current cycle, the deck form a pool
# that the seat knows as a multiset: what that deck contained, less what was seen since. A card leaves its
# pool only into the open, and nothing but its cycle is known of a hidden place. So each pool may lie in any
# order over its places: sorted (hide) or shuffled (deal). Only other seats' hidden faces and the deck's
# counts change; every other field is public or the seat's own.

cdef struct Places:
    # What is still to be laid: places of past cycles, and of each seat those of the current one from `first`
    # on, which stand at the end of its list.
    uint8_t *face[SEATS * HIDDEN]
    uint16_t cycle[SEATS * HIDDEN]
    uint8_t seat[SEATS * HIDDEN]
    int n
    int first[SEATS]


cdef inline void pick_up(const Rules *r, State *s, int seat, Places *p) noexcept nogil:
    # The current pool goes into the deck.
    cdef int other, i
    memset(p.first, 0, sizeof(p.first))
    p.n = 0
    for other in range(r.players):
        p.first[other] = s.hid_n[other]
        if other == seat:
            continue
        for i in range(s.hid_n[other] - 1, -1, -1):
            if s.hid_cycle[other][i] != s.cycle:
                break
            s.deck[s.hid_face[other][i]] += 1
            p.first[other] = i
        s.deck_n += <uint8_t>(s.hid_n[other] - p.first[other])
        for i in range(p.first[other]):
            p.face[p.n] = &s.hid_face[other][i]
            p.cycle[p.n] = s.hid_cycle[other][i]
            p.seat[p.n] = <uint8_t>other
            p.n += 1


cdef inline void lay_older(Places *p, Chance *chance) noexcept nogil:
    # Each place takes one of the cards of its cycle that no earlier place has, the lowest or a random one.
    cdef int i, j, pick, same
    cdef uint8_t card
    for i in range(p.n):
        pick = i
        same = 1
        for j in range(i + 1, p.n):
            if p.cycle[j] != p.cycle[i]:
                continue
            same += 1
            if chance == NULL:
                if p.face[j][0] < p.face[pick][0]:
                    pick = j
            elif below(chance, DECK, same) == 0:
                pick = j
        card = p.face[i][0]
        p.face[i][0] = p.face[pick][0]
        p.face[pick][0] = card


cdef inline void lay_current(const Rules *r, State *s, const Places *p, Chance *chance) noexcept nogil:
    cdef int other, i, face = 0
    for other in range(r.players):
        for i in range(p.first[other], s.hid_n[other]):
            if chance != NULL:
                s.hid_face[other][i] = <uint8_t>draw_from_counts(chance, DECK, s.deck, s.deck_n)
            else:
                while s.deck[face] == 0:
                    face += 1
                s.deck[face] -= 1
                s.hid_face[other][i] = <uint8_t>face
            s.deck_n -= 1


cdef inline void sort_hidden(State *s, int seat) noexcept nogil:
    # Only faces of one cycle may be out of order.
    cdef int i, j
    cdef uint8_t face
    for i in range(1, s.hid_n[seat]):
        face = s.hid_face[seat][i]
        j = i
        while j and s.hid_cycle[seat][j - 1] == s.hid_cycle[seat][i] and s.hid_face[seat][j - 1] > face:
            s.hid_face[seat][j] = s.hid_face[seat][j - 1]
            j -= 1
        s.hid_face[seat][j] = face


cdef void lay_pools(const Rules *r, State *s, int seat, Chance *chance) noexcept nogil:
    # chance NULL: in sorted order
    cdef uint8_t kept[FACES]
    cdef Places places
    cdef int other
    pick_up(r, s, seat, &places)
    if chance != NULL and chance.script != NULL:
        lay_scripted(s, &places, chance.script, kept)
        lay_older(&places, chance)
        lay_current(r, s, &places, chance)
        put_back(s, kept)
    else:
        lay_older(&places, chance)
        lay_current(r, s, &places, chance)
    for other in range(r.players):
        if other != seat:
            sort_hidden(s, other)


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    lay_pools(<const Rules *>rules, <State *>state, seat, NULL)


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    lay_pools(<const Rules *>rules, <State *>state, seat, chance)


# Dealing a world in which the coming step can obey

cdef void place_shown(State *s, Places *p, int seat, int cycle, int face) noexcept nogil:
    # Lays a card that the seat is going to show among its hidden cards of that cycle, if it can be there.
    cdef int i, j
    if not 0 <= face < FACES:
        return
    if cycle == s.cycle:
        if p.first[seat] == s.hid_n[seat] or s.deck[face] == 0:
            return
        s.deck[face] -= 1
        s.deck_n -= 1
        s.hid_face[seat][p.first[seat]] = <uint8_t>face
        p.first[seat] += 1
        return
    for i in range(p.n):
        if p.seat[i] != seat or p.cycle[i] != cycle:
            continue
        for j in range(p.n):
            if p.cycle[j] == cycle and p.face[j][0] == face:
                p.face[j][0] = p.face[i][0]
                p.face[i][0] = <uint8_t>face
                p.n -= 1
                p.face[i] = p.face[p.n]
                p.cycle[i] = p.cycle[p.n]
                p.seat[i] = p.seat[p.n]
                return
        return


cdef void lay_scripted(State *s, Places *p, const Script *script, uint8_t *kept) noexcept nogil:
    # Cards that the step shows lie in the hands that show them; cards that it draws before any reshuffle are
    # kept in the deck, that is, out of the deal. What has no place is left to the step to refuse.
    cdef const Word *word
    cdef int i, k, face
    cdef bint first_deck = True
    memset(kept, 0, FACES)
    for i in range(script.count):
        word = &script.words[i]
        if word.word == WORD_RESHUFFLE:
            first_deck = False
        elif word.word == WORD_SHOWS and 0 <= word.seat < SEATS:
            for k in range(1, word.count):
                place_shown(s, p, word.seat, word.value[0], word.value[k])
        elif first_deck and (word.word == WORD_DRAW or word.word == WORD_TURN or word.word == WORD_REFILL):
            for k in range(word.count):
                face = word.value[k]
                if 0 <= face < FACES and s.deck[face] and hidden_to_lay(s, p) < s.deck_n:
                    s.deck[face] -= 1
                    s.deck_n -= 1
                    kept[face] += 1


cdef inline int hidden_to_lay(const State *s, const Places *p) noexcept nogil:
    # Places of the current cycle without a card.
    cdef int seat, n = 0
    for seat in range(SEATS):
        n += s.hid_n[seat] - p.first[seat]
    return n


cdef inline void put_back(State *s, const uint8_t *kept) noexcept nogil:
    cdef int face
    for face in range(FACES):
        s.deck[face] += kept[face]
        s.deck_n += kept[face]
