/* Means of windows of two to four taps, output by output, whatever lies between them: a body. A
 * file has `element`, HALVES, and of its type the mnemonics LINE_LOAD and LINE_STORE, the BYTES of
 * an element and the bits of LIMIT. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/near_taps.h"
#include "dpl/cortex_m/simd.h"

/* Lines of `count` outputs, so many elements apart as their inputs, and so the lines. */
typedef struct {
    const element *from;
    element *to;
    int32_t step, to_step, count;
    run_rows lines;
} mean_lines;

#if defined(__ARM_FEATURE_DSP)

/* How sums become outputs, and what lies between taps, between outputs and from behind a line to
 * the next one, in bytes. */
typedef struct {
    int32_t multiplier, rounding, left, at[NEAR_TAPS - 1], step, to_step, next, to_next;
} near_steps;

/* No product is beside a store, and ssat is the older of its pair. A load is not beside another,
 * whose bank may be the same. Of NEXT neighbours the first tap's load moves on, and other places
 * count from there. */
#define TAKE(S, AT) LINE_LOAD " %[" S "], [%[x], %[" AT "]]\n"
#define PLUS(S, A, B) "add %[" S "], %[" A "], %[" B "]\n"
#define LIMITED(S) "ssat %[" S "], #" LIMIT ", %[" S "]\n"
#define LESS_TURNS "subs %[left], %[left], #512\n"
#define MUL_I32(S) "mla %[" S "], %[" S "], %[m], %[r]\n"
#define DOWN_I32(S) "asr %[" S "], %[" S "], %[left]\n"
#define MUL_HIGH(S) "smmlar %[" S "], %[" S "], %[m], %[r]\n"
#define DOWN_HIGH(S) ""
#define FIRST_NEXT(S) LINE_LOAD " %[" S "], [%[x]], #" BYTES "\n"
#define MOVED_NEXT ""
#define PUT_NEXT(S) LINE_STORE " %[" S "], [%[out]], #" BYTES "\n"
#define FIRST_APART(S) LINE_LOAD " %[" S "], [%[x]]\n"
#define MOVED_APART "add %[x], %[x], %[step]\n"
#define PUT_B_APART LINE_STORE " %[b], [%[out]]\n"
#define PUT_A_APART LINE_STORE " %[a], [%[out], %[to]]\n add %[out], %[out], %[to], lsl #1\n"

/* Neighbours: two outputs are finished in a turn of the loop, while the next two are summed: 4
 * to 6.5 cycles an output. */
#define NEXT_OF_2(BY)                                                                              \
    MUL_##BY("a") FIRST_NEXT("c") MUL_##BY("b") TAKE("t", "second") LESS_TURNS FIRST_NEXT("d")     \
        DOWN_##BY("a") TAKE("u", "second") DOWN_##BY("b") LIMITED("a") LIMITED("b") PUT_NEXT("a")  \
            PLUS("a", "c", "t") PUT_NEXT("b") PLUS("b", "d", "u")
#define NEXT_OF_3(BY)                                                                              \
    MUL_##BY("a") FIRST_NEXT("c") MUL_##BY("b") TAKE("t", "second") LESS_TURNS TAKE("u", "third")  \
        DOWN_##BY("a") PLUS("c", "c", "t") DOWN_##BY("b") FIRST_NEXT("d") LIMITED("a")             \
            TAKE("t", "second") LIMITED("b") PLUS("c", "c", "u") TAKE("u", "third") PUT_NEXT("a")  \
                PLUS("d", "d", "t") "mov %[a], %[c]\n" PUT_NEXT("b") PLUS("b", "d", "u")
#define NEXT_OF_4(BY)                                                                              \
    MUL_##BY("a") FIRST_NEXT("c") MUL_##BY("b") TAKE("t", "second") LESS_TURNS TAKE("u", "third")  \
        DOWN_##BY("a") PLUS("c", "c", "t") DOWN_##BY("b") TAKE("t", "fourth") LIMITED("a")         \
            PLUS("c", "c", "u") LIMITED("b") FIRST_NEXT("d") PUT_NEXT("a") PLUS("a", "c", "t")     \
                TAKE("t", "second") PUT_NEXT("b") TAKE("u", "third") PLUS("d", "d", "t")           \
                    TAKE("t", "fourth") PLUS("d", "d", "u") PLUS("b", "d", "t")
