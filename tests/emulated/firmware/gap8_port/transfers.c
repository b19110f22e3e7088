/* The port's DMA and L3 interfaces on GAP8: lines "name value" on its console. */
#include <stdbool.h>
#include <stdint.h>

#include "dpl/cores.h"
#include "dpl/dma.h"
#include "dpl/offload.h"
#include "dpl_l3.h"
#include "dpl_port.h"
#include "dpl_print.h"

enum { TILE = 48 * 1024, FAR = 160 * 1024, STRIDE = 200, WIDE = 40000, MANY = 40, PIECE = 1024 };

static uint8_t tile[TILE] __attribute__((section(".dpl_arena.l1"), aligned(16)));
static uint8_t far[FAR] __attribute__((aligned(16)));
static uint8_t back[FAR] __attribute__((aligned(16)));

static struct {
    const char *name;
    uint32_t value;
} said[24];
static uint32_t lines_said;

static void say(const char *name, uint32_t value) {
    said[lines_said].name = name;
    said[lines_said++].value = value;
}

static void say_all(void) {
    for (uint32_t i = 0; i < lines_said; i++) {
        dpl_print(said[i].name);
        dpl_print(" ");
        dpl_print_unsigned(said[i].value);
        dpl_print_line("");
    }
    lines_said = 0;
    dpl_port_flush();
}

static uint32_t cycles(void) {
    uint32_t now;
    __asm__ volatile("csrr %0, 0x780" : "=r"(now)::"memory");
    return now;
}

static void count_cycles(void) {
    __asm__ volatile("csrw 0x7A0, %0\n csrw 0x7A1, %0" ::"r"(1));
}

static uint32_t differing(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        wrong += a[i] != b[i];
    }
    return wrong;
}

static void forget(uint8_t *at, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        at[i] = 0;
    }
}

static void plain(void) {
    uint32_t group = dpl_dma_open();
    dpl_dma_in(tile, far + 3, 1001);
    dpl_dma_wait(group);
    say("in", differing(tile, far + 3, 1001));
    group = dpl_dma_open();
    dpl_dma_out(back + 5, tile, 1001);
    dpl_dma_in(tile, far, 0);
    dpl_dma_wait(group);
    say("out", differing(back + 5, far + 3, 1001) + back[4] + back[5 + 1001]);
    dpl_dma_wait(dpl_dma_open());
    group = dpl_dma_open();
    dpl_dma_in(tile, far + 1, TILE);
    dpl_dma_wait(group);
    say("large", differing(tile, far + 1, TILE));
}

static uint32_t wrong_lines(uint32_t count, uint32_t line, uint32_t stride) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        wrong += differing(tile + i * line, far + i * stride, line);
    }
    return wrong;
}

static uint32_t lines_in(uint32_t count, uint32_t line, uint32_t stride) {
    forget(tile, count * line);
    uint32_t group = dpl_dma_open();
    dpl_dma_in_lines(tile, far, count, line, stride);
    dpl_dma_wait(group);
    return wrong_lines(count, line, stride);
}

/* The same lines come back to where they were, and nothing between them. */
static uint32_t lines_out(uint32_t count, uint32_t line, uint32_t stride) {
    forget(back, (count - 1) * stride + line);
    uint32_t group = dpl_dma_open();
    dpl_dma_out_lines(back, tile, count, line, stride);
    dpl_dma_wait(group);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < (count - 1) * stride + line; i++) {
        wrong += back[i] != (i % stride < line ? far[i] : 0);
    }
    return wrong;
}

static void two_d(void) {
    say("lines_in", lines_in(30, 61, STRIDE));
    say("lines_out", lines_out(30, 61, STRIDE));
    say("one_line", lines_in(1, 61, STRIDE));
    say("dense_lines", lines_in(30, 64, 64));
    say("wide_in", lines_in(3, 500, WIDE));
    say("wide_out", lines_out(3, 500, WIDE));
    say("no_lines", lines_in(0, 61, STRIDE));
}

/* More commands than the engine holds, under one id, each longer than the FC takes to give one: the
 * last is not there before the wait. */
static void many(void) {
    forget(tile, MANY * PIECE);
    uint32_t group = dpl_dma_open();
    for (uint32_t i = 0; i < MANY; i++) {
        dpl_dma_in(tile + i * PIECE, far + i * 1000, PIECE);
    }
    bool early = tile[MANY * PIECE - 1] == far[(MANY - 1) * 1000 + PIECE - 1];
    dpl_dma_wait(group);
    uint32_t wrong = early;
    for (uint32_t i = 0; i < MANY; i++) {
        wrong += differing(tile + i * PIECE, far + i * 1000, PIECE);
    }
    say("many", wrong);
}

