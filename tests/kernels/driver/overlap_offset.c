/* Walks placings (tests/kernels/catalogue/overlap.py): runs each case with its output a number of
 * bytes before one of its inputs in the same buffer, and once more with the two 4 bytes closer.
 *
 * Says FAIL where an output differs at the distance that the kernel's order promises, TIGHT where
 * it differs when closer. The cores run one after the other, in both orders. */
#include "cases.h"

#include "dpl/cores.h"

enum { APART = 16, NOISE = 0x6B };

typedef struct {
    int32_t index, offset;
} placing;

static uint8_t *aligned(uint8_t *next, int32_t size) {
    return next + (size + APART - 1) / APART * APART;
}

/* The output first in its bytes, as it is there before; then the input over it. */
static void place(test_case *t, placing p) {
    uint8_t *next = room;
    for (int32_t i = 0; i < t->count; i++) {
        operand *o = &t->operands[i];
        if (i != p.index && i != t->output) {
            o->place = next;
            next = aligned(next, o->size);
        }
    }
    t->operands[t->output].place = next;
    t->operands[p.index].place = next + p.offset;
    fill_bytes(next, t->operands[t->output].size, NOISE);
    for (int32_t i = 0; i < t->count; i++) {
        const operand *o = &t->operands[i];
        for (int32_t k = 0; i != t->output && k < o->size; k++) {
            o->place[k] = o->image[k];
        }
    }
}

/* Whether the output is what is expected of it with the operands placed so. */
static int equal(test_case *t, placing p, int downwards) {
    place(t, p);
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        become_core(downwards ? DPL_CORE_COUNT - 1 - core : core);
        call_kernel(t);
    }
    const operand *o = &t->operands[t->output];
    for (int32_t k = 0; k < o->size; k++) {
        if (o->place[k] != o->image[k]) {
            return 0;
        }
    }
    return 1;
}

static void say(const char *word, int32_t number) {
    put_text(word);
    put_number(number);
    put_text(" differs\n");
}

int32_t run_cases(const int32_t *blob) {
    const int32_t count = *blob++;
    const int32_t *plans = blob;
    int32_t failures = 0;
    blob += 2 * count + 1;
    for (int32_t i = 0; i < count; i++, plans += 2) {
        test_case t;
        blob = parse_case(blob, &t);
        placing p = {plans[0], plans[1]};
        if (!equal(&t, p, 0) || !equal(&t, p, 1)) {
            say("FAIL", i);
            failures++;
        }
        p.offset -= 4;
        if (p.offset >= 0 && !equal(&t, p, 0)) {
            say("TIGHT", i);
        }
    }
    put_text("DONE");
    put_number(count);
    put_number(failures);
    put_text("\n");
    return failures;
}