/* Others: in a turn b is finished, of the sum that the turn before left, a is made, and the sum of
 * the next b: 6 to 7 cycles an output, of which a's product, shift, limit and store take two each.
 */
#define APART_OF_2(BY)                                                                             \
    MUL_##BY("b") FIRST_APART("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b")                   \
        MOVED_APART PLUS("a", "a", "t") FIRST_APART("u") LIMITED("b") MUL_##BY("a")                \
            TAKE("t", "second") DOWN_##BY("a") PUT_B_APART PLUS("b", "u", "t")                     \
                MOVED_APART LIMITED("a") PUT_A_APART
#define APART_OF_3(BY)                                                                             \
    MUL_##BY("b") FIRST_APART("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b")                   \
        TAKE("u", "third") MOVED_APART PLUS("a", "a", "t") LIMITED("b") PLUS("a", "a", "u")        \
            MUL_##BY("a") FIRST_APART("t") PUT_B_APART TAKE("u", "second") DOWN_##BY("a")          \
                TAKE("b", "third") MOVED_APART PLUS("t", "t", "u") LIMITED("a")                    \
                    PLUS("b", "b", "t") PUT_A_APART
#define APART_OF_4(BY)                                                                             \
    MUL_##BY("b") FIRST_APART("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b")                   \
        TAKE("u", "third") PLUS("a", "a", "t") TAKE("t", "fourth") LIMITED("b")                    \
            PLUS("a", "a", "u") MOVED_APART PLUS("a", "a", "t") MUL_##BY("a") FIRST_APART("t")     \
                PUT_B_APART TAKE("u", "second") DOWN_##BY("a") TAKE("b", "third")                  \
                    PLUS("t", "t", "u") TAKE("u", "fourth") LIMITED("a") PLUS("b", "b", "t")       \
                        MOVED_APART PLUS("b", "b", "u") PUT_A_APART
#define SUM_OF_2(TO, S) FIRST_##TO(S) TAKE("t", "second") MOVED_##TO PLUS(S, S, "t")
#define SUM_OF_3(TO, S)                                                                            \
    FIRST_##TO(S) TAKE("t", "second") TAKE("u", "third") MOVED_##TO PLUS(S, S, "t") PLUS(S, S, "u")
#define SUM_OF_4(TO, S)                                                                            \
    FIRST_##TO(S) TAKE("t", "second") TAKE("u", "third") PLUS(S, S, "t") TAKE("t", "fourth")       \
        MOVED_##TO                                                                                 \
        PLUS(S, S, "u") PLUS(S, S, "t")
#define FINISHED(BY, S) MUL_##BY(S) DOWN_##BY(S) LIMITED(S)

/* The first sums of a line of neighbours, and its last two outputs, by turns, so that neither waits
 * for its own: 8 cycles each. */
#define FIRST_TWO_OF_2                                                                             \
    FIRST_NEXT("a")                                                                                \
    TAKE("t", "second") FIRST_NEXT("b") TAKE("u", "second") PLUS("a", "a", "t") PLUS("b", "b", "u")
#define FIRST_TWO_OF_3                                                                             \
    FIRST_NEXT("a")                                                                                \
    TAKE("t", "second")                                                                            \
    TAKE("u", "third")                                                                             \
    FIRST_NEXT("b")                                                                                \
    PLUS("a", "a", "t")                                                                            \
    TAKE("t", "second")                                                                            \
    PLUS("a", "a", "u") TAKE("u", "third") PLUS("b", "b", "t") PLUS("b", "b", "u")
