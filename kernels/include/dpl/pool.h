/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_POOL_H
#define DPL_POOL_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Average: entry n - 1 of the requantization tables serves windows with n taps inside the input, n
 * >= 1; with channel_step 0 one entry serves all. Maximum and minimum: only low and high of requant
 * are used. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    dpl_window window;
    dpl_requant requant;
    void *scratch;
} dpl_pool_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    dpl_window window;
    dpl_requant requant;
    void *scratch;
} dpl_pool_s16_args;

/* Average: over the taps inside the input or, with all_taps, over those of the whole window. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    dpl_window window;
    int32_t all_taps;
    float low, high;
    void *scratch;
} dpl_pool_f32_args;

void dpl_average_pool_s8__ref(const dpl_pool_s8_args *a);
void dpl_max_pool_s8__ref(const dpl_pool_s8_args *a);
void dpl_min_pool_s8__ref(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__ref(const dpl_pool_s16_args *a);
void dpl_max_pool_s16__ref(const dpl_pool_s16_args *a);
void dpl_average_pool_s8__armv7em_whole(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__armv7em_whole(const dpl_pool_s16_args *a);
void dpl_average_pool_s8__armv7em_small(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__armv7em_small(const dpl_pool_s16_args *a);
void dpl_average_pool_s8__armv7em_taps(const dpl_pool_s8_args *a);
void dpl_average_pool_s8__armv7em_pixels(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__armv7em_taps(const dpl_pool_s16_args *a);
void dpl_average_pool_s8__armv7em(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__armv7em(const dpl_pool_s16_args *a);
void dpl_max_pool_s8__armv7em_small(const dpl_pool_s8_args *a);
void dpl_max_pool_s16__armv7em_small(const dpl_pool_s16_args *a);
void dpl_max_pool_s8__armv7em_taps(const dpl_pool_s8_args *a);
void dpl_min_pool_s8__armv7em_taps(const dpl_pool_s8_args *a);
void dpl_max_pool_s16__armv7em_taps(const dpl_pool_s16_args *a);
void dpl_max_pool_s8__armv7em_whole(const dpl_pool_s8_args *a);
void dpl_max_pool_s16__armv7em_whole(const dpl_pool_s16_args *a);
void dpl_max_pool_s8__armv7em(const dpl_pool_s8_args *a);
void dpl_max_pool_s16__armv7em(const dpl_pool_s16_args *a);
void dpl_min_pool_s8__armv7em(const dpl_pool_s8_args *a);
void dpl_average_pool_s8__cmsis_nn(const dpl_pool_s8_args *a);
void dpl_max_pool_s8__cmsis_nn(const dpl_pool_s8_args *a);
void dpl_average_pool_s8__xpulpv2(const dpl_pool_s8_args *a);
void dpl_max_pool_s8__xpulpv2(const dpl_pool_s8_args *a);
void dpl_average_pool_s8__armv8a(const dpl_pool_s8_args *a);
void dpl_average_pool_s16__armv8a(const dpl_pool_s16_args *a);
void dpl_max_pool_s8__armv8a(const dpl_pool_s8_args *a);
void dpl_max_pool_s16__armv8a(const dpl_pool_s16_args *a);
void dpl_min_pool_s8__armv8a(const dpl_pool_s8_args *a);
void dpl_average_pool_f32__armv8a(const dpl_pool_f32_args *a);
void dpl_max_pool_f32__armv8a(const dpl_pool_f32_args *a);
void dpl_min_pool_f32__armv8a(const dpl_pool_f32_args *a);
void dpl_average_pool_f32__fp32(const dpl_pool_f32_args *a);
void dpl_max_pool_f32__fp32(const dpl_pool_f32_args *a);
void dpl_min_pool_f32__fp32(const dpl_pool_f32_args *a);

#endif
