/* Measures what kernels write of their scratch, which is the last operand of each case: a line
 * "SCRATCH case bytes", bytes up to the last one written by any core. */
#include "cases.h"
#include "hiding.h"

#include "dpl/cores.h"

enum { APART = 16 };

static void place(test_case *t, uint8_t paint) {
    uint8_t *next = room;
    for (int32_t i = 0; i < t->count; i++) {
        operand *o = &t->operands[i];
        o->place = next + o->shift;
        copy_words(place_of(o), image_of(o), words_of(o));
        if (i == t->count - 1) {
            fill_bytes(o->place, o->size, paint);
        }
        next += (o->shift + o->size + APART - 1) / APART * APART;
    }
}

static int fits(const test_case *t) {
    int32_t bytes = 0;
    for (int32_t i = 0; i < t->count; i++) {
        bytes += (t->operands[i].shift + t->operands[i].size + APART - 1) / APART * APART;
    }
    return bytes <= ROOM;
}

/* Up to the last byte that has another value than `paint` when all cores are done. */
static int32_t written(test_case *t, uint8_t paint) {
    const operand *scratch = &t->operands[t->count - 1];
    place(t, paint);
    uint8_t *const end = scratch->place + scratch->size;
    HIDE(end, (uint32_t)(room + ROOM - end));
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        become_core(core);
        call_kernel(t);
    }
    SHOW(room, ROOM);
    int32_t bytes = scratch->size;
    while (bytes > 0 && scratch->place[bytes - 1] == paint) {
        bytes--;
    }
    return bytes;
}

int32_t run_cases(const int32_t *blob) {
    const int32_t count = *blob++;
    int32_t failures = 0;
    for (int32_t i = 0; i < count; i++) {
        test_case t;
        blob = parse_case(blob, &t);
        if (!fits(&t)) {
            put_text("FAIL room\n");
            failures++;
            continue;
        }
        const int32_t low = written(&t, 0x00), high = written(&t, 0xFF);
        put_text("SCRATCH");
        put_number(t.id);
        put_number(low > high ? low : high);
        put_text("\n");
    }
    put_text("DONE");
    put_number(count);
    put_number(failures);
    put_text("\n");
    return failures;
}
