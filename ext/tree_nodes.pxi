# Nodes of a search tree: one arena of 32-bit words per tree. A part of tree.pyx.
#
# A block is one position as the tree's owner sees it, with its children, one for each label met there:
#
#   word 0      number of children (16 bits), class (8 bits), flag COMPLETE, the seat that decides (3 bits)
#   word 1      how often a simulation has passed
#   words 2, 3  the key of the outcome that led here (`outcome_key`)
#   then        stats[capacity], four words each
#   then        labels[capacity], half a word each
#   then        from class HASHED on an index: label to slot, open addressing, twice the capacity
#
# The capacity is 1 << class. A full block moves into one of the next class; its place goes to a free list.
# Blocks are known by their first word's number, so that the arena itself may move; a `ref` is the number of
# the word that holds a block's number. Word 0 of the arena is the root's ref, so no block has the number 0.
#
# A child leads to one block, or, if the step has had several outcomes that the owner tells apart, to a list
# of their blocks: then its word has the bit MANY. A list that is full stays so: what has no place in it is
# played out from there.
#
# A node is a child with its statistics: 18 bytes, and what capacities and heads leave unused.

cdef enum:
    HEAD = 4
    STAT = 4                    # words of a Stat
    CLASSES = 16
    LIST_CLASSES = 12           # at most 2048 outcomes of a step have blocks of their own
    HASHED = 5
    NARROW = 7                  # up to this class an index has bytes, above it halves of words
    COMPLETE = 1 << 24          # all children of a fixed legal set are there
    SEAT_SHIFT = 25
    LEAST_WORDS = 1 << 8
    FIRST_WORDS = 1 << 12

cdef extern from *:
    """
    #define MANY UINT32_C(0x80000000)
    #define LOST UINT32_MAX
    """
    const uint32_t MANY
    const uint32_t LOST         # a ref to no block
    int lowest_bit "__builtin_ctz"(uint32_t) noexcept nogil

cdef struct Stat:
    int32_t visits
    int32_t available           # how often a simulation could have chosen it
    int32_t mean                # of the payoff to the seat that chooses, in units of 1 / ONE
    uint32_t child              # 0: nothing below

cdef struct Arena:
    uint32_t *words
    uint64_t capacity           # words allocated
    uint64_t top                # words used
    uint64_t most               # words allowed
    uint32_t free[CLASSES]      # blocks given back, linked by their first words
    uint32_t free_lists[LIST_CLASSES]
    int64_t nodes
    bint full                   # no room: nothing more is added


cdef inline int class_of(const Arena *a, uint32_t block) noexcept nogil:
    return a.words[block] >> 16 & 255


cdef inline int children(const Arena *a, uint32_t block) noexcept nogil:
    return a.words[block] & 0xFFFF


cdef inline Stat *stats(const Arena *a, uint32_t block) noexcept nogil:
    return <Stat *>&a.words[block + HEAD]


cdef inline uint16_t *labels(const Arena *a, uint32_t block) noexcept nogil:
    return <uint16_t *>&a.words[block + HEAD + (STAT << class_of(a, block))]


cdef inline uint32_t child_ref(uint32_t block, int slot) noexcept nogil:
    return block + HEAD + STAT * slot + 3


cdef inline uint64_t block_words(int size) noexcept nogil:
    cdef uint64_t capacity = <uint64_t>1 << size
    cdef uint64_t index = 0 if size < HASHED else capacity // 2 if size <= NARROW else capacity
    return HEAD + STAT * capacity + (capacity + 1) // 2 + index


# Room

cdef bint start(Arena *a, uint64_t most) noexcept nogil:
    memset(a, 0, sizeof(Arena))
    a.most = most if most < MANY else MANY
    a.capacity = a.most = max(a.most, LEAST_WORDS)
    if a.capacity > FIRST_WORDS:
        a.capacity = FIRST_WORDS
    a.words = <uint32_t *>malloc(a.capacity * sizeof(uint32_t))
    if a.words == NULL:
        return False
    a.words[0] = 0
    a.top = 1
    return True


cdef uint32_t room(Arena *a, uint64_t words) noexcept nogil:
    # The number of so many fresh words; 0: the arena is full. It grows by a quarter.
    cdef uint64_t wanted
    cdef uint32_t *moved
    cdef uint32_t place
    if a.top + words > a.capacity:
        wanted = a.capacity + a.capacity // 4 + words
        if wanted > a.most:
            wanted = a.most
        if a.top + words > wanted:
            a.full = True
            return 0
        moved = <uint32_t *>realloc(a.words, wanted * sizeof(uint32_t))
        if moved == NULL:
            a.full = True
            return 0
        a.words = moved
        a.capacity = wanted
    place = <uint32_t>a.top
    a.top += words
    return place


cdef uint32_t reuse(Arena *a, uint32_t *free, uint64_t words) noexcept nogil:
    cdef uint32_t place = free[0]
    if place:
        free[0] = a.words[place]
        return place
    return room(a, words)


