# Atelier Da Vinci: faces, slots and hands. A part of davinci.pyx.

# Faces and slots

cdef inline int colour_of(int face) noexcept nogil:
    return face >> 2


cdef inline int value_of(int face) noexcept nogil:
    return (face & 3) + 1


cdef inline uint32_t filled(const uint8_t *bytes, int n) noexcept nogil:
    # Which of n bytes (4 or 8) are not 0, a bit each. None is above 128, so that the sum sets the highest bit
    # of such a byte and carries nothing; the product gathers these bits in its own highest byte.
    cdef uint64_t word = 0
    memcpy(&word, bytes, n)
    word = (word + EVERY_BYTE * 127) >> 7 & EVERY_BYTE
    return <uint32_t>(word * GATHER >> 56)


cdef inline uint32_t faces_in(const uint8_t *counts) noexcept nogil:
    # The faces of a pile, a bit each.
    return filled(counts, 8) | filled(counts + 8, 8) << 8 | filled(counts + 16, 4) << 16


cdef inline uint32_t faces_up_to(int value) noexcept nogil:
    # The faces of at most this value.
    return <uint32_t>0x11111 * ((<uint32_t>1 << value) - 1)


cdef inline uint32_t colours_among(uint32_t faces) noexcept nogil:
    # The colours of these faces, a bit each.
    faces |= faces >> 2
    faces |= faces >> 1
    return faces & 1 | faces >> 3 & 2 | faces >> 6 & 4 | faces >> 9 & 8 | faces >> 12 & 16


cdef inline uint32_t held(const State *s, int seat) noexcept nogil:
    cdef uint32_t faces = faces_in(s.known[seat])
    cdef int i
    for i in range(s.hid_n[seat]):
        faces |= <uint32_t>1 << s.hid_face[seat][i]
    return faces


cdef inline int cards_in(const uint8_t *counts) noexcept nogil:
    cdef int face, n = 0
    for face in range(FACES):
        n += counts[face]
    return n


cdef inline int row(const State *s, int place) noexcept nogil:
    # Where the rules keep the painting of a place: row 8 if it is empty.
    return s.place[place] if s.place[place] != NONE else PAINTINGS


cdef inline uint32_t filled_slots(const State *s) noexcept nogil:
    cdef const uint8_t *values = &s.slot_value[0][0]
    return filled(values, 8) | filled(values + 8, 4) << 8


cdef inline uint32_t open_slots(const Rules *r, const State *s) noexcept nogil:
    return (r.marked[row(s, 0)] | <uint32_t>r.marked[row(s, 1)] << SLOTS) & ~filled_slots(s)


cdef inline uint32_t slots_of(const Rules *r, const State *s, int colour) noexcept nogil:
    return r.of_colour[row(s, 0)][colour] | <uint32_t>r.of_colour[row(s, 1)][colour] << SLOTS


cdef inline uint32_t slots_for(const Rules *r, const State *s, uint32_t faces) noexcept nogil:
    # The slots of the colours of these faces.
    cdef uint32_t colours = colours_among(faces), slots = 0
    while colours:
        slots |= slots_of(r, s, lowest_bit(colours))
        colours &= colours - 1
    return slots


cdef inline uint32_t wet_beside(const Rules *r, const State *s, int key) noexcept nogil:
    # DV-P4: the slots that a card just placed on this one forbids.
    if key < SLOTS:
        return r.clash[row(s, 0)][key]
    return <uint32_t>r.clash[row(s, 1)][key - SLOTS] << SLOTS


cdef inline uint32_t usable_slots(const Rules *r, const State *s) noexcept nogil:
    cdef uint32_t slots = open_slots(r, s), fresh = s.fresh[0] | <uint32_t>s.fresh[1] << SLOTS
    while fresh:
        slots &= ~wet_beside(r, s, lowest_bit(fresh))
        fresh &= fresh - 1
    return slots


cdef inline uint32_t slots_behind(int last) noexcept nogil:
    # The slots that come after this one in the order of a Paint action; 255: all.
    return <uint32_t>0xFFF if last == NONE else <uint32_t>0xFFF & ~((<uint32_t>2 << last) - 1)


