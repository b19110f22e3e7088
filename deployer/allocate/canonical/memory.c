/* The arrays of a state, all made before a search and freed after it. */
#include <stdlib.h>

#include "state.h"

static size_t pairs_of(const canonical_task *task) {
    size_t pairs = 0;
    for (int32_t i = 0; i < task->count; i++)
        for (int32_t j = 0; j < task->count; j++)
            pairs += i != j && task->first[i] < task->end[j] && task->first[j] < task->end[i];
    return pairs;
}

static size_t members_of(const canonical_task *task) {
    size_t members = 0;
    for (int32_t i = 0; i < task->count; i++)
        members += (size_t)(task->end[i] - task->first[i]);
    return members;
}

static void fill_near(canonical_state *state) {
    const canonical_task *task = &state->task;
    int32_t at = 0;
    for (int32_t i = 0; i < task->count; i++) {
        state->near_begin[i] = at;
        for (int32_t j = 0; j < task->count; j++)
            if (i != j && task->first[i] < task->end[j] && task->first[j] < task->end[i])
                state->near[at++] = j;
    }
    state->near_begin[task->count] = at;
}

static void fill_members(canonical_state *state) {
    const canonical_task *task = &state->task;
    int32_t at = 0;
    for (int32_t s = 0; s < task->sections; s++) {
        state->member_begin[s] = at;
        for (int32_t i = 0; i < task->count; i++)
            if (task->first[i] <= s && s < task->end[i])
                state->member[at++] = i;
    }
    state->member_begin[task->sections] = at;
}

/* A zeroed array of at least one element; *good turns false when there is no memory. */
static void *room(size_t count, size_t bytes, bool *good) {
    void *found = calloc(count + 1, bytes);
    *good = *good && found != NULL;
    return found;
}

static bool make_arrays(canonical_state *state) {
    size_t count = (size_t)state->task.count, sections = (size_t)state->task.sections;
    size_t nested = (count + 1) * (count + 2); /* lists of a branch: two, each one shorter */
    bool good = true;
    state->rests = room(count, sizeof *state->rests, &good);
    state->floor = room(count, sizeof *state->floor, &good);
    state->waiting = room(count, sizeof *state->waiting, &good);
    state->postponed = room(count, sizeof *state->postponed, &good);
    state->near_begin = room(count, sizeof *state->near_begin, &good);
    state->near = room(pairs_of(&state->task), sizeof *state->near, &good);
    state->member_begin = room(sections, sizeof *state->member_begin, &good);
    state->member = room(members_of(&state->task), sizeof *state->member, &good);
    state->left = room(sections, sizeof *state->left, &good);
    state->blame = room(sections, sizeof *state->blame, &good);
    state->reach = room(sections, sizeof *state->reach, &good);
    state->dirty = room(sections, sizeof *state->dirty, &good);
    state->notes = room(2 * nested, sizeof *state->notes, &good);
    state->placed = room(count, sizeof *state->placed, &good);
    state->lists = room(nested, sizeof *state->lists, &good);
    state->keys = room(count, sizeof *state->keys, &good);
    return good && seen_new(&state->seen, state->task.budget);
}

canonical_state *canonical_new(const canonical_task *task) {
    canonical_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->task = *task;
    if (!make_arrays(state)) {
        canonical_free(state);
        return NULL;
    }
    for (int32_t i = 0; i < task->count; i++)
        state->least += task->size[i];
    fill_near(state);
    fill_members(state);
    return state;
}

void canonical_free(canonical_state *state) {
    void *arrays[] = {state->rests,        state->floor,  state->waiting, state->postponed,
                      state->near_begin,   state->near,   state->left,    state->blame,
                      state->member_begin, state->member, state->reach,   state->dirty,
                      state->notes,        state->placed, state->lists,   state->keys};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    seen_free(&state->seen);
    free(state);
}
