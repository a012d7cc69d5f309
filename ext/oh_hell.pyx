"""Oh Hell for three players: the core (numbers only; words and maps are in games/oh_hell.py).

Zones    Three hands, the trick on the table, the cards played, the trump card, and the undealt rest, which
         has no order and is never written down: it is what is left of the 52 cards.
Phases   0 bid, 1 play, 2 over.
Unknown  The other two hands and the rest. A seat that did not follow suit has shown a void: everybody
         knows from then on that it holds no card of that suit.
Shown    Everything else. A step shows nothing beyond its action.

The rules are OpenSpiel's `oh_hell`, with its action ids: cards are 0..51 (rank * 4 + suit), a bid of b is
52 + b. A set of cards is a bit mask in the same order, so four bits make a rank and every fourth bit a suit.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset
from .rng cimport (
    PLAYS, Chance, Word, below, misfit, named, next64, noise_threshold, noisy, scripted,
)
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    """
    #define EVERY_CARD 0xFFFFFFFFFFFFFULL
    #define EVERY_CLUB 0x1111111111111ULL
    """
    const uint64_t ALL "EVERY_CARD"
    const uint64_t CLUBS "EVERY_CLUB"       # every fourth bit; shifted by a suit's number, that suit
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t) noexcept nogil
    int leading_zeros "__builtin_clzll"(uint64_t) noexcept nogil

cdef enum:
    SEATS = 3
    SUITS = 4
    CARDS = 52
    MOST_TRICKS = 17        # (52 - 1) / 3: one card is turned up for trump
    MOST_POINTS = 10        # per trick, as the option allows
    BONUS = 10              # for an exact bid
    NO_CARD = 255
    NO_BID = -1
    BID = 0
    PLAY = 1
    OVER = 2
    # streams of chance
    LENGTH = 0
    FIRST = 1
    DECK = 2
    # words of scripts
    TRICKS = 0              # the number of tricks
    DEALER = 1
    HAND = 2                # hand SEAT: cards dealt to a seat, some or all
    TRUMP = 3               # the card turned up

cdef double NEAR = 5.0                      # points behind the best seat that quarter a share of the win

cdef struct Rules:
    uint8_t tricks          # 0: drawn for each game
    uint8_t points_per_trick
    uint8_t off_bid_penalty

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t tricks          # to be played in all, and the size of the hands dealt
    uint8_t dealer
    uint8_t trump           # the card turned up
    uint8_t trick[2]        # the cards on the table in the order played, 255: not yet
    int8_t bid[SEATS]       # -1: not yet
    uint8_t won[SEATS]      # tricks
    uint8_t voids[SEATS]    # suits that the seat has shown not to hold: bit per suit
    uint64_t hand[SEATS]
    uint64_t played         # all cards that have left a hand, the trick on the table included

cdef struct Event:
    int8_t taken_by         # the seat that took the trick with this step, -1: none; the cards tell it

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("tricks", "u1"), ("points_per_trick", "u1"), ("off_bid_penalty", "u1")]
STATE = [("to_move", "i1"), ("phase", "u1"), ("tricks", "u1"), ("dealer", "u1"), ("trump", "u1"),
         ("trick", "u1", (2,)), ("bid", "i1", (SEATS,)), ("won", "u1", (SEATS,)), ("voids", "u1", (SEATS,)),
         ("hand", "u8", (SEATS,)), ("played", "u8")]
EVENT = [("taken_by", "i1")]


# Cards

cdef inline uint64_t bit(int card) noexcept nogil:
    return <uint64_t>1 << card


cdef inline int suit(int card) noexcept nogil:
    return card & 3


cdef inline uint64_t cards_of_suits(int suits) noexcept nogil:
    # The cards of a set of suits: its four bits repeated in each rank.
    return CLUBS * <uint64_t>suits


cdef inline uint64_t suit_of(int card) noexcept nogil:
    return CLUBS << suit(card)


cdef inline int nth(uint64_t cards, int n) noexcept nogil:
    while n:
        cards &= cards - 1
        n -= 1
    return lowest(cards)


cdef inline int after(int seat) noexcept nogil:
    return seat + 1 if seat < SEATS - 1 else 0


# Set-up

cdef uint64_t obey_hand(Chance *chance, int seat, int size, uint64_t deck) noexcept nogil:
    # The cards that a script gives to a seat.
    cdef Word *due = scripted(chance, HAND, seat)
    cdef uint64_t hand = 0
    cdef int i
    if due == NULL:
        return 0
    for i in range(due.count):
        if i < size and 0 <= due.value[i] < CARDS and deck & ~hand & bit(due.value[i]):
            hand |= bit(due.value[i])
        else:
            misfit(chance)
    return hand


cdef int obey_number(Chance *chance, int word, int low, int high) noexcept nogil:
    # The number that a script gives, within these bounds; -1: it gives none.
    cdef Word *due = scripted(chance, word, -1)
    if due == NULL:
        return -1
    if due.count == 1 and low <= due.value[0] <= high:
        return due.value[0]
    misfit(chance)
    return -1


cdef int set_length(const Rules *r, Chance *chance) noexcept nogil:
    # The number of tricks: the option's, the script's, or drawn, large enough for the hands of the script.
    cdef int low = r.tricks if r.tricks else 1
    cdef int high = r.tricks if r.tricks else MOST_TRICKS
    cdef int given = obey_number(chance, TRICKS, low, high)
    cdef int seat
    cdef Word *due
    if given >= 0:
        return given
    for seat in range(SEATS):
        due = named(chance, HAND, seat)
        if due != NULL and low < due.count <= high:
            low = due.count
    return low + <int>below(chance, LENGTH, high - low + 1)


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef State *s = <State *>state
    cdef uint64_t deck = ALL
    cdef int given, i, card, seat
    memset(s, 0, sizeof(State))
    s.phase = BID
    s.tricks = <uint8_t>set_length(<const Rules *>rules, chance)
    given = obey_number(chance, DEALER, 0, SEATS - 1)
    s.dealer = <uint8_t>(given if given >= 0 else <int>below(chance, FIRST, SEATS))
    s.to_move = <int8_t>after(s.dealer)
    s.trick[0] = s.trick[1] = NO_CARD
    # Scripted cards leave the deck first, so that what is left to chance is drawn from the rest.
    for seat in range(SEATS):
        s.bid[seat] = NO_BID
        s.hand[seat] = obey_hand(chance, seat, s.tricks, deck)
        deck &= ~s.hand[seat]
    given = obey_number(chance, TRUMP, 0, CARDS - 1)
    if given >= 0 and not deck & bit(given):
        misfit(chance)
        given = -1
    if given >= 0:
        deck &= ~bit(given)
    # One card at a time, the seat after the dealer first; then the trump card.
    for i in range(SEATS * s.tricks):
        seat = (s.dealer + 1 + i) % SEATS
        if popcount(s.hand[seat]) < s.tricks:
            card = nth(deck, <int>below(chance, DECK, popcount(deck)))
            s.hand[seat] |= bit(card)
            deck &= ~bit(card)
    s.trump = <uint8_t>(given if given >= 0 else nth(deck, <int>below(chance, DECK, popcount(deck))))


# Decisions

cdef inline uint64_t choices(const State *s) noexcept nogil:
    # The legal actions as a bit mask: of bids in the phase of bids, else of cards.
    cdef uint64_t follow
    cdef int others
    if s.phase == BID:
        if s.to_move != s.dealer:
            return bit(s.tricks + 1) - 1
        # The dealer bids last, and may not make the bids add up to the number of tricks.
        others = s.bid[after(s.dealer)] + s.bid[after(after(s.dealer))]
        return (bit(s.tricks + 1) - 1) & ~(bit(s.tricks - others) if others <= s.tricks else 0)
    if s.trick[0] != NO_CARD:
        follow = s.hand[s.to_move] & suit_of(s.trick[0])
        if follow:
            return follow
    return s.hand[s.to_move]


cdef inline int first_id(const State *s) noexcept nogil:
    # The action id of the lowest bit of `choices`.
    return CARDS if s.phase == BID else 0


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint64_t left = choices(s)
    cdef int n = 0, first = first_id(s)
    while left:
        out[n] = <uint16_t>(first + lowest(left))
        n += 1
        left &= left - 1
    return n


cdef inline bint beats(const State *s, int card, int best) noexcept nogil:
    # `best` leads the trick so far: only a higher card of its suit, or a trump, beats it.
    if suit(card) == suit(best):
        return card > best
    return suit(card) == suit(s.trump)


cdef inline int best_so_far(const State *s) noexcept nogil:
    # The place in the trick (0, 1) of the card that leads it; there is at least one.
    return s.trick[1] != NO_CARD and beats(s, s.trick[1], s.trick[0])


cdef inline void play_card(State *s, int card, Event *event) noexcept nogil:
    cdef int mover = s.to_move, winner
    s.hand[mover] &= ~bit(card)
    s.played |= bit(card)
    s.to_move = <int8_t>after(mover)
    if s.trick[0] == NO_CARD:
        s.trick[0] = <uint8_t>card
        return
    if suit(card) != suit(s.trick[0]):
        s.voids[mover] |= 1 << suit(s.trick[0])
    if s.trick[1] == NO_CARD:
        s.trick[1] = <uint8_t>card
        return
    # The third card ends the trick. Of three seats, the one after the mover had led it.
    winner = best_so_far(s)
    if beats(s, card, s.trick[winner]):
        winner = mover
    else:
        winner = after(mover) if winner == 0 else after(after(mover))
    s.won[winner] += 1
    s.trick[0] = s.trick[1] = NO_CARD
    s.to_move = <int8_t>winner
    if event != NULL:
        event.taken_by = <int8_t>winner
    if s.hand[mover] == 0:
        s.to_move = -1
        s.phase = OVER


cdef inline void play(State *s, int action, Event *event) noexcept nogil:
    if event != NULL:
        event.taken_by = -1
    if s.phase == PLAY:
        play_card(s, action, event)
        return
    s.bid[s.to_move] = <int8_t>(action - CARDS)
    if s.to_move == s.dealer:
        s.phase = PLAY
    s.to_move = <int8_t>after(s.to_move)


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    play(<State *>state, action, <Event *>event)


# Scoring

cdef inline int points(const Rules *r, int bid, int won) noexcept nogil:
    if won == bid:
        return r.points_per_trick * won + BONUS
    if r.off_bid_penalty:
        return -r.points_per_trick * (won - bid if won > bid else bid - won)
    return r.points_per_trick * won


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int seat, other
    for seat in range(SEATS):
        scores[seat] = points(r, s.bid[seat], s.won[seat])
    for seat in range(SEATS):
        ranks[seat] = 1
        for other in range(SEATS):
            ranks[seat] += scores[other] > scores[seat]


# Hiding and dealing
#
# To one seat the cards that it has not seen fall into four classes, by the voids that the other two, A and B,
# have shown: `free` (both may hold them), only A may, only B may, and those that must lie in the rest, which
# takes any card. A world gives A and B their numbers of cards out of their classes.

cdef uint64_t choose[CARDS][MOST_TRICKS + 1]        # binomial coefficients

cdef struct Unseen:
    int seat[2]             # A and B
    int size[2]             # their numbers of cards
    uint64_t only[2]        # the cards that only this one may hold
    uint64_t free


cdef void fill_choose() noexcept nogil:
    cdef int n, k
    for n in range(CARDS):
        choose[n][0] = 1
        for k in range(1, MOST_TRICKS + 1):
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k] if n else 0


fill_choose()


cdef inline uint64_t not_seen(const State *s, int seat) noexcept nogil:
    return ALL & ~(s.hand[seat] | s.played | bit(s.trump))


cdef inline void look(const State *s, int seat, Unseen *u) noexcept nogil:
    cdef uint64_t cards = not_seen(s, seat), no_a, no_b
    u.seat[0] = after(seat)
    u.seat[1] = after(u.seat[0])
    u.size[0] = popcount(s.hand[u.seat[0]])
    u.size[1] = popcount(s.hand[u.seat[1]])
    no_a = cards_of_suits(s.voids[u.seat[0]])
    no_b = cards_of_suits(s.voids[u.seat[1]])
    u.only[0] = cards & no_b & ~no_a
    u.only[1] = cards & no_a & ~no_b
    u.free = cards & ~no_a & ~no_b


cdef inline uint64_t lowest_cards(uint64_t cards, int n) noexcept nogil:
    # The n lowest of these cards, or all if there are fewer.
    cdef uint64_t left = cards
    while n and left:
        left &= left - 1
        n -= 1
    return cards & ~left


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    # A and B take the lowest cards, first of those that only they may hold, then of the free ones. So they
    # need as few free cards as any world does, and since the true world has enough of them, so has this.
    # The result is written from what the seat knows alone: hiding a dealt world gives the same bytes.
    cdef State *s = <State *>state
    cdef Unseen u
    cdef uint64_t hand
    cdef int k
    look(s, seat, &u)
    for k in range(2):
        hand = lowest_cards(u.only[k], u.size[k])
        hand |= lowest_cards(u.free, u.size[k] - popcount(hand))
        u.free &= ~hand
        s.hand[u.seat[k]] = hand


cdef inline uint64_t below64(Chance *chance, uint64_t n) noexcept nogil:
    # One of 0..n-1, exactly uniform: the lowest 2^64 mod n numbers would count once too often.
    cdef uint64_t surplus = (<uint64_t>0 - n) % n
    cdef uint64_t x = next64(chance, DECK)
    while x < surplus:
        x = next64(chance, DECK)
    return x % n


cdef inline uint64_t draw(Chance *chance, uint64_t cards, int n) noexcept nogil:
    # n of these cards, each set of n equally likely: the start of a shuffle.
    cdef uint8_t pack[CARDS]
    cdef uint64_t drawn = 0
    cdef int i, j, size = 0
    if n == 0:
        return 0
    while cards:
        pack[size] = <uint8_t>lowest(cards)
        size += 1
        cards &= cards - 1
    for i in range(n):
        j = i + <int>below(chance, DECK, size - i)
        drawn |= bit(pack[j])
        pack[j] = pack[i]
    return drawn


cdef int draw_exclusive(Chance *chance, const Unseen *u) noexcept nogil:
    # How many of A's cards are of those that only A may hold, drawn by the number of worlds behind each x:
    # A's x exclusive and size - x free cards can be chosen in C(only, x) * C(free, size - x) ways, and
    # whichever they are, B then has the same number of cards to choose from. The sum is the number of all
    # worlds. Voids only lower it, and without voids it is at most 40! / (11! 11! 18!) < 10^17 (hands of 11):
    # whole numbers of 64 bits hold it, so the draw is exact.
    cdef uint64_t worlds[MOST_TRICKS + 1]
    cdef uint64_t total = 0, left
    cdef int size = u.size[0], only = popcount(u.only[0]), free = popcount(u.free)
    cdef int for_b = free + popcount(u.only[1])
    cdef int x, least = size - free if size > free else 0, most = only if only < size else size
    for x in range(least, most + 1):
        worlds[x] = choose[only][x] * choose[free][size - x] * choose[for_b - (size - x)][u.size[1]]
        total += worlds[x]
    left = below64(chance, total)
    x = least
    while left >= worlds[x]:
        left -= worlds[x]
        x += 1
    return x


cdef uint64_t expect(const State *s, Unseen *u, int card) noexcept nogil:
    # When a step is followed, the mover is known to hold this card and, if it does not follow suit, no card
    # of the suit led: hands of 17 without a suit are too rare to wait for. The card leaves the unseen ones;
    # 0 and nothing changed if no world has it so.
    cdef Unseen told = u[0]
    cdef uint64_t led
    cdef int k = s.to_move == u.seat[1], need = 0, i
    if not (u.free | u.only[k]) & bit(card):
        return 0
    told.size[k] -= 1
    told.only[k] &= ~bit(card)
    told.free &= ~bit(card)
    if s.trick[0] != NO_CARD and suit(card) != suit(s.trick[0]):
        led = suit_of(s.trick[0])
        told.only[k] &= ~led
        told.only[1 - k] |= told.free & led
        told.free &= ~led
    for i in range(2):
        if told.size[i] > popcount(told.only[i]):
            need += told.size[i] - popcount(told.only[i])
    if need > popcount(told.free):
        return 0
    u[0] = told
    return bit(card)


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    # Every world is as likely as every other: first x, in proportion to its worlds; then A's cards, each
    # choice of x and size - x leaving equally many hands for B; then B's, out of all that B may hold.
    # Mostly A has no exclusive cards, x is 0, and nothing need be counted.
    cdef State *s = <State *>state
    cdef Unseen u
    cdef uint64_t hand, expected = 0
    cdef int x, mover = s.to_move
    look(s, seat, &u)
    if chance.script != NULL and s.phase == PLAY and mover != seat and 0 <= chance.script.label < CARDS:
        expected = expect(s, &u, chance.script.label)
    x = draw_exclusive(chance, &u) if u.only[0] else 0
    hand = draw(chance, u.only[0], x) | draw(chance, u.free, u.size[0] - x)
    s.hand[u.seat[0]] = hand
    s.hand[u.seat[1]] = draw(chance, (u.free & ~hand) | u.only[1], u.size[1])
    if expected:
        s.hand[mover] |= expected


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    cdef Seen key
    key.revealed = 0
    key.chance = 0
    return key


include "oh_hell_play.pxi"


# Invariants

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int seat
    # 1 ranges
    if s.phase > OVER or not -1 <= s.to_move < SEATS or (s.to_move < 0) != (s.phase == OVER):
        return 1
    if not 1 <= s.tricks <= MOST_TRICKS or (r.tricks and s.tricks != r.tricks):
        return 1
    if s.dealer >= SEATS or s.trump >= CARDS or s.played & ~ALL:
        return 1
    if (s.trick[0] >= CARDS and s.trick[0] != NO_CARD) or (s.trick[1] >= CARDS and s.trick[1] != NO_CARD):
        return 1
    for seat in range(SEATS):
        if not NO_BID <= s.bid[seat] <= s.tricks or s.won[seat] > s.tricks:
            return 1
        if s.voids[seat] >= 1 << SUITS or s.hand[seat] & ~ALL:
            return 1
    # 2 every card is in one place
    if s.hand[0] & s.hand[1] or (s.hand[0] | s.hand[1]) & s.hand[2]:
        return 2
    if (s.hand[0] | s.hand[1] | s.hand[2]) & s.played or not undealt(s) & bit(s.trump):
        return 2
    if broken_bids(s):
        return 3
    if broken_tricks(s):
        return 4
    return 5 if broken_voids(s) else 0


cdef inline uint64_t undealt(const State *s) noexcept nogil:
    return ALL & ~(s.hand[0] | s.hand[1] | s.hand[2] | s.played)


cdef bint broken_bids(const State *s) noexcept nogil:
    # 3 the seats before the mover have bid, in the phase of bids; later all have, and not the forbidden sum.
    cdef int k, seat
    cdef bint bidden = True
    if s.phase != BID:
        if s.bid[0] == NO_BID or s.bid[1] == NO_BID or s.bid[2] == NO_BID:
            return True
        return s.bid[0] + s.bid[1] + s.bid[2] == s.tricks
    for k in range(SEATS):
        seat = (s.dealer + 1 + k) % SEATS
        if seat == s.to_move:
            bidden = False
        if (s.bid[seat] != NO_BID) != bidden:
            return True
    return s.played != 0


cdef bint broken_tricks(const State *s) noexcept nogil:
    # 4 tricks taken, cards played, on the table and in the hands are of one number; who leads had taken the
    # last trick, or sits after the dealer.
    cdef int done = s.won[0] + s.won[1] + s.won[2]
    cdef int table = (s.trick[0] != NO_CARD) + (s.trick[1] != NO_CARD)
    cdef int k, seat, leader
    if s.trick[0] == NO_CARD and s.trick[1] != NO_CARD:
        return True
    if popcount(s.played) != SEATS * done + table:
        return True
    if done > s.tricks or (done == s.tricks) != (s.phase == OVER):
        return True
    if table == 2 and s.trick[0] == s.trick[1]:
        return True
    for k in range(table):
        if not s.played & bit(s.trick[k]):
            return True
    if s.phase == OVER:
        return table != 0 or (s.hand[0] | s.hand[1] | s.hand[2]) != 0
    leader = after(s.dealer) if s.phase == BID else (s.to_move - table + SEATS) % SEATS
    if (leader != after(s.dealer)) if done == 0 else (s.won[leader] == 0):
        return True
    seat = leader
    for k in range(SEATS):
        if popcount(s.hand[seat]) != s.tricks - done - (k < table):
            return True
        seat = after(seat)
    return False


cdef bint broken_voids(const State *s) noexcept nogil:
    # 5 nobody holds, or lays on the table, a card of a suit that it has shown not to have; a void was shown
    # when that suit was led; and the second card on the table shows one if it does not follow.
    cdef int seat
    cdef uint64_t shown
    for seat in range(SEATS):
        shown = cards_of_suits(s.voids[seat])
        if s.hand[seat] & shown:
            return True
        if s.trick[0] != NO_CARD and seat != s.to_move and table_card(s, seat) & shown:
            return True
    for seat in range(SUITS):
        if not s.played & (CLUBS << seat) and (s.voids[0] | s.voids[1] | s.voids[2]) >> seat & 1:
            return True
    if s.trick[1] == NO_CARD or suit(s.trick[1]) == suit(s.trick[0]):
        return False
    seat = s.to_move - 1 if s.to_move else SEATS - 1
    return not s.voids[seat] >> suit(s.trick[0]) & 1


# The core

include "core.pxi"

core.actions = CARDS + MOST_TRICKS + 1
core.labels = 0
core.max_legal = MOST_TRICKS + 1
core.public_phases = 1 << BID
core.fixed_phases = 1 << BID
core.telling_phases = 0
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r = <const Rules *><const char *>rules
    if len(rules) != sizeof(Rules) or r.tricks > MOST_TRICKS or r.off_bid_penalty > 1:
        raise ValueError("not the rules of Oh Hell")
    if r.points_per_trick > MOST_POINTS:
        raise ValueError(f"points_per_trick: expected at most {MOST_POINTS}, got {r.points_per_trick}")
    most = r.points_per_trick * (r.tricks if r.tricks else MOST_TRICKS)
    return make_table(&core, rules, SEATS, -most if r.off_bid_penalty else 0, most + BONUS)
