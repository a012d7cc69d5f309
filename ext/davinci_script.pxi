# Atelier Da Vinci: obeying a script. A part of davinci.pyx.
#
# A word may have several values, and cards of one deck are told in any order: `used` of a word is a mask of
# the values that the step has taken. A card behind `reshuffle` is not due before the reshuffle.

cdef enum:
    MOST_CARDS = 14         # in a word


cdef inline int whole(const Word *word) noexcept nogil:
    # What `used` is when every value was taken.
    return (1 << word.count) - 1 if word.count else 1


cdef int next_value(Chance *chance, int word, int seat) noexcept nogil:
    # The next value of the words of this name and seat, taken out of the script; -1: it has none.
    cdef Script *script = chance.script
    cdef Word *due
    cdef int i, k
    if script == NULL:
        return -1
    for i in range(script.count):
        due = &script.words[i]
        if due.word == WORD_RESHUFFLE and not due.used:
            return -1
        if due.word == word and due.seat == seat and due.count <= MOST_CARDS:
            for k in range(due.count):
                if not due.used >> k & 1:
                    due.used |= 1 << k
                    return due.value[k]
    return -1


cdef void take_word(Chance *chance, int word) noexcept nogil:
    # A word without values.
    cdef Script *script = chance.script
    cdef int i
    if script == NULL:
        return
    for i in range(script.count):
        if script.words[i].word == word and not script.words[i].used and not script.words[i].count:
            script.words[i].used = 1
            return


cdef bint take_shown(Chance *chance, int seat, int cycle, int face) noexcept nogil:
    # Whether the script says that this seat shows this card; taken out of it.
    cdef Script *script = chance.script
    cdef Word *due
    cdef int i, k
    if script == NULL:
        return False
    for i in range(script.count):
        due = &script.words[i]
        if due.word != WORD_SHOWS or due.seat != seat or due.value[0] != cycle or due.count > MOST_CARDS:
            continue
        for k in range(1, due.count):
            if due.value[k] == face and not due.used >> k & 1:
                due.used |= 1 | 1 << k
                return True
    return False


cdef int named_copy(const State *s, int seat, int face, Chance *chance) noexcept nogil:
    # The hidden card of this face that the script says the seat plays; -1: it says nothing of it.
    cdef int i
    if chance.script != NULL:
        for i in range(s.hid_n[seat]):
            if s.hid_face[seat][i] == face and take_shown(chance, seat, s.hid_cycle[seat][i], face):
                return i
    return -1


cdef bint lay_open_named(State *s, int seat, int colour, Chance *chance, Event *event) noexcept nogil:
    # Lays a hidden card of this colour open that the script says the seat shows; false: it names none.
    cdef int i, face
    if chance.script != NULL:
        for i in range(s.hid_n[seat]):
            face = s.hid_face[seat][i]
            if colour_of(face) == colour and take_shown(chance, seat, s.hid_cycle[seat][i], face):
                lay_open(s, seat, i, event)
                return True
    return False


cdef void settle(Chance *chance) noexcept nogil:
    # A word of which only a part came true does not fit.
    cdef Script *script = chance.script
    cdef int i
    if script == NULL:
        return
    for i in range(script.count):
        if script.words[i].used and script.words[i].used != whole(&script.words[i]):
            misfit(chance)
