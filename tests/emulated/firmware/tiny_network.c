/* A network small enough to know every result by heart. Two inputs of 12 and 4 bytes, three
 * outputs.
 *
 * step 0 shift:  shifted[i] = input[i] + 1 + id of the core that does it
 * step 1 turn:   the same bytes in reverse order; uses KNOWN_STACK bytes of stack (the build's)
 * step 2 short:  LOOPS turns of a two-instruction loop on core 0, output byte 7
 * step 3 long:   LOOPS + MORE_LOOPS turns, byte 9
 * step 4 misbehave: by input byte 1 writes to the address in bytes 4 to 7 (POKE), reads there
 *                (PEEK), or goes that many calls deep (DIG), 64 bytes each
 *
 * Outputs: turned (16 bytes, scale 0.125, zero point -4) marks (2 bytes) and all (48 bytes: the
 * input as the run left it, turned, marks and what lies behind them). */
#include "dpl/cores.h"
#include "dpl_net.h"

#define LOOPS 1000u
#define MORE_LOOPS 100000u
#define POKE 0x71
#define DIG 0x72
#define PEEK 0x73

#ifdef TINY_SECTIONS
#define SECTION(memory) __attribute__((section(".dpl_arena." #memory), aligned(16)))
#define ARENA(memory) SECTION(memory)
#define WEIGHTS __attribute__((section(".dpl_weights"), aligned(16)))
#else
#define ARENA(memory) __attribute__((aligned(16)))
#define WEIGHTS
#endif

static int8_t arena_a[48] ARENA(TINY_MEMORY_A);
static int8_t arena_b[16] ARENA(TINY_MEMORY_B);
static const int8_t increments[16] WEIGHTS = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static volatile int32_t static_counter = 41; /* .data must arrive */
static const volatile uint32_t turns[2] = {LOOPS, LOOPS + MORE_LOOPS};

#define INPUT (arena_a)
#define TURNED (arena_a + 16)
#define MARKS (arena_a + 32)
#define SHIFTED (arena_b)

static void spin(uint32_t count) {
#if defined(__arm__)
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(count)::"cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %w0, %w0, #1\n b.ne 1b" : "+r"(count)::"cc");
#elif defined(__riscv)
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(count));
#else
    __asm__ volatile("1: decl %0\n jnz 1b" : "+r"(count)::"cc");
#endif
}

static void shift(void) {
    dpl_share share = dpl_core_share(16);
    for (int32_t i = share.begin; i < share.end; i++) {
        SHIFTED[i] = (int8_t)(INPUT[i] + increments[i] + dpl_core_id());
    }
}

static void turn(void) {
    volatile int8_t room[KNOWN_STACK];
    if (dpl_core_id() != 0) {
        return;
    }
    for (int32_t i = 0; i < KNOWN_STACK; i++) {
        room[i] = SHIFTED[15 - i % 16];
    }
    for (int32_t i = 0; i < 16; i++) {
        TURNED[i] = room[i];
    }
}

static uint32_t argument(void) {
    const uint8_t *bytes = (const uint8_t *)INPUT + 4;
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Each level reads the one above through a pointer, so that no compiler makes a loop of it. */
__attribute__((noinline)) static uint32_t dig(uint32_t levels, volatile uint32_t *above) {
    volatile uint32_t here[16] = {levels};
    uint32_t below = levels > 0 ? dig(levels - 1, here) : 0;
    return below + above[0] + here[0];
}

/* A run overwrites its inputs, as in a planned arena. One body for both steps, so that they differ
 * in the turns alone. */
__attribute__((noinline)) static void mark(int32_t which, int8_t *at, int32_t value) {
    if (dpl_core_id() != 0) {
        return;
    }
    spin(turns[which]);
    *at = (int8_t)value;
    INPUT[0] = 99;
}

static void short_loop(void) {
    mark(0, MARKS, static_counter - 34);
}

static void long_loop(void) {
    mark(1, MARKS + 1, static_counter - 32);
}

static void misbehave(void) {
    volatile uint32_t top = 0;
    if (dpl_core_id() != 0) {
        return;
    }
    if (INPUT[1] == POKE) {
        *(volatile int8_t *)(uintptr_t)argument() = 1;
    }
    if (INPUT[1] == PEEK) {
        (void)*(volatile int8_t *)(uintptr_t)argument();
    }
    MARKS[2] = INPUT[1] == DIG ? (int8_t)dig(argument(), &top) : 0;
}

static const dpl_io INPUTS[] = {{"left", INPUT, 12, 1.0f, 0}, {"right", INPUT + 12, 4, 1.0f, 0}};
static const dpl_io OUTPUTS[] = {
    {"turned", TURNED, 16, 0.125f, -4}, {"marks", MARKS, 2, 1.0f, 0}, {"all", INPUT, 48, 1.0f, 0}};
static const dpl_step STEPS[] = {
    {"shift", shift, SHIFTED, 16, 1, 16},         {"turn", turn, TURNED, 16, 1, 16},
    {"short", short_loop, MARKS, 1, 1, 1},        {"long", long_loop, MARKS + 1, 1, 1, 1},
    {"misbehave", misbehave, MARKS + 2, 1, 1, 1},
};

static const dpl_constant PARTS[] = {{increments, 12}, {increments + 12, 4}};
static const dpl_constants CONSTANTS[] = {{"image", PARTS, 2, 16, 0x52a028b7}, {0}};

const dpl_network tiny_net = {
    .constants = CONSTANTS,
    .name = "tiny",
    .bundle_id = "0123456789abcdef",
    .inputs = INPUTS,
    .outputs = OUTPUTS,
    .steps = STEPS,
    .input_count = 2,
    .output_count = 3,
    .step_count = 5,
    .arena_bytes = 64,
};
