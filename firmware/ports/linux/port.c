#include "dpl_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpl/cores.h"
#include "dpl_print.h"
#include "dpl_threads.h"
#include "linux_port.h"

#ifdef DPL_CORES
#define CORES DPL_CORES
#else
#define CORES 1
#endif
#define STACK_BYTES (256 * 1024) /* the part that is painted and measured */
#define CPUFREQ "/sys/devices/system/cpu/cpu0/cpufreq/"

static uintptr_t stack_high;
static const char *fault;

/* Linux grows a stack when it is touched in order; the painting below it then finds it there. */
__attribute__((noinline)) static void grow_stack(void) {
    volatile char room[STACK_BYTES];
    for (size_t i = sizeof room; i > 0; i -= 1024) {
        room[i - 1] = 0;
    }
}

void dpl_port_init(void) {
    dpl_listen_where_asked();
    stack_high = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15;
    grow_stack();
    dpl_counter_start();
    fault = dpl_threads_start();
    dpl_console_start();
}

const char *dpl_port_fault(void) {
    return fault;
}

void dpl_port_earlier(void) {}

/* 0 when the kernel does not say, as in an emulator. */
static uint64_t clock_hz(void) {
    unsigned long khz = 0;
    FILE *file = fopen(CPUFREQ "scaling_cur_freq", "r");
    if (file != NULL) {
        if (fscanf(file, "%lu", &khz) != 1) {
            khz = 0;
        }
        fclose(file);
    }
    return (uint64_t)khz * 1000;
}

/* The word behind `key` in a file of the kernel's; what is not told is not said. */
static void emit_word(void (*emit)(const char *, const char *), const char *name, const char *path,
                      const char *key) {
    char line[256], word[64];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(key);
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%63s", word) == 1) {
            emit(name, word);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    emit("port", "linux");
    emit("counter", dpl_counter_kind());
    emit("counter_per", dpl_counter_per());
    uint64_t hz = clock_hz();
    if (hz > 0) {
        emit("clock_hz", dpl_decimal(hz));
    }
    emit_word(emit, "governor", CPUFREQ "scaling_governor", "");
    emit_word(emit, "affinity", "/proc/thread-self/status", "Cpus_allowed_list:");
    emit("cores", dpl_decimal(CORES));
    if (dpl_trigger_name() != NULL) {
        emit("trigger", dpl_trigger_name());
    }
}

const char *dpl_port_memory(const void *address) {
    (void)address;
    return "ram";
}

void dpl_port_stack(uintptr_t *low, uintptr_t *high) {
    *high = stack_high;
    *low = stack_high - STACK_BYTES;
}

/* The C library's data cannot be told from ours. */
uint32_t dpl_port_static_bytes(void) {
    return 0;
}

void dpl_port_fork(void (*fn)(void)) {
    dpl_threads_run(fn);
}

void dpl_port_exit(int status) {
    dpl_port_flush();
    exit(status);
}
