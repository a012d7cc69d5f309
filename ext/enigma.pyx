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


cdef inline int next_seat(const Rules *r, int seat) noexcept nogil:
    # EN-T1: the player to the left
    return seat + 1 if seat + 1 < r.players else 0


cdef inline void next_turn(const Rules *r, State *s) noexcept nogil:
    s.phase = PLAY
    s.turns += 1
    s.to_move = <int8_t>next_seat(r, s.to_move)
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
    cdef int left = next_seat(r, seat), slot = played_slot(s, face, chance), i
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


include "enigma_play.pxi"
include "enigma_check.pxi"


# The core

include "core.pxi"

core.actions = DECLINE + 1
core.labels = 0
core.max_legal = HAND * CELLS
core.public_phases = 1 << BONUS
core.fixed_phases = 1 << BONUS
core.telling_phases = 1 << PLAY
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r = <const Rules *><const char *>rules
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    if not 2 <= r.players <= SEATS or not 1 <= r.faces <= FACES or not r.max_turns:
        raise ValueError("expected 2 to 4 players, 1 to 78 faces and at least one turn")
    dealt = r.players * (CELLS + HAND)
    if not dealt <= r.cards <= CARDS or r.cards != sum([r.copies[face] for face in range(FACES)]):
        raise ValueError(f"cards: expected the sum of the copies, {dealt} to {CARDS}, got {r.cards}")
    if any([(0 < r.symbols[face] <= ALL_KEYS) != (face < r.faces) for face in range(FACES)]):
        raise ValueError("symbols: expected some of twelve on every face")
    return make_table(&core, rules, r.players, 0, KEYS_TO_WIN + 1)
