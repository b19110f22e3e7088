/* The largest or smallest of windows of two to four taps, a word or an element of outputs after the
 * other, whatever lies between them: a body. A file has what extreme_turns.h needs. */
#include "dpl/cortex_m/extreme_turns.h"

#if defined(__ARM_FEATURE_DSP)

LINE(two_next, 2, ONE, NEXT)
LINE(two_apart, 2, ONE, APART)
LINE(three_next, 3, ONE, NEXT)
LINE(three_apart, 3, ONE, APART)
LINE(four_next, 4, ONE, NEXT)
LINE(four_apart, 4, ONE, APART)
LINE(two_words_next, 2, WORD, NEXT)
LINE(two_words_apart, 2, WORD, APART)
LINE(three_words_next, 3, WORD, NEXT)
LINE(three_words_apart, 3, WORD, APART)
LINE(four_words_next, 4, WORD, NEXT)
LINE(four_words_apart, 4, WORD, APART)

typedef void near_line(const near_steps *, const line_shape *);

static inline near_line *near_line_of(int32_t taps, int apart, int words) {
    static near_line *const lines[2][NEAR_TAPS - 1][2] = {
        {{two_next, two_apart}, {three_next, three_apart}, {four_next, four_apart}},
        {{two_words_next, two_words_apart},
         {three_words_next, three_words_apart},
         {four_words_next, four_words_apart}},
    };
    return lines[words][taps - 2][apart];
}

/* Lines, and the loop that makes them. */
typedef struct {
    near_line *run;
    near_steps steps;
    line_shape lines;
} near_job;

static inline void make_lines(const near_job *job) {
    job->run(&job->steps, &job->lines);
}

static void plan_lines(const near_taps *near, const line_shape *l, near_job *job) {
    const int apart = l->step != l->size || l->to_step != l->size;
    job->run = near_line_of(near->count, apart, l->size > 1);
    job->lines = *l;
    job->steps = steps_of(near->at, l);
}

#else

static inline element near_best(const near_taps *near, const element *x) {
    element best = *x;
    for (int32_t t = 0; t + 1 < near->count; t++) {
        const element other = x[near->at[t]];
        best = BETTER(best, other) ? best : other;
    }
    return best;
}

typedef struct {
    near_taps near;
    line_shape lines;
} near_job;

static void plan_lines(const near_taps *near, const line_shape *l, near_job *job) {
    job->near = *near;
    job->lines = *l;
}

static void make_lines(const near_job *job) {
    const line_shape *l = &job->lines;
    for (int32_t n = 0; n < l->lines.count; n++) {
        const element *from = l->from + n * l->lines.from_step;
        element *to = l->to + n * l->lines.to_step;
        for (int32_t i = 0; i < l->count * l->size; i++) {
            const int32_t output = i / l->size, c = i % l->size;
            to[output * l->to_step + c] = near_best(&job->near, from + output * l->step + c);
        }
    }
}

#endif
