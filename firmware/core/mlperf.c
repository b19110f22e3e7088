/* The verbs of MLPerf Tiny. */
#include "command.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "dpl_quantize.h"
#include "network.h"
#include "stamp.h"

#define DEFAULT_WARMUPS 10u

void dpl_print_tagged(const char *tag, const char *text) {
    dpl_print(tag);
    dpl_print("[");
    dpl_print(text);
    dpl_print_line("]");
}

void dpl_print_lap(uint64_t microseconds) {
    dpl_print("m-lap-us-");
    dpl_print_line(dpl_decimal(microseconds));
}

static const char *name(const dpl_words *words) {
    (void)words;
    dpl_print_tagged("m-name-dut-", DPL_BOARD);
    return 0;
}

static const char *profile(const dpl_words *words) {
    (void)words;
    dpl_print_tagged("m-profile-", "mlperf-tiny");
    dpl_print_tagged("m-model-", DPL_NETWORK.name);
    return 0;
}

static const char *timestamp(const dpl_words *words) {
    (void)words;
    dpl_stamp();
    return 0;
}

#ifdef DPL_ANOMALY_SCORE

/* Of an autoencoder: the mean squared difference of output and input, element by element. */
static void print_results(void) {
    const dpl_io *input = &DPL_NETWORK.inputs[0], *output = &DPL_NETWORK.outputs[0];
    float sum = 0.0f;
    for (uint32_t i = 0; i < output->bytes; i++) {
        uint8_t byte;
        dpl_input_read(i, &byte, 1);
        const float wanted = dpl_dequantize((int8_t)byte, input->scale, input->zero_point);
        const float made = dpl_dequantize(output->data[i], output->scale, output->zero_point);
        sum += (made - wanted) * (made - wanted);
    }
    dpl_print("m-results-[");
    dpl_print_scaled(sum / (float)output->bytes, 1);
    dpl_print_line("]");
}

#else

enum { LARGEST_BITS = 0x4e7fffff }; /* of the float below 2^30, the most that is printed */

/* A float by its magnitude and its sign, in integers as dpl_print_scaled does. */
static void print_float(const int8_t *at) {
    union {
        uint32_t bits;
        float real;
    } value = {0};
    for (uint32_t i = 0; i < sizeof value; i++) {
        value.bits |= (uint32_t)(uint8_t)at[i] << 8 * i;
    }
    const int32_t sign = value.bits >> 31 ? -1 : 1;
    value.bits &= 0x7fffffff;
    value.bits = value.bits < LARGEST_BITS ? value.bits : LARGEST_BITS;
    dpl_print_scaled(value.real, sign);
}

/* int8, or int16 with the low byte first. */
static int32_t element(const int8_t *at, uint32_t bytes) {
    return bytes == 1 ? at[0] : at[1] * 256 + (uint8_t)at[0];
}

static void print_results(void) {
    const dpl_io *output = &DPL_NETWORK.outputs[0];
    const uint8_t *sizes = DPL_NETWORK.output_element_bytes;
    uint32_t size = sizes ? sizes[0] : 1;
    dpl_print("m-results-[");
    for (uint32_t i = 0; i < output->bytes; i += size) {
        if (i > 0) {
            dpl_print_char(',');
        }
        if (size == sizeof(float)) {
            print_float(output->data + i);
        } else {
            dpl_print_scaled(output->scale, element(output->data + i, size) - output->zero_point);
        }
    }
    dpl_print_line("]");
}

#endif

static const char *results(const dpl_words *words) {
    (void)words;
    if (!dpl_has_run()) {
        return "no run yet";
    }
    print_results();
    return 0;
}

/* Asks for the time after every run, so that a counter that wraps can be extended. */
static uint64_t run_times(uint32_t times) {
    uint64_t now = dpl_port_microseconds();
    while (times-- > 0) {
        dpl_run();
        now = dpl_port_microseconds();
    }
    return now;
}

/* From falling edge to falling edge, nothing said in between. */
static void metered_window(uint32_t runs) {
    dpl_stamp();
    run_times(runs);
    dpl_stamp();
}

/* Both stamps are printed after the window: printing inside it would be measured. */
static void timed_window(uint32_t runs) {
    dpl_port_flush();
    uint64_t begin = dpl_port_microseconds();
    uint64_t end = run_times(runs);
    dpl_print_lap(begin);
    dpl_print_lap(end);
}

static const char *infer(const dpl_words *words) {
    uint32_t runs, warmups = DEFAULT_WARMUPS;
    if (!dpl_parse_unsigned(words->word[1], &runs) || runs == 0 ||
        (words->count > 2 && !dpl_parse_unsigned(words->word[2], &warmups))) {
        return "usage: infer N [W]";
    }
    if (dpl_input_missing()) {
        return dpl_input_missing();
    }
    dpl_print("m-warmup-start-");
    dpl_print_line(dpl_decimal(warmups));
    run_times(warmups);
    dpl_print_line("m-warmup-done");
    dpl_print("m-infer-start-");
    dpl_print_line(dpl_decimal(runs));
    if (dpl_energy_mode()) {
        metered_window(runs);
    } else {
        timed_window(runs);
    }
    dpl_print_line("m-infer-done");
    print_results();
    return 0;
}

static void print_usages(const dpl_commands *commands) {
    for (int i = 0; i < commands->count; i++) {
        dpl_print_line(commands->entries[i].usage);
    }
}

static const char *help(const dpl_words *words) {
    (void)words;
    print_usages(&dpl_mlperf_commands);
    print_usages(&dpl_probe_commands);
    return 0;
}

static const dpl_command COMMANDS[] = {
    {"name", "name", 1, 1, name},
    {"profile", "profile", 1, 1, profile},
    {"timestamp", "timestamp", 1, 1, timestamp},
    {"help", "help", 1, 1, help},
    {"db", "db load N | db HEX | db print", 2, 3, dpl_db},
    {"infer", "infer N [W]", 2, 3, infer},
    {"results", "results", 1, 1, results},
};

const dpl_commands dpl_mlperf_commands = {COMMANDS, sizeof COMMANDS / sizeof COMMANDS[0]};
