# OMNIA, scoring: majorities, and the best use of a seat's cards for sets (OM-E1..E7). A part of omnia.pyx.
#
# A set city asks for works, inventions, characters and coins. For each side (works, inventions), each subset
# of its own cities and each way to own its colours, `by_colour[...][k]` holds the best points that leave at
# least k cards; `by_characters` and `by_coins` hold the same for the cities of characters alone and of coins
# alone, by what is left for them. The mixed cities are few: the best of all numbers of their sets is looked
# for. To those that ask for no colours only the numbers of cards matter; of those that do (ours has none)
# every way to take the cards is tried.

cdef enum:
    ANY = 0
    SAME = 1
    DIFF = 2
    # what a majority counts
    OF_WORKS = 0
    OF_INVENTIONS = 1
    OF_CHARACTERS = 2
    OF_CARDS = 3
    OF_COINS = 4
    OF_BOTH = 5                 # works and inventions
    CODES = 625                 # four counts of 0 to 4

cdef uint8_t order_of[CODES]            # of counts as the digits of a number: their number among COUNTS
cdef uint8_t counts_of[COUNTS][COLOURS]     # descending
cdef int digit[COLOURS]

cdef struct Tableau:
    int code[2]                 # the counts of the colours as digits
    int coloured[2]
    int leonardo[2]
    int characters
    int coins
    int printed                 # points on the cards

cdef struct Aims:
    int subset[RESOURCES]       # active among one_sided
    int mixed[OF_ONE]           # active among mixed: their places there
    int mixed_n
    uint32_t majorities         # cities


# Tables, filled once

cdef void fill_orders() noexcept nogil:
    cdef int a, b, c, d, i, k, n = 0, code, rest
    cdef int counts[COLOURS]
    digit[0], digit[1], digit[2], digit[3] = 1, 5, 25, 125
    for a in range(COPIES + 1):
        for b in range(a + 1):
            for c in range(b + 1):
                for d in range(c + 1):
                    counts_of[n][0], counts_of[n][1] = <uint8_t>a, <uint8_t>b
                    counts_of[n][2], counts_of[n][3] = <uint8_t>c, <uint8_t>d
                    n += 1
    for code in range(CODES):
        rest = code
        for i in range(COLOURS):
            k = i
            while k and counts[k - 1] < rest % 5:
                counts[k] = counts[k - 1]
                k -= 1
            counts[k] = rest % 5
            rest //= 5
        for n in range(COUNTS):
            if (counts_of[n][0] == counts[0] and counts_of[n][1] == counts[1]
                    and counts_of[n][2] == counts[2] and counts_of[n][3] == counts[3]):
                order_of[code] = <uint8_t>n


cdef bint makes_set(int taken, int size, int mode) noexcept nogil:
    # Whether the cards of this code are one set.
    cdef int i, count, total = 0, colours = 0, most = 0
    for i in range(COLOURS):
        count = taken // digit[i] % 5
        total += count
        colours += count > 0
        most = max(most, count)
    return total == size and (mode == ANY or (mode == SAME and colours == 1) or (mode == DIFF and most == 1))


cdef inline int within(int taken, int code) noexcept nogil:
    # Whether the cards of one code are among those of another.
    cdef int i
    for i in range(COLOURS):
        if taken // digit[i] % 5 > code // digit[i] % 5:
            return False
    return True


