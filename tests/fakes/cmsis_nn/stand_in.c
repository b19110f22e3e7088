/* CMSIS-NN's arithmetic in plain loops: what the comparison is tested with where the library is not
 * there. SINGLE rounds once, REFUSE takes no convolution, WRONG is off by one in sums, OLD lacks a
 * function. */
#include "arm_nnfunctions.h"

#ifndef WRONG
#define WRONG 0
#endif

static int32_t limit(int32_t value, cmsis_nn_activation range) {
    return value < range.min ? range.min : value > range.max ? range.max : value;
}

static int32_t scaled(int32_t value, int32_t multiplier, int32_t shift) {
    const int64_t product = (int64_t)value * multiplier;
#ifdef SINGLE
    return (int32_t)(((product >> (30 - shift)) + 1) >> 1);
#else
    const int32_t high = (int32_t)((product + (1ll << 30)) >> 31);
    const int32_t mask = (int32_t)((1u << -shift) - 1u);
    return (high >> -shift) + ((high & mask) > (mask >> 1) + (high < 0));
#endif
}

typedef struct {
    dims in, out, window;
    cmsis_nn_tile stride, padding, dilation;
    int32_t offset;
} spot;

/* The input's offset at tap (ky, kx) of output (y, x), -1 in the padding. */
static int32_t tap(const spot *s, int32_t y, int32_t x, int32_t ky, int32_t kx) {
    const int32_t row = y * s->stride.h - s->padding.h + ky * s->dilation.h;
    const int32_t column = x * s->stride.w - s->padding.w + kx * s->dilation.w;
    const int inside = row >= 0 && row < s->in->h && column >= 0 && column < s->in->w;
    return inside ? (row * s->in->w + column) * s->in->c : -1;
}

/* The kernel is as deep as a group has channels, or depthwise. */
static int32_t sum(const spot *s, int32_t y, int32_t x, int32_t c, const int8_t *from,
                   const int8_t *weights, int depthwise) {
    int32_t total = WRONG;
    for (int32_t k = 0; k < s->window->h * s->window->w; k++) {
        const int32_t at = tap(s, y, x, k / s->window->w, k % s->window->w);
        if (at < 0) {
            continue;
        }
        if (depthwise) {
            const int32_t source = at + c / (s->out->c / s->in->c);
            total += (from[source] + s->offset) * weights[k * s->out->c + c];
            continue;
        }
        const int32_t depth = s->window->c, group = c / (s->out->c / (s->in->c / depth));
        const int8_t *row = weights + (c * s->window->h * s->window->w + k) * depth;
        for (int32_t i = 0; i < depth; i++) {
            total += (from[at + group * depth + i] + s->offset) * row[i];
        }
    }
    return total;
}

static void slide(const spot *s, const int8_t *from, const int8_t *weights, const int32_t *bias,
                  channel_quant quant, int32_t offset, cmsis_nn_activation range, int depthwise,
                  int8_t *to) {
    for (int32_t i = 0; i < s->out->h * s->out->w * s->out->c; i++) {
        const int32_t c = i % s->out->c, pixel = i / s->out->c;
        const int32_t y = pixel / s->out->w, x = pixel % s->out->w;
        const int32_t total = sum(s, y, x, c, from, weights, depthwise) + bias[c];
        const int32_t value = scaled(total, quant->multiplier[c], quant->shift[c]);
        to[i] = (int8_t)limit(value + offset, range);
    }
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *p, dims in, dims kernel,
                                                dims out) {
    (void)p, (void)in, (void)kernel, (void)out;
    return 0;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *context,
                                            const cmsis_nn_conv_params *p, channel_quant quant,
                                            dims in, const int8_t *from, dims kernel,
                                            const int8_t *weights, dims bias_dims,
                                            const int32_t *bias, dims out, int8_t *to) {
    const spot s = {in, out, kernel, p->stride, p->padding, p->dilation, p->input_offset};
    (void)context, (void)bias_dims;
#ifdef REFUSE
    return ARM_CMSIS_NN_ARG_ERROR;
#endif
    slide(&s, from, weights, bias, quant, p->output_offset, p->activation, 0, to);
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *p, dims in,
                                                      dims kernel, dims out) {
    (void)p, (void)in, (void)kernel, (void)out;
    return 0;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *context,
                                                  const cmsis_nn_dw_conv_params *p,
                                                  channel_quant quant, dims in, const int8_t *from,
                                                  dims kernel, const int8_t *weights,
                                                  dims bias_dims, const int32_t *bias, dims out,
                                                  int8_t *to) {
    const spot s = {in, out, kernel, p->stride, p->padding, p->dilation, p->input_offset};
    (void)context, (void)bias_dims;
    slide(&s, from, weights, bias, quant, p->output_offset, p->activation, 1, to);
    return ARM_CMSIS_NN_SUCCESS;
}

