#include "group.h"

#include <string.h>

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* reach[s]: how far those reach that begin in section s. */
static void spread(canonical_state *state, struct group group, int32_t but) {
    size_t bytes = (size_t)(group.end - group.begin) * sizeof *state->reach;
    memset(state->reach + group.begin, 0, bytes);
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k];
        if (i == but)
            continue;
        int32_t *reach = &state->reach[state->task.first[i]];
        *reach = larger(*reach, state->task.end[i]);
    }
}

/* The sections [begin, end) of the first buffers from `from` on that hang together. */
static void bounds(const canonical_state *state, int32_t from, struct group *piece) {
    int32_t s = from;
    while (s < piece->end && !state->reach[s])
        s++;
    piece->begin = s;
    int32_t end = s;
    for (; s < piece->end && s <= end; s++) {
        if (s == end && s > piece->begin)
            break;
        end = larger(end, state->reach[s]);
    }
    piece->end = end;
}

struct group group_piece(canonical_state *state, struct group group, int32_t from, int32_t but) {
    spread(state, group, but);
    struct group piece = {.at = state->listed, .end = group.end};
    bounds(state, from, &piece);
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k];
        bool inside = state->task.first[i] >= piece.begin && state->task.end[i] <= piece.end;
        if (i != but && inside)
            state->lists[piece.at + (size_t)piece.count++] = i;
    }
    state->listed += (size_t)piece.count;
    return piece;
}

static int64_t fullest(const canonical_state *state, int32_t i) {
    int64_t most = 0;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        most = state->left[s] > most ? state->left[s] : most;
    return most;
}

static int64_t blamed(const canonical_state *state, int32_t i) {
    int64_t sum = 0;
    for (int32_t s = state->task.first[i]; s < state->task.end[i]; s++)
        sum += state->blame[s];
    return sum;
}

static int64_t key_of(const canonical_state *state, int32_t i, char letter) {
    switch (letter) {
    case 'W': return state->task.span[i];
    case 'A': return state->task.span[i] * state->task.size[i];
    case 'B': return blamed(state, i);
    default: return fullest(state, i);
    }
}

/* Whether a comes before b. */
static bool before(const canonical_state *state, int32_t a, int32_t b) {
    const int64_t *left = state->keys[a], *right = state->keys[b];
    for (int k = 0; k < 3; k++)
        if (left[k] != right[k])
            return left[k] > right[k];
    return a < b;
}

void group_rank(canonical_state *state, struct group group) {
    int32_t *list = state->lists + group.at;
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = list[k], to = k;
        for (int letter = 0; letter < 3; letter++)
            state->keys[i][letter] = key_of(state, i, state->order[letter]);
        for (; to && before(state, i, list[to - 1]); to--)
            list[to] = list[to - 1];
        list[to] = i;
    }
}

static int64_t lowest_end(const canonical_state *state, struct group group) {
    int64_t lowest = INT64_MAX;
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k];
        int64_t end = state->rests[i] + state->task.size[i];
        lowest = end < lowest ? end : lowest;
    }
    return lowest;
}

/* Twins may be swapped: the first is placed first. */
static bool may_come(const canonical_state *state, int32_t i) {
    int32_t twin = state->task.twin[i];
    return !state->postponed[i] && (twin < 0 || !state->waiting[twin]);
}

struct group group_candidates(canonical_state *state, struct group group) {
    /* Where another fits completely beneath a buffer, that one could sink. */
    int64_t below = lowest_end(state, group);
    struct group found = {state->listed, 0, group.begin, group.end};
    int32_t *list = state->lists + found.at;
    for (int32_t k = 0; k < group.count; k++) {
        int32_t i = state->lists[group.at + (size_t)k], to = found.count;
        if (state->rests[i] >= below || !may_come(state, i))
            continue;
        for (; to && state->rests[list[to - 1]] > state->rests[i]; to--)
            list[to] = list[to - 1];
        list[to] = i;
        found.count++;
    }
    state->listed += (size_t)found.count;
    return found;
}
