# OMNIA: who knows which action cards and cities; hiding, dealing, and scripts that name them. A part of
# omnia.pyx.
#
# Seat s holds packet p at the steps t = s - p mod n of the draft and sees all that is in it. So at step T of
# the draft (3 after it) the action cards fall, for s, into its own (kept by s: known) and into groups:
#   t        the cards of the packet seen at its visit t that it has not seen since, by its next visit
#   UNSEEN   the cards that it never saw.
# Of a group s knows its cards and its places (slots, each as often as it occurs: how many cards were kept is
# public), and that a card which seat q has played lies in a place of q. Nothing else: so the cards of a group
# lie in any such order over its places, sorted (hide) or at random (deal). In the city pack the cards at the
# places that s does not know lie in any order. All other fields are public.
#
# Every world is as likely as any other: a deal of the packets with all choices ignored is a uniform labelling
# of cards by places. Within a group the number of ways to lay the played cards, and then the rest, does not
# depend on those laid before. One order of ours has to hold as well: of two cards kept the lower id comes
# first, so the one card of a seat between its two keeps is not above all that is left in its packet; a group
# that breaks this is dealt again.

cdef enum:
    UNSEEN = 4
    GROUPS = 5
    OWN = 5
    NOBODY = 255

cdef uint8_t holder_of[SEATS - 1][32]               # by number of players, slot
cdef uint8_t group_of[SEATS - 1][SEATS][4][32]      # by number of players, seat, step of the draft, slot


cdef int group_in(int n, int seat, int step, int packet, int kept) noexcept nogil:
    cdef int visit = (seat - packet + n) % n, group = UNSEEN
    while visit <= step and visit <= kept:
        if visit == kept:
            return OWN
        group = visit
        visit += n
    return group


cdef void fill_places() noexcept nogil:
    # A slot of 255 ends in 31, which is no place of the game.
    cdef int n, seat, step, packet, kept
    memset(holder_of, NOBODY, sizeof(holder_of))
    memset(group_of, OWN, sizeof(group_of))
    for n in range(2, SEATS + 1):
        for packet in range(n):
            for kept in range(IN_PACKET + 1):
                if kept != IN_PACKET:
                    holder_of[n - 2][slot_of(packet, kept)] = <uint8_t>((packet + kept) % n)
                for seat in range(n):
                    for step in range(LAST_STEP + 1):
                        group_of[n - 2][seat][step][slot_of(packet, kept)] = <uint8_t>group_in(
                            n, seat, step, packet, kept)


# Hiding and dealing

cdef inline void lay_sorted(const Rules *r, State *s, const uint8_t *cards, int n) noexcept nogil:
    # The cards that a seat has played take its places, ascending; then the others take the rest.
    cdef const uint8_t *holder = holder_of[r.players - 2]
    cdef uint8_t places[CARDS]
    cdef int i, j, card
    cdef uint8_t place
    for i in range(n):
        place = s.slot[cards[i]]
        j = i
        while j and places[j - 1] > place:
            places[j] = places[j - 1]
            j -= 1
        places[j] = place
    for i in range(n):
        card = cards[i]
        if not s.played >> card & 1:
            continue
        j = 0
        while places[j] == NONE or holder[places[j]] != holder[s.slot[card]]:
            j += 1
        s.slot[card] = places[j]
        places[j] = NONE
    j = 0
    for i in range(n):
        if not s.played >> cards[i] & 1:
            while places[j] == NONE:
                j += 1
            s.slot[cards[i]] = places[j]
            j += 1


cdef inline void lay_random(const Rules *r, State *s, const uint8_t *cards, int n,
                            Chance *chance) noexcept nogil:
    cdef const uint8_t *holder = holder_of[r.players - 2]
    cdef uint8_t places[CARDS]
    cdef int i, j, pick, fit, card, left = n
    for i in range(n):
        places[i] = s.slot[cards[i]]
    for i in range(n):
        card = cards[i]
        if not s.played >> card & 1:
            continue
        fit = 0
        for j in range(left):
            fit += holder[places[j]] == holder[s.slot[card]]
        pick = <int>below(chance, ACTION_PACK, fit)
        j = 0
        while pick or holder[places[j]] != holder[s.slot[card]]:
            pick -= holder[places[j]] == holder[s.slot[card]]
            j += 1
        left -= 1
        s.slot[card] = places[j]
        places[j] = places[left]
    for i in range(n):
        if not s.played >> cards[i] & 1:
            j = <int>below(chance, ACTION_PACK, left)
            left -= 1
            s.slot[cards[i]] = places[j]
            places[j] = places[left]


cdef inline bint out_of_order(const Rules *r, const State *s) noexcept nogil:
    # The mover has kept a first card above all that is left in its packet.
    cdef int packet = packet_held(r, s.to_move, s.draft_step)
    cdef uint32_t kept = cards_at(s, slot_of(packet, s.draft_step))
    return kept > cards_at(s, slot_of(packet, IN_PACKET))