/* One multiplier for all outputs (step 0) or one for each. */
static void dense(const cmsis_nn_fc_params *p, const int8_t *from, dims kernel,
                  const int8_t *weights, const int32_t *bias, dims out, const int32_t *multiplier,
                  const int32_t *shift, int32_t step, int8_t *to) {
    for (int32_t c = 0; c < out->c; c++) {
        int32_t total = bias[c] + WRONG;
        for (int32_t i = 0; i < kernel->n; i++) {
            total += (from[i] + p->input_offset) * weights[c * kernel->n + i];
        }
        const int32_t value = scaled(total, multiplier[c * step], shift[c * step]);
        to[c] = (int8_t)limit(value + p->output_offset, p->activation);
    }
}

#ifndef OLD
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *context,
                                                       const cmsis_nn_fc_params *p,
                                                       channel_quant quant, dims in,
                                                       const int8_t *from, dims kernel,
                                                       const int8_t *weights, dims bias_dims,
                                                       const int32_t *bias, dims out, int8_t *to) {
    (void)context, (void)bias_dims, (void)in;
    dense(p, from, kernel, weights, bias, out, quant->multiplier, quant->shift, 1, to);
    return ARM_CMSIS_NN_SUCCESS;
}
#endif

int32_t arm_fully_connected_s8_get_buffer_size(dims kernel) {
    (void)kernel;
    return 0;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *context,
                                           const cmsis_nn_fc_params *p,
                                           const cmsis_nn_per_tensor_quant_params *quant, dims in,
                                           const int8_t *from, dims kernel, const int8_t *weights,
                                           dims bias_dims, const int32_t *bias, dims out,
                                           int8_t *to) {
    (void)context, (void)bias_dims, (void)in;
    dense(p, from, kernel, weights, bias, out, &quant->multiplier, &quant->shift, 0, to);
    return ARM_CMSIS_NN_SUCCESS;
}

static void pool(const cmsis_nn_pool_params *p, dims in, const int8_t *from, dims window, dims out,
                 int average, int8_t *to) {
    const spot s = {in, out, window, p->stride, p->padding, {1, 1}, 0};
    for (int32_t i = 0; i < out->h * out->w * out->c; i++) {
        const int32_t c = i % out->c, pixel = i / out->c;
        int32_t total = 0, count = 0, best = -128;
        for (int32_t k = 0; k < window->h * window->w; k++) {
            const int32_t at =
                tap(&s, pixel / out->w, pixel % out->w, k / window->w, k % window->w);
            if (at >= 0) {
                total += from[at + c];
                best = from[at + c] > best ? from[at + c] : best;
                count++;
            }
        }
        total = (total > 0 ? total + count / 2 : total - count / 2) / count;
        to[i] = (int8_t)limit(average ? total : best, p->activation);
    }
}

