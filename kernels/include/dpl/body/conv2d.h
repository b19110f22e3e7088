/* Conv2d: sums begin with the bias and are requantized at once. */
#include "dpl/body/dot.h"
#include "dpl/body/requant.h"

typedef element *restrict results;
#define results_of row_of

static inline const int32_t *start_of(const args *a, int32_t y) {
    (void)y;
    return a->bias;
}

static inline int32_t start_step(const args *a) {
    (void)a;
    return 0;
}

static inline void put_sums(const args *a, const int32_t *acc, int32_t channel, int32_t count,
                            results out) {
    requantize_block(&a->requant, acc, channel, count, out);
}

#include "dpl/body/conv2d_rows.h"