cdef inline void give_back(Arena *a, uint32_t *free, uint32_t place) noexcept nogil:
    a.words[place] = free[0]
    free[0] = place


# Children

cdef inline uint32_t hashed(int label, int size) noexcept nogil:
    return (<uint32_t>label * <uint32_t>0x9E3779B1) >> (31 - size)


cdef int find(const Arena *a, uint32_t block, int label) noexcept nogil:
    # The slot of a label's child, -1: there is none.
    cdef int size = class_of(a, block), n = children(a, block), slot
    cdef const uint16_t *known = labels(a, block)
    cdef const uint8_t *narrow
    cdef const uint16_t *wide
    cdef uint32_t mask, at
    if size < HASHED:
        # All are compared, without a branch: 1.04 of the simulations/s of a loop that stops where it finds
        # (Connect Four and Leduc poker, medians of 5, 2026-11).
        mask = 0
        for slot in range(n):
            mask |= <uint32_t>(known[slot] == label) << slot
        return lowest_bit(mask) if mask else -1
    mask = (<uint32_t>2 << size) - 1
    at = hashed(label, size)
    if size <= NARROW:
        narrow = <const uint8_t *>(known + (1 << size))
        while narrow[at] != 0xFF:
            if known[narrow[at]] == label:
                return narrow[at]
            at = (at + 1) & mask
        return -1
    wide = known + (1 << size)
    while wide[at] != 0xFFFF:
        if known[wide[at]] == label:
            return wide[at]
        at = (at + 1) & mask
    return -1


cdef void enter(Arena *a, uint32_t block, int slot) noexcept nogil:
    # Puts a slot's label into the index, if the block has one.
    cdef int size = class_of(a, block)
    cdef uint16_t *known = labels(a, block)
    cdef uint8_t *narrow
    cdef uint16_t *wide
    cdef uint32_t mask = (<uint32_t>2 << size) - 1, at
    if size < HASHED:
        return
    at = hashed(known[slot], size)
    if size <= NARROW:
        narrow = <uint8_t *>(known + (1 << size))
        while narrow[at] != 0xFF:
            at = (at + 1) & mask
        narrow[at] = <uint8_t>slot
    else:
        wide = known + (1 << size)
        while wide[at] != 0xFFFF:
            at = (at + 1) & mask
        wide[at] = <uint16_t>slot


cdef inline uint64_t key_of(const Arena *a, uint32_t block) noexcept nogil:
    return a.words[block + 2] | <uint64_t>a.words[block + 3] << 32


cdef uint32_t new_block(Arena *a, int size, uint64_t key, int seat) noexcept nogil:
    cdef uint32_t block = reuse(a, &a.free[size], block_words(size))
    if block:
        a.words[block] = <uint32_t>size << 16 | <uint32_t>seat << SEAT_SHIFT
        a.words[block + 1] = 0
        a.words[block + 2] = <uint32_t>key
        a.words[block + 3] = <uint32_t>(key >> 32)
        if size >= HASHED:
            memset(labels(a, block) + (1 << size), 0xFF, (2 if size <= NARROW else 4) << size)
    return block


cdef bint enlarge(Arena *a, uint32_t ref) noexcept nogil:
    # Moves a full block into one of twice the capacity.
    cdef uint32_t old = a.words[ref], block
    cdef int size = class_of(a, old), n = children(a, old), slot
    if size + 1 == CLASSES:
        return False
    block = new_block(a, size + 1, key_of(a, old), 0)
    if not block:
        return False
    a.words[block] = a.words[old] + (1 << 16)
    a.words[block + 1] = a.words[old + 1]
    memcpy(stats(a, block), stats(a, old), n * sizeof(Stat))
    memcpy(labels(a, block), labels(a, old), n * sizeof(uint16_t))
    for slot in range(n):
        enter(a, block, slot)
    a.words[ref] = block
    give_back(a, &a.free[size], old)
    return True


cdef int add(Arena *a, uint32_t ref, int label) noexcept nogil:
    # A new child of the block that `ref` holds; the block may move. -1: the arena is full.
    cdef uint32_t block = a.words[ref]
    cdef int slot = children(a, block)
    cdef Stat *stat
    if a.full:
        return -1
    if slot == 1 << class_of(a, block):
        if not enlarge(a, ref):
            return -1
        block = a.words[ref]
    stat = &stats(a, block)[slot]
    stat.visits = stat.available = stat.mean = 0
    stat.child = 0
    labels(a, block)[slot] = <uint16_t>label
    a.words[block] += 1
    enter(a, block, slot)
    a.nodes += 1
    return slot


# Outcomes

cdef inline uint32_t new_list(Arena *a, int size) noexcept nogil:
    cdef uint32_t place = reuse(a, &a.free_lists[size], 1 + (<uint64_t>1 << size))
    if place:
        a.words[place] = <uint32_t>size << 16
    return place