int32_t arm_avgpool_s8_get_buffer_size(const int width, const int channels) {
    (void)width, (void)channels;
    return 0;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                   dims in, const int8_t *from, dims window, dims out, int8_t *to) {
    (void)context;
    pool(p, in, from, window, out, 1, to);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                    dims in, const int8_t *from, dims window, dims out,
                                    int8_t *to) {
    (void)context;
    pool(p, in, from, window, out, 0, to);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *a, const int8_t *b, int32_t a_offset,
                                           int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                           int32_t b_multiplier, int32_t b_shift, int32_t left,
                                           int8_t *to, int32_t offset, int32_t multiplier,
                                           int32_t shift, int32_t low, int32_t high,
                                           int32_t count) {
    const cmsis_nn_activation range = {low, high};
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = scaled((a[i] + a_offset) * (1 << left), a_multiplier, a_shift);
        const int32_t second = scaled((b[i] + b_offset) * (1 << left), b_multiplier, b_shift);
        to[i] = (int8_t)limit(scaled(first + second, multiplier, shift) + offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *a, const int8_t *b, int32_t a_offset,
                                           int32_t b_offset, int8_t *to, int32_t offset,
                                           int32_t multiplier, int32_t shift, int32_t low,
                                           int32_t high, int32_t count) {
    const cmsis_nn_activation range = {low, high};
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = (a[i] + a_offset) * (b[i] + b_offset);
        to[i] = (int8_t)limit(scaled(product, multiplier, shift) + offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *p, dims in,
                                              dims kernel, dims out) {
    (void)p, (void)in, (void)kernel, (void)out;
    return 0;
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *p,
                                                           dims in, dims kernel) {
    (void)p, (void)in, (void)kernel;
    return 0;
}

/* Sum of the products of a pixel and a tap. */
static int32_t meeting(const int8_t *from, int32_t offset, const int8_t *weights, int32_t depth) {
    int32_t total = 0;
    for (int32_t i = 0; i < depth; i++) {
        total += (from[i] + offset) * weights[i];
    }
    return total;
}

arm_cmsis_nn_status
arm_transpose_conv_wrapper_s8(const cmsis_nn_context *context, const cmsis_nn_context *reverse,
                              const cmsis_nn_transpose_conv_params *p, channel_quant quant, dims in,
                              const int8_t *from, dims kernel, const int8_t *weights,
                              dims bias_dims, const int32_t *bias, dims out, int8_t *to) {
    const int32_t taps = kernel->h * kernel->w;
    (void)context, (void)reverse, (void)bias_dims;
    for (int32_t i = 0; i < out->h * out->w * out->c; i++) {
        const int32_t c = i % out->c, pixel = i / out->c;
        int32_t total = bias[c] + WRONG;
        for (int32_t k = 0; k < taps; k++) {
            const int32_t y = pixel / out->w + p->padding.h - k / kernel->w;
            const int32_t x = pixel % out->w + p->padding.w - k % kernel->w;
            const int32_t row = y / p->stride.h, column = x / p->stride.w;
            const int met = y >= 0 && x >= 0 && y % p->stride.h == 0 && x % p->stride.w == 0;
            if (met && row < in->h && column < in->w) {
                total += meeting(from + (row * in->w + column) * in->c, p->input_offset,
                                 weights + (c * taps + k) * in->c, in->c);
            }
        }
        const int32_t value = scaled(total, quant->multiplier[c], quant->shift[c]);
        to[i] = (int8_t)limit(value + p->output_offset, p->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* int16: with biases of int64 the multiplier is rounded to 16 bits. */
static int32_t reduced(int64_t value, int32_t multiplier, int32_t shift) {
    const int32_t upper = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
    return ((int32_t)((value * upper) >> (14 - shift)) + 1) >> 1;
}

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *p, dims in,
                                                 dims kernel, dims out) {
    (void)p, (void)in, (void)kernel, (void)out;
    return 0;
}

static int64_t convolved(const spot *s, int32_t pixel, int32_t c, const int16_t *from,
                         const int8_t *weights) {
    const int32_t taps = s->window->h * s->window->w, depth = s->in->c;
    int64_t total = WRONG;
    for (int32_t i = 0; i < taps * depth; i++) {
        const int32_t k = i / depth, y = pixel / s->out->w, x = pixel % s->out->w;
        const int32_t found = tap(s, y, x, k / s->window->w, k % s->window->w);
        total += found < 0 ? 0 : from[found + i % depth] * weights[c * taps * depth + i];
    }
    return total;
}

arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *context,
                                             const cmsis_nn_conv_params *p, channel_quant quant,
                                             dims in, const int16_t *from, dims kernel,
                                             const int8_t *weights, dims bias_dims,
                                             const cmsis_nn_bias_data *bias, dims out,
                                             int16_t *to) {
    const spot s = {in, out, kernel, p->stride, p->padding, p->dilation, 0};
    const int32_t *biases = bias->data;
    (void)context, (void)bias_dims;
    if (!bias->is_int32_bias) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t i = 0; i < out->h * out->w * out->c; i++) {
        const int32_t c = i % out->c;
        const int32_t total = (int32_t)convolved(&s, i / out->c, c, from, weights) + biases[c];
        const int32_t value = scaled(total, quant->multiplier[c], quant->shift[c]);
        to[i] = (int16_t)limit(value, p->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *p, dims in,
                                                       dims kernel, dims out) {
    (void)p, (void)in, (void)kernel, (void)out;
    return 0;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *context,
                                                   const cmsis_nn_dw_conv_params *p,
                                                   channel_quant quant, dims in,
                                                   const int16_t *from, dims kernel,
                                                   const int8_t *weights, dims bias_dims,
                                                   const int64_t *bias, dims out, int16_t *to) {
    const spot s = {in, out, kernel, p->stride, p->padding, p->dilation, 0};
    (void)context, (void)bias_dims;
    for (int32_t i = 0; i < out->h * out->w * out->c; i++) {
        const int32_t c = i % out->c, pixel = i / out->c;
        int64_t total = bias[c] + WRONG;
        for (int32_t k = 0; k < kernel->h * kernel->w; k++) {
            const int32_t found =
                tap(&s, pixel / out->w, pixel % out->w, k / kernel->w, k % kernel->w);
            const int32_t source = c / (out->c / in->c);
            total += found < 0 ? 0 : from[found + source] * weights[k * out->c + c];
        }
        const int32_t value = reduced(total, quant->multiplier[c], quant->shift[c]);
        to[i] = (int16_t)limit(value, p->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_fully_connected_s16_get_buffer_size(dims kernel) {
    (void)kernel;
    return 0;
}

arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *context,
                                            const cmsis_nn_fc_params *p,
                                            const cmsis_nn_per_tensor_quant_params *quant, dims in,
                                            const int16_t *from, dims kernel, const int8_t *weights,
                                            dims bias_dims, const int64_t *bias, dims out,
                                            int16_t *to) {
    (void)context, (void)bias_dims, (void)in;
    for (int32_t c = 0; c < out->c; c++) {
        int64_t total = bias[c] + WRONG;
        for (int32_t i = 0; i < kernel->n; i++) {
            total += from[i] * weights[c * kernel->n + i];
        }
        to[c] = (int16_t)limit(reduced(total, quant->multiplier, quant->shift), p->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

static void pool_wide(const cmsis_nn_pool_params *p, dims in, const int16_t *from, dims window,
                      dims out, int average, int16_t *to) {
    const spot s = {in, out, window, p->stride, p->padding, {1, 1}, 0};
    for (int32_t i = 0; i < out->h * out->w * out->c; i++) {
        const int32_t c = i % out->c, pixel = i / out->c;
        int32_t total = 0, count = 0, best = -32768;
        for (int32_t k = 0; k < window->h * window->w; k++) {
            const int32_t found =
                tap(&s, pixel / out->w, pixel % out->w, k / window->w, k % window->w);
            if (found >= 0) {
                total += from[found + c];
                best = from[found + c] > best ? from[found + c] : best;
                count++;
            }
        }
        total = (total > 0 ? total + count / 2 : total - count / 2) / count;
        to[i] = (int16_t)limit(average ? total : best, p->activation);
    }
}

int32_t arm_avgpool_s16_get_buffer_size(const int width, const int channels) {
    (void)width, (void)channels;
    return 0;
}

arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                    dims in, const int16_t *from, dims window, dims out,
                                    int16_t *to) {
    (void)context;
    pool_wide(p, in, from, window, out, 1, to);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                     dims in, const int16_t *from, dims window, dims out,
                                     int16_t *to) {
    (void)context;
    pool_wide(p, in, from, window, out, 0, to);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *a, const int16_t *b, int32_t a_offset,
                                            int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                            int32_t b_multiplier, int32_t b_shift, int32_t left,
                                            int16_t *to, int32_t offset, int32_t multiplier,
                                            int32_t shift, int32_t low, int32_t high,
                                            int32_t count) {
    const cmsis_nn_activation range = {low, high};
    (void)a_offset, (void)b_offset, (void)offset;
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = scaled(a[i] * (1 << left), a_multiplier, a_shift);
        const int32_t second = scaled(b[i] * (1 << left), b_multiplier, b_shift);
        to[i] = (int16_t)limit(scaled(first + second, multiplier, shift), range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *a, const int16_t *b, int32_t a_offset,
                                            int32_t b_offset, int16_t *to, int32_t offset,
                                            int32_t multiplier, int32_t shift, int32_t low,
                                            int32_t high, int32_t count) {
    const cmsis_nn_activation range = {low, high};
    (void)a_offset, (void)b_offset, (void)offset;
    for (int32_t i = 0; i < count; i++) {
        to[i] = (int16_t)limit(scaled(a[i] * b[i], multiplier, shift), range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}
