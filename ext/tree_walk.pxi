# A simulation: what an owner tells apart, the choice at a node, the walk of each variant. A part of tree.pyx.

# Keys

cdef inline uint64_t header_key(int mover, int asked) noexcept nogil:
    return <uint64_t>(mover + 1) | <uint64_t>asked << 8


cdef inline uint64_t stirred(const Search *s, uint64_t key, Seen seen) noexcept nogil:
    # Zeros give zero: nothing was shown.
    key = mix64(key + seen.revealed)
    return mix64(key + seen.chance) if s.split else key


cdef inline uint64_t outcome_key(Search *s, int owner, bint told) noexcept nogil:
    # What the owner tells apart after a step, beyond its label: who has to do what, what was laid open and,
    # where chance splits the tree, what was drawn.
    cdef uint64_t key = 0
    cdef int seat
    if told:
        for seat in range(s.players):
            if owner == EVERYBODY or owner == seat:
                key = stirred(s, key, s.core.seen(s.rules, s.event, seat))
    return header_key(to_move(s.state), phase(s.state)) ^ key


cdef inline bint step(Search *s, int action) noexcept nogil:
    # Plays it; true if the event was written down, since some owner may have been shown something.
    cdef bint told = s.telling >> phase(s.state) & 1
    s.core.apply(s.rules, s.state, action, &s.chance, <void *>s.event if told else NULL)
    return told


# Choice

cdef inline int one_of(Search *s, int n) noexcept nogil:
    return <int>below(&s.chance, PLAYS, n) if n > 1 else 0


cdef int any_of_label(Search *s, int label, int owner) noexcept nogil:
    # An action that the owner sees as this label, at random.
    cdef uint16_t out[MAX_LEGAL]
    cdef int i, n, fits = 0
    if label < s.core.actions:
        return label
    n = s.core.legal(s.rules, s.state, out)
    for i in range(n):
        if s.core.label(s.rules, s.state, out[i], owner) == label:
            out[fits] = out[i]
            fits += 1
    return out[one_of(s, fits)]


cdef int seen_labels(Search *s, int owner, uint16_t *out) noexcept nogil:
    # The labels of the legal actions as the owner sees them, each once.
    cdef int i, j, label, n = s.core.legal(s.rules, s.state, out), found = 0
    if s.core.labels == 0 or owner == EVERYBODY or owner == to_move(s.state):
        return n
    for i in range(n):
        label = s.core.label(s.rules, s.state, out[i], owner)
        j = 0
        while j < found and out[j] != label:
            j += 1
        if j == found:
            out[found] = <uint16_t>label
            found += 1
    return found


cdef inline float bound(Search *s, const Stat *stat, float width) noexcept nogil:
    # UCB1, `width` the square root of the logarithm of the times it could have been chosen
    return stat.mean * <float>(1.0 / ONE) + s.c * width * inverse_root(stat.visits)


cdef int best_of_all(Search *s, const Arena *a, uint32_t block) noexcept nogil:
    cdef const Stat *stat = stats(a, block)
    cdef int slot, best = 0
    cdef float width = root_ln(<int32_t>a.words[block + 1] + 1), value, most = -1.0
    for slot in range(children(a, block)):
        value = bound(s, &stat[slot], width)
        if value > most:
            most = value
            best = slot
    return best


cdef int best_of(Search *s, const Arena *a, uint32_t block, const int *slots, int n,
                 float *most) noexcept nogil:
    cdef const Stat *stat = stats(a, block)
    cdef int i, best = slots[0]
    cdef float value
    most[0] = -1.0
    for i in range(n):
        value = bound(s, &stat[slots[i]], root_ln(stat[slots[i]].available))
        if value > most[0]:
            most[0] = value
            best = slots[i]
    return best


cdef float untried(Search *s, const Arena *a, uint32_t block, const int *slots, int n) noexcept nogil:
    # The bound of a move without a child: the mean of those that have one, and `urgency` more.
    cdef const Stat *stat = stats(a, block)
    cdef int i
    cdef int64_t visits = 0, total = 0
    for i in range(n):
        visits += stat[slots[i]].visits
        total += <int64_t>stat[slots[i]].mean * stat[slots[i]].visits
    return s.urgency + (<float>(<double>total / (<double>visits * ONE)) if visits else <float>0.5)


