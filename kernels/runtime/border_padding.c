#include "dpl/border_padding.h"

#include "dpl/cores.h"

static void fill(int8_t *to, int32_t zero, int32_t bytes) {
    const int words = (((uintptr_t)to | (uintptr_t)bytes) & 3) == 0;
    if (words) {
        const uint32_t word = (uint32_t)(uint8_t)zero * 0x01010101u;
        for (int8_t *end = to + bytes; to != end; to += 4) {
            *(uint32_t *)(void *)to = word;
        }
        return;
    }
    for (int8_t *end = to + bytes; to != end; to++) {
        *to = (int8_t)zero;
    }
}

void dpl_fill_border_padding(const dpl_border_padding *b) {
    const int32_t pitch = b->pitch, bytes = b->bytes, zero = b->zero;
    if (bytes == 0) {
        return;
    }
    int8_t *to = b->first + dpl_core_id() * pitch;
    for (int32_t i = dpl_core_id(); i < b->runs; i += DPL_CORE_COUNT) {
        fill(to, zero, bytes);
        to += DPL_CORE_COUNT * pitch;
    }
    dpl_barrier();
}
