/* States that failed, by 128 bits of a hash. */
#ifndef CANONICAL_SEEN_H
#define CANONICAL_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEN_MOST ((int64_t)1 << 20) /* states: more are forgotten */

struct seen_key {
    uint64_t low;
    uint64_t high;
};

struct seen {
    struct seen_key *slots;
    size_t mask;
    int64_t count;
};

bool seen_new(struct seen *seen, int64_t budget);
void seen_free(struct seen *seen);

/* Add one buffer to the key of a group; the order of buffers does not matter. */
void seen_mix(struct seen_key *key, int32_t buffer, int64_t rests, bool postponed);

bool seen_has(const struct seen *seen, struct seen_key key);
void seen_add(struct seen *seen, struct seen_key key);

#endif
