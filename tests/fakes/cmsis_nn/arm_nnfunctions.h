/* The part of CMSIS-NN's public interface that this project calls, declared anew for a
 * stand-in library of plain loops (stand_in.c). */
#ifndef STAND_IN_H
#define STAND_IN_H
#include <stdbool.h>
#include <stdint.h>

typedef enum { ARM_CMSIS_NN_SUCCESS = 0, ARM_CMSIS_NN_ARG_ERROR = -1 } arm_cmsis_nn_status;
typedef struct {
    int32_t w, h;
} cmsis_nn_tile;
typedef struct {
    void *buf;
    int32_t size;
} cmsis_nn_context;
typedef struct {
    int32_t n, h, w, c;
} cmsis_nn_dims;
typedef struct {
    int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;
typedef struct {
    int32_t multiplier, shift;
} cmsis_nn_per_tensor_quant_params;
typedef struct {
    int32_t min, max;
} cmsis_nn_activation;
typedef struct {
    int32_t input_offset, output_offset;
    cmsis_nn_tile stride, padding, dilation;
    cmsis_nn_activation activation;
} cmsis_nn_conv_params;
typedef struct {
    int32_t input_offset, output_offset, ch_mult;
    cmsis_nn_tile stride, padding, dilation;
    cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;
typedef struct {
    int32_t input_offset, output_offset;
    cmsis_nn_tile stride, padding, padding_offsets, dilation;
    cmsis_nn_activation activation;
} cmsis_nn_transpose_conv_params;
typedef struct {
    cmsis_nn_tile stride, padding;
    cmsis_nn_activation activation;
} cmsis_nn_pool_params;
typedef struct {
    int32_t input_offset, filter_offset, output_offset;
    cmsis_nn_activation activation;
} cmsis_nn_fc_params;

typedef struct {
    const void *data;
    const bool is_int32_bias;
} cmsis_nn_bias_data;

typedef const cmsis_nn_dims *dims;
typedef const cmsis_nn_per_channel_quant_params *channel_quant;

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *, dims, dims, dims);
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                            channel_quant, dims, const int8_t *, dims,
                                            const int8_t *, dims, const int32_t *, dims, int8_t *);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *, dims, dims,
                                                      dims);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *,
                                                  const cmsis_nn_dw_conv_params *, channel_quant,
                                                  dims, const int8_t *, dims, const int8_t *, dims,
                                                  const int32_t *, dims, int8_t *);
int32_t arm_fully_connected_s8_get_buffer_size(dims);
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                           const cmsis_nn_per_tensor_quant_params *, dims,
                                           const int8_t *, dims, const int8_t *, dims,
                                           const int32_t *, dims, int8_t *);
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *,
                                                       const cmsis_nn_fc_params *, channel_quant,
                                                       dims, const int8_t *, dims, const int8_t *,
                                                       dims, const int32_t *, dims, int8_t *);
int32_t arm_avgpool_s8_get_buffer_size(const int, const int);
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *, const cmsis_nn_pool_params *, dims,
                                   const int8_t *, dims, dims, int8_t *);
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *, const cmsis_nn_pool_params *, dims,
                                    const int8_t *, dims, dims, int8_t *);
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *, const int8_t *, int32_t, int32_t,
                                           int32_t, int32_t, int32_t, int32_t, int32_t, int8_t *,
                                           int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *, const int8_t *, int32_t, int32_t,
                                           int8_t *, int32_t, int32_t, int32_t, int32_t, int32_t,
                                           int32_t);
int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *,
                                                           dims, dims);
int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *, dims, dims,
                                              dims);
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *,
                                                  const cmsis_nn_context *,
                                                  const cmsis_nn_transpose_conv_params *,
                                                  channel_quant, dims, const int8_t *, dims,
                                                  const int8_t *, dims, const int32_t *, dims,
                                                  int8_t *);

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *, dims, dims, dims);
arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *, const cmsis_nn_conv_params *,
                                             channel_quant, dims, const int16_t *, dims,
                                             const int8_t *, dims, const cmsis_nn_bias_data *, dims,
                                             int16_t *);
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *, dims, dims,
                                                       dims);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *,
                                                   const cmsis_nn_dw_conv_params *, channel_quant,
                                                   dims, const int16_t *, dims, const int8_t *,
                                                   dims, const int64_t *, dims, int16_t *);
int32_t arm_fully_connected_s16_get_buffer_size(dims);
arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *, const cmsis_nn_fc_params *,
                                            const cmsis_nn_per_tensor_quant_params *, dims,
                                            const int16_t *, dims, const int8_t *, dims,
                                            const int64_t *, dims, int16_t *);
int32_t arm_avgpool_s16_get_buffer_size(const int, const int);
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *, const cmsis_nn_pool_params *, dims,
                                    const int16_t *, dims, dims, int16_t *);
arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *, const cmsis_nn_pool_params *, dims,
                                     const int16_t *, dims, dims, int16_t *);
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *, const int16_t *, int32_t, int32_t,
                                            int32_t, int32_t, int32_t, int32_t, int32_t, int16_t *,
                                            int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *, const int16_t *, int32_t, int32_t,
                                            int16_t *, int32_t, int32_t, int32_t, int32_t, int32_t,
                                            int32_t);
#endif
