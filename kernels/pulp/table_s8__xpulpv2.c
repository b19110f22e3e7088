/* Table of int8: four loads of it a word. No restrict: the output may take the input's place. */
#include "dpl/elementwise.h"

#include "dpl/pulp/table.h"

#define KERNEL dpl_table_s8__xpulpv2
typedef dpl_table_s8_args args;

static void run(const args *a, const int8_t *input, int8_t *out, int32_t count) {
    const int8_t *middle = a->table + 128;
    if (count >= 8) {
        dpl_table_words(input, out, middle, count >> 2);
    }
    for (int32_t i = count >= 8 ? count & ~3 : 0; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

#include "dpl/pulp/unary.h"
