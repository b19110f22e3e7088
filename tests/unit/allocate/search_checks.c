/* A search from numbers on standard input, for a build that watches memory and arithmetic:
 * height, budget, limit, runs, sections, count, then first, end, twin, size and span of each
 * buffer. Prints the end and nodes of each run, the least height and the offsets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "canonical.h"

static const char *const ORDERS[] = {"WAT", "TAW", "TWA", "BAW"};

static int64_t number(void) {
    int64_t value;
    if (scanf("%" SCNd64, &value) != 1)
        exit(2);
    return value;
}

int main(void) {
    canonical_task task = {.height = number(), .budget = number()};
    int64_t limit = number(), runs = number();
    task.sections = (int32_t)number();
    task.count = (int32_t)number();
    size_t room = (size_t)task.count + 1;
    int32_t *first = calloc(room, 4), *end = calloc(room, 4), *twin = calloc(room, 4);
    int64_t *size = calloc(room, 8), *span = calloc(room, 8), *offsets = calloc(room, 8);
    for (int32_t i = 0; i < task.count; i++) {
        first[i] = (int32_t)number();
        end[i] = (int32_t)number();
        twin[i] = (int32_t)number();
        size[i] = number();
        span[i] = number();
    }
    task.first = first, task.end = end, task.twin = twin, task.size = size, task.span = span;
    canonical_state *state = canonical_new(&task);
    if (!state)
        return 3;
    canonical_end last = CANONICAL_NONE;
    for (int64_t run = 0; run < runs; run++) {
        int64_t nodes = 0;
        last = canonical_run(state, ORDERS[run % 4], limit << run / 4, offsets, &nodes);
        printf("%d %" PRId64 "\n", last, nodes);
    }
    printf("%" PRId64 "\n", canonical_least(state));
    for (int32_t i = 0; i < task.count && last == CANONICAL_FOUND; i++)
        printf("%" PRId64 "\n", offsets[i]);
    canonical_free(state);
    free(first), free(end), free(twin), free(size), free(span), free(offsets);
    return 0;
}