cdef void add_city(Rules *r, int side, int city, int subset, int without) noexcept nogil:
    # The points of a subset of cities from those without one of them: no set of it more, or one more and then
    # the best of what is left.
    cdef uint8_t more[COUNTS][SIDE]
    cdef int size = r.need[city][side], points = r.set_points[city]
    cdef int times = 2 if r.twice else COLOURS * COPIES // size
    cdef int _time, taken, code, n, k, rest
    cdef uint8_t best
    for n in range(COUNTS):
        for k in range(SIDE):
            r.by_colour[side][subset][n][k] = r.by_colour[side][without][n][k]
    for _time in range(times):
        for n in range(COUNTS):
            for k in range(SIDE):
                more[n][k] = r.by_colour[side][without][n][k]
        for taken in range(CODES):
            if not makes_set(taken, size, r.mode[city][side]):
                continue
            for n in range(COUNTS):
                code = (counts_of[n][0] + 5 * counts_of[n][1] + 25 * counts_of[n][2] + 125 * counts_of[n][3])
                if not within(taken, code):
                    continue
                rest = order_of[code - taken]
                for k in range(cards_of(code - taken) + 1):
                    best = <uint8_t>(points + r.by_colour[side][subset][rest][k])
                    if best > more[n][k]:
                        more[n][k] = best
        for n in range(COUNTS):
            for k in range(SIDE):
                r.by_colour[side][subset][n][k] = more[n][k]


cdef inline int cards_of(int code) noexcept nogil:
    return code % 5 + code // 5 % 5 + code // 25 % 5 + code // 125