#define FIRST_TWO_OF_4                                                                             \
    FIRST_NEXT("a")                                                                                \
    TAKE("t", "second")                                                                            \
    TAKE("u", "third")                                                                             \
    PLUS("a", "a", "t")                                                                            \
    TAKE("t", "fourth")                                                                            \
    FIRST_NEXT("b")                                                                                \
    PLUS("a", "a", "u")                                                                            \
    TAKE("u", "second")                                                                            \
    PLUS("a", "a", "t")                                                                            \
    TAKE("t", "third")                                                                             \
    PLUS("b", "b", "u") TAKE("u", "fourth") PLUS("b", "b", "t") PLUS("b", "b", "u")
#define FINISHED_TWO(BY)                                                                           \
    MUL_##BY("a") MUL_##BY("b") DOWN_##BY("a") DOWN_##BY("b") LIMITED("a") LIMITED("b")

#define NEXT_LINE(COUNT, BY)                                                                       \
    "cmn %[left], #512\n blt 4f\n" FIRST_TWO_OF_##COUNT                                            \
        "cmp %[left], #0\n blt 2f\n1:\n" NEXT_OF_##COUNT(BY) "bpl 1b\n2:\n" FINISHED_TWO(BY)       \
            PUT_NEXT("a")                                                                          \
                PUT_NEXT("b") "4: tst %[left], #256\n beq 3f\n" SUM_OF_##COUNT(NEXT, "a")          \
                    FINISHED(BY, "a") PUT_NEXT("a") "3:\n"
/* The last output, or the last two by turns. */
#define LAST_TWO_APART(COUNT, BY)                                                                  \
    MUL_##BY("b") SUM_OF_##COUNT(APART, "a") DOWN_##BY("b") LIMITED("b") MUL_##BY("a")             \
        PUT_B_APART DOWN_##BY("a") LIMITED("a") LINE_STORE " %[a], [%[out], %[to]]\n"
#define LAST_ONE "b 3f\n4:\n"
#define APART_LINE(COUNT, BY)                                                                      \
    SUM_OF_##COUNT(APART, "b") "cmp %[left], #0\n blt 2f\n1:\n" APART_OF_##COUNT(                  \
        BY) "bpl 1b\n2:\n tst %[left], #256\n beq 4f\n" LAST_TWO_APART(COUNT, BY) LAST_ONE         \
    FINISHED(BY, "b") PUT_B_APART "3:\n"
#define MORE_NEXT , [c] "=&r"(c), [d] "=&r"(d)
#define MORE_APART
#define STEPS_NEXT(N)
#define STEPS_APART(N) , [step] "r"((N)->step), [to] "r"((N)->to_step)
#define REGISTERS_NEXT a, b, t, u, c, d
#define REGISTERS_APART a, b, t, u

/* Lines of few outputs are most of some pools: from one to the next take 6 cycles. */
#define LINE(NAME, COUNT, BY, TO)                                                                  \
    static __attribute__((noinline)) void NAME(const near_steps *n, const mean_lines *l) {         \
        const int32_t begin = n->left, next = n->next, to_next = n->to_next;                       \
        const element *x = l->from;                                                                \
        element *out = l->to;                                                                      \
        int32_t lines = l->lines.count, left, REGISTERS_##TO;                                      \
        __asm__ volatile("5:\n ldr %[left], %[begin]\n" TO##_LINE(                                 \
                             COUNT, BY) "ldr %[a], %[lines]\n ldr %[t], %[next]\n"                 \
                                        "ldr %[u], %[to_next]\n subs %[a], %[a], #1\n"             \
                                        "add %[x], %[x], %[t]\n str %[a], %[lines]\n"              \
                                        "add %[out], %[out], %[u]\n bne 5b\n"                      \
                         : [x] "+r"(x), [out] "+r"(out), [left] "=&r"(left), [a] "=&r"(a),         \
                           [b] "=&r"(b), [t] "=&r"(t), [u] "=&r"(u), [lines] "+m"(lines)MORE_##TO  \
                         : [m] "r"(n->multiplier), [r] "r"(n->rounding), [second] "r"(n->at[0]),   \
                           [third] "r"(n->at[1]), [fourth] "r"(n->at[2]), [begin] "m"(begin),      \
                           [next] "m"(next), [to_next] "m"(to_next)STEPS_##TO(n)                   \
                         : "cc", "memory");                                                        \
    }

