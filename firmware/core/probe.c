/* Our own verbs: identity, machine, memory, layers, raw outputs. */
#include "command.h"
#include "crc32.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "network.h"
#include "stack.h"
#include "stamp.h"

#define LINE_BYTES 32u

static void print_pair(const char *tag, const char *key, const char *value) {
    dpl_print(tag);
    dpl_print("[");
    dpl_print(key);
    dpl_print("=");
    dpl_print(value);
    dpl_print_line("]");
}

static const char *x_id(const dpl_words *words) {
    (void)words;
    dpl_print_tagged("m-x-id-", DPL_NETWORK.bundle_id);
    return 0;
}

static void emit_cap(const char *key, const char *value) {
    print_pair("m-x-caps-", key, value);
}

/* Whether an input or an earlier step already lies in the named memory. */
static bool named_before(const char *memory, uint32_t step) {
    for (uint32_t i = 0; i < DPL_NETWORK.input_count; i++) {
        const int8_t *data = DPL_NETWORK.inputs[i].data;
        if (data && dpl_same(dpl_port_memory(data), memory)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < step; i++) {
        if (dpl_same(dpl_port_memory(DPL_NETWORK.steps[i].output), memory)) {
            return true;
        }
    }
    return false;
}

/* The memories the arena really lies in, joined by '+'. */
static void print_placement(void) {
    dpl_print("m-x-caps-[placement=");
    const int8_t *first = DPL_NETWORK.inputs[0].data;
    dpl_print(dpl_port_memory(first ? first : DPL_NETWORK.steps[0].output));
    for (uint32_t i = first ? 0 : 1; i < DPL_NETWORK.step_count; i++) {
        const char *memory = dpl_port_memory(DPL_NETWORK.steps[i].output);
        if (!named_before(memory, i)) {
            dpl_print("+");
            dpl_print(memory);
        }
    }
    dpl_print_line("]");
}

static const char *x_caps(const dpl_words *words) {
    (void)words;
    emit_cap("board", DPL_BOARD);
    dpl_port_caps(emit_cap);
    print_placement();
    return 0;
}

static void emit_mem(const char *key, uint32_t bytes) {
    print_pair("m-x-mem-", key, dpl_decimal(bytes));
}

static const char *x_mem(const dpl_words *words) {
    (void)words;
    emit_mem("arena", DPL_NETWORK.arena_bytes);
    emit_mem("static", dpl_port_static_bytes());
    emit_mem("stack_size", dpl_stack_size());
    emit_mem("stack_used", dpl_stack_used());
    return 0;
}

/* Of the output's own bytes, run by run. */
static uint32_t output_crc(const dpl_step *step) {
    uint32_t crc = 0;
    for (uint32_t i = 0; i < step->output_runs; i++) {
        crc = dpl_crc32_on(crc, step->output + i * step->output_pitch, step->output_bytes);
    }
    return crc;
}

static void print_layer(uint32_t index, uint32_t counts) {
    dpl_print("m-x-layer-[");
    dpl_print_unsigned(index);
    dpl_print(",");
    dpl_print_unsigned(counts);
    dpl_print(",");
    dpl_print_hex(output_crc(&DPL_NETWORK.steps[index]), 8);
    dpl_print_line("]");
    dpl_port_flush();
}

/* N is the number of runs before the counted one: 0 measures caches as they are. */
static const char *x_layers(const dpl_words *words) {
    uint32_t before = 0;
    if (words->count > 1 && !dpl_parse_unsigned(words->word[1], &before)) {
        return "usage: x-layers [N]";
    }
    if (dpl_input_missing()) {
        return dpl_input_missing();
    }
    while (before-- > 0) {
        dpl_run();
    }
    dpl_run_counted(print_layer);
    return 0;
}

static void run_by_itself(uint32_t index) {
    uint64_t begin = dpl_port_microseconds();
    uint32_t before = dpl_port_counter();
    dpl_run();
    uint32_t counts = dpl_port_counter() - before;
    uint64_t end = dpl_port_microseconds();
    dpl_print("m-x-run-[");
    dpl_print_unsigned(index);
    dpl_print(",");
    dpl_print_unsigned(counts);
    dpl_print(",");
    dpl_print(dpl_decimal(end - begin));
    dpl_print_line("]");
    dpl_port_flush();
}

/* Counts have 32 bits: the time beside them tells whether they wrapped. */
static const char *x_runs(const dpl_words *words) {
    uint32_t runs, before = 0;
    if (!dpl_parse_unsigned(words->word[1], &runs) || runs == 0 ||
        (words->count > 2 && !dpl_parse_unsigned(words->word[2], &before))) {
        return "usage: x-runs N [W]";
    }
    if (dpl_input_missing()) {
        return dpl_input_missing();
    }
    while (before-- > 0) {
        dpl_run();
        (void)dpl_port_microseconds();
    }
    for (uint32_t i = 0; i < runs; i++) {
        run_by_itself(i);
    }
    return 0;
}

static void print_bytes(const dpl_io *io) {
    for (uint32_t i = 0; i < io->bytes; i++) {
        if (i % LINE_BYTES == 0) {
            dpl_print(i > 0 ? "]\r\nm-x-out-[" : "m-x-out-[");
        }
        dpl_print_hex((uint8_t)io->data[i], 2);
    }
    dpl_print_line("]");
}

static const char *x_out(const dpl_words *words) {
    uint32_t index = 0;
    if (words->count > 1 && !dpl_parse_unsigned(words->word[1], &index)) {
        return "usage: x-out [I]";
    }
    if (index >= DPL_NETWORK.output_count) {
        return "x-out: no such output";
    }
    if (!dpl_has_run()) {
        return "no run yet";
    }
    const dpl_io *io = &DPL_NETWORK.outputs[index];
    print_bytes(io);
    dpl_print("m-x-out-crc-[");
    dpl_print_hex(dpl_crc32(io->data, io->bytes), 8);
    dpl_print_line("]");
    return 0;
}

static bool exit_wanted;

bool dpl_exit_wanted(void) {
    bool wanted = exit_wanted;
    exit_wanted = false;
    return wanted;
}

static const char *x_exit(const dpl_words *words) {
    (void)words;
    dpl_print_tagged("m-x-exit-", "bye");
    exit_wanted = true;
    return 0;
}

static const dpl_command COMMANDS[] = {
    {"x-nonce", "x-nonce [HEX]", 1, 2, dpl_x_nonce},
    {"x-id", "x-id", 1, 1, x_id},
    {"x-caps", "x-caps", 1, 1, x_caps},
    {"x-mem", "x-mem", 1, 1, x_mem},
    {"x-load", "x-load OFFSET LENGTH CRC", 4, 4, dpl_x_load},
    {"x-l3", "x-l3 BYTES CRC | x-l3 OFFSET LENGTH CRC", 3, 4, dpl_x_l3},
    {"x-crc", "x-crc", 1, 1, dpl_x_crc},
    {"x-layers", "x-layers [N]", 1, 2, x_layers},
    {"x-runs", "x-runs N [W]", 2, 3, x_runs},
    {"x-out", "x-out [I]", 1, 2, x_out},
    {"x-mode", "x-mode [energy | performance]", 1, 2, dpl_x_mode},
    {"x-exit", "x-exit", 1, 1, x_exit},
};

const dpl_commands dpl_probe_commands = {COMMANDS, sizeof COMMANDS / sizeof COMMANDS[0]};
