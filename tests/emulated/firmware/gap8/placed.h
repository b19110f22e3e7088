/* What programs of layers need beside them: a core's number, copies, places in L1. */
#ifndef PLACED_H
#define PLACED_H

#include "dpl/tensor.h"
#include "gap8.h"

static L1 _Alignas(16) int8_t pool[54 * 1024];

#if DPL_CORES > 1
int32_t dpl_core_id(void) {
    return READ_CSR(mhartid) & 31;
}
#endif

void *memcpy(void *to, const void *from, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ((char *)to)[i] = (char)value;
    return to;
}

static __attribute__((noinline)) int8_t *placed(int8_t **next, const void *from, int32_t bytes) {
    int8_t *to = *next;
    if (from)
        memcpy(to, from, (unsigned)bytes);
    *next += (bytes + 15) & ~15;
    return to;
}

static int32_t size_of(const dpl_tensor_s8 *t) {
    return (t->height - 1) * t->row_pitch + t->width * t->channels;
}

#endif