cdef int to_try(Search *s, int owner, const uint16_t *fresh, int n) noexcept nogil:
    # Which of the moves without a child gets one: the game's simple move if it may lead, else any.
    cdef int i, simple
    if s.guided:
        simple = s.core.greedy(s.rules, s.state)
        if s.core.labels and owner != EVERYBODY:
            simple = s.core.label(s.rules, s.state, simple, owner)
        for i in range(n):
            if fresh[i] == simple:
                return simple
    return fresh[one_of(s, n)]


cdef int choose(Search *s, Arena *a, uint32_t ref, int owner, bint *added) noexcept nogil:
    # The slot of the child to go to, which may be a new one; -1: there is none, and the arena is full.
    cdef uint16_t out[MAX_LEGAL]
    cdef uint16_t fresh[MAX_LEGAL]
    cdef int slots[MAX_LEGAL]
    cdef uint32_t block = a.words[ref]
    cdef bint fixed = s.fixed >> phase(s.state) & 1
    cdef int i, slot, best = -1, n, unknown = 0, known = 0
    cdef float most = -1.0
    added[0] = False
    if a.words[block] & COMPLETE:
        return best_of_all(s, a, block)
    n = seen_labels(s, owner, out)
    for i in range(n):
        slot = find(a, block, out[i])
        if slot < 0:
            fresh[unknown] = out[i]
            unknown += 1
        else:
            slots[known] = slot
            known += 1
            stats(a, block)[slot].available += 1
    if known and (unknown == 0 or a.full or s.urgency < ALWAYS):
        best = best_of(s, a, block, slots, known, &most)
    if unknown == 0 or (best >= 0 and most >= untried(s, a, block, slots, known)):
        return best
    slot = add(a, ref, to_try(s, owner, fresh, unknown))
    if slot < 0:
        return best_of(s, a, block, slots, known, &most) if known else -1
    block = a.words[ref]
    added[0] = True
    stats(a, block)[slot].available = 1
    # At the root, where it chooses, the seat that searches knows its moves.
    if (fixed or ref == 0) and unknown == 1 and children(a, block) == n:
        a.words[block] |= COMPLETE
    return slot


cdef int choose_usual(Search *s, const Arena *a, uint32_t ref, int owner) noexcept nogil:
    # A child that there is already, each as likely as it was chosen so far: what its owner is used to do. -1:
    # no legal move has one.
    cdef uint16_t out[MAX_LEGAL]
    cdef int slots[MAX_LEGAL]
    cdef uint32_t block = a.words[ref]
    cdef int i, slot, n = seen_labels(s, owner, out), known = 0
    cdef uint32_t total = 0, left
    for i in range(n):
        slot = find(a, block, out[i])
        if slot >= 0:
            slots[known] = slot
            known += 1
            total += <uint32_t>stats(a, block)[slot].visits
    if total == 0:
        return -1
    left = below(&s.chance, PLAYS, total)
    i = 0
    while left >= <uint32_t>stats(a, block)[slots[i]].visits:
        left -= <uint32_t>stats(a, block)[slots[i]].visits
        i += 1
    return slots[i]


# Variants: a simulation each

cdef inline void begin(Search *s) noexcept nogil:
    memcpy(s.state, s.root, s.core.state_size)
    s.depth = 0


cdef inline void finish(Search *s) noexcept nogil:
    # 4 play out; 5 judge
    if to_move(s.state) >= 0:
        s.core.playout(s.rules, s.state, &s.chance, s.noise, s.cut)
    judge(s)


cdef inline void walked(Search *s, int tree, uint32_t block, int slot) noexcept nogil:
    s.path[tree][s.depth].block = block
    s.path[tree][s.depth].slot = slot


