/* What is placed, what waits, and how low each waiting buffer can lie. */
#ifndef CANONICAL_STATE_H
#define CANONICAL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canonical.h"
#include "seen.h"

/* A buffer before a change. */
struct note {
    int32_t buffer;
    bool postponed;
    int64_t rests;
    int64_t floor;
};

struct mark {
    size_t notes;
    size_t placed;
};

/* By buffer: rests is its offset once placed, before that where it comes to rest on what is placed
 * below. A postponed buffer is not taken there, so another must come below it: floor is the lowest
 * end of those that can, for others it is rests. By section: left sums the sizes that wait. */
struct canonical_state {
    canonical_task task;
    int64_t *rests;
    int64_t *floor;
    bool *waiting;
    bool *postponed;
    int32_t *near_begin;
    int32_t *near;
    int32_t *member_begin;
    int32_t *member;
    int64_t *left;
    int64_t *blame;
    int32_t *reach;
    bool *dirty;
    struct note *notes;
    int32_t *placed;
    int32_t *lists;
    int64_t (*keys)[3];
    struct mark at;
    size_t listed;
    struct seen seen;
    int64_t least;
    int64_t nodes;
    int64_t limit;
    const char *order;
};

/* Everything waits on the ground again; blame, failures and the least height stay. */
void state_reset(canonical_state *state);

/* Place buffer at its rest; waiting neighbours below its end rise onto it. */
void state_place(canonical_state *state, int32_t buffer);

/* Remember buffer before a change. */
void state_note(canonical_state *state, int32_t buffer);

void state_undo(canonical_state *state, struct mark mark);

#endif
