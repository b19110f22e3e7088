/* What GCC may call without being asked; there is no C library for this target. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *left, const void *right, size_t count);

#define PLAIN_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))

static int words_fit(const void *a, const void *b) {
    return (((uintptr_t)a | (uintptr_t)b) & 3) == 0;
}

typedef uint32_t __attribute__((may_alias)) word;

PLAIN_LOOP void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    uint8_t *t = to;
    const uint8_t *f = from;
    for (; words_fit(t, f) && count >= 4; count -= 4, t += 4, f += 4) {
        *(word *)(void *)t = *(const word *)(const void *)f;
    }
    while (count-- > 0) {
        *t++ = *f++;
    }
    return to;
}

PLAIN_LOOP void *memmove(void *to, const void *from, size_t count) {
    uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f || t >= f + count) {
        return memcpy(to, from, count);
    }
    while (count-- > 0) {
        t[count] = f[count];
    }
    return to;
}

PLAIN_LOOP void *memset(void *to, int value, size_t count) {
    uint8_t *t = to;
    uint32_t four = (uint8_t)value * 0x01010101u;
    for (; words_fit(t, t) && count >= 4; count -= 4, t += 4) {
        *(word *)(void *)t = four;
    }
    while (count-- > 0) {
        *t++ = (uint8_t)value;
    }
    return to;
}

PLAIN_LOOP int memcmp(const void *left, const void *right, size_t count) {
    const uint8_t *l = left;
    const uint8_t *r = right;
    for (; count > 0 && *l == *r; count--, l++, r++) {
    }
    return count > 0 ? *l - *r : 0;
}
