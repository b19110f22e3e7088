/* Walks the cases: places operands between guards, runs the kernel as each core, checks every byte.
 *
 * Each run is made twice, over an output filled with two patterns: a byte was written when both
 * runs agree on it. So a case can tell a byte written with the pattern's value from one left
 * alone, and count how many cores wrote it. */
#include "dpl/cores.h"

#include "cases.h"
#include "hiding.h"

enum { GUARD = 16 };

/* Of the output, in words as its place is: what the first run left, how many cores wrote a byte. */
static uint32_t first_run[OUTPUT / 4 + 2], written[OUTPUT / 4 + 2];

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
        int32_t span = (GUARD + 4 * words_of(o) + GUARD + 15) / 16 * 16;
        if (span > room + ROOM - next || (i == t->output && o->size > OUTPUT)) {
            return 0;
        }
        fill_bytes(next, span, GUARD_BYTE);
        o->place = next + GUARD + o->shift;
        copy_words(place_of(o), image_of(o), words_of(o));
        next += span;
    }
    return 1;
}

/* Before each run: the output filled with a pattern, the scratch as it was. */
static void renew(const test_case *t, uint8_t pattern) {
    const operand *output = &t->operands[t->output], *scratch = &t->operands[t->count - 1];
    fill_bytes(output->place, output->size, pattern);
    copy_words(place_of(scratch), image_of(scratch), words_of(scratch));
}

static void call(const test_case *t) {
    HIDE(room, ROOM);
    for (int32_t i = 0; i < t->count; i++) {
        SHOW(t->operands[i].place, (uint32_t)t->operands[i].size);
    }
    call_kernel(t);
    SHOW(room, ROOM);
}

/* Whether no byte around an operand changed, which most are found to be by words. */
static int is_guarded(const operand *o) {
    const uint32_t *const first = place_of(o), *const end = first + words_of(o);
    for (int32_t i = 0; i < GUARD / 4; i++) {
        if (first[-1 - i] != GUARD_WORD || end[i] != GUARD_WORD) {
            return 0;
        }
    }
    for (int32_t i = 1; i <= o->shift; i++) {
        if (o->place[-i] != GUARD_BYTE) {
            return 0;
        }
    }
    for (const uint8_t *p = o->place + o->size; p < (const uint8_t *)end; p++) {
        if (*p != GUARD_BYTE) {
            return 0;
        }
    }
    return 1;
}

static int32_t check_guards(const test_case *t, const operand *o) {
    const int32_t behind = 4 * words_of(o) + GUARD - o->shift;
    for (int32_t i = -GUARD - o->shift; i < behind && !is_guarded(o); i++) {
        if ((i < 0 || i >= o->size) && o->place[i] != GUARD_BYTE) {
            return fail(t, " guard", i, o->place[i], GUARD_BYTE);
        }
    }
    return 0;
}

static int32_t check_input(const test_case *t, const operand *o) {
    if (equal_words(place_of(o), image_of(o), words_of(o))) {
        return 0;
    }
    for (int32_t k = 0; k < o->size; k++) {
        if (o->place[k] != o->image[k]) {
            return fail(t, " input", k, o->place[k], o->image[k]);
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
        if (i != t->output && i != t->count - 1 && check_input(t, o)) {
            return 1;
        }
    }
    return 0;
}

/* Bytes `begin` to `end` of the output: counts those that both runs wrote and compares them. */
static int32_t check_bytes(const test_case *t, int32_t begin, int32_t end) {
    const operand *o = &t->operands[t->output];
    const uint8_t *const first = (const uint8_t *)first_run + o->shift;
    uint8_t *const count = (uint8_t *)written + o->shift;
    for (int32_t k = begin < 0 ? 0 : begin; k < end && k < o->size; k++) {
        if (o->place[k] != first[k]) {
            continue;
        }
        count[k]++;
        if (o->place[k] != o->image[k] && t->mask[k]) {
            return fail(t, " output", k, (int8_t)o->place[k], (int8_t)o->image[k]);
        }
    }
    return 0;
}

/* After the second run: words inside that both runs wrote, and as expected, at once. */
static int32_t check_output(const test_case *t) {
    const operand *o = &t->operands[t->output];
    const uint32_t *const found = place_of(o), *const wanted = image_of(o);
    const int32_t last = words_of(o) - 1;
    for (int32_t i = 0; i <= last; i++) {
        if (i > 0 && i < last && found[i] == wanted[i] && found[i] == first_run[i]) {
            written[i] += 0x01010101u;
        } else if (check_bytes(t, 4 * i - o->shift, 4 * i + 4 - o->shift)) {
            return 1;
        }
    }
    return 0;
}

/* By this core; where it meets others, with what those leave in the scratch. */
static void call_as_core(const test_case *t, int32_t core, uint8_t pattern) {
    const operand *o = &t->operands[t->output];
    become_core(core);
    call(t);
    if (!takes_barriers()) {
        return;
    }
    for (int32_t other = 0; other < DPL_CORE_COUNT; other++) {
        become_core(other);
        call(t);
    }
    fill_bytes(o->place, o->size, pattern);
    become_core(core);
    call(t);
    (void)takes_barriers();
}

static int32_t run_as_core(test_case *t, int32_t core) {
    const operand *o = &t->operands[t->output];
    static const uint8_t patterns[2] = {0xA5, 0x5A};
    for (int32_t run = 0; run < 2; run++) {
        renew(t, patterns[run]);
        call_as_core(t, core, patterns[run]);
        if (check_inputs(t)) {
            return 1;
        }
        if (run == 0) {
            copy_words(first_run, place_of(o), words_of(o));
        }
    }
    return check_output(t);
}

static int32_t check_written(const test_case *t) {
    const operand *o = &t->operands[t->output];
    const uint8_t *const count = (const uint8_t *)written + o->shift;
    if (equal_words(written, words_at(t->mask - o->shift), words_of(o))) {
        return 0;
    }
    for (int32_t k = 0; k < o->size; k++) {
        if ((count[k] > 0) != t->mask[k] || count[k] > 2) {
            return fail(t, " writes", k, count[k], t->mask[k]);
        }
    }
    return 0;
}

/* Runs a case as every core; each element of the output must have been written by one of them, or
 * by two where a block repeats pixels of another, and nothing else. */
static int32_t run_case(test_case *t) {
    if (!place(t)) {
        return fail(t, " room", 0, 0, 0);
    }
    fill_bytes((uint8_t *)written, 4 * words_of(&t->operands[t->output]), 0);
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        if (run_as_core(t, core)) {
            return 1;
        }
    }
    return check_written(t);
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
