/* Walks the cases: places operands between guards, runs the kernel as each core, checks every byte.
 *
 * Each run is made twice, over an output filled with two patterns: a byte was written when both
 * runs agree on it. So a case can tell a byte written with the pattern's value from one left
 * alone, and count how many cores wrote it. */
#include "dpl/cores.h"

#include "cases.h"
#include "hiding.h"

enum { GUARD = 16, GUARD_BYTE = 0xC3 };

static uint8_t first_run[OUTPUT], written[OUTPUT];

/* One line, "FAIL case where byte got want". Returns 1, the number of failed cases. */
static int32_t fail(const test_case *t, const char *where, int32_t byte, int32_t got,
                    int32_t want) {
    put_text("FAIL");
    put_number(t->id);
    put_text(where);
    put_number(byte);
    put_number(got);
    put_number(want);
    put_text("\n");
    return 1;
}

/* Copies every operand into the room, guards on both sides. Returns 0 when it does not fit. Once a
 * case: what a run may not change is checked after each. */
static int place(test_case *t) {
    uint8_t *next = room;
    for (int32_t i = 0; i < t->count; i++) {
        operand *o = &t->operands[i];
        int32_t span = (GUARD + o->shift + o->size + GUARD + 15) / 16 * 16;
        if (span > room + ROOM - next || (i == t->output && o->size > OUTPUT)) {
            return 0;
        }
        fill_bytes(next, span, GUARD_BYTE);
        o->place = next + GUARD + o->shift;
        for (int32_t k = 0; k < o->size; k++) {
            o->place[k] = o->image[k];
        }
        next += span;
    }
    return 1;
}

/* Before each run: the output filled with a pattern, the scratch as it was. */
static void renew(const test_case *t, uint8_t pattern) {
    const operand *output = &t->operands[t->output], *scratch = &t->operands[t->count - 1];
    fill_bytes(output->place, output->size, pattern);
    for (int32_t k = 0; k < scratch->size; k++) {
        scratch->place[k] = scratch->image[k];
    }
}

static void call(const test_case *t) {
    HIDE(room, ROOM);
    for (int32_t i = 0; i < t->count; i++) {
        SHOW(t->operands[i].place, (uint32_t)t->operands[i].size);
    }
    call_kernel(t);
    SHOW(room, ROOM);
}

static int32_t check_guards(const test_case *t, const operand *o) {
    for (int32_t i = 1; i <= GUARD; i++) {
        if (o->place[-i] != GUARD_BYTE) {
            return fail(t, " guard", -i, o->place[-i], GUARD_BYTE);
        }
        if (o->place[o->size - 1 + i] != GUARD_BYTE) {
            return fail(t, " guard", o->size - 1 + i, o->place[o->size - 1 + i], GUARD_BYTE);
        }
    }
    return 0;
}

/* Guards everywhere, and every operand but the output and the scratch as it was. */
static int32_t check_inputs(const test_case *t) {
    for (int32_t i = 0; i < t->count; i++) {
        const operand *o = &t->operands[i];
        if (check_guards(t, o)) {
            return 1;
        }
        for (int32_t k = 0; i != t->output && i != t->count - 1 && k < o->size; k++) {
            if (o->place[k] != o->image[k]) {
                return fail(t, " input", k, o->place[k], o->image[k]);
            }
        }
    }
    return 0;
}

/* After the second run: counts the bytes both runs wrote and compares them. */
static int32_t check_output(const test_case *t) {
    const operand *o = &t->operands[t->output];
    for (int32_t k = 0; k < o->size; k++) {
        if (o->place[k] != first_run[k]) {
            continue;
        }
        written[k]++;
        if (o->place[k] != o->image[k] && t->mask[k]) {
            return fail(t, " output", k, (int8_t)o->place[k], (int8_t)o->image[k]);
        }
    }
    return 0;
}

static int32_t run_as_core(test_case *t, int32_t core) {
    const operand *o = &t->operands[t->output];
    static const uint8_t patterns[2] = {0xA5, 0x5A};
    become_core(core);
    for (int32_t run = 0; run < 2; run++) {
        renew(t, patterns[run]);
        call(t);
        if (check_inputs(t)) {
            return 1;
        }
        for (int32_t k = 0; run == 0 && k < o->size; k++) {
            first_run[k] = o->place[k];
        }
    }
    return check_output(t);
}

/* Runs a case as every core; each element of the output must have been written by one of them at
 * least, and nothing else. */
static int32_t run_case(test_case *t) {
    if (!place(t)) {
        return fail(t, " room", 0, 0, 0);
    }
    fill_bytes(written, t->operands[t->output].size, 0);
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        if (run_as_core(t, core)) {
            return 1;
        }
    }
    for (int32_t k = 0; k < t->operands[t->output].size; k++) {
        if ((written[k] > 0) != t->mask[k]) {
            return fail(t, " writes", k, written[k], t->mask[k]);
        }
    }
    return 0;
}

int32_t run_cases(const int32_t *blob) {
    int32_t count = *blob++;
    int32_t failures = 0;
    for (int32_t i = 0; i < count; i++) {
        test_case t;
        blob = parse_case(blob, &t);
        failures += run_case(&t);
    }
    put_text("DONE");
    put_number(count);
    put_number(failures);
    put_text("\n");
    return failures;
}
