/* Table, int8, portable: two loads and a store an element. No restrict: the output may take the
 * input's place. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_table_s8__ref
typedef dpl_table_s8_args args;
typedef element source;

static void run(const args *a, const element *input, element *out, int32_t count) {
    const element *middle = a->table + 128;
    for (int32_t i = 0; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

#include "dpl/body/runs.h"