cdef uint32_t append(Arena *a, uint32_t ref, uint32_t block) noexcept nogil:
    # Adds an outcome to the list of a child's word; returns the ref of the block, 0: there is no room.
    cdef uint32_t blocks = a.words[ref] & ~MANY, longer
    cdef int n = children(a, blocks), size = class_of(a, blocks)
    if n == 1 << size:
        longer = new_list(a, size + 1) if size + 1 < LIST_CLASSES else 0
        if not longer:
            return 0
        memcpy(&a.words[longer + 1], &a.words[blocks + 1], n * sizeof(uint32_t))
        a.words[longer] += <uint32_t>n
        a.words[ref] = longer | MANY
        give_back(a, &a.free_lists[size], blocks)
        blocks = longer
    a.words[blocks + 1 + n] = block
    a.words[blocks] += 1
    return blocks + 1 + <uint32_t>n


cdef uint32_t known_outcome(const Arena *a, uint32_t ref, uint64_t key) noexcept nogil:
    # The ref of the block below a child's word that has this key; 0: there is none yet.
    cdef uint32_t child = a.words[ref], blocks
    cdef int i
    if child == 0:
        return 0
    if not child & MANY:
        return ref if key_of(a, child) == key else 0
    blocks = child & ~MANY
    for i in range(children(a, blocks)):
        if key_of(a, a.words[blocks + 1 + i]) == key:
            return blocks + 1 + <uint32_t>i
    return 0


cdef uint32_t descend(Arena *a, uint32_t ref, uint64_t key, int seat) noexcept nogil:
    # The same; a block that is missing is made. 0: there is no room.
    cdef uint32_t found = known_outcome(a, ref, key), block, only, blocks
    if found or a.full:
        return found
    only = a.words[ref]
    if only & MANY and children(a, only & ~MANY) == 1 << (LIST_CLASSES - 1):
        return 0
    block = new_block(a, 0, key, seat)
    if not block:
        return 0
    if only == 0:
        a.words[ref] = block
        return ref
    if not only & MANY:
        blocks = new_list(a, 1)
        if not blocks:
            return 0
        a.words[ref] = blocks | MANY
        append(a, ref, only)
    return append(a, ref, block)


# Trees

cdef void plant(Arena *a, int seat) noexcept nogil:
    # An empty root, and nothing else.
    cdef uint32_t block
    memset(a.free, 0, sizeof(a.free))
    memset(a.free_lists, 0, sizeof(a.free_lists))
    a.top = 1
    a.nodes = 0
    a.full = False
    block = new_block(a, 0, 0, seat)
    a.words[0] = block


cdef uint32_t transplant(Arena *to, const Arena *old, uint32_t block) noexcept nogil:
    # A copy of a block and all below it in another arena; 0: no room.
    cdef int size = class_of(old, block), slot, i
    cdef uint32_t copy = reuse(to, &to.free[size], block_words(size)), child, blocks, below_it
    if not copy:
        return 0
    memcpy(&to.words[copy], &old.words[block], block_words(size) * sizeof(uint32_t))
    to.nodes += children(old, block)
    for slot in range(children(old, block)):
        child = stats(old, block)[slot].child
        if child & MANY:
            child &= ~MANY
            blocks = new_list(to, class_of(old, child))
            if not blocks:
                return 0
            stats(to, copy)[slot].child = blocks | MANY
            for i in range(children(old, child)):
                below_it = transplant(to, old, old.words[child + 1 + i])
                if not below_it:
                    return 0
                append(to, child_ref(copy, slot), below_it)
        elif child:
            below_it = transplant(to, old, child)
            if not below_it:
                return 0
            stats(to, copy)[slot].child = below_it
    return copy


cdef int64_t sound(const Arena *a, uint32_t block, int owner) noexcept nogil:
    # The number of nodes from a block on, if everything there holds; else minus the number of what does not.
    cdef const Stat *stat = stats(a, block)
    cdef int slot, i, n = children(a, block)
    cdef int64_t nodes = n, visits = 0, passed, found
    cdef uint32_t child, blocks
    # 1 as many children as fit
    if n > 1 << class_of(a, block):
        return -1
    for slot in range(n):
        # 2 every child is found by its label
        if find(a, block, labels(a, block)[slot]) != slot:
            return -2
        # 3 a mean is a payoff
        if not 0 <= stat[slot].mean <= ONE or stat[slot].visits < 0:
            return -3
        # 4 what was chosen could be chosen; only the seat that decides counts this
        if (owner == EVERYBODY or a.words[block] >> SEAT_SHIFT & 7 == <uint32_t>owner) and (
                not a.words[block] & COMPLETE and stat[slot].available < stat[slot].visits):
            return -4
        visits += stat[slot].visits
        passed = 0
        child = stat[slot].child
        blocks = child & ~MANY if child & MANY else 0
        for i in range(children(a, blocks) if blocks else 1 if child else 0):
            if blocks:
                child = a.words[blocks + 1 + i]
            found = sound(a, child, owner)
            if found < 0:
                return found
            nodes += found
            passed += a.words[child + 1]
        # 5 what went on below has passed here
        if passed > stat[slot].visits:
            return -5
    # 6 whoever has passed has chosen
    return nodes if visits == a.words[block + 1] else -6
