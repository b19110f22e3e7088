/* The cluster's DMA engine, driven by the FC: MCHAN 6 of GAP8, 7 of pulp-open (archi/dma/mchan_v6.h
 * of gap_sdk). Commands belong to the id read last; with the engine's queue full the FC stalls. The
 * length of a command has 16 bits or more, and L1 less than 64 KiB beside its stacks. */
#include "dpl/dma.h"

#include "dpl_l3.h"
#include "gap8.h"

#define INTO_L1 (1u << DMA_LENGTH_BITS)
#define OUT_OF_L1 0u
#define INCREMENT (2u << DMA_LENGTH_BITS)
#define LINES (4u << DMA_LENGTH_BITS)
#define MOST_2D 0x7fffu /* of a line and a stride */
#define MOST 0x8000u    /* of a command where SPLIT: L1 is larger than GAP8's, in gap8_sim alone */
#define SPLIT (DPL_L1_RANGE_BYTES > 0x10000u)

static void command(uint32_t kind, uint32_t l1, uint32_t far, uint32_t bytes) {
    MCHAN_QUEUE = kind | bytes;
    MCHAN_QUEUE = l1;
    MCHAN_QUEUE = far;
}

static void run(uint32_t direction, uint32_t l1, uint32_t far, uint32_t bytes) {
    for (; SPLIT && bytes > MOST; bytes -= MOST, l1 += MOST, far += MOST) {
        command(INCREMENT | direction, l1, far, MOST);
    }
    if (bytes > 0) {
        command(INCREMENT | direction, l1, far, bytes);
    }
}

static void each_line(uint32_t direction, uint32_t l1, uint32_t far, uint32_t count, uint32_t line,
                      uint32_t stride) {
    for (uint32_t i = 0; i < count; i++, l1 += line, far += stride) {
        run(direction, l1, far, line);
    }
}

static void command_2d(uint32_t kind, uint32_t l1, uint32_t far, uint32_t bytes, uint32_t line,
                       uint32_t stride) {
    command(kind, l1, far, bytes);
#ifdef DPL_PULP_OPEN
    MCHAN_QUEUE = line;
    MCHAN_QUEUE = stride;
#else
    MCHAN_QUEUE = line | stride << 16;
#endif
}

static void two_d(uint32_t kind, uint32_t l1, uint32_t far, uint32_t count, uint32_t line,
                  uint32_t stride) {
    uint32_t most = MOST / line;
    for (; SPLIT && count > most; count -= most, l1 += most * line, far += most * stride) {
        command_2d(kind, l1, far, most * line, line, stride);
    }
    command_2d(kind, l1, far, count * line, line, stride);
}

static void lines(uint32_t direction, uint32_t l1, uint32_t far, uint32_t count, uint32_t line,
                  uint32_t stride) {
    uint32_t bytes = count * line;
    if (line == stride || count == 1) {
        run(direction, l1, far, bytes);
    } else if (stride > MOST_2D || line > MOST_2D) {
        each_line(direction, l1, far, count, line, stride);
    } else if (bytes > 0) {
        two_d(INCREMENT | LINES | direction, l1, far, count, line, stride);
    }
}

void dpl_dma_in(void *l1, const void *far, uint32_t bytes) {
    run(INTO_L1, (uint32_t)l1, (uint32_t)far, bytes);
}

void dpl_dma_out(void *far, const void *l1, uint32_t bytes) {
    run(OUT_OF_L1, (uint32_t)l1, (uint32_t)far, bytes);
}

void dpl_dma_in_lines(void *l1, const void *far, uint32_t count, uint32_t line, uint32_t stride) {
    lines(INTO_L1, (uint32_t)l1, (uint32_t)far, count, line, stride);
}

void dpl_dma_out_lines(void *far, const void *l1, uint32_t count, uint32_t line, uint32_t stride) {
    lines(OUT_OF_L1, (uint32_t)l1, (uint32_t)far, count, line, stride);
}

/* No event of the engine reaches the FC. */
void dpl_dma_poll(uint32_t group) {
    for (uint32_t polls = 0; dpl_dma_moving(group); polls++) {
        dpl_l3_poll_seldom(polls);
    }
}
