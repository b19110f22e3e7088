/* Outputs of one channel that are products of one to three words next to each other, as of a 1x1 of
 * a group of few channels: weights, bias and multiplier stay in registers, so that two outputs take
 * 9, 13 or 15 cycles where a block of direct_block.h takes 18 to 23. */
#ifndef DPL_CORTEX_M_DIRECT_POINTS_H
#define DPL_CORTEX_M_DIRECT_POINTS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/direct_plan.h"

/* `pairs` of windows, `step` bytes apart, and their outputs, `apart` bytes apart. */
typedef struct {
    const char *x;
    int16_t *out;
    int32_t step, apart, pairs;
    uint32_t w[MOST_POINT_WORDS];
    int32_t bias, multiplier;
} point_job;

#if defined(__ARM_FEATURE_DSP)

/* Products of two windows, beside which the next two are loaded. */
#define SECOND_WORD "ldr %[x1], [%[x], #4]\n"
#define SECOND_WINDOW "ldr %[x1], [%[x], %[step]]\n"
#define NEXT_POINT "add %[x], %[x], %[step]\n"
#define POINTS_1                                                                                   \
    "smlad %[s0], %[x0], %[w0], %[bias]\n add %[x], %[x], %[step], lsl #1\n"                       \
    "smlad %[s1], %[x1], %[w0], %[bias]\n ldr %[x0], [%[x]]\n" HIGH_WORD("s0", "m") SECOND_WINDOW
#define POINT_2(S)                                                                                 \
    "smlad %[" S "], %[x0], %[w0], %[bias]\n " NEXT_POINT "smlad %[" S "], %[x1], %[w1], %[" S     \
    "]\n ldr %[x0], [%[x]]\n" SECOND_WORD
#define POINTS_2 POINT_2("s0") POINT_2("s1") HIGH_WORD("s0", "m")
#define POINT_3(S)                                                                                 \
    "smlad %[" S "], %[x0], %[w0], %[bias]\n ldr %[x0], [%[x], #8]\n " NEXT_POINT "smlad %[" S     \
    "], %[x1], %[w1], %[" S "]\n" SECOND_WORD "smlad %[" S "], %[x0], %[w2], %[" S                 \
    "]\n ldr %[x0], [%[x]]\n"
#define POINTS_3 POINT_3("s0") POINT_3("s1") HIGH_WORD("s0", "m")

#define TWO_POINTS(SECOND, PRODUCTS, LIMIT)                                                        \
    "ldr %[x0], [%[x]]\n" SECOND "1:\n" PRODUCTS HIGH_WORD("s1", "m") COUNT_POINTS LIMIT("s0")     \
        LIMIT("s1") PUT("s0", "%[out]") PUT("s1", "%[out], %[apart]") NEXT_OUTPUTS
#define COUNT_POINTS "subs %[pairs], %[pairs], #1\n nop\n"
#define NEXT_OUTPUTS "add %[out], %[out], %[apart], lsl #1\n bne 1b\n"

#define POINTS(NAME, TEXT, ...)                                                                    \
    static void NAME(const point_job *j) {                                                         \
        const char *x = j->x;                                                                      \
        int16_t *out = j->out;                                                                     \
        int32_t pairs = j->pairs, s0, s1;                                                          \
        uint32_t x0, x1;                                                                           \
        __asm__ volatile(TEXT                                                                      \
                         : [x] "+r"(x), [out] "+r"(out), [pairs] "+r"(pairs), [s0] "=&r"(s0),      \
                           [s1] "=&r"(s1), [x0] "=&r"(x0), [x1] "=&r"(x1)                          \
                         : [step] "r"(j->step), [apart] "r"(j->apart), [bias] "r"(j->bias),        \
                           [m] "r"(j->multiplier), __VA_ARGS__                                     \
                         : "cc", "memory");                                                        \
    }

#define WORDS_1 [w0] "r"(j->w[0])
#define WORDS_2 WORDS_1, [w1] "r"(j->w[1])
#define WORDS_3 WORDS_2, [w2] "r"(j->w[2])
POINTS(points_1, TWO_POINTS(SECOND_WINDOW, POINTS_1, AS_TYPE), WORDS_1)
POINTS(points_2, TWO_POINTS(SECOND_WORD, POINTS_2, AS_TYPE), WORDS_2)
POINTS(points_3, TWO_POINTS(SECOND_WORD, POINTS_3, AS_TYPE), WORDS_3)
POINTS(relu_points_1, TWO_POINTS(SECOND_WINDOW, POINTS_1, AS_RELU), WORDS_1)
POINTS(relu_points_2, TWO_POINTS(SECOND_WORD, POINTS_2, AS_RELU), WORDS_2)
POINTS(relu_points_3, TWO_POINTS(SECOND_WORD, POINTS_3, AS_RELU), WORDS_3)

static inline void run_points(const point_job *j, int32_t words, direct_ending ending) {
    void (*const run)(const point_job *) = words == 1 ? (ending == RELU ? relu_points_1 : points_1)
                                           : words == 2
                                               ? (ending == RELU ? relu_points_2 : points_2)
                                               : (ending == RELU ? relu_points_3 : points_3);
    run(j);
}

#else

static inline void run_points(const point_job *j, int32_t words, direct_ending ending) {
    const int32_t least = ending == RELU ? 0 : INT16_MIN;
    for (int32_t i = 0; i < 2 * j->pairs; i++) {
        int32_t sum = j->bias;
        for (int32_t n = 0; n < words; n++) {
            sum = dual_mac(j->w[n], load_word(j->x + i * j->step + 4 * n), sum);
        }
        j->out[i * j->apart / (int32_t)sizeof *j->out] =
            (int16_t)dpl_clamp(scale_high(sum, j->multiplier, 0), least, INT16_MAX);
    }
}

#endif

/* Of points most windows, channel after channel: others are left, which no load of the next pair
 * goes beyond. Returns how many are left. */
static inline int32_t put_points(const plan *p, direct_job *j, int32_t count, int is_pair) {
    const int32_t pairs = (count - (is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS)) / 2;
    if (p->point == 0 || pairs < FEWEST_POINT_PAIRS) {
        return count;
    }
    const uint32_t *const w = j->piece, *const multipliers = w + PIECE_ENDS + j->words;
    point_job job = {j->x, j->out, j->step, j->apart, pairs, {0, 0, 0}, 0, 0};
    for (int32_t second = 0; second <= is_pair; second++, job.out++) {
        for (int32_t n = 0; n < p->point; n++) {
            const uint32_t word = w[PIECE_ENDS + n];
            job.w[n] = second ? odd_bytes(word) : even_bytes(word);
        }
        job.bias = (int32_t)w[second];
        job.multiplier = (int32_t)multipliers[second];
        run_points(&job, p->point, j->ending);
    }
    j->x += 2 * pairs * j->step;
    j->out += 2 * pairs * (j->apart / (int32_t)sizeof(element));
    return count - 2 * pairs;
}

#endif
