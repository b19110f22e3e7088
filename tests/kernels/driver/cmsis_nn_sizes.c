/* Asks CMSIS-NN for the scratch of each row of the blob and compares: a count, then rows of ROW
 * words, the last of which is the bytes expected. */
#include "arm_nnfunctions.h"
#include "port.h"

enum { CONV, DEPTHWISE, AVERAGE, TRANSPOSED, ROW = 15 };

typedef struct {
    int32_t kind;
    cmsis_nn_dims in, kernel;
    cmsis_nn_tile stride, padding, dilation;
    cmsis_nn_dims out;
} row;

static row row_at(const int32_t *w) {
    const row r = {w[0],          {1, w[1], w[2], w[3]}, {w[13], w[4], w[5], w[6]}, {w[8], w[7]},
                   {w[10], w[9]}, {w[11], w[11]},        {1, w[12], w[12], w[13]}};
    return r;
}

static int32_t transposed_size(const row *r) {
    const cmsis_nn_transpose_conv_params params = {
        .stride = r->stride, .padding = r->padding, .dilation = r->dilation};
    const int32_t turned =
        arm_transpose_conv_s8_get_reverse_conv_buffer_size(&params, &r->in, &r->kernel);
    return (turned + 3) / 4 * 4 +
           arm_transpose_conv_s8_get_buffer_size(&params, &r->in, &r->kernel, &r->out);
}

static int32_t size_of(const row *r) {
    if (r->kind == TRANSPOSED) {
        return transposed_size(r);
    }
    if (r->kind == AVERAGE) {
        return arm_avgpool_s8_get_buffer_size(r->out.w, r->in.c);
    }
    if (r->kind == DEPTHWISE) {
        const cmsis_nn_dims kernel = {1, r->kernel.h, r->kernel.w, r->out.c};
        const cmsis_nn_dw_conv_params params = {.ch_mult = r->out.c / r->in.c,
                                                .stride = r->stride,
                                                .padding = r->padding,
                                                .dilation = r->dilation};
        return arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &r->in, &kernel, &r->out);
    }
    const cmsis_nn_conv_params params = {
        .stride = r->stride, .padding = r->padding, .dilation = r->dilation};
    return arm_convolve_wrapper_s8_get_buffer_size(&params, &r->in, &r->kernel, &r->out);
}

static void put_decimal(const char *before, int32_t number) {
    char text[12] = {0};
    char *digit = text + sizeof text - 1;
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put_text(before);
    put_text(digit);
    put_text("\n");
}

int32_t run_cases(const int32_t *blob) {
    int32_t failed = 0;
    for (int32_t i = 0; i < blob[0]; i++) {
        const int32_t *words = blob + 1 + i * ROW;
        const row r = row_at(words);
        const int32_t found = size_of(&r);
        if (found != words[ROW - 1]) {
            put_decimal("FAIL ", i);
            failed++;
        }
    }
    put_decimal("DONE ", blob[0]);
    return failed;
}
