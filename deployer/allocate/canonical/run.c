#include "bounds.h"

#include <string.h>

#define BUFFERS_A_NODE 100 /* buffers looked at that count as one more node */

static canonical_end search(canonical_state *state, struct group group);

static struct seen_key key_of(const canonical_state *state, struct group group) {
    struct seen_key key = {0, 0};
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k];
        seen_mix(&key, i, state->rests[i], state->postponed[i]);
    }
    return key;
}

/* What is left of group without `but`, piece by piece; ranked anew where it falls apart. */
static canonical_end search_pieces(canonical_state *state, struct group group, int32_t but) {
    int32_t rest = group.count - (but >= 0);
    for (int32_t from = group.begin; rest > 0;) {
        size_t listed = state->listed;
        struct group piece = group_piece(state, group, from, but);
        if (but < 0 || piece.count < group.count - 1)
            group_rank(state, piece);
        canonical_end end = search(state, piece);
        state->listed = listed;
        if (end != CANONICAL_FOUND)
            return end;
        rest -= piece.count;
        from = piece.end;
    }
    return CANONICAL_FOUND;
}

static canonical_end search_with(canonical_state *state, struct group group, int32_t next) {
    if (!bounds_level(state, group, next))
        return CANONICAL_NONE;
    struct mark mark = state->at;
    state_place(state, next);
    canonical_end end = CANONICAL_NONE;
    if (bounds_settle(state, group))
        end = search_pieces(state, group, next);
    if (end != CANONICAL_FOUND)
        state_undo(state, mark);
    return end;
}

/* Buffer is not placed where it rests. False when nothing can come below it. */
static bool postpone(canonical_state *state, int32_t buffer) {
    state_note(state, buffer);
    state->postponed[buffer] = true;
    return bounds_lifted(state, buffer) != INT64_MAX;
}

static canonical_end search_candidates(canonical_state *state, struct group group) {
    struct group next = group_candidates(state, group);
    struct mark mark = state->at;
    for (int32_t k = 0; k < next.count; k++) {
        int32_t i = state->lists[next.at + (size_t)k];
        canonical_end end = search_with(state, group, i);
        if (end != CANONICAL_NONE)
            return end;
        if (!postpone(state, i))
            break;
    }
    state_undo(state, mark);
    return CANONICAL_NONE;
}

static canonical_end search(canonical_state *state, struct group group) {
    if (state->nodes >= state->limit)
        return CANONICAL_CUT;
    state->nodes += 1 + group.count / BUFFERS_A_NODE;
    struct seen_key key = key_of(state, group);
    if (seen_has(&state->seen, key))
        return CANONICAL_NONE;
    size_t listed = state->listed;
    canonical_end end = search_candidates(state, group);
    state->listed = listed;
    if (end == CANONICAL_NONE)
        seen_add(&state->seen, key);
    return end;
}

canonical_end canonical_run(canonical_state *state, const char *order, int64_t limit,
                            int64_t *offsets, int64_t *nodes) {
    state_reset(state);
    state->order = order;
    state->limit = limit;
    state->nodes = 0;
    struct group everyone = {0, state->task.count, 0, state->task.sections};
    for (int32_t i = 0; i < state->task.count; i++)
        state->lists[i] = i;
    state->listed = (size_t)state->task.count;
    canonical_end end = search_pieces(state, everyone, -1);
    *nodes = state->nodes;
    if (end == CANONICAL_FOUND)
        memcpy(offsets, state->rests, (size_t)state->task.count * sizeof *offsets);
    return end;
}

int64_t canonical_least(const canonical_state *state) {
    return state->least;
}