/* Two groups under way; the later one is waited for first. */
static void two_groups(void) {
    forget(tile, 4096);
    uint32_t first = dpl_dma_open();
    dpl_dma_in(tile, far, 2048);
    uint32_t second = dpl_dma_open();
    dpl_dma_in(tile + 2048, far + 2048, 2048);
    dpl_dma_wait(second);
    say("second", differing(tile + 2048, far + 2048, 2048));
    dpl_dma_wait(first);
    say("first", differing(tile, far, 2048));
}

static void cost(void) {
    uint32_t group = dpl_dma_open(), least = UINT32_MAX;
    for (int i = 0; i < 4; i++) { /* its code may share lines of the cache with other code */
        uint32_t before = cycles();
        dpl_dma_in(tile, far, 64);
        uint32_t took = cycles() - before;
        least = took < least ? took : least;
    }
    say("command_cycles", least);
    dpl_dma_wait(group);
}

static void dma(void) {
    count_cycles();
    plain();
    two_d();
    many();
    two_groups();
    cost();
    cost();
}

enum { CALLS = 9 };

static struct {
    uint32_t number;
    uint32_t runs[DPL_CORES];
} orders[CALLS];
static volatile uint32_t latest, early; /* the last call that began, calls that did so too soon */

/* A call that overtakes the one before finds that one's runs missing. */
static void note(const void *args) {
    const uint32_t number = *(const uint32_t *)args, core = (uint32_t)dpl_core_id();
    for (int32_t other = 0; number > 0 && other < DPL_CORES; other++) {
        early += orders[number - 1].runs[other] != 1;
    }
    latest = number;
    orders[number].runs[core]++;
}

/* Each but the first is made while the one before runs. */
static void calls(void) {
    for (uint32_t i = 0; i < CALLS; i++) {
        orders[i].number = i;
        dpl_offload_call(note, &orders[i]);
        if (i > 0) {
            dpl_offload_wait();
        }
    }
    dpl_offload_wait();
    uint32_t wrong = latest != CALLS - 1;
    for (uint32_t i = 0; i < CALLS * DPL_CORES; i++) {
        wrong += orders[i / DPL_CORES].runs[i % DPL_CORES] != 1;
    }
    say("calls", wrong + early);
}

static uint32_t arrived;

/* Ends when the FC, which polls while it waits for this, has had all weights fetched. */
static void waits_for_weights(void) {
    if (dpl_core_id() == 0) {
        while (!dpl_l3_done(arrived)) {
        }
    }
}

static void l3(void) {
    forget(back, FAR);
    dpl_l3_write(0x1000, far, 3 * 8192 + 12);
    uint32_t last = 0;
    for (uint32_t i = 0; i < 24; i++) {
        last = dpl_l3_read(back + i * 1024, 0x1000 + i * 1024, 1024);
    }
    say("l3_early", dpl_l3_done(last));
    dpl_l3_wait(last);
    say("l3_pieces", differing(back, far, 24 * 1024));
    say("l3_nothing", dpl_l3_read(back, 0, 0) != last);
    forget(back, FAR);
    arrived = dpl_l3_read(back, 0x1000, 3 * 8192 + 12);
    say("l3_running", dpl_l3_done(arrived));
    dpl_port_fork(waits_for_weights);
    say("l3_while_forked", differing(back, far, 3 * 8192 + 12) + back[3 * 8192 + 12]);
}

#define GPIO_DIRECTION (*(volatile uint32_t *)0x1A101000)
#define GPIO_OUT (*(volatile uint32_t *)0x1A101008)
#define PAD_FUNCTIONS (*(volatile uint32_t *)0x1A104144) /* of pads 16 to 31 */
#define PIN (1u << 17)

/* The first pulse takes the pad, the second is a pulse and no more. */
static void trigger(void) {
    say("pin_taken_early", (GPIO_DIRECTION & PIN) != 0);
    dpl_port_pulse();
    say("pin_output", (GPIO_DIRECTION & PIN) != 0);
    say("pin_high", (GPIO_OUT & PIN) != 0);
    say("pad_function", PAD_FUNCTIONS >> 30);
    uint32_t begin = dpl_port_counter();
    dpl_port_pulse();
    say("pulse_cycles", dpl_port_counter() - begin);
}

int main(void) {
    dpl_port_init();
    for (uint32_t i = 0; i < FAR; i++) {
        far[i] = (uint8_t)(i * 7 + i / 251 + 1);
    }
    dma();
    say_all();
    calls();
    say_all();
    l3();
    say_all();
    trigger();
    say_all();
    dpl_port_exit(0);
    return 0;
}
