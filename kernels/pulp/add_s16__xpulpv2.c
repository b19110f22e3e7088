/* Add and Sub of int16, four elements at a time. No restrict: the output may take an input's place.
 */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"
#include "dpl/pulp/add.h"

#define KERNEL dpl_add_s16__xpulpv2
typedef dpl_add_s16_args args;

static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    dpl_add_run r = {(const int8_t *)left,
                     (const int8_t *)right,
                     (int8_t *)out,
                     count >> 2,
                     {a->multiplier[0], a->multiplier[1]},
                     a->rounding,
                     a->shift,
                     (uint32_t)a->low,
                     (uint32_t)a->high};
    if (r.words > 0) {
        dpl_add_halves(&r);
    }
    for (int32_t i = 4 * r.words; i < count; i++) {
        const int32_t sum = left[i] * a->multiplier[0] + right[i] * a->multiplier[1] + a->rounding;
        out[i] = (element)dpl_clamp(sum >> a->shift, a->low, a->high);
    }
}

#include "dpl/body/add_rows.h"
