/* Is there a packing of a given height? A search over canonical packings; ../search.py says how.
 * ../canonical.py does the same in Python, node by node. */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stdint.h>

#define CANONICAL_API __attribute__((visibility("default")))

/* Buffer i takes size[i] > 0 bytes in the sections [first[i], end[i]); span[i] is its lifetime.
 * twin[i] is the buffer before i of the same size and sections, or -1. budget: the nodes of all
 * runs together, for the room that is made for failures. */
typedef struct {
    int32_t count;
    int32_t sections;
    const int32_t *first;
    const int32_t *end;
    const int32_t *twin;
    const int64_t *size;
    const int64_t *span;
    int64_t height;
    int64_t budget;
} canonical_task;

typedef enum { CANONICAL_NONE = 0, CANONICAL_FOUND = 1, CANONICAL_CUT = 2 } canonical_end;

typedef struct canonical_state canonical_state;

/* NULL when there is no memory. The task's arrays must outlive the search. */
CANONICAL_API canonical_state *canonical_new(const canonical_task *task);
CANONICAL_API void canonical_free(canonical_state *state);

/* From the start, with what earlier runs learned. order: three letters of W (lifetime), A (lifetime
 * times size), T (fullest section) and B (blame of its sections), the largest first. FOUND fills
 * offsets; CUT means that limit nodes did not tell. nodes gets the number visited. */
CANONICAL_API canonical_end canonical_run(canonical_state *state, const char *order, int64_t limit,
                                          int64_t *offsets, int64_t *nodes);

/* After NONE: no packing is lower than this. */
CANONICAL_API int64_t canonical_least(const canonical_state *state);

#endif
