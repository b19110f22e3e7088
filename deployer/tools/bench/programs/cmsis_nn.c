/* Layers through the user's own build of CMSIS-NN, for the profiler; nothing of it is in here.
 *
 * The emulator loads a blob at BLOB: the words {MAGIC, passes, jobs}, the jobs, their data. Each
 * job gets its input where the job before left its output, as in a network, runs between job_run
 * and job_end, and a line "<job> <status> <CRC-32 of the output>" goes to the UART. Calls are those
 * of the library's public header. */
#include <string.h>

#include "cmsis_nn.h"

#define MAGIC 0x4E4E4D43u
enum { WRONG_BLOB = 2 };

#define UART_DATA (*(volatile uint32_t *)0x40004000)
#define UART_STATE (*(volatile uint32_t *)0x40004004)
#define UART_CTRL (*(volatile uint32_t *)0x40004008)
#define UART_BAUDDIV (*(volatile uint32_t *)0x40004010)
#define CPACR (*(volatile uint32_t *)0xE000ED88)

static int convolve(const job *j, const int8_t *from, int8_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims bias = {1, 1, 1, j->out_channels};
    const cmsis_nn_dims kernel = {j->out_channels, j->kernel_height, j->kernel_width,
                                  j->in_channels / j->groups};
    const cmsis_nn_per_channel_quant_params quant = per_channel(j);
    const cmsis_nn_conv_params params = conv_of(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_convolve_wrapper_s8_get_buffer_size(&params, &in, &kernel, &out),
                    &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_convolve_wrapper_s8(&context, &params, &quant, &in, from, &kernel, at(j->weights),
                                   &bias, at(j->bias), &out, to);
}

static int depthwise(const job *j, const int8_t *from, int8_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims bias = {1, 1, 1, j->out_channels};
    const cmsis_nn_dims kernel = {1, j->kernel_height, j->kernel_width, j->out_channels};
    const cmsis_nn_per_channel_quant_params quant = per_channel(j);
    const cmsis_nn_dw_conv_params params = depthwise_of(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &in, &kernel, &out),
                    &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_depthwise_conv_wrapper_s8(&context, &params, &quant, &in, from, &kernel,
                                         at(j->weights), &bias, at(j->bias), &out, to);
}

static int transposed(const job *j, const int8_t *from, int8_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims bias = {1, 1, 1, j->out_channels};
    const cmsis_nn_dims kernel = {j->out_channels, j->kernel_height, j->kernel_width,
                                  j->in_channels};
    const cmsis_nn_per_channel_quant_params quant = per_channel(j);
    const cmsis_nn_transpose_conv_params params = {.input_offset = j->in_offset,
                                                   .output_offset = j->out_offset,
                                                   .stride = {j->stride_width, j->stride_height},
                                                   .padding = {j->pad_left, j->pad_top},
                                                   .dilation = {1, 1},
                                                   .activation = {j->low, j->high}};
    const cmsis_nn_context rotated = {BUFFERS + ROTATED * BUFFER_BYTES, BUFFER_BYTES};
    cmsis_nn_context context;
    if (arm_transpose_conv_s8_get_reverse_conv_buffer_size(&params, &in, &kernel) > rotated.size ||
        !scratch_of(arm_transpose_conv_s8_get_buffer_size(&params, &in, &kernel, &out), &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_transpose_conv_wrapper_s8(&context, &rotated, &params, &quant, &in, from, &kernel,
                                         at(j->weights), &bias, at(j->bias), &out, to);
}

static int dense(const job *j, const int8_t *from, int8_t *to) {
    const int32_t inputs = (int32_t)j->in_bytes;
    const cmsis_nn_dims in = {1, 1, 1, inputs}, kernel = {inputs, 1, 1, j->out_channels};
    const cmsis_nn_dims out = {1, 1, 1, j->out_channels};
    const cmsis_nn_per_tensor_quant_params quant = {*(const int32_t *)at(j->multipliers),
                                                    *(const int32_t *)at(j->shifts)};
    const cmsis_nn_fc_params params = {.input_offset = j->in_offset,
                                       .output_offset = j->out_offset,
                                       .activation = {j->low, j->high}};
    cmsis_nn_context context;
    if (!scratch_of(arm_fully_connected_s8_get_buffer_size(&kernel), &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_fully_connected_s8(&context, &params, &quant, &in, from, &kernel, at(j->weights),
                                  &out, at(j->bias), &out, to);
}

static int pool(const job *j, const int8_t *from, int8_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims window = {1, j->kernel_height, j->kernel_width, 1};
    const cmsis_nn_pool_params params = pool_of(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_avgpool_s8_get_buffer_size(j->out_width, j->in_channels), &context)) {
        return TOO_MUCH_SCRATCH;
    }
    if (j->kind == AVERAGE) {
        return arm_avgpool_s8(&context, &params, &in, from, &window, &out, to);
    }
    return arm_max_pool_s8(&context, &params, &in, from, &window, &out, to);
}

static int add(const job *j, const tensors *t) {
    const int32_t *m = at(j->multipliers), *s = at(j->shifts);
    const int32_t left = 20; /* as TensorFlow Lite for int8 */
    return arm_elementwise_add_s8(t->from, t->second, j->in_offset, m[0], s[0], j->in_offset, m[1],
                                  s[1], left, t->to, j->out_offset, m[2], s[2], j->low, j->high,
                                  (int32_t)j->out_bytes);
}

static int multiply(const job *j, const tensors *t) {
    return arm_elementwise_mul_s8(t->from, t->second, j->in_offset, j->in_offset, t->to,
                                  j->out_offset, *(const int32_t *)at(j->multipliers),
                                  *(const int32_t *)at(j->shifts), j->low, j->high,
                                  (int32_t)j->out_bytes);
}

static int8_t tight_tensors[TIGHT_TENSORS] __attribute__((aligned(32)));
static int8_t tight_scratch[TIGHT_SCRATCH] __attribute__((aligned(32)));

bool scratch_of(int32_t bytes, cmsis_nn_context *context) {
    int8_t *wide = BUFFERS + SCRATCH * BUFFER_BYTES;
    context->buf = bytes <= TIGHT_SCRATCH ? tight_scratch : wide;
    context->size = bytes <= TIGHT_SCRATCH ? TIGHT_SCRATCH : BUFFER_BYTES;
    return bytes <= BUFFER_BYTES;
}

static uint32_t rounded(uint32_t bytes) {
    return (bytes + 31u) & ~31u;
}

static tensors tensors_of(const job *j) {
    const uint32_t input = rounded(j->in_bytes), output = rounded(j->out_bytes);
    const uint32_t both = input + output;
    if (both + (j->second ? input : 0) <= TIGHT_TENSORS) {
        int8_t *from = tight_tensors + (j->side ? output : 0);
        int8_t *to = tight_tensors + (j->side ? 0 : input);
        return (tensors){from, to, tight_tensors + both};
    }
    return (tensors){BUFFERS + j->side * BUFFER_BYTES, BUFFERS + (1 - j->side) * BUFFER_BYTES,
                     BUFFERS + SECOND * BUFFER_BYTES};
}

__attribute__((noinline)) int job_run(const job *j, const tensors *t) {
    if (j->bits == 16) {
        return run_wide(j, t);
    }
    switch (j->kind) {
    case CONV: return convolve(j, t->from, t->to);
    case DEPTHWISE: return depthwise(j, t->from, t->to);
    case DENSE: return dense(j, t->from, t->to);
    case ADD: return add(j, t);
    case MUL: return multiply(j, t);
    case TRANSPOSED: return transposed(j, t->from, t->to);
    case AVERAGE:
    case MAXIMUM: return pool(j, t->from, t->to);
    default: return UNKNOWN;
    }
}

__attribute__((noinline)) void job_end(void) {
    __asm__ volatile("" ::: "memory");
}

static uint32_t table[256];

static void crc_start(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
        }
        table[i] = c;
    }
}

static uint32_t crc(const int8_t *bytes, uint32_t count) {
    uint32_t c = ~0u;
    for (uint32_t i = 0; i < count; i++) {
        c = table[(c ^ (uint8_t)bytes[i]) & 0xFF] ^ c >> 8;
    }
    return ~c;
}

static void put(char c) {
    while (UART_STATE & 1) {
    }
    UART_DATA = (uint8_t)c;
}

static void put_hex(uint32_t value, char after) {
    for (int shift = 28; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[value >> shift & 0xF]);
    }
    put(after);
}

static void one(uint32_t number, const job *j) {
    const tensors t = tensors_of(j);
    memcpy(t.from, at(j->input), j->in_bytes);
    if (j->second) {
        memcpy(t.second, at(j->second), j->in_bytes);
    }
    int status = job_run(j, &t);
    job_end();
    put_hex(number, ' ');
    put_hex((uint32_t)status, ' ');
    put_hex(crc(t.to, j->out_bytes), '\n');
}

static void leave(uint32_t status) {
    uint32_t block[2] = {0x20026, status}; /* application exit */
    register uint32_t call __asm__("r0") = 0x20;
    register uint32_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(call) : "r"(argument) : "memory");
}

void start(void) {
    const uint32_t *head = (const uint32_t *)BLOB;
    const job *jobs = (const job *)(head + 3);
    CPACR |= 0xFu << 20; /* the library may use the floating-point registers */
    __asm__ volatile("dsb\n isb" ::: "memory");
    UART_BAUDDIV = 16;
    UART_CTRL = 1;
    crc_start();
    for (uint32_t pass = 0; head[0] == MAGIC && pass < head[1]; pass++) {
        for (uint32_t i = 0; i < head[2]; i++) {
            one(i, &jobs[i]);
        }
    }
    leave(head[0] == MAGIC ? 0 : WRONG_BLOB);
    for (;;) {
    }
}

static void fault(void) {
    leave(3);
    for (;;) {
    }
}

extern uint32_t stack_high;
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_high,
    (const void *)start,
    [2 ... 15] = (const void *)fault,
};
