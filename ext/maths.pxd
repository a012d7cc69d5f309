# Elementary functions that give the same bits on every machine: only +, *, exact scaling and rounding,
# so that what rests on them can be pinned by a number.

from libc.math cimport ldexp


cdef inline double exponential(double x) noexcept nogil:
    # e^x for -700 < x < 700 to about 14 digits: x = k ln 2 + r, |r| <= 0.35, and Taylor's sum for e^r.
    cdef double scaled = x * 1.4426950408889634
    cdef int k = <int>(scaled + 0.5) if scaled >= 0.0 else <int>(scaled - 0.5)
    cdef double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    cdef double total = 1.0
    cdef int i
    for i in range(12, 0, -1):
        total = 1.0 + total * r / i
    return ldexp(total, k)