cdef void lay_cards(const Rules *r, State *s, int seat, Chance *chance) noexcept nogil:
    # chance NULL: in sorted order
    cdef const uint8_t *group = group_of[r.players - 2][seat][s.draft_step]
    cdef uint8_t cards[GROUPS][CARDS]
    cdef int size[GROUPS]
    cdef int card, g, doubtful = OWN
    memset(size, 0, sizeof(size))
    for card in range(CARDS):
        g = group[s.slot[card] & 31]
        if g != OWN:
            cards[g][size[g]] = <uint8_t>card
            size[g] += 1
    if s.phase == DRAFT and s.to_move != seat:
        doubtful = group[slot_of(packet_held(r, s.to_move, s.draft_step), IN_PACKET)]
    for g in range(GROUPS):
        if size[g] < 2:
            continue
        if chance == NULL:
            lay_sorted(r, s, cards[g], size[g])
            continue
        lay_random(r, s, cards[g], size[g], chance)
        if g == doubtful:
            while out_of_order(r, s):
                lay_random(r, s, cards[g], size[g], chance)


cdef void lay_city_pack(State *s, int seat, Chance *chance) noexcept nogil:
    cdef uint8_t cities[CITIES]
    cdef int i, j, n = 0
    for i in range(s.city_len):
        if not s.city_known[i] >> seat & 1:
            j = n
            if chance == NULL:
                while j and cities[j - 1] > s.city_pack[i]:
                    cities[j] = cities[j - 1]
                    j -= 1
            cities[j] = s.city_pack[i]
            n += 1
    if chance != NULL:
        shuffle(chance, CITY_PACK, cities, n)
    n = 0
    for i in range(s.city_len):
        if not s.city_known[i] >> seat & 1:
            s.city_pack[i] = cities[n]
            n += 1


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    lay_cards(<const Rules *>rules, <State *>state, seat, NULL)
    lay_city_pack(<State *>state, seat, NULL)


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    lay_cards(<const Rules *>rules, <State *>state, seat, chance)
    lay_city_pack(<State *>state, seat, chance)


# Scripts: a card that a seat is said to receive changes places with one that it would receive, if the seat
# cannot tell the two places apart.

cdef inline uint32_t cards_named(const Rules *r, const Word *due) noexcept nogil:
    # As bits; 0: they are not so many different cards of the pack.
    cdef uint32_t named = 0
    cdef int i
    for i in range(due.count):
        if not (0 <= due.value[i] < CARDS and r.pack >> due.value[i] & 1 and not named >> due.value[i] & 1):
            return 0
        named |= <uint32_t>1 << due.value[i]
    return named


cdef bint exchange(State *s, const uint8_t *group, uint32_t named, int place, int kept) noexcept nogil:
    # Brings the named cards to a place; false if they cannot be there. The card just kept stays where it is.
    cdef uint32_t there = cards_at(s, place)
    cdef uint32_t coming = named & ~there, going = there & ~named
    cdef int card
    if popcount(coming) != popcount(going):
        return False
    while coming:
        card = lowest(coming)
        if card == kept or group[s.slot[card]] != group[place]:
            return False
        s.slot[lowest(going)] = s.slot[card]
        s.slot[card] = <uint8_t>place
        coming &= coming - 1
        going &= going - 1
    return True


cdef void obey_packets(const Rules *r, State *s, int kept, Chance *chance) noexcept nogil:
    # The packets are about to move.
    cdef uint32_t named[SEATS]
    cdef int seat, place
    cdef Word *due
    for seat in range(r.players):
        named[seat] = 0
        due = scripted(chance, WORD_PACKET, seat)
        if due == NULL:
            continue
        place = slot_of(packet_held(r, seat, s.draft_step + 1), IN_PACKET)
        named[seat] = cards_named(r, due)
        if not named[seat] or not exchange(
                s, group_of[r.players - 2][seat][s.draft_step], named[seat], place, kept):
            misfit(chance)
    for seat in range(r.players):
        place = slot_of(packet_held(r, seat, s.draft_step + 1), IN_PACKET)
        if named[seat] and named[seat] != cards_at(s, place):
            misfit(chance)


cdef void obey_drawn(State *s, int n, Chance *chance) noexcept nogil:
    # The mover is about to see the n top cities.
    cdef int i, k, mover = s.to_move
    cdef Word *due = scripted(chance, WORD_DRAWN, -1)
    if due == NULL:
        return
    if due.count != n:
        misfit(chance)
        return
    for k in range(n):
        i = k
        while i < s.city_len and s.city_pack[i] != due.value[k]:
            i += 1
        if i == k:
            continue
        if i == s.city_len or (s.city_known[i] | s.city_known[k]) >> mover & 1:
            misfit(chance)
            return
        s.city_pack[i] = s.city_pack[k]
        s.city_pack[k] = <uint8_t>due.value[k]
