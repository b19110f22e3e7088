/* Walks placings (tests/kernels/catalogue/overlap.py) with operands apart, watching every load and
 * store of a kernel: gcc's -fsanitize=thread calls the functions below instead of a runtime's.
 *
 * NEED placing bytes crossed: the least distance at which nothing read by a core has been written
 * by it before, and whether in place a core would write what another one reads. */
#include <stddef.h>

#include "cases.h"

#include "dpl/cores.h"

enum { APART = 16, NOBODY = -1 };

typedef struct {
    const uint8_t *input, *output; /* NULL while nothing is watched */
    int32_t in_size, out_size;
    int32_t written; /* bytes up to the last one stored by this core */
    int32_t need, core;
} watch;

static watch seen;
static int8_t writer[ROOM];
static uint16_t readers[ROOM]; /* a bit for each core */

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(const uint8_t *at, size_t size);
void __tsan_write_range(const uint8_t *at, size_t size);

void __tsan_init(void) {}

void __tsan_func_entry(void *caller) {
    (void)caller;
}

void __tsan_func_exit(void) {}

void __tsan_read_range(const uint8_t *at, size_t size) {
    const ptrdiff_t first = at - seen.input;
    if (seen.input == NULL || first < 0 || first >= seen.in_size) {
        return;
    }
    const int32_t distance = seen.written - (int32_t)first;
    seen.need = distance > seen.need ? distance : seen.need;
    for (size_t i = 0; i < size; i++) {
        readers[(size_t)first + i] |= (uint16_t)(1u << seen.core);
    }
}

void __tsan_write_range(const uint8_t *at, size_t size) {
    const ptrdiff_t first = at - seen.output;
    if (seen.input == NULL || first < 0 || first >= seen.out_size) {
        return;
    }
    const int32_t end = (int32_t)first + (int32_t)size;
    seen.written = end > seen.written ? end : seen.written;
    for (size_t i = 0; i < size; i++) {
        writer[(size_t)first + i] = (int8_t)seen.core;
    }
}

/* clang-format off */
#define ACCESS(kind, name, size)                                                                   \
    void __tsan_##name(const uint8_t *at);                                                         \
    void __tsan_##name(const uint8_t *at) { __tsan_##kind##_range(at, size); }
#define SIZES(kind)                                                                                \
    ACCESS(kind, kind##1, 1) ACCESS(kind, kind##2, 2) ACCESS(kind, kind##4, 4)                     \
    ACCESS(kind, kind##8, 8) ACCESS(kind, kind##16, 16) ACCESS(kind, unaligned_##kind##2, 2)       \
    ACCESS(kind, unaligned_##kind##4, 4) ACCESS(kind, unaligned_##kind##8, 8)                      \
    ACCESS(kind, unaligned_##kind##16, 16)
SIZES(read)
SIZES(write)
/* clang-format on */

/* 0 where the room is too small. */
static int place(test_case *t) {
    uint8_t *next = room;
    for (int32_t i = 0; i < t->count; i++) {
        operand *o = &t->operands[i];
        o->place = next;
        next += (o->size + APART) / APART * APART;
        if (next > room + ROOM) {
            return 0;
        }
        if (i != t->output) {
            copy_words(place_of(o), image_of(o), words_of(o));
        }
    }
    return 1;
}

/* Whether a byte of the output is written by a core while another one reads it in the input. */
static int crossed(void) {
    for (int32_t k = 0; k < seen.out_size; k++) {
        if (writer[k] != NOBODY && (readers[k] & ~(1u << writer[k])) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Every core on its own; 0 where the room is too small. */
static int watch_case(test_case *t, int32_t index) {
    const operand *input = &t->operands[index], *output = &t->operands[t->output];
    int32_t need = 0;
    if (!place(t)) {
        return 0;
    }
    for (int32_t k = 0; k < input->size || k < output->size; k++) {
        writer[k] = NOBODY;
        readers[k] = 0;
    }
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        watch from_here = {input->place, output->place, input->size, output->size, 0, need, core};
        become_core(core);
        seen = from_here;
        call_kernel(t);
        seen.input = NULL;
        need = seen.need;
    }
    return 1;
}

int32_t run_cases(const int32_t *blob) {
    const int32_t count = *blob++;
    const int32_t *plans = blob;
    blob += 2 * count + 1;
    for (int32_t i = 0; i < count; i++, plans += 2) {
        test_case t;
        blob = parse_case(blob, &t);
        if (!watch_case(&t, plans[0])) {
            put_text("ROOM");
            put_number(i);
            return 1;
        }
        put_text("NEED");
        put_number(i);
        put_number(seen.need);
        put_number(crossed());
        put_text("\n");
    }
    put_text("DONE");
    put_number(count);
    put_number(0);
    put_text("\n");
    return 0;
}
