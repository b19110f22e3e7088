/* Rescale, int8 to int16: by the rules i32 and shift four elements at a time. They are read before
 * the first is written, as the rest are one by one: the output may begin before the input. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/affine.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8_s16__armv7em
typedef dpl_rescale_s8_s16_args args;
typedef int8_t source;

static void store_pair(int16_t *at, const affine *f, int32_t first, int32_t second) {
    const uint32_t pair = low_halves((uint32_t)saturate16(affine_value(f, first)),
                                     (uint32_t)saturate16(affine_value(f, second)));
    __builtin_memcpy(at, &pair, sizeof pair);
}

static void run(const args *a, const source *input, element *out, int32_t count) {
    int32_t i = 0;
    if (is_affine(&a->requant, LOWEST, HIGHEST)) {
        const affine f = affine_of(&a->requant);
        for (; i + 4 <= count; i += 4) {
            const uint32_t word = load_word(input + i);
            store_pair(out + i, &f, (int8_t)word, (int8_t)(word >> 8));
            store_pair(out + i + 2, &f, (int8_t)(word >> 16), (int32_t)word >> 24);
        }
    }
    for (; i < count; i++) {
        out[i] = (int16_t)dpl_requantize(&a->requant, input[i], 0);
    }
}

#include "dpl/body/runs.h"
