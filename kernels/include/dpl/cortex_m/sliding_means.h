/* Means along lines of outputs whose windows share most of their taps with the next one's: a body.
 * A file has what nine_means.h needs. */

#if HALVES
#define PLACE_SHIFT "1"
#else
#define PLACE_SHIFT "0"
#endif

#if defined(__ARM_FEATURE_DSP)

/* Of three times three taps, or three times two, an output has one group that is new: the sums of
 * those before stay in registers. */
#define NEXT_THREE TAKE("s") TAKE_SECOND("t") TAKE_THIRD("u") ON_GROUP
#define OF_THREES "add %[f], %[two], %[s]\n add %[two], %[last], %[s]\n mov %[last], %[s]\n"
#define ON_GROUP "add %[x], %[x], %[next]\n"
#define TO_NEXT "ldr %[t], %[to_step]\n add %[to], %[to], %[t]\n"
#define ONE_LESS "subs %[left], %[left], #256\n"
/* An output is finished beside the next one's taps: 9 cycles, 8 of pairs. */
#define SHARED_LOOP(BY, DOWN)                                                                      \
    NEXT_THREE PLUS("s", "t") PLUS("s", "u") OF_THREES ONE_LESS "bmi 2f\n1:\n" BY TAKE("s")        \
        TAKE_SECOND("t") ONE_LESS TAKE_THIRD("u")                                                  \
            ON_GROUP DOWN PLUS("s", "t") "ldr %[t], %[to_step]\n" LIMITED PLUS("s", "u")           \
                PUT OF_THREES "add %[to], %[to], %[t]\n bpl 1b\n2:\n" BY DOWN LIMITED PUT
#define SHARED_PAIRS(BY, DOWN)                                                                     \
    TAKE("s")                                                                                      \
    TAKE_SECOND("t")                                                                               \
    ON_GROUP PLUS("s", "t") OF_THREES ONE_LESS "bmi 2f\n1:\n" BY TAKE("s") TAKE_SECOND("t")        \
        ONE_LESS ON_GROUP DOWN "ldr %[u], %[to_step]\n" PLUS("s", "t") LIMITED PUT OF_THREES       \
        "add %[to], %[to], %[u]\n bpl 1b\n2:\n" BY DOWN LIMITED PUT
#define SHARED(LOOP, BY, DOWN)                                                                     \
    __asm__ volatile(LOOP(BY, DOWN)                                                                \
                     : [x] "+r"(x), [to] "+r"(to), [f] "=&r"(f), [left] "+r"(left), [s] "=&r"(s),  \
                       [t] "=&r"(t), [u] "=&r"(u), [two] "+r"(two), [last] "+r"(last)              \
                     : [tap] "r"(tap), [next] "r"(next), [to_step] "m"(to_step),                   \
                       [m] "r"(m->multiplier), [r] "r"(m->rounding)                                \
                     : "cc", "memory")
#define SHARED_MEANS(BY, DOWN)                                                                     \
    if (each == 2) {                                                                               \
        SHARED(SHARED_PAIRS, BY, DOWN);                                                            \
    } else {                                                                                       \
        SHARED(SHARED_LOOP, BY, DOWN);                                                             \
    }

/* Of three groups of `each` taps, two or three; those of a group are `tap` elements apart, groups
 * as far as outputs. */
static __attribute__((noinline)) void shared_means(const mean *m, const nine_taps *n, int32_t each,
                                                   const element *x, element *to) {
    enum { SIZE = sizeof(element) };
    const int32_t at = n->tap, tap = at * SIZE, next = n->step * SIZE, to_step = n->to_step * SIZE;
    const element *second = x + n->step;
    int32_t f, s, t, u, left = (n->count - 1) * 256 | m->shift;
    int32_t last = second[0] + second[at], two = x[0] + x[at] + last;
    if (each > 2) {
        last += second[2 * at];
        two += x[2 * at] + second[2 * at];
    }
    x = second + n->step;
#if HALVES
    if (m->requant->rule == DPL_Q32) {
        SHARED_MEANS(BY_HIGH, DOWN_HIGH);
        return;
    }
#endif
    SHARED_MEANS(BY_SHIFT, DOWN_SHIFT);
}

/* Of outputs two groups apart, of which one is shared: 12 cycles. */
#define SECOND_GROUP                                                                               \
    TAKE("v") PLUS("s", "t") TAKE_SECOND("t") PLUS("s", "u") TAKE_THIRD("u") ON_GROUP
#define TWO_GROUPS TAKE("s") TAKE_SECOND("t") TAKE_THIRD("u") ON_GROUP SECOND_GROUP
#define ADD_GROUPS                                                                                 \
    "add %[s], %[s], %[last]\n add %[v], %[v], %[t]\n add %[last], %[v], %[u]\n"                   \
    "add %[f], %[s], %[last]\n"
