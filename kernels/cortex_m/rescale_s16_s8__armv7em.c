/* Rescale, int16 to int8: by the rules i32 and shift four elements at a time, read before the first
 * is written. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/affine.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16_s8__armv7em
typedef dpl_rescale_s16_s8_args args;
typedef int16_t source;

static void run(const args *a, const source *input, element *out, int32_t count) {
    int32_t i = 0;
    if (is_affine(&a->requant, LOWEST, HIGHEST)) {
        const affine f = affine_of(&a->requant);
        for (; i + 4 <= count; i += 4) {
            const uint32_t pair = load_word(input + i), next = load_word(input + i + 2);
            out[i] = (int8_t)saturate8(affine_value(&f, (int16_t)pair));
            out[i + 1] = (int8_t)saturate8(affine_value(&f, (int32_t)pair >> 16));
            out[i + 2] = (int8_t)saturate8(affine_value(&f, (int16_t)next));
            out[i + 3] = (int8_t)saturate8(affine_value(&f, (int32_t)next >> 16));
        }
    }
    for (; i < count; i++) {
        out[i] = (int8_t)dpl_requantize(&a->requant, input[i], 0);
    }
}

#include "dpl/body/runs.h"
