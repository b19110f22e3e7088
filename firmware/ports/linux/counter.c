/* Cycles of this thread in user mode by perf_event_open, else instructions, else nanoseconds of the
 * monotonic clock. Kernels often refuse (perf_event_paranoid, containers, emulators), so the
 * counter is tried and not believed. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "dpl_port.h"
#include "linux_port.h"

static const struct {
    uint64_t config;
    const char *kind;
} COUNTERS[] = {
    {PERF_COUNT_HW_CPU_CYCLES, "cycles"},
    {PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
};

static struct {
    int file;
    const char *kind;
    struct timespec start;
} counter = {.file = -1, .kind = "nanoseconds"};

static int open_counter(uint64_t config) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = config,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t seconds = now.tv_sec - counter.start.tv_sec;
    return seconds * 1000000000 + (now.tv_nsec - counter.start.tv_nsec);
}

uint32_t dpl_port_counter(void) {
    uint64_t count = 0;
    if (counter.file < 0) {
        return (uint32_t)(nanoseconds() / 10); /* 32 bits of them are 42 seconds */
    }
    if (read(counter.file, &count, sizeof count) != sizeof count) {
        return 0;
    }
    return (uint32_t)count;
}

static int counts(void) {
    uint32_t before = dpl_port_counter();
    for (volatile int i = 0; i < 10000; i++) {
    }
    return dpl_port_counter() - before >= 10000;
}

void dpl_counter_start(void) {
    clock_gettime(CLOCK_MONOTONIC, &counter.start);
    for (unsigned i = 0; i < sizeof COUNTERS / sizeof COUNTERS[0]; i++) {
        counter.file = open_counter(COUNTERS[i].config);
        if (counter.file >= 0 && counts()) {
            counter.kind = COUNTERS[i].kind;
            return;
        }
        if (counter.file >= 0) {
            close(counter.file);
            counter.file = -1;
        }
    }
}

const char *dpl_counter_kind(void) {
    return counter.kind;
}

const char *dpl_counter_per(void) {
    return counter.file < 0 ? "0.1" : "1";
}

uint64_t dpl_port_microseconds(void) {
    return (uint64_t)(nanoseconds() / 1000);
}
