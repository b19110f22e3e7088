#include "state.h"

#include <stdlib.h>
#include <string.h>

void state_reset(canonical_state *state) {
    const canonical_task *task = &state->task;
    memset(state->left, 0, (size_t)task->sections * sizeof *state->left);
    memset(state->dirty, 0, (size_t)task->sections);
    for (int32_t i = 0; i < task->count; i++) {
        state->rests[i] = state->floor[i] = 0;
        state->waiting[i] = true;
        state->postponed[i] = false;
        for (int32_t s = task->first[i]; s < task->end[i]; s++)
            state->left[s] += task->size[i];
    }
    state->at = (struct mark){0, 0};
    state->listed = 0;
}

void state_note(canonical_state *state, int32_t i) {
    struct note note = {i, state->postponed[i], state->rests[i], state->floor[i]};
    state->notes[state->at.notes++] = note;
}

static void rise(canonical_state *state, int32_t i, int64_t onto) {
    state_note(state, i);
    state->rests[i] = state->floor[i] = onto;
    state->postponed[i] = false;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        state->dirty[s] = true;
}

void state_place(canonical_state *state, int32_t i) {
    int64_t end = state->rests[i] + state->task.size[i];
    state->waiting[i] = false;
    state->placed[state->at.placed++] = i;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        state->left[s] -= state->task.size[i];
    for (int32_t k = state->near_begin[i]; k < state->near_begin[i + 1]; k++) {
        int32_t other = state->near[k];
        if (state->waiting[other] && state->rests[other] < end)
            rise(state, other, end);
    }
}

static void take_back(canonical_state *state, int32_t i) {
    state->waiting[i] = true;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        state->left[s] += state->task.size[i];
}

void state_undo(canonical_state *state, struct mark mark) {
    while (state->at.placed > mark.placed)
        take_back(state, state->placed[--state->at.placed]);
    while (state->at.notes > mark.notes) {
        const struct note *note = &state->notes[--state->at.notes];
        state->rests[note->buffer] = note->rests;
        state->floor[note->buffer] = note->floor;
        state->postponed[note->buffer] = note->postponed;
    }
}
