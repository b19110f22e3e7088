/* Buffers that wait, as a stretch of the state's lists: which come next, and where they fall apart.
 */
#ifndef CANONICAL_GROUP_H
#define CANONICAL_GROUP_H

#include "state.h"

/* lists[at] to lists[at + count - 1], in the order of their rank, in the sections [begin, end). */
struct group {
    size_t at;
    int32_t count;
    int32_t begin;
    int32_t end;
};

/* The next piece of group, from section `from` on: what meets, through any others, what begins
 * there. `but` is left out. A new list, in group's order; empty when nothing is left. */
struct group group_piece(canonical_state *state, struct group group, int32_t from, int32_t but);

/* Order group by the letters of the run. */
void group_rank(canonical_state *state, struct group group);

/* A new list of those that may be placed next, the lowest first, then by rank. */
struct group group_candidates(canonical_state *state, struct group group);

#endif