cdef inline void teach(Search *s, int tree) noexcept nogil:
    # 6 every node on the way learns the payoff of the seat that chose it
    cdef Arena *a = &s.arena[tree]
    cdef int i
    for i in range(s.depth):
        if s.path[tree][i].block:
            a.words[s.path[tree][i].block + 1] += 1
            learn(&stats(a, s.path[tree][i].block)[s.path[tree][i].slot], s.payoff[s.movers[i]])


cdef void note(Search *s, int action) noexcept nogil:
    # What the root move brought, for the result; nothing if there was no room for any.
    cdef int move = s.place[action], seat
    if s.depth == 0:
        return
    s.count[move] += 1
    for seat in range(s.players):
        s.share_sum[move][seat] += s.shares[seat]
        s.score_sum[move][seat] += s.scores[seat]


cdef void single_tree(Search *s, int owner) noexcept nogil:
    # so: one tree, that of the seat that searches. perfect: one tree whose owner sees all, of one world.
    cdef Arena *a = &s.arena[s.seat]
    cdef uint32_t ref = 0
    cdef int slot, action, first = 0
    cdef bint added = False, told
    begin(s)
    # 1 deal a world
    if owner != EVERYBODY:
        s.core.deal(s.rules, s.state, owner, &s.chance)
    while s.depth < MAX_DEPTH:
        # 2 choose a child, or add one
        slot = choose(s, a, ref, owner, &added)
        if slot < 0:
            break
        action = any_of_label(s, labels(a, a.words[ref])[slot], owner)
        if s.depth == 0:
            first = action
        s.movers[s.depth] = <int8_t>to_move(s.state)
        walked(s, s.seat, a.words[ref], slot)
        s.depth += 1
        # 3 play it, and go on below
        told = step(s, action)
        if added or to_move(s.state) < 0:
            break
        ref = descend(a, child_ref(a.words[ref], slot), outcome_key(s, owner, told), to_move(s.state))
        if not ref:
            break
    finish(s)
    teach(s, s.seat)
    note(s, first)


cdef void so(Search *s) noexcept nogil:
    single_tree(s, s.seat)


cdef void perfect(Search *s) noexcept nogil:
    single_tree(s, EVERYBODY)


cdef inline int follow(Search *s, int seat, uint32_t ref, int action, bint grow) noexcept nogil:
    # The slot of what the seat sees of an action about to be played, in its own tree; -1: it is not there.
    cdef Arena *a = &s.arena[seat]
    cdef int label, slot
    if ref == LOST:
        return -1
    label = s.core.label(s.rules, s.state, action, seat) if s.core.labels else action
    slot = find(a, a.words[ref], label)
    return add(a, ref, label) if slot < 0 and grow else slot


cdef inline uint32_t go_on(Search *s, int seat, uint32_t ref, int slot, bint told, bint grow) noexcept nogil:
    # Where a seat's tree stands after the step.
    cdef Arena *a = &s.arena[seat]
    cdef uint64_t key
    if slot < 0:
        return LOST
    key = outcome_key(s, seat, told)
    ref = child_ref(a.words[ref], slot)
    ref = descend(a, ref, key, to_move(s.state)) if grow else known_outcome(a, ref, key)
    return ref if ref else LOST


cdef void mo(Search *s) noexcept nogil:
    # One tree per seat, descended together: the mover's chooses, and ends the descent when it adds a child;
    # the others follow by what their owners see. A tree that finds no room stays behind.
    cdef uint32_t refs[MAX_SEATS]
    cdef int seen[MAX_SEATS]
    cdef int seat, slot, action, mover, first = 0
    cdef bint added = False, told
    begin(s)
    s.core.deal(s.rules, s.state, s.seat, &s.chance)
    for seat in range(s.players):
        refs[seat] = 0
    while s.depth < MAX_DEPTH and refs[to_move(s.state)] != LOST:
        mover = to_move(s.state)
        slot = choose(s, &s.arena[mover], refs[mover], mover, &added)
        if slot < 0:
            break
        action = labels(&s.arena[mover], s.arena[mover].words[refs[mover]])[slot]
        if s.depth == 0:
            first = action
        s.movers[s.depth] = <int8_t>mover
        for seat in range(s.players):
            seen[seat] = slot if seat == mover else follow(s, seat, refs[seat], action, True)
            walked(s, seat, s.arena[seat].words[refs[seat]] if seen[seat] >= 0 else 0, seen[seat])
        s.depth += 1
        told = step(s, action)
        if added or to_move(s.state) < 0:
            break
        for seat in range(s.players):
            refs[seat] = go_on(s, seat, refs[seat], seen[seat], told, True)
    finish(s)
    for seat in range(s.players):
        teach(s, seat)
    note(s, first)


