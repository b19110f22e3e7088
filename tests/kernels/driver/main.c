/* Walks the cases: places operands between guards, runs the kernel as each core, checks every byte.
 *
 * Each run is made twice, over an output filled with two patterns: a byte was written when both
 * runs agree on it. So a case can tell a byte written with the pattern's value from one left
 * alone, and count how many cores wrote it. */
#include "dpl/cores.h"
#include "driver.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define HIDE(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define SHOW(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
#define HIDE(start, size) ((void)(start), (void)(size))
#define SHOW(start, size) ((void)(start), (void)(size))
#endif

enum { GUARD = 16, OPERANDS = 10, ROOM = 256 * 1024, OUTPUT = 96 * 1024, GUARD_BYTE = 0xC3 };

/* size bytes, shift bytes beyond an aligned address; output: image is what is expected. */
typedef struct {
    const uint8_t *image;
    int32_t size, shift;
    uint8_t *place;
} operand;

typedef struct {
    int32_t id, kernel, output; /* output: index of the operand the kernel writes */
    const int32_t *words;
    const uint8_t *mask; /* 1 where the output has an element */
    int32_t count;
    operand operands[OPERANDS];
} test_case;

static _Alignas(16) uint8_t room[ROOM];
static uint8_t first_run[OUTPUT], written[OUTPUT];

#if DPL_CORE_COUNT > 1
static int32_t current_core;

int32_t dpl_core_id(void) {
    return current_core;
}

static void become(int32_t core) {
    current_core = core;
}
#else
static void become(int32_t core) {
    (void)core;
}
#endif

static void put_number(int32_t number) {
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

static const uint8_t *padded(const uint8_t *bytes, int32_t size) {
    return bytes + (size + 3) / 4 * 4;
}

/* Reads one case; gives where the next one starts. */
static const int32_t *parse(const int32_t *blob, test_case *t) {
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
        operand o = {bytes, head[0], head[1], 0};
        t->operands[i] = o;
        bytes = padded(bytes, o.size);
        if (i == t->output) {
            t->mask = bytes;
            bytes = padded(bytes, o.size);
        }
    }
    return (const int32_t *)(const void *)bytes;
}

static void fill(uint8_t *start, int32_t size, uint8_t value) {
    for (int32_t i = 0; i < size; i++) {
        start[i] = value;
    }
}

/* Copies every operand into the room, guards on both sides. Returns 0 when it does not fit. */
static int place(test_case *t, uint8_t pattern) {
    uint8_t *next = room;
    for (int32_t i = 0; i < t->count; i++) {
        operand *o = &t->operands[i];
        int32_t span = (GUARD + o->shift + o->size + GUARD + 15) / 16 * 16;
        if (span > room + ROOM - next || (i == t->output && o->size > OUTPUT)) {
            return 0;
        }
        fill(next, span, GUARD_BYTE);
        o->place = next + GUARD + o->shift;
        for (int32_t k = 0; k < o->size; k++) {
            o->place[k] = i == t->output ? pattern : o->image[k];
        }
        next += span;
    }
    return 1;
}

static void call(const test_case *t) {
    uint8_t *places[OPERANDS];
    any_args args;
    HIDE(room, ROOM);
    for (int32_t i = 0; i < t->count; i++) {
        places[i] = t->operands[i].place;
        SHOW(places[i], (uint32_t)t->operands[i].size);
    }
    reader r = {t->words, places};
    kernel_table[t->kernel].read(&r, &args);
    kernel_table[t->kernel].call(&args);
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
    become(core);
    for (int32_t run = 0; run < 2; run++) {
        if (!place(t, patterns[run])) {
            return fail(t, " room", 0, 0, 0);
        }
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

/* Runs a case as every core; each element of the output must have been written by one of them. */
static int32_t run_case(test_case *t) {
    fill(written, OUTPUT, 0);
    for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
        if (run_as_core(t, core)) {
            return 1;
        }
    }
    for (int32_t k = 0; k < t->operands[t->output].size; k++) {
        if (written[k] != t->mask[k]) {
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
        blob = parse(blob, &t);
        failures += run_case(&t);
    }
    put_text("DONE");
    put_number(count);
    put_number(failures);
    put_text("\n");
    return failures;
}