cdef void add_plain_city(uint16_t *with_city, const uint16_t *without, int most, int size, int points,
                         int times) noexcept nogil:
    # The same for characters or coins: by the number of them.
    cdef int n, sets
    for n in range(most + 1):
        with_city[n] = without[n]
        for sets in range(1, min(times, n // size) + 1):
            if without[n - sets * size] + sets * points > with_city[n]:
                with_city[n] = <uint16_t>(without[n - sets * size] + sets * points)


cdef inline bint asks_colours(const Rules *r, int city) noexcept nogil:
    return r.mode[city][0] != ANY or r.mode[city][1] != ANY


cdef int add_mixed(Rules *r, int n, bint coloured) noexcept nogil:
    # Appends the mixed cities that ask for colours, or those that do not.
    cdef int city, side, code
    for city in range(r.cities):
        if not r.set_points[city] or used_alone(r, city) >= 0 or asks_colours(r, city) != coloured:
            continue
        r.mixed[n] = <uint8_t>city
        for side in range(2):
            for code in range(CODES):
                if makes_set(code, r.need[city][side], r.mode[city][side]):
                    r.ways[n][side][r.ways_n[n][side]] = <uint16_t>code
                    r.ways_n[n][side] += 1
        n += 1
    return n


cdef inline int used_alone(const Rules *r, int city) noexcept nogil:
    # The only resource that a city uses; -1: it uses several, or none.
    cdef int resource, uses = 0, single = -1
    for resource in range(RESOURCES):
        if r.need[city][resource]:
            uses += 1
            single = resource
    return single if uses == 1 else -1


cdef void fill_sets(Rules *r) noexcept nogil:
    cdef int resource, city, subset, i
    cdef int n[RESOURCES]
    memset(n, 0, sizeof(n))
    memset(r.by_colour, 0, sizeof(r.by_colour))
    memset(r.by_characters, 0, sizeof(r.by_characters))
    memset(r.by_coins, 0, sizeof(r.by_coins))
    memset(r.one_sided, NONE, sizeof(r.one_sided))
    memset(r.mixed, NONE, sizeof(r.mixed))
    memset(r.ways, 0, sizeof(r.ways))
    memset(r.ways_n, 0, sizeof(r.ways_n))
    for city in range(r.cities):
        resource = used_alone(r, city)
        if r.set_points[city] and resource >= 0:
            r.one_sided[resource][n[resource]] = <uint8_t>city
            n[resource] += 1
    # cities that ask for colours first: the numbers of cards that others use are looked at last
    add_mixed(r, add_mixed(r, 0, True), False)
    for resource in range(RESOURCES):
        for subset in range(1, 1 << n[resource]):
            i = lowest(subset)
            add_subset(r, resource, r.one_sided[resource][i], subset, subset & (subset - 1))


cdef inline int most_sets(const Rules *r, int city) noexcept nogil:
    # R13: each set, or at most two; a city whose set is one coin stays without limit.
    if r.twice and not (r.need[city][3] == 1 and not (r.need[city][0] or r.need[city][1] or r.need[city][2])):
        return 2
    return COINS


cdef void add_subset(Rules *r, int resource, int city, int subset, int without) noexcept nogil:
    cdef int size = r.need[city][resource], points = r.set_points[city]
    if resource < PEOPLE:
        add_city(r, resource, city, subset, without)
    elif resource == PEOPLE:
        add_plain_city(r.by_characters[subset], r.by_characters[without], CHARACTERS, size, points,
                       most_sets(r, city))
    else:
        add_plain_city(r.by_coins[subset], r.by_coins[without], COINS, size, points, most_sets(r, city))


# A seat's points

cdef inline void tableau_of(const Rules *r, const State *s, int seat, Tableau *t) noexcept nogil:
    cdef int side, face, n
    cdef uint32_t people = s.characters[seat]
    t.printed = 0
    for side in range(2):
        t.code[side] = t.coloured[side] = t.leonardo[side] = 0
        for face in range(FACES):
            n = s.owned[seat][side][face]
            if n == 0:
                continue
            t.printed += n * r.points[side][face]
            if face < COLOURS:
                t.code[side] += n * digit[face]
                t.coloured[side] += n
            else:
                t.leonardo[side] += n
    t.characters = popcount(people)
    t.coins = s.coins[seat]
    while people:
        t.printed += r.points[PEOPLE][lowest(people)]
        people &= people - 1


cdef inline void aims_of(const Rules *r, uint32_t active, Aims *a) noexcept nogil:
    cdef int resource, i, city
    a.majorities = 0
    a.mixed_n = 0
    for resource in range(RESOURCES):
        a.subset[resource] = 0
        for i in range(OF_ONE):
            city = r.one_sided[resource][i]
            if city != NONE and active >> city & 1:
                a.subset[resource] |= 1 << i
    for i in range(OF_ONE):
        city = r.mixed[i]
        if city != NONE and active >> city & 1:
            a.mixed[a.mixed_n] = i
            a.mixed_n += 1
    while active:
        city = lowest(active)
        if r.majority[city]:
            a.majorities |= <uint32_t>1 << city
        active &= active - 1


cdef int best_sets(const Rules *r, const Aims *a, const Tableau *t, int at, int works, int inventions,
                   int characters, int coins) noexcept nogil:
    # The best points of sets when the mixed cities before `at` have used so many cards.
    cdef int sets = 0, found, best = 0, city
    if at == a.mixed_n:
        return (r.by_colour[0][a.subset[0]][order_of[t.code[0]]][works]
                + r.by_colour[1][a.subset[1]][order_of[t.code[1]]][inventions]
                + r.by_characters[a.subset[2]][t.characters - characters]
                + r.by_coins[a.subset[3]][t.coins - coins])
    city = r.mixed[a.mixed[at]]
    if asks_colours(r, city):
        return best_coloured(r, a, t, at, 0, 0)
    while (works <= t.coloured[0] and inventions <= t.coloured[1] and characters <= t.characters
           and coins <= t.coins and sets <= most_sets(r, city)):
        found = sets * r.set_points[city] + best_sets(r, a, t, at + 1, works, inventions, characters, coins)
        if found > best:
            best = found
        sets += 1
        works += r.need[city][0]
        inventions += r.need[city][1]
        characters += r.need[city][2]
        coins += r.need[city][3]
    return best


cdef int best_coloured(const Rules *r, const Aims *a, const Tableau *t, int at, int sets,
                       int way) noexcept nogil:
    # The same for a mixed city that asks for colours: no set of it more, or one more, in this way or a later.
    cdef int k = a.mixed[at], city = r.mixed[k], works, inventions
    cdef int best = best_sets(r, a, t, at + 1, 0, 0, 0, 0)
    cdef Tableau rest = t[0]
    rest.characters -= r.need[city][2]
    rest.coins -= r.need[city][3]
    if sets == most_sets(r, city) or rest.characters < 0 or rest.coins < 0:
        return best
    rest.coloured[0] -= r.need[city][0]
    rest.coloured[1] -= r.need[city][1]
    for way in range(way, r.ways_n[k][0] * r.ways_n[k][1]):
        works = r.ways[k][0][way // r.ways_n[k][1]]
        inventions = r.ways[k][1][way % r.ways_n[k][1]]
        if within(works, t.code[0]) and within(inventions, t.code[1]):
            rest.code[0] = t.code[0] - works
            rest.code[1] = t.code[1] - inventions
            best = max(best, r.set_points[city] + best_coloured(r, a, &rest, at, sets + 1, way))
    return best


cdef inline int counted(const Rules *r, const Tableau *t, int of) noexcept nogil:
    # What a majority counts of a seat (R11).
    cdef int works = t.coloured[0] + (t.leonardo[0] if r.leonardo_counts else 0)
    cdef int inventions = t.coloured[1] + (t.leonardo[1] if r.leonardo_counts else 0)
    if of == OF_WORKS:
        return works
    if of == OF_INVENTIONS:
        return inventions
    if of == OF_CHARACTERS:
        return t.characters
    if of == OF_COINS:
        return t.coins
    return works + inventions + (t.characters if of == OF_CARDS else 0)


cdef inline int majority_points(const Rules *r, const Aims *a, const Tableau *t, int seat) noexcept nogil:
    # OM-E3, R14: shared by the seats with the highest count, if it is not 0.
    cdef uint32_t left = a.majorities
    cdef int city, other, mine, theirs, sharing, points = 0
    while left:
        city = lowest(left)
        left &= left - 1
        mine = counted(r, &t[seat], r.of[city])
        sharing = 1 if mine else 0
        for other in range(r.players):
            if other == seat or not sharing:
                continue
            theirs = counted(r, &t[other], r.of[city])
            if theirs > mine:
                sharing = 0
            elif theirs == mine:
                sharing += 1
        if sharing:
            points += r.majority[city] // sharing
    return points


cdef inline int points_of(const Rules *r, const Aims *a, const Tableau *t, int seat) noexcept nogil:
    # If the game ended now; `t` holds all seats.
    return t[seat].printed + majority_points(r, a, t, seat) + best_sets(r, a, &t[seat], 0, 0, 0, 0, 0)


cdef inline void tableaux(const Rules *r, const State *s, Tableau *t) noexcept nogil:
    cdef int seat
    for seat in range(r.players):
        tableau_of(r, s, seat, &t[seat])


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    # OM-X1, OM-X2
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef Tableau t[SEATS]
    cdef Aims a
    cdef int order[SEATS]
    cdef int seat, other, points
    aims_of(r, s.cities_active, &a)
    tableaux(r, s, t)
    for seat in range(r.players):
        points = points_of(r, &a, t, seat)
        scores[seat] = points
        order[seat] = (points * 32 + t[seat].coins) * 32 + t[seat].characters
    for seat in range(r.players):
        ranks[seat] = 1
        for other in range(r.players):
            ranks[seat] += order[other] > order[seat]


cdef int most_points(const Rules *r) noexcept nogil:
    # All cards, coins and cities in one hand; of mixed cities that ask for colours not less.
    cdef Tableau t
    cdef Aims a
    cdef int side, face, city, points = 0
    cdef uint32_t exact = 0
    memset(&t, 0, sizeof(Tableau))
    for side in range(2):
        for face in range(FACES):
            points += r.copies[side][face] * r.points[side][face]
            if face < COLOURS:
                t.code[side] += r.copies[side][face] * digit[face]
                t.coloured[side] += r.copies[side][face]
    for face in range(r.characters):
        points += r.points[PEOPLE][face]
    t.characters = r.characters
    t.coins = r.coins
    for city in range(r.cities):
        points += r.majority[city]
        if asks_colours(r, city) and used_alone(r, city) < 0:
            points += SIDE * r.set_points[city]
        else:
            exact |= <uint32_t>1 << city
    aims_of(r, exact, &a)
    return max(1, points + best_sets(r, &a, &t, 0, 0, 0, 0, 0))