cdef inline int habit(Search *s, int mover, uint32_t ref) noexcept nogil:
    # What a seat plays in a simulation that is not its own: what it is used to, or anything.
    cdef uint16_t out[MAX_LEGAL]
    cdef int slot = choose_usual(s, &s.arena[mover], ref, mover) if ref != LOST else -1
    if slot >= 0:
        return labels(&s.arena[mover], s.arena[mover].words[ref])[slot]
    return out[one_of(s, s.core.legal(s.rules, s.state, out))]


cdef void ris(Search *s) noexcept nogil:
    # After Goodman (2019). One tree per seat, descended together; each simulation belongs to one of the seats
    # in turn. Its world is dealt from the root's view and, for another seat, dealt again from that one's; and
    # only that one's tree learns: so no opponent's tree feeds on the secrets of the seat that searches.
    cdef uint32_t refs[MAX_SEATS]
    cdef int seen[MAX_SEATS]
    cdef int learner = <int>((s.seat + s.sims) % s.players), seat, slot, action, mover, first = 0
    cdef Arena *a = &s.arena[learner]
    cdef int64_t before
    cdef bint added, told
    begin(s)
    s.core.deal(s.rules, s.state, s.seat, &s.chance)
    if learner != s.seat:
        s.core.deal(s.rules, s.state, learner, &s.chance)
    for seat in range(s.players):
        refs[seat] = 0
    while s.depth < MAX_DEPTH and refs[learner] != LOST:
        mover = to_move(s.state)
        before = a.nodes
        slot = -1
        if mover == learner:
            slot = choose(s, a, refs[mover], mover, &added)
            if slot < 0:
                break
            action = labels(a, a.words[refs[mover]])[slot]
        else:
            action = habit(s, mover, refs[mover])
        for seat in range(s.players):
            seen[seat] = slot if slot >= 0 and seat == mover else (
                follow(s, seat, refs[seat], action, seat == learner))
        if seen[learner] < 0:
            break
        if s.depth == 0:
            first = action
        s.movers[s.depth] = <int8_t>mover
        walked(s, learner, a.words[refs[learner]], seen[learner])
        s.depth += 1
        added = a.nodes != before
        told = step(s, action)
        if added or to_move(s.state) < 0:
            break
        for seat in range(s.players):
            refs[seat] = go_on(s, seat, refs[seat], seen[seat], told, seat == learner)
    finish(s)
    teach(s, learner)
    if learner == s.seat:
        note(s, first)


cdef void flat(Search *s) noexcept nogil:
    # No tree: the root moves in turn, in each tree of several from another one on.
    cdef Arena *a = &s.arena[s.seat]
    cdef int action = s.moves[(s.offset + s.sims) % s.legal], slot = find(a, a.words[0], action)
    begin(s)
    s.core.deal(s.rules, s.state, s.seat, &s.chance)
    if slot < 0:
        slot = add(a, 0, action)
    s.movers[0] = <int8_t>s.seat
    if slot >= 0:
        stats(a, a.words[0])[slot].available += 1
        walked(s, s.seat, a.words[0], slot)
        s.depth = 1
    step(s, action)
    finish(s)
    teach(s, s.seat)
    note(s, action)


ctypedef void (*Simulation)(Search *) noexcept nogil

cdef Simulation SIMULATIONS[5]
SIMULATIONS[SO] = so
SIMULATIONS[MO] = mo
SIMULATIONS[RIS] = ris
SIMULATIONS[PERFECT] = perfect
SIMULATIONS[FLAT] = flat
