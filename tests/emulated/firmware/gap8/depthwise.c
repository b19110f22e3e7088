/* A depthwise convolution in L1 on eight cores, called twice, and compared on the fabric
 * controller: lines "wrong count", "cycles n" of the slowest core in the second call, "touched
 * count" of bytes before and behind what the kernel may write. */
#include "gap8.h"

#include "dpl/depthwise_conv2d.h"

enum {
    BYTES = (SIDE * SIDE + 3) / 4 * 4 + 12, /* of a channel in layout "depthwise" */
    GUARD = 16,
    ROW = WIDTH * CHANNELS,
    INPUT = ROW * HEIGHT,
};

#ifdef BLOCKED /* of four pixels by four channels, transposed */
#define AT(y, x, c) ((y)*ROW + ((x) / 4 * 4 + (c) % 4) * CHANNELS + ((c) / 4 * 4 + (x) % 4))
#else
#define AT(y, x, c) ((y)*ROW + (x)*CHANNELS + (c))
#endif

L1 static int8_t input[INPUT + 16] __attribute__((aligned(16)));
L1 static int8_t output[OUT_HEIGHT * OUT_WIDTH * CHANNELS] __attribute__((aligned(16)));
L1 static int8_t weights[(CHANNELS + 3) / 4 * 4 * BYTES] __attribute__((aligned(16)));
L1 static int8_t scratch[SCRATCH + GUARD] __attribute__((aligned(16)));
L1 static dpl_depthwise_conv2d_s8_args args;
L1 static volatile uint32_t done, taken[8];
static int32_t bias[CHANNELS], multiplier[CHANNELS], rounding[CHANNELS];
static uint8_t shift[CHANNELS];

int32_t dpl_core_id(void) {
    return (int32_t)(READ_CSR(mhartid) & 31);
}

void cluster(uint32_t core) {
    join_cluster(core, 0xff);
    meet();
    for (int run = 0; run < 2; run++) {
        count_from_zero();
        meet();
        uint32_t from = cycles();
        KERNEL(&args);
        taken[core] = cycles() - from;
        meet();
    }
    if (core == 0)
        done = 1;
}

static uint32_t seed = 777;

static uint32_t noise(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed >> 9;
}

static void prepare(void) {
    for (int i = 0; i < INPUT; i++)
        input[i] = (int8_t)noise();
    for (int c = 0; c < CHANNELS; c++) {
        int8_t *channel = weights + c * BYTES;
        int32_t *tables = (int32_t *)(void *)(channel + BYTES - 12);
        for (int t = 0; t < SIDE * SIDE; t++)
            channel[t] = (int8_t)noise();
        tables[0] = multiplier[c] = 4 + (int32_t)(noise() & 15);
        tables[1] = rounding[c] = (int32_t)(noise() & 0xffff) - 0x8000;
        tables[2] = shift[c] = (uint8_t)(11 + (noise() & 1));
    }
    for (int i = 0; i < GUARD; i++)
        scratch[SCRATCH + i] = 0x3c;
    args.input = (dpl_tensor_s8){input, HEIGHT, WIDTH, CHANNELS, ROW, CHANNELS, 0, 0};
    args.output = (dpl_tensor_s8){output,   OUT_HEIGHT, OUT_WIDTH, CHANNELS, OUT_WIDTH * CHANNELS,
                                  CHANNELS, 0,          0};
    args.weights = weights;
    args.bias = bias;
    args.window = (dpl_window){SIDE, SIDE, STRIDE, STRIDE, 1, 1, {TOP, LEFT, BOTTOM, RIGHT}};
    args.input_zero = -3;
    args.requant = (dpl_requant){multiplier, rounding, shift, 1, DPL_I32, LOW, 127};
    args.scratch = scratch;
}

static int32_t sum_at(int y, int x, int c) {
    int32_t sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            int row = y * STRIDE - TOP + i, column = x * STRIDE - LEFT + k;
            int inside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
            int32_t value = inside ? args.input.data[AT(row, column, c)] : args.input_zero;
            sum += value * weights[c * BYTES + i * SIDE + k];
        }
    return sum;
}

int main(void) {
    uint32_t wrong = 0, touched = 0, slowest = 0;
    const int8_t *out = output;
    prepare();
    done = 0;
    start_cluster(1);
    while (!done)
        ;
    for (int y = 0; y < OUT_HEIGHT; y++)
        for (int x = 0; x < OUT_WIDTH; x++)
            for (int c = 0; c < CHANNELS; c++)
                wrong += *out++ != dpl_requantize(&args.requant, sum_at(y, x, c), c);
    for (int i = 0; i < GUARD; i++)
        touched += scratch[SCRATCH + i] != 0x3c;
    for (int i = 0; i < 8; i++)
        slowest = taken[i] > slowest ? taken[i] : slowest;
    report("wrong", wrong);
    report("touched", touched);
    report("cycles", slowest);
    return 0;
}