#define SHARED_ONE(BY, DOWN)                                                                       \
    __asm__ volatile(                                                                              \
        TWO_GROUPS ADD_GROUPS ONE_LESS "bmi 2f\n1:\n" BY TAKE("s") TAKE_SECOND("t")                \
            ONE_LESS TAKE_THIRD("u") ON_GROUP DOWN SECOND_GROUP                                    \
        "add %[s], %[s], %[last]\n" LIMITED "add %[v], %[v], %[t]\n"                               \
        "ldr %[t], %[to_step]\n add %[last], %[v], %[u]\n" PUT                                     \
        "add %[f], %[s], %[last]\n add %[to], %[to], %[t]\n bpl 1b\n2:\n" BY DOWN LIMITED PUT      \
        : [x] "+r"(x), [to] "+r"(to), [f] "=&r"(f), [left] "+r"(left), [s] "=&r"(s), [t] "=&r"(t), \
          [u] "=&r"(u), [v] "=&r"(v), [last] "+r"(last)                                            \
        : [tap] "r"(tap), [next] "r"(next), [to_step] "m"(to_step), [m] "r"(m->multiplier),        \
          [r] "r"(m->rounding)                                                                     \
        : "cc", "memory")

/* Of three groups of three taps, as shared_means; an output is two groups behind the one before. */
static __attribute__((noinline)) void means_of_two(const mean *m, const nine_taps *n,
                                                   const element *x, element *to) {
    enum { SIZE = sizeof(element) };
    const int32_t at = n->tap, tap = at * SIZE, next = n->three * SIZE, to_step = n->to_step * SIZE;
    int32_t f, s, t, u, v, left = (n->count - 1) * 256 | m->shift;
    int32_t last = x[0] + x[at] + x[2 * at];
    x += n->three;
#if HALVES
    if (m->requant->rule == DPL_Q32) {
        SHARED_ONE(BY_HIGH, DOWN_HIGH);
        return;
    }
#endif
    SHARED_ONE(BY_SHIFT, DOWN_SHIFT);
}

/* The tap behind a window, and its first one. */
#define NEW_TAP(S) LINE_LOAD " %[" S "], [%[x]]\n"
#define OLD_TAP(S) LINE_LOAD " %[" S "], [%[x], %[back]]\n"
#define NEXT_TAP "add %[x], %[x], %[tap]\n"
#define WITH(S) "add %[f], %[f], %[" S "]\n"
#define WITHOUT(S) "sub %[f], %[f], %[" S "]\n"
#define SUM_BY_SHIFT "mla %[v], %[f], %[m], %[r]\n"
#define SUM_DOWN_SHIFT "asr %[v], %[v], %[left]\n"
#define SUM_BY_HIGH "smmlar %[v], %[f], %[m], %[r]\n"
#define SUM_DOWN_HIGH ""
#define SUM_LIMITED "ssat %[v], #" LIMIT ", %[v]\n"
#define SUM_PUT LINE_STORE " %[v], [%[to]]\n"
/* The same of outputs one or two taps apart: 7 and 9 cycles. The last one slides to no other. */
#define SLIDE_BY_1(BY, DOWN)                                                                       \
    BY NEW_TAP("s") OLD_TAP("t") NEXT_TAP DOWN "subs %[left], %[left], #256\n" WITH("s")           \
        SUM_LIMITED WITHOUT("t") SUM_PUT
#define SLIDE_BY_2(BY, DOWN)                                                                       \
    BY NEW_TAP("s") OLD_TAP("t") NEXT_TAP NEW_TAP("u") WITH("s") DOWN OLD_TAP("s") WITHOUT("t")    \
        NEXT_TAP SUM_LIMITED WITH("u") "subs %[left], %[left], #256\n" WITHOUT("s") SUM_PUT
#define SLIDE(TAPS, BY, DOWN)                                                                      \
    __asm__ volatile("subs %[left], %[left], #256\n bmi 2f\n1:\n" TAPS(BY, DOWN) TO_NEXT           \
                     "bpl 1b\n2:\n" BY DOWN SUM_LIMITED SUM_PUT                                    \
                     : [x] "+r"(x), [to] "+r"(to), [f] "+r"(f), [v] "=&r"(v), [left] "+r"(left),   \
                       [s] "=&r"(s), [t] "=&r"(t), [u] "=&r"(u)                                    \
                     : [tap] "r"(tap), [back] "r"(back), [to_step] "m"(to_step),                   \
                       [m] "r"(m->multiplier), [r] "r"(m->rounding)                                \
                     : "cc", "memory")
