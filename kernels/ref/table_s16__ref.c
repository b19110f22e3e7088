/* Table, int16, portable: between two neighbouring entries, 14 instructions an element on a
 * Cortex-M7. The difference of two entries times 127 has 24 bits. No restrict: the output may take
 * the input's place. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_table_s16__ref
typedef dpl_table_s16_args args;
typedef element source;

enum { STEP_BITS = 7 };

static void run(const args *a, const element *input, element *out, int32_t count) {
    const int16_t *table = a->table;
    for (int32_t i = 0; i < count; i++) {
        const int32_t place = input[i] - LOWEST;
        const int16_t *entry = table + (place >> STEP_BITS);
        const int32_t far = place & ((1 << STEP_BITS) - 1);
        const int32_t rise = (entry[1] - entry[0]) * far + (1 << (STEP_BITS - 1));
        out[i] = (element)(entry[0] + (rise >> STEP_BITS));
    }
}

#include "dpl/body/runs.h"