cdef inline uint32_t leonardo_slots(const Rules *r, const State *s) noexcept nogil:
    # DV-L2, DV-L5: usable, on a painting that keeps an open slot.
    cdef uint32_t slots = usable_slots(r, s), unfilled = open_slots(r, s)
    if popcount(unfilled & 0x3F) < 2:
        slots &= ~<uint32_t>0x3F
    if popcount(unfilled >> SLOTS) < 2:
        slots &= 0x3F
    return slots


cdef inline int paintings_owned(const State *s, int seat) noexcept nogil:
    cdef int painting, n = 0
    for painting in range(PAINTINGS):
        n += s.paint_owner[painting] == seat
    return n


cdef inline int paintings_left(const Rules *r, const State *s) noexcept nogil:
    # In the painting deck.
    return (r.paintings - PAINTINGS + paintings_owned(s, NONE)
            - (s.place[0] != NONE) - (s.place[1] != NONE))


cdef inline bint ending(const State *s) noexcept nogil:
    return s.place[0] == NONE and s.place[1] == NONE


cdef inline int next_seat(const Rules *r, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < r.players else 0


# Hands

cdef inline void add_hidden(State *s, int seat, int face) noexcept nogil:
    # A card of the current cycle, which is the highest: it goes behind the older ones.
    cdef int i = s.hid_n[seat]
    while i and s.hid_cycle[seat][i - 1] == s.cycle and s.hid_face[seat][i - 1] > face:
        s.hid_cycle[seat][i] = s.hid_cycle[seat][i - 1]
        s.hid_face[seat][i] = s.hid_face[seat][i - 1]
        i -= 1
    s.hid_cycle[seat][i] = s.cycle
    s.hid_face[seat][i] = <uint8_t>face
    s.hid_n[seat] += 1
    s.hand_n[seat] += 1


cdef inline void remove_hidden(State *s, int seat, int at) noexcept nogil:
    cdef int i, n = s.hid_n[seat] - 1
    for i in range(at, n):
        s.hid_cycle[seat][i] = s.hid_cycle[seat][i + 1]
        s.hid_face[seat][i] = s.hid_face[seat][i + 1]
    s.hid_cycle[seat][n] = 0
    s.hid_face[seat][n] = 0
    s.hid_n[seat] = <uint8_t>n
    s.hand_n[seat] -= 1


cdef inline int hidden_copy(const State *s, int seat, int face) noexcept nogil:
    # The place of the hidden card of this face and the oldest cycle; -1: there is none.
    cdef int i
    for i in range(s.hid_n[seat]):
        if s.hid_face[seat][i] == face:
            return i
    return -1


cdef inline uint64_t shown_key(uint64_t seat, uint64_t cycle, uint64_t face) noexcept nogil:
    return seat << 32 | cycle << 8 | face


cdef inline void note_shown(Event *event, int seat, int cycle, int face) noexcept nogil:
    # Keeps the list sorted by (seat, cycle, face).
    cdef int i
    if event == NULL:
        return
    i = event.shown_n
    while i and shown_key(event.shown_seat[i - 1], event.shown_cycle[i - 1],
                          event.shown_face[i - 1]) > shown_key(seat, cycle, face):
        event.shown_seat[i] = event.shown_seat[i - 1]
        event.shown_cycle[i] = event.shown_cycle[i - 1]
        event.shown_face[i] = event.shown_face[i - 1]
        i -= 1
    event.shown_seat[i] = <uint8_t>seat
    event.shown_cycle[i] = <uint16_t>cycle
    event.shown_face[i] = <uint8_t>face
    event.shown_n += 1


cdef void lose_card(State *s, int seat, int face, Chance *chance, Event *event) noexcept nogil:
    # R16: a known copy first, then the hidden one of the oldest cycle, unless the script names another.
    cdef int at = named_copy(s, seat, face, chance)
    if at < 0:
        if s.known[seat][face]:
            s.known[seat][face] -= 1
            s.hand_n[seat] -= 1
            return
        at = hidden_copy(s, seat, face)
    note_shown(event, seat, s.hid_cycle[seat][at], face)
    remove_hidden(s, seat, at)


cdef inline void colours_held(const State *s, int seat, int *counts) noexcept nogil:
    cdef int colour, i
    for colour in range(COLOURS):
        counts[colour] = (s.known[seat][4 * colour] + s.known[seat][4 * colour + 1]
                          + s.known[seat][4 * colour + 2] + s.known[seat][4 * colour + 3])
    for i in range(s.hid_n[seat]):
        counts[colour_of(s.hid_face[seat][i])] += 1