LINE(two_next, 2, I32, NEXT)
LINE(two_apart, 2, I32, APART)
LINE(three_next, 3, I32, NEXT)
LINE(three_apart, 3, I32, APART)
LINE(four_next, 4, I32, NEXT)
LINE(four_apart, 4, I32, APART)
#if HALVES
LINE(two_high_next, 2, HIGH, NEXT)
LINE(two_high_apart, 2, HIGH, APART)
LINE(three_high_next, 3, HIGH, NEXT)
LINE(three_high_apart, 3, HIGH, APART)
LINE(four_high_next, 4, HIGH, NEXT)
LINE(four_high_apart, 4, HIGH, APART)
#endif

typedef void near_line(const near_steps *, const mean_lines *);

static inline near_line *near_line_of(int32_t taps, int apart, int high) {
    static near_line *const lines[][NEAR_TAPS - 1][2] = {
        {{two_next, two_apart}, {three_next, three_apart}, {four_next, four_apart}},
#if HALVES
        {{two_high_next, two_high_apart},
         {three_high_next, three_high_apart},
         {four_high_next, four_high_apart}},
#endif
    };
    return lines[high][taps - 2][apart];
}

/* Lines, and the loop that makes them. */
typedef struct {
    near_line *run;
    near_steps steps;
    mean_lines lines;
} near_job;

static inline void make_lines(const near_job *job) {
    job->run(&job->steps, &job->lines);
}

/* A shift by register looks at the lowest byte alone: above it lies whether there is one output
 * more than those of all turns and the one they leave, then how many turns are left. */
static void plan_lines(const mean *m, const near_taps *near, const mean_lines *l, near_job *job) {
    enum { SIZE = sizeof(element) };
    const int apart = l->step != 1 || l->to_step != 1;
    const int32_t *at = near->at, moved = apart ? 0 : 1, rest = apart ? l->count - 1 : l->count;
    const int32_t turns = rest / 2 - moved, passed = apart ? rest & ~1 : rest;
    job->run = near_line_of(near->count, apart, m->requant->rule == DPL_Q32);
    job->lines = *l;
    job->steps =
        (near_steps){m->multiplier,
                     m->rounding,
                     (turns - 1) * 512 | (rest & 1) << 8 | m->shift,
                     {(at[0] - moved) * SIZE, (at[1] - moved) * SIZE, (at[2] - moved) * SIZE},
                     l->step * SIZE,
                     l->to_step * SIZE,
                     (l->lines.from_step - l->count * l->step) * SIZE,
                     (l->lines.to_step - passed * l->to_step) * SIZE};
}

#else

static inline element near_mean(const mean *m, const near_taps *near, const element *x) {
    int32_t sum = *x;
    for (int32_t t = 0; t + 1 < near->count; t++) {
        sum += x[near->at[t]];
    }
    return (element)SATURATE(m->requant->rule == DPL_Q32
                                 ? scale_high(sum, m->multiplier, m->rounding)
                                 : (sum * m->multiplier + m->rounding) >> m->shift);
}

typedef struct {
    const mean *m;
    const near_taps *near;
    mean_lines lines;
} near_job;

static void plan_lines(const mean *m, const near_taps *near, const mean_lines *l, near_job *job) {
    *job = (near_job){m, near, *l};
}

static void make_lines(const near_job *job) {
    const mean_lines *l = &job->lines;
    for (int32_t n = 0; n < l->lines.count; n++) {
        const element *from = l->from + n * l->lines.from_step;
        element *to = l->to + n * l->lines.to_step;
        for (int32_t i = 0; i < l->count; i++) {
            to[i * l->to_step] = near_mean(job->m, job->near, from + i * l->step);
        }
    }
}

#endif
