#include "bounds.h"

#include <string.h>

static bool fits(canonical_state *state, int32_t section, int64_t need) {
    if (need <= state->task.height)
        return true;
    state->blame[section]++;
    state->least = need < state->least ? need : state->least;
    return false;
}

bool bounds_level(canonical_state *state, struct group group, int32_t buffer) {
    const canonical_task *task = &state->task;
    int64_t level = state->rests[buffer];
    for (int32_t s = group.begin; s < group.end; s++) {
        bool own = task->first[buffer] <= s && s < task->end[buffer];
        if (!fits(state, s, level + state->left[s] - (own ? task->size[buffer] : 0)))
            return false;
    }
    return true;
}

int64_t bounds_lifted(const canonical_state *state, int32_t buffer) {
    const canonical_task *task = &state->task;
    int64_t below = state->rests[buffer] + task->size[buffer], lowest = INT64_MAX;
    for (int32_t k = state->near_begin[buffer]; k < state->near_begin[buffer + 1]; k++) {
        int32_t i = state->near[k];
        if (!state->waiting[i] || state->floor[i] >= below)
            continue;
        int64_t end = state->floor[i] + task->size[i];
        lowest = end < lowest ? end : lowest;
    }
    return lowest;
}

static bool raise_floor(canonical_state *state, int32_t i) {
    int64_t lifted = bounds_lifted(state, i);
    if (lifted == state->floor[i])
        return true;
    if (lifted == INT64_MAX)
        return false;
    state_note(state, i);
    state->floor[i] = lifted;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        state->dirty[s] = true;
    return true;
}

/* Highest floor first; the list stays nearly sorted from one call to the next. */
static void sort_members(canonical_state *state, int32_t *member, int32_t count) {
    for (int32_t k = 1; k < count; k++) {
        int32_t i = member[k], to = k;
        for (; to && state->floor[member[to - 1]] < state->floor[i]; to--)
            member[to] = member[to - 1];
        member[to] = i;
    }
}

/* All that begin at some floor or above lie on each other from there: the highest such pile. */
static bool pile_fits(canonical_state *state, int32_t section) {
    int32_t *member = state->member + state->member_begin[section];
    int32_t count = state->member_begin[section + 1] - state->member_begin[section];
    sort_members(state, member, count);
    int64_t total = 0, need = 0;
    for (int32_t k = 0; k < count; k++) {
        if (!state->waiting[member[k]])
            continue;
        total += state->task.size[member[k]];
        int64_t top = state->floor[member[k]] + total;
        need = top > need ? top : need;
    }
    return fits(state, section, need);
}

static bool raise_floors(canonical_state *state, struct group group) {
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k];
        if (state->waiting[i] && state->postponed[i] && !raise_floor(state, i))
            return false;
    }
    return true;
}

bool bounds_settle(canonical_state *state, struct group group) {
    bool good = raise_floors(state, group);
    for (int32_t s = group.begin; s < group.end && good; s++)
        good = !state->dirty[s] || pile_fits(state, s);
    memset(state->dirty + group.begin, 0, (size_t)(group.end - group.begin));
    return good;
}