#define SLIDE_WITH(BY, DOWN)                                                                       \
    if (twice) {                                                                                   \
        SLIDE(SLIDE_BY_2, BY, DOWN);                                                               \
    } else {                                                                                       \
        SLIDE(SLIDE_BY_1, BY, DOWN);                                                               \
    }

/* `taps` of them `n->tap` elements apart. */
static __attribute__((noinline)) void sliding_means(const mean *m, const nine_taps *n, int32_t taps,
                                                    const element *x, element *to) {
    enum { SIZE = sizeof(element) };
    const int32_t tap = n->tap * SIZE, back = -taps * tap, to_step = n->to_step * SIZE;
    const int twice = n->step != n->tap;
    int32_t f = 0, s, t, u, v, left = taps;
    for (; left > 2; left -= 3, x += 3 * n->tap) {
        f += x[0] + x[n->tap] + x[2 * n->tap];
    }
    for (; left > 0; left--, x += n->tap) {
        f += *x;
    }
    left = (n->count - 1) * 256 | m->shift;
#if HALVES
    if (m->requant->rule == DPL_Q32) {
        SLIDE_WITH(SUM_BY_HIGH, SUM_DOWN_HIGH);
        return;
    }
#endif
    SLIDE_WITH(SUM_BY_SHIFT, SUM_DOWN_SHIFT);
}

/* Sums of four outputs, so far apart, of the taps from `at` to `end`: 7 cycles a tap, of which the
 * next one's place is loaded beside it. */
static inline void four_sums(const int32_t *at, const int32_t *end, int32_t step, const element *x,
                             int32_t *sums) {
    enum { SIZE = sizeof(element) };
    const int32_t one = step * SIZE, three = 3 * one;
    const element *p = x + *at++;
    int32_t a = 0, b = 0, c = 0, d = 0, t, u, v;
    __asm__ volatile(
        "1:\n " LINE_LOAD " %[t], [%[p]]\n cmp %[at], %[end]\n " LINE_LOAD
        " %[u], [%[p], %[one]]\n ldr %[v], [%[at]], #4\n add %[a], %[a], %[t]\n " LINE_LOAD
        " %[t], [%[p], %[one], lsl #1]\n add %[b], %[b], %[u]\n " LINE_LOAD
        " %[u], [%[p], %[three]]\n add %[c], %[c], %[t]\n "
        "add %[p], %[x], %[v], lsl #" PLACE_SHIFT "\n add %[d], %[d], %[u]\n bne 1b\n"
        : [at] "+r"(at), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [t] "=&r"(t),
          [u] "=&r"(u), [v] "=&r"(v), [p] "+r"(p)
        : [x] "r"(x), [one] "r"(one), [three] "r"(three), [end] "r"(end)
        : "cc", "memory");
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

#else

static int32_t spread_sum(int32_t taps, int32_t tap, const element *x) {
    int32_t sum = 0;
    for (int32_t t = 0; t < taps; t++) {
        sum += x[t * tap];
    }
    return sum;
}

static element finished_mean(const mean *m, int32_t sum) {
    return (element)SATURATE(HALVES && m->requant->rule == DPL_Q32
                                 ? scale_high(sum, m->multiplier, m->rounding)
                                 : (sum * m->multiplier + m->rounding) >> m->shift);
}

static void shared_means(const mean *m, const nine_taps *n, int32_t each, const element *x,
                         element *to) {
    for (int32_t i = 0; i < n->count; i++, x += n->step, to += n->to_step) {
        *to = finished_mean(m, spread_sum(each, n->tap, x) + spread_sum(each, n->tap, x + n->step) +
                                   spread_sum(each, n->tap, x + 2 * n->step));
    }
}

static void means_of_two(const mean *m, const nine_taps *n, const element *x, element *to) {
    for (int32_t i = 0; i < n->count; i++, x += n->step, to += n->to_step) {
        *to = finished_mean(m, spread_sum(3, n->tap, x) + spread_sum(3, n->tap, x + n->three) +
                                   spread_sum(3, n->tap, x + 2 * n->three));
    }
}

static void sliding_means(const mean *m, const nine_taps *n, int32_t taps, const element *x,
                          element *to) {
    for (int32_t i = 0; i < n->count; i++, x += n->step, to += n->to_step) {
        *to = finished_mean(m, spread_sum(taps, n->tap, x));
    }
}

static void four_sums(const int32_t *at, const int32_t *end, int32_t step, const element *x,
                      int32_t *sums) {
    for (int32_t i = 0; i < 4; i++, x += step) {
        sums[i] = 0;
        for (const int32_t *one = at; one != end; one++) {
            sums[i] += x[*one];
        }
    }
}

#endif
