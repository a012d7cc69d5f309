"""The Enigma of Leonardo: the core (numbers only; words and maps are in games/enigma.py).

Zones    A cross of five face-up cards and a hand of five per seat, a deck and a discard pile. A card is
         known by its face, a pair of symbols; hand cards also carry their mark, the number of the shuffle
         they last went through (0 = set-up). Deck and discard pile have no order: faces are counted.
Phases   0 play: a hand card goes into the mover's cross, the card there is pushed into the next seat's,
         the card there is discarded; line keys follow, then the draw. 1 bonus: take any key, or decline.
         2 over.
Unknown  The faces in other hands, and the deck. Marks are public, and all the memory there is: hidden cards
         of mark k are exactly the cards of shuffle k that a seat has not seen since (section "Hiding").
Shown    Every decision; the mark of a played card; a drawn card, to the one who draws.

Rule ids (EN-...) and rulings (R...) are those of games/enigma.md.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from .maths cimport exponential
from .rng cimport (
    PLAYS, Chance, Word, below, draw_from_counts, misfit, next64, noise_threshold, noisy, scaled, scripted,
)
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) noexcept nogil
    int lowest_bit "__builtin_ctz"(unsigned int) noexcept nogil

cdef enum:
    SEATS = 4
    CELLS = 5               # top, left, centre, right, bottom
    HAND = 5
    FACES = 78              # all pairs of 12 symbols, equal ones allowed
    CARDS = 250
    SYMBOLS = 12
    ALL_KEYS = 0xFFF
    KEYS_TO_WIN = 7
    NO_CARD = 255
    # phases
    PLAY = 0
    BONUS = 1
    OVER = 2
    # actions: 5 * face + cell, then the keys, then decline
    TAKE_KEY = 390
    DECLINE = 402
    # streams of chance
    FIRST = 0
    DECK = 1
    # words of scripts
    WORD_FIRST = 0          # first SEAT
    WORD_CROSS = 1          # cross SEAT with five faces
    WORD_HAND = 2           # hand SEAT with five faces
    WORD_FROM = 3           # the mark of the card played
    WORD_DRAW = 4           # the face drawn

cdef struct Rules:
    uint16_t max_turns
    uint16_t symbols[FACES]     # bit per symbol of each face
    uint8_t copies[FACES]
    uint8_t faces
    uint8_t players
    uint8_t cards               # in all
    uint8_t played_line         # standing_lines = "played_line" (R4)
    uint8_t single              # key_supply = "single" (R6)
    uint8_t by_keys             # losers = "by_keys" (R14)
    uint8_t cap_draw            # cap_result = "draw" (R15)
    uint8_t zero

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t bonus_used          # bit per seat
    uint8_t deck_n              # sum of deck
    uint16_t turns              # complete ones
    uint16_t shuffle            # number of the current shuffle
    uint16_t keys[SEATS]        # bit per symbol
    uint16_t hand_mark[SEATS][HAND]
    uint8_t hand_face[SEATS][HAND]      # sorted by (mark, face); 255: no card
    uint8_t cross[SEATS][CELLS]
    uint8_t deck[FACES]         # counts
    uint8_t discard[FACES]      # counts

cdef struct Event:
    uint16_t mark               # of the card played
    uint16_t keys               # received in this step, bit per symbol
    uint8_t mover
    uint8_t played              # face; 255: none
    uint8_t discarded
    uint8_t drawn
    uint8_t reshuffled          # 1: before this draw
    uint8_t over                # 1: the game ended

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("max_turns", "u2"), ("symbols", "u2", (FACES,)), ("copies", "u1", (FACES,)), ("faces", "u1"),
         ("players", "u1"), ("cards", "u1"), ("played_line", "u1"), ("single", "u1"), ("by_keys", "u1"),
         ("cap_draw", "u1"), ("zero", "u1")]
STATE = [("to_move", "i1"), ("phase", "u1"), ("bonus_used", "u1"), ("deck_n", "u1"), ("turns", "u2"),
         ("shuffle", "u2"), ("keys", "u2", (SEATS,)), ("hand_mark", "u2", (SEATS, HAND)),
         ("hand_face", "u1", (SEATS, HAND)), ("cross", "u1", (SEATS, CELLS)), ("deck", "u1", (FACES,)),
         ("discard", "u1", (FACES,))]
EVENT = [("mark", "u2"), ("keys", "u2"), ("mover", "u1"), ("played", "u1"), ("discarded", "u1"),
         ("drawn", "u1"), ("reshuffled", "u1"), ("over", "u1")]


# Set-up

cdef bint lay_named(State *s, Chance *chance, int word, int seat, uint8_t *places) noexcept nogil:
    # Lays the five cards that a script names; they leave the deck before anything is drawn.
    cdef int i
    cdef Word *due = scripted(chance, word, seat)
    if due == NULL:
        return False
    if due.count != CELLS:
        misfit(chance)
        return False
    for i in range(CELLS):
        if not (0 <= due.value[i] < FACES and s.deck[due.value[i]]):
            misfit(chance)
            while i:
                i -= 1
                s.deck[places[i]] += 1
            return False
        s.deck[due.value[i]] -= 1
        places[i] = <uint8_t>due.value[i]
    s.deck_n -= CELLS
    return True


cdef inline void lay_drawn(State *s, Chance *chance, uint8_t *places) noexcept nogil:
    cdef int i
    for i in range(CELLS):
        places[i] = <uint8_t>draw_from_counts(chance, DECK, s.deck, s.deck_n)
        s.deck_n -= 1


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef bint cross_named[SEATS]
    cdef bint hand_named[SEATS]
    cdef int seat, i
    cdef Word *due
    memset(s, 0, sizeof(State))
    memset(s.hand_face, NO_CARD, sizeof(s.hand_face))
    memset(s.cross, NO_CARD, sizeof(s.cross))
    for i in range(r.faces):
        s.deck[i] = r.copies[i]
    s.deck_n = r.cards
    # EN-S8, R20
    s.to_move = <int8_t>below(chance, FIRST, r.players)
    due = scripted(chance, WORD_FIRST, -1)
    if due != NULL:
        if due.count == 1 and 0 <= due.value[0] < r.players:
            s.to_move = <int8_t>due.value[0]
        else:
            misfit(chance)
    # EN-S3, EN-S4: five cards to the cells, five to the hand, seat by seat
    for seat in range(r.players):
        cross_named[seat] = lay_named(s, chance, WORD_CROSS, seat, s.cross[seat])
        hand_named[seat] = lay_named(s, chance, WORD_HAND, seat, s.hand_face[seat])
    for seat in range(r.players):
        if not cross_named[seat]:
            lay_drawn(s, chance, s.cross[seat])
        if not hand_named[seat]:
            lay_drawn(s, chance, s.hand_face[seat])
        sort_hand(s, seat)


cdef inline void sort_hand(State *s, int seat) noexcept nogil:
    # By (mark, face); an empty place keeps the end, as face 255 of mark 0 must.
    cdef int i, j, n = HAND - (s.hand_face[seat][HAND - 1] == NO_CARD)
    cdef uint16_t mark
    cdef uint8_t face
    for i in range(1, n):
        mark = s.hand_mark[seat][i]
        face = s.hand_face[seat][i]
        j = i
        while j and (s.hand_mark[seat][j - 1] > mark
                     or (s.hand_mark[seat][j - 1] == mark and s.hand_face[seat][j - 1] > face)):
            s.hand_mark[seat][j] = s.hand_mark[seat][j - 1]
            s.hand_face[seat][j] = s.hand_face[seat][j - 1]
            j -= 1
        s.hand_mark[seat][j] = mark
        s.hand_face[seat][j] = face


# Decisions

cdef inline uint16_t supply(const Rules *r, const State *s) noexcept nogil:
    # The keys that lie beside the deck: all of them, or (R6) those that nobody owns.
    if r.single:
        return ALL_KEYS & ~(s.keys[0] | s.keys[1] | s.keys[2] | s.keys[3])
    return ALL_KEYS


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int faces[HAND]
    cdef int i, j, face, cell, held = 0, n = 0
    cdef unsigned int open_keys
    if s.phase == BONUS:
        open_keys = supply(r, s) & ~s.keys[s.to_move]
        while open_keys:
            out[n] = <uint16_t>(TAKE_KEY + lowest_bit(open_keys))
            open_keys &= open_keys - 1
            n += 1
        out[n] = DECLINE
        return n + 1
    for i in range(HAND):
        face = s.hand_face[s.to_move][i]
        j = held
        while j and faces[j - 1] > face:
            j -= 1
        if j and faces[j - 1] == face:
            continue
        for cell in range(held, j, -1):
            faces[cell] = faces[cell - 1]
        faces[j] = face
        held += 1
    for i in range(held):
        for cell in range(CELLS):
            out[n] = <uint16_t>(CELLS * faces[i] + cell)
            n += 1
    return n


# What follows a decision

cdef inline uint16_t lines_shown(const Rules *r, const uint16_t *m, int cell) noexcept nogil:
    # EN-K2: the symbols that the column or the row of a cross (its symbol masks) shows; R4: "played_line"
    # counts only lines through the cell just played.
    cdef uint16_t column = m[0] & m[2] & m[4]
    cdef uint16_t row = m[1] & m[2] & m[3]
    if r.played_line:
        if cell == 0 or cell == 4:
            row = 0
        elif cell != 2:
            column = 0
    return column | row


cdef inline void masks_of(const Rules *r, const State *s, int seat, uint16_t *m) noexcept nogil:
    cdef int cell
    for cell in range(CELLS):
        m[cell] = r.symbols[s.cross[seat][cell]]


cdef inline bint dead_end(const Rules *r, const State *s) noexcept nogil:
    # R7: with single keys, nobody can reach seven any more.
    cdef int seat, most = 0
    if not r.single:
        return False
    for seat in range(r.players):
        most = max(most, popcount(s.keys[seat]))
    return most + popcount(supply(r, s)) < KEYS_TO_WIN


cdef inline void finish(State *s) noexcept nogil:
    s.to_move = -1
    s.phase = OVER


cdef inline bint receive(const Rules *r, State *s, int seat, uint16_t keys) noexcept nogil:
    # EN-W1, R7: true if these keys end the game.
    s.keys[seat] |= keys
    if popcount(s.keys[seat]) >= KEYS_TO_WIN or (keys and dead_end(r, s)):
        finish(s)
        return True
    return False


cdef inline void next_turn(const Rules *r, State *s) noexcept nogil:
    s.phase = PLAY
    s.turns += 1
    s.to_move = <int8_t>(s.to_move + 1 if s.to_move + 1 < r.players else 0)
    if s.turns == r.max_turns:
        finish(s)


cdef void draw(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # EN-T7, EN-D1, EN-D2: the last place of the mover's hand is empty; marks never fall, so the card
    # belongs behind the older ones.
    cdef int face, seat = s.to_move
    cdef bint reshuffled = s.deck_n == 0
    cdef Word *due
    if reshuffled:
        for face in range(r.faces):
            s.deck[face] = s.discard[face]
            s.deck_n += s.discard[face]
            s.discard[face] = 0
        s.shuffle += 1
    due = scripted(chance, WORD_DRAW, -1)
    if due != NULL and due.count == 1 and 0 <= due.value[0] < FACES and s.deck[due.value[0]]:
        face = due.value[0]
        s.deck[face] -= 1
    else:
        if due != NULL:
            misfit(chance)
        face = draw_from_counts(chance, DECK, s.deck, s.deck_n)
    s.deck_n -= 1
    s.hand_face[seat][HAND - 1] = <uint8_t>face
    s.hand_mark[seat][HAND - 1] = s.shuffle
    sort_hand(s, seat)
    if event != NULL:
        event.drawn = <uint8_t>face
        event.reshuffled = reshuffled
    next_turn(r, s)


cdef int played_slot(const State *s, int face, Chance *chance) noexcept nogil:
    # R19: the copy of the lowest mark, unless the script names another.
    cdef int i, slot = -1, seat = s.to_move
    cdef Word *due = scripted(chance, WORD_FROM, -1)
    for i in range(HAND - 1, -1, -1):
        if s.hand_face[seat][i] == face:
            if due != NULL and due.count == 1 and s.hand_mark[seat][i] == due.value[0]:
                return i
            slot = i
    if due != NULL:
        misfit(chance)
    return slot


cdef void play(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int seat = s.to_move, face = action // CELLS, cell = action % CELLS
    cdef int left = seat + 1 if seat + 1 < r.players else 0
    cdef int slot = played_slot(s, face, chance), i
    cdef uint16_t m[CELLS]
    cdef uint16_t gain
    if event != NULL:
        event.mark = s.hand_mark[seat][slot]
        event.played = <uint8_t>face
        event.discarded = s.cross[left][cell]
    # EN-T3..T6
    for i in range(slot, HAND - 1):
        s.hand_face[seat][i] = s.hand_face[seat][i + 1]
        s.hand_mark[seat][i] = s.hand_mark[seat][i + 1]
    s.hand_face[seat][HAND - 1] = NO_CARD
    s.hand_mark[seat][HAND - 1] = 0
    s.discard[s.cross[left][cell]] += 1
    s.cross[left][cell] = s.cross[seat][cell]
    s.cross[seat][cell] = <uint8_t>face
    # EN-K3
    masks_of(r, s, seat, m)
    gain = lines_shown(r, m, cell) & ~s.keys[seat] & supply(r, s)
    if event != NULL:
        event.keys = gain
    if receive(r, s, seat, gain):
        return
    # EN-K10, R9
    if bonus_due(r, s, seat, m):
        s.phase = BONUS
        return
    draw(r, s, chance, event)


cdef inline bint bonus_due(const Rules *r, const State *s, int seat, const uint16_t *m) noexcept nogil:
    return ((m[0] & m[1] & m[2] & m[3] & m[4]) != 0 and not s.bonus_used >> seat & 1
            and (supply(r, s) & ~s.keys[seat]) != 0)


cdef void take_key(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef uint16_t key = <uint16_t>(1 << (action - TAKE_KEY))
    s.bonus_used |= <uint8_t>(1 << s.to_move)
    if event != NULL:
        event.keys = key
    if not receive(r, s, s.to_move, key):
        draw(r, s, chance, event)


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef Event *e = <Event *>event
    if e != NULL:
        memset(e, 0, sizeof(Event))
        e.mover = <uint8_t>s.to_move
        e.played = NO_CARD
        e.discarded = NO_CARD
        e.drawn = NO_CARD
    if action < TAKE_KEY:
        play(r, s, action, chance, e)
    elif action < DECLINE:
        take_key(r, s, action, chance, e)
    else:
        draw(r, s, chance, e)
    if e != NULL:
        e.over = s.phase == OVER


# Scoring

cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    # EN-W1..W4, R14, R15
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int keys[SEATS]
    cdef int seat, other, most = 0, leaders = 0, ahead
    for seat in range(r.players):
        keys[seat] = popcount(s.keys[seat])
        scores[seat] = keys[seat]
        most = max(most, keys[seat])
    for seat in range(r.players):
        leaders += keys[seat] == most
    for seat in range(r.players):
        ahead = 0
        for other in range(r.players):
            ahead += keys[other] > keys[seat]
        if ahead == 0 or (r.cap_draw and most < KEYS_TO_WIN):
            ranks[seat] = 1
        else:
            ranks[seat] = 1 + (ahead if r.by_keys else leaders)


# Hiding and dealing
#
# For a seat the hidden cards of mark k (other seats' hand cards of that mark and, if k is the current
# shuffle, the deck) form a pool that the seat knows as a multiset: what shuffle k contained, less what was
# seen since. A card leaves its pool only into the open, and nothing but its mark is known of a hidden
# place. So each pool may lie in any order over its places: sorted (hide) or shuffled (deal). Only other
# seats' faces and the deck's counts change; every other field is public or the seat's own.

cdef void lay_pools(const Rules *r, State *s, int seat, Chance *chance) noexcept nogil:
    # chance NULL: in sorted order
    cdef uint8_t *face[SEATS * HAND]
    cdef uint16_t mark[SEATS * HAND]
    cdef int other, i, n = 0, face_now = 0
    # The current shuffle: its hidden cards join the deck, and each place takes one out again.
    for other in range(r.players):
        if other == seat:
            continue
        for i in range(HAND):
            if s.hand_face[other][i] == NO_CARD:
                continue
            if s.hand_mark[other][i] == s.shuffle:
                s.deck[s.hand_face[other][i]] += 1
                s.deck_n += 1
            else:
                face[n] = &s.hand_face[other][i]
                mark[n] = s.hand_mark[other][i]
                n += 1
    lay_older(face, mark, n, chance)
    for other in range(r.players):
        if other == seat:
            continue
        for i in range(HAND):
            if s.hand_face[other][i] == NO_CARD or s.hand_mark[other][i] != s.shuffle:
                continue
            if chance != NULL:
                s.hand_face[other][i] = <uint8_t>draw_from_counts(chance, DECK, s.deck, s.deck_n)
            else:
                while s.deck[face_now] == 0:
                    face_now += 1
                s.deck[face_now] -= 1
                s.hand_face[other][i] = <uint8_t>face_now
            s.deck_n -= 1
        sort_hand(s, other)


cdef inline void lay_older(uint8_t **face, const uint16_t *mark, int n, Chance *chance) noexcept nogil:
    # Pools of past shuffles lie in hands alone: each place takes one of the cards of its mark that no
    # earlier place has, the lowest or a random one.
    cdef int i, j, pick, same
    cdef uint8_t card
    for i in range(n):
        pick = i
        same = 1
        for j in range(i + 1, n):
            if mark[j] != mark[i]:
                continue
            same += 1
            if chance == NULL:
                if face[j][0] < face[pick][0]:
                    pick = j
            elif below(chance, DECK, same) == 0:
                pick = j
        card = face[i][0]
        face[i][0] = face[pick][0]
        face[pick][0] = card


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    lay_pools(<const Rules *>rules, <State *>state, seat, NULL)


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    lay_pools(<const Rules *>rules, <State *>state, seat, chance)


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    cdef const Event *e = <const Event *>event
    cdef Seen key
    key.revealed = 0
    key.chance = 0
    if not e.over:
        if e.played != NO_CARD:
            key.revealed = 1 + e.mark
        if e.drawn != NO_CARD and e.mover == seat:
            key.chance = 1 + e.drawn
    return key


# Playing it well

cdef inline uint16_t at_least_two(uint16_t a, uint16_t b, uint16_t c) noexcept nogil:
    return (a & b) | (a & c) | (b & c)


cdef inline int pairs(const uint16_t *m, uint16_t need) noexcept nogil:
    # (line, needed symbol) pairs with the symbol on at least two of the three cards
    return (popcount(at_least_two(m[0], m[2], m[4]) & need) + popcount(at_least_two(m[1], m[2], m[3]) & need))


cdef inline int standing(const uint16_t *m, uint16_t need) noexcept nogil:
    # (line, needed symbol) pairs with the symbol on all three
    return popcount(m[0] & m[2] & m[4] & need) + popcount(m[1] & m[2] & m[3] & need)


cdef inline int keys_gained(const Rules *r, const State *s, const uint16_t *m, int cell, uint16_t stock,
                            uint16_t *gain) noexcept nogil:
    # Keys that the mover gets for a play that makes its cross `m`: line keys (`gain`), 1 for a due bonus.
    cdef uint16_t owned = s.keys[s.to_move]
    gain[0] = lines_shown(r, m, cell) & ~owned & stock
    if (m[0] & m[1] & m[2] & m[3] & m[4]) and not s.bonus_used >> s.to_move & 1 and stock & ~owned & ~gain[0]:
        return popcount(gain[0]) + 1
    return popcount(gain[0])


cdef int bonus_choice(const Rules *r, const State *s) noexcept nogil:
    # Never decline; take the key whose symbol the own cards show least.
    cdef int seat = s.to_move, symbol, i, shows, least = 1000, best = -1
    cdef uint16_t open_keys = supply(r, s) & ~s.keys[seat]
    for symbol in range(SYMBOLS):
        if not open_keys >> symbol & 1:
            continue
        shows = 0
        for i in range(CELLS):
            shows += 2 * (r.symbols[s.cross[seat][i]] >> symbol & 1)
        for i in range(HAND):
            if s.hand_face[seat][i] != NO_CARD:
                shows += r.symbols[s.hand_face[seat][i]] >> symbol & 1
        if shows < least:
            least = shows
            best = symbol
    return TAKE_KEY + best


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    # v = 10 gain + pairs of the mover - 2 (pairs of the next seat + 7 standing lines of the next seat)
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef uint16_t out[HAND * CELLS]
    cdef uint16_t mine[CELLS]
    cdef uint16_t theirs[CELLS]
    cdef uint16_t gain, stock, mine_before, theirs_before
    cdef int i, n, face, cell, value, gained, seat = s.to_move
    cdef int left = seat + 1 if seat + 1 < r.players else 0
    cdef int best = -1, best_value = -1000000
    if s.phase == BONUS:
        return bonus_choice(r, s)
    masks_of(r, s, seat, mine)
    masks_of(r, s, left, theirs)
    n = legal(rules, state, out)
    for i in range(n):
        face = out[i] // CELLS
        cell = out[i] % CELLS
        mine_before = mine[cell]
        theirs_before = theirs[cell]
        theirs[cell] = mine_before
        mine[cell] = r.symbols[face]
        stock = supply(r, s)
        gained = keys_gained(r, s, mine, cell, stock, &gain)
        if r.single:
            stock &= ~gain
        value = (10 * gained + pairs(mine, stock & ~s.keys[seat] & ~gain)
                 - 2 * (pairs(theirs, stock & ~s.keys[left]) + 7 * standing(theirs, stock & ~s.keys[left])))
        mine[cell] = mine_before
        theirs[cell] = theirs_before
        if popcount(s.keys[seat]) + gained >= KEYS_TO_WIN:
            return out[i]
        if value > best_value:
            best_value = value
            best = out[i]
    return best


# Playouts. A playout works on flat lists instead of counts and sorted hands, and writes them back at the
# end: drawing is one look-up, and nothing is sorted on the way. A card is one number that holds all that a
# turn asks of it, so that lines are found by masking cards.

cdef enum:
    FACE_BITS = 0xFF
    SYMBOL_SHIFT = 8
    SYMBOL_BITS = 0xFFF00
    MARK_SHIFT = 20             # marks stay below 4096: one reshuffle a turn at most, 4000 turns at most
    CARD_BITS = 0xFFFFF         # a card in the open has no mark

cdef struct Playout:
    uint32_t hand[SEATS][HAND]  # mark, symbols, face; the last place is NO_CARD between play and draw
    uint32_t cross[SEATS][CELLS]
    uint32_t deck[CARDS]
    uint32_t discard[CARDS]
    int deck_n
    int discard_n


cdef inline uint32_t card_of(const Rules *r, int face) noexcept nogil:
    return <uint32_t>r.symbols[face] << SYMBOL_SHIFT | <uint32_t>face


cdef inline int spread(const Rules *r, const uint8_t *counts, uint32_t *cards) noexcept nogil:
    cdef int face, i, n = 0
    for face in range(r.faces):
        for i in range(counts[face]):
            cards[n] = card_of(r, face)
            n += 1
    return n


cdef inline void unpack(const Rules *r, const State *s, Playout *p) noexcept nogil:
    cdef int seat, i
    for seat in range(r.players):
        for i in range(CELLS):
            p.cross[seat][i] = card_of(r, s.cross[seat][i])
        for i in range(HAND):
            if s.hand_face[seat][i] == NO_CARD:
                p.hand[seat][i] = NO_CARD
            else:
                p.hand[seat][i] = <uint32_t>s.hand_mark[seat][i] << MARK_SHIFT | card_of(r, s.hand_face[seat][i])
    p.deck_n = spread(r, s.deck, p.deck)
    p.discard_n = spread(r, s.discard, p.discard)


cdef inline void pack(const Rules *r, State *s, const Playout *p) noexcept nogil:
    cdef int seat, i
    for seat in range(r.players):
        for i in range(CELLS):
            s.cross[seat][i] = <uint8_t>(p.cross[seat][i] & FACE_BITS)
        for i in range(HAND):
            s.hand_mark[seat][i] = <uint16_t>(p.hand[seat][i] >> MARK_SHIFT)
            s.hand_face[seat][i] = <uint8_t>(p.hand[seat][i] & FACE_BITS)
        sort_hand(s, seat)
    memset(s.deck, 0, sizeof(s.deck))
    memset(s.discard, 0, sizeof(s.discard))
    for i in range(p.deck_n):
        s.deck[p.deck[i] & FACE_BITS] += 1
    for i in range(p.discard_n):
        s.discard[p.discard[i] & FACE_BITS] += 1
    s.deck_n = <uint8_t>p.deck_n


cdef inline bint plain_copy(const uint32_t *hand, int slot) noexcept nogil:
    # True for one of the cards of each face: the one of the lowest mark, which is the one played (R19).
    cdef int i, same = 0
    cdef uint32_t card = hand[slot]
    for i in range(HAND):
        same += (hand[i] ^ card) & FACE_BITS == 0
    if same == 1:
        return True
    for i in range(HAND):
        if (hand[i] ^ card) & FACE_BITS == 0 and (hand[i] < card or (hand[i] == card and i < slot)):
            return False
    return True


cdef inline int random_play(const uint32_t *hand, uint32_t bits, Chance *chance) noexcept nogil:
    # 5 * slot + cell, uniform over the legal plays: a face in hand twice counts once.
    cdef int choice = <int>scaled(bits, HAND * CELLS, chance, PLAYS)
    while not plain_copy(hand, choice // CELLS):
        choice = <int>below(chance, PLAYS, HAND * CELLS)
    return choice


cdef int light_play(const Rules *r, const State *s, const Playout *p, Chance *chance) noexcept nogil:
    # The highest gain if there is one; else a random play that leaves the next seat no standing line of
    # a key it needs; else any. Ties at random.
    cdef int choices[HAND * CELLS]
    cdef int slot, cell, value, most = -1, n = 0, seat = s.to_move
    cdef int left = seat + 1 if seat + 1 < r.players else 0
    cdef uint16_t mine[CELLS]
    cdef uint16_t theirs[CELLS]
    cdef uint16_t mine_before, theirs_before, gain, stock = supply(r, s)
    for cell in range(CELLS):
        mine[cell] = <uint16_t>(p.cross[seat][cell] >> SYMBOL_SHIFT)
        theirs[cell] = <uint16_t>(p.cross[left][cell] >> SYMBOL_SHIFT)
    for slot in range(HAND):
        if not plain_copy(p.hand[seat], slot):
            continue
        for cell in range(CELLS):
            mine_before = mine[cell]
            theirs_before = theirs[cell]
            theirs[cell] = mine_before
            mine[cell] = <uint16_t>(p.hand[seat][slot] >> SYMBOL_SHIFT & ALL_KEYS)
            value = 2 * keys_gained(r, s, mine, cell, stock, &gain)
            if value == 0:
                value = standing(theirs, stock & ~s.keys[left]) == 0
            mine[cell] = mine_before
            theirs[cell] = theirs_before
            if value > most:
                most = value
                n = 0
            if value == most:
                choices[n] = CELLS * slot + cell
                n += 1
    return choices[below(chance, PLAYS, n)]


cdef inline void playout_draw(const Rules *r, State *s, Playout *p, uint32_t bits, Chance *chance) noexcept nogil:
    cdef int i
    cdef uint32_t at
    if p.deck_n == 0:
        for i in range(p.discard_n):
            p.deck[i] = p.discard[i]
        p.deck_n = p.discard_n
        p.discard_n = 0
        s.shuffle += 1
    at = scaled(bits, p.deck_n, chance, PLAYS)
    p.hand[s.to_move][HAND - 1] = <uint32_t>s.shuffle << MARK_SHIFT | p.deck[at]
    p.deck_n -= 1
    p.deck[at] = p.deck[p.deck_n]
    next_turn(r, s)


cdef inline bint playout_lines(const Rules *r, State *s, const uint32_t *cross, int cell) noexcept nogil:
    # Some line shows a symbol: keys and bonus. True if the turn goes on to its draw.
    cdef int i
    cdef uint16_t m[CELLS]
    for i in range(CELLS):
        m[i] = <uint16_t>(cross[i] >> SYMBOL_SHIFT)
    if receive(r, s, s.to_move, lines_shown(r, m, cell) & ~s.keys[s.to_move] & supply(r, s)):
        return False
    if bonus_due(r, s, s.to_move, m):
        s.phase = BONUS
        return False
    return True


cdef inline void playout_play(const Rules *r, State *s, Playout *p, int choice, uint32_t bits,
                              Chance *chance) noexcept nogil:
    cdef int seat = s.to_move, slot = choice // CELLS, cell = choice % CELLS
    cdef int left = seat + 1 if seat + 1 < r.players else 0
    cdef uint32_t *hand = p.hand[seat]
    cdef uint32_t *cross = p.cross[seat]
    p.discard[p.discard_n] = p.cross[left][cell]
    p.discard_n += 1
    p.cross[left][cell] = cross[cell]
    cross[cell] = hand[slot] & CARD_BITS
    hand[slot] = hand[HAND - 1]
    hand[HAND - 1] = NO_CARD
    if cross[2] & ((cross[0] & cross[4]) | (cross[1] & cross[3])) & SYMBOL_BITS:
        if not playout_lines(r, s, cross, cell):
            return
    playout_draw(r, s, p, bits, chance)


cdef void playout_bonus(const Rules *r, State *s, Playout *p, bint random, Chance *chance) noexcept nogil:
    cdef uint16_t out[SYMBOLS + 1]
    cdef int action
    if random:
        action = out[below(chance, PLAYS, legal(r, s, out))]
    else:
        pack(r, s, p)
        action = bonus_choice(r, s)
    if action != DECLINE:
        s.bonus_used |= <uint8_t>(1 << s.to_move)
        if receive(r, s, s.to_move, <uint16_t>(1 << (action - TAKE_KEY))):
            return
    playout_draw(r, s, p, <uint32_t>next64(chance, PLAYS), chance)


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef Playout p
    cdef int choice, played = 0
    cdef uint64_t bits
    cdef uint32_t threshold = noise_threshold(noise)
    cdef bint random = noise >= 1.0
    unpack(r, s, &p)
    while s.to_move >= 0 and played != plies:
        played += 1
        if noise < 1.0:
            random = noisy(chance, threshold)
        if s.phase == BONUS:
            playout_bonus(r, s, &p, random, chance)
            continue
        # one random number a turn: its upper half chooses the play, its lower half the card drawn
        bits = next64(chance, PLAYS)
        if random:
            choice = random_play(p.hand[s.to_move], <uint32_t>(bits >> 32), chance)
        else:
            choice = light_play(r, s, &p, chance)
        playout_play(r, s, &p, choice, <uint32_t>bits, chance)
    pack(r, s, &p)
    return played


# Judging a position

cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Softmax over seats of z = A keys + B (keys above 4) + 0.13 pairs + 0.15 (to move) + 0.2 (bonus unused);
    # a standing line of the seat to move counts as 0.8 of a key. A and B from a fit on greedy games.
    # Points: the keys owned and those standing lines. Within three rounds of the cap A counts double; in
    # the last round the keys decide.
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef double a = 1.7 if r.players == 2 else 0.6 if r.players == 3 else 0.5
    cdef double b = 0.9 if r.players == 2 else 0.5 if r.players == 3 else 0.7
    cdef uint16_t m[CELLS]
    cdef int ranks[SEATS]
    cdef double z[SEATS]
    cdef double total = 0.0, top = -1000.0
    cdef int seat, winners = 0, left = r.max_turns - s.turns
    cdef uint16_t need
    if s.phase == OVER or left <= r.players:
        outcome(rules, state, scores, ranks)
        for seat in range(r.players):
            winners += ranks[seat] == 1
        for seat in range(r.players):
            shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
        return
    if left < 3 * r.players:
        a *= 2.0
    for seat in range(r.players):
        masks_of(r, s, seat, m)
        need = supply(r, s) & ~s.keys[seat]
        scores[seat] = popcount(s.keys[seat])
        if seat == s.to_move:
            scores[seat] += 0.8 * standing(m, need)
        z[seat] = (a * scores[seat] + b * max(0.0, scores[seat] - 4.0) + 0.13 * pairs(m, need)
                   + 0.15 * (seat == s.to_move) + 0.2 * (1 - (s.bonus_used >> seat & 1)))
        scores[seat] = min(scores[seat], 8.0)
        top = max(top, z[seat])
    for seat in range(r.players):
        z[seat] = exponential(z[seat] - top)
        total += z[seat]
    for seat in range(r.players):
        shares[seat] = z[seat] / total


# Invariants, numbered; each reads only what the earlier ones have made safe.

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if not in_range(r, s):
        return 1
    if (s.to_move < 0) != (s.phase == OVER):
        return 2
    if s.turns > r.max_turns or (s.phase != OVER and s.turns == r.max_turns):
        return 3
    if not hands_complete(r, s):
        return 4
    if not hands_sorted(r, s):
        return 5
    if not cards_complete(r, s):
        return 6
    if not keys_possible(r, s):
        return 7
    if s.phase == BONUS and not bonus_possible(r, s):
        return 8
    if not end_possible(r, s):
        return 9
    return 0


cdef bint in_range(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i, face
    if not -1 <= s.to_move < r.players or s.phase > OVER or s.bonus_used >> r.players:
        return False
    for seat in range(SEATS):
        if s.keys[seat] & ~ALL_KEYS or (seat >= r.players and s.keys[seat]):
            return False
        for i in range(HAND):
            face = s.hand_face[seat][i]
            if face == NO_CARD:
                if s.hand_mark[seat][i] or (seat < r.players and i < HAND - 1):
                    return False
            elif seat >= r.players or face >= r.faces:
                return False
        for i in range(CELLS):
            if (s.cross[seat][i] >= r.faces) if seat < r.players else (s.cross[seat][i] != NO_CARD):
                return False
    for face in range(r.faces, FACES):
        if s.deck[face] or s.discard[face]:
            return False
    return True


cdef inline bint short_hand(const State *s, int seat) noexcept nogil:
    return s.hand_face[seat][HAND - 1] == NO_CARD


cdef bint hands_complete(const Rules *r, const State *s) noexcept nogil:
    # Four cards: nobody in play, the mover in bonus, one seat if the game ended before the draw.
    cdef int seat, short = 0
    for seat in range(r.players):
        short += short_hand(s, seat)
    if s.phase == PLAY:
        return short == 0
    if s.phase == BONUS:
        return short == 1 and short_hand(s, s.to_move)
    return short == (1 if s.turns < r.max_turns else 0)


cdef bint hands_sorted(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, i
    if s.shuffle > s.turns:
        return False
    for seat in range(r.players):
        for i in range(HAND - short_hand(s, seat)):
            if s.hand_mark[seat][i] > s.shuffle:
                return False
            if i and (s.hand_mark[seat][i - 1] > s.hand_mark[seat][i]
                      or (s.hand_mark[seat][i - 1] == s.hand_mark[seat][i]
                          and s.hand_face[seat][i - 1] > s.hand_face[seat][i])):
                return False
    return True


cdef bint cards_complete(const Rules *r, const State *s) noexcept nogil:
    cdef int count[FACES]
    cdef int seat, i, face, deck = 0
    for face in range(r.faces):
        count[face] = s.deck[face] + s.discard[face]
        deck += s.deck[face]
    for seat in range(r.players):
        for i in range(CELLS):
            count[s.cross[seat][i]] += 1
        for i in range(HAND - short_hand(s, seat)):
            count[s.hand_face[seat][i]] += 1
    for face in range(r.faces):
        if count[face] != r.copies[face]:
            return False
    return deck == s.deck_n


cdef bint keys_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat, other, keys
    for seat in range(r.players):
        keys = popcount(s.keys[seat])
        if keys > KEYS_TO_WIN + 1:
            return False
        if keys >= KEYS_TO_WIN and not (s.phase == OVER and short_hand(s, seat)):
            return False
        if r.single:
            for other in range(seat):
                if s.keys[seat] & s.keys[other]:
                    return False
    return True


cdef bint bonus_possible(const Rules *r, const State *s) noexcept nogil:
    cdef uint16_t m[CELLS]
    cdef uint16_t common
    masks_of(r, s, s.to_move, m)
    common = m[0] & m[1] & m[2] & m[3] & m[4]
    # A common symbol still to be had would have come as a line key.
    return bonus_due(r, s, s.to_move, m) and (common & supply(r, s) & ~s.keys[s.to_move]) == 0


cdef bint end_possible(const Rules *r, const State *s) noexcept nogil:
    cdef int seat
    if s.phase != OVER:
        return not dead_end(r, s)
    if s.turns == r.max_turns:
        return True
    for seat in range(r.players):
        if popcount(s.keys[seat]) >= KEYS_TO_WIN:
            return True
    return dead_end(r, s)


# The core

cdef Core core
core.rules_size = sizeof(Rules)
core.state_size = sizeof(State)
core.event_size = sizeof(Event)
core.actions = DECLINE + 1
core.labels = 0
core.max_legal = HAND * CELLS
core.min_score = 0
core.max_score = KEYS_TO_WIN + 1
core.public_phases = 1 << BONUS
core.hidden = True
core.random = True
core.new = new
core.legal = legal
core.apply = apply
core.hide = hide
core.deal = deal
core.label = label
core.seen = seen
core.outcome = outcome
core.playout = playout
core.greedy = greedy
core.evaluate = evaluate
core.check = check


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    r = <const Rules *><const char *>rules
    return make_table(&core, rules, r.players)
