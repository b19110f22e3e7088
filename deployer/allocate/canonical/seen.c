#include "seen.h"

#include <stdlib.h>

/* A finalizer of products and shifts: every bit of the input moves about half of the output. */
static uint64_t scrambled(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

bool seen_new(struct seen *seen, int64_t budget) {
    size_t room = 64;
    int64_t most = budget < SEEN_MOST ? budget : SEEN_MOST;
    while (room < 2 * (size_t)most)
        room *= 2;
    seen->slots = calloc(room, sizeof *seen->slots);
    seen->mask = room - 1;
    seen->count = 0;
    return seen->slots != NULL;
}

void seen_free(struct seen *seen) {
    free(seen->slots);
}

void seen_mix(struct seen_key *key, int32_t buffer, int64_t rests, bool postponed) {
    uint64_t who = 2 * (uint64_t)buffer + postponed + 1;
    key->low += scrambled(scrambled(who) + (uint64_t)rests);
    key->high += scrambled(scrambled(who + UINT64_C(0x9e3779b97f4a7c15)) ^ (uint64_t)rests << 1);
}

/* The slot of key, or the free one where it belongs. At most half of the slots are taken. */
static struct seen_key *slot_of(const struct seen *seen, struct seen_key key) {
    size_t at = key.low & seen->mask;
    for (;; at = (at + 1) & seen->mask) {
        struct seen_key *slot = &seen->slots[at];
        bool free_slot = slot->low == 0 && slot->high == 0;
        if (free_slot || (slot->low == key.low && slot->high == key.high))
            return slot;
    }
}

bool seen_has(const struct seen *seen, struct seen_key key) {
    const struct seen_key *slot = slot_of(seen, key);
    return slot->low == key.low && slot->high == key.high;
}

void seen_add(struct seen *seen, struct seen_key key) {
    if (seen->count >= SEEN_MOST)
        return;
    *slot_of(seen, key) = key;
    seen->count++;
}
