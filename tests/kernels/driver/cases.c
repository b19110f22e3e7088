/* Reading cases, and what of a walk over them is the same whatever it checks. */
#include "cases.h"

#include "dpl/cores.h"

_Alignas(16) uint8_t room[ROOM];

#if DPL_CORE_COUNT > 1 && !defined(DRIVER_CLUSTER) /* whose cores know themselves */
static int32_t current_core;

int32_t dpl_core_id(void) {
    return current_core;
}

void become_core(int32_t core) {
    current_core = core;
}

/* Cores run one after the other: what one finds behind a barrier is there if all have run before.
 */
static int met;

void dpl_barrier(void) {
    met = 1;
}

int takes_barriers(void) {
    const int did = met;
    met = 0;
    return did;
}
#else
int takes_barriers(void) {
    return 0;
}

void become_core(int32_t core) {
    (void)core;
}
#endif

void put_number(int32_t number) {
    char text[13];
    char *end = text + sizeof text - 1;
    uint32_t left = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    *end = 0;
    do {
        *--end = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        *--end = '-';
    }
    put_text(" ");
    put_text(end);
}

const int32_t *parse_case(const int32_t *blob, test_case *t) {
    int32_t words = blob[3];
    t->id = blob[0];
    t->kernel = blob[1];
    t->output = blob[2];
    t->count = blob[4];
    t->mask = 0;
    t->words = blob + 5;
    const int32_t *head = t->words + words;
    const uint8_t *bytes = (const uint8_t *)(head + 2 * t->count);
    for (int32_t i = 0; i < t->count; i++, head += 2) {
        operand o = {bytes + head[1], head[0], head[1], 0};
        t->operands[i] = o;
        bytes += 4 * words_of(&o);
        if (i == t->output) {
            t->mask = bytes + o.shift;
            bytes += 4 * words_of(&o);
        }
    }
    return (const int32_t *)(const void *)bytes;
}

void fill_bytes(uint8_t *start, int32_t size, uint8_t value) {
    uint8_t *const end = start + size;
    while (start < end && ((uintptr_t)start & 3u) != 0) {
        *start++ = value;
    }
    for (; end - start >= 4; start += 4) {
        *(uint32_t *)(void *)start = value * 0x01010101u;
    }
    while (start < end) {
        *start++ = value;
    }
}

void copy_words(uint32_t *to, const uint32_t *from, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

int equal_words(const uint32_t *a, const uint32_t *b, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return 0;
        }
    }
    return 1;
}

void call_kernel(const test_case *t) {
    uint8_t *places[OPERANDS];
    any_args args;
    for (int32_t i = 0; i < t->count; i++) {
        places[i] = t->operands[i].place;
    }
    reader r = {t->words, places};
    kernel_table[t->kernel].read(&r, &args);
    kernel_table[t->kernel].call(&args);
}
