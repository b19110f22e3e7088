/* Runs the cases of a blob (tests/kernels/catalogue/blob.py) and reports those that fail.
 *
 * A port gives the blob and a console; main.c walks the cases; arguments*.c turn words and operands
 * into a kernel's argument struct; the generated table.c lists the kernels. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>

#include "dpl/concat.h"
#include "dpl/conv2d.h"
#include "dpl/conv_transpose2d.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/elementwise.h"
#include "dpl/fully_connected.h"
#include "dpl/move.h"
#include "dpl/pool.h"
#include "dpl/resize.h"
#include "dpl/softmax.h"
#include "dpl/sums.h"
#include "dpl/transpose.h"

/* What X makes of each operator that every type of activations has. */
/* clang-format off */
#define EACH_OPERATOR(X, act)                                                                      \
    X(conv2d, act) X(depthwise_conv2d, act) X(fully_connected, act) X(conv_transpose2d, act)       \
    X(add, act) X(mul, act) X(prelu, act) X(table, act) X(rescale, act) X(concat, act)             \
    X(copy, act) X(pad, act) X(resize, act) X(block, act) X(pool, act) X(transpose, act)
/* clang-format on */
#define MEMBER(op, act) dpl_##op##_##act##_args op##_##act;
#define READER(op, act) void read_##op##_##act(reader *r, any_args *a);

typedef union {
    EACH_OPERATOR(MEMBER, s8)
    EACH_OPERATOR(MEMBER, s16)
    dpl_softmax_s8_args softmax_s8;
    dpl_rescale_s8_s16_args rescale_s8_s16;
    dpl_rescale_s16_s8_args rescale_s16_s8;
    dpl_conv2d_sums_s8_s32_args conv2d_sums_s8_s32;
    dpl_conv2d_sums_s16_s32_args conv2d_sums_s16_s32;
    dpl_requantize_s32_s8_args requantize_s32_s8;
    dpl_requantize_s32_s16_args requantize_s32_s16;
} any_args;

/* Cursor over the words and the placed operands of a case. */
typedef struct {
    const int32_t *word;
    uint8_t *const *operand;
} reader;

typedef void (*fill_args)(reader *r, any_args *a);

EACH_OPERATOR(READER, s8)
EACH_OPERATOR(READER, s16)
void read_softmax_s8(reader *r, any_args *a);
void read_rescale_s8_s16(reader *r, any_args *a);
void read_rescale_s16_s8(reader *r, any_args *a);
void read_conv2d_sums_s8_s32(reader *r, any_args *a);
void read_conv2d_sums_s16_s32(reader *r, any_args *a);
void read_requantize_s32_s8(reader *r, any_args *a);
void read_requantize_s32_s16(reader *r, any_args *a);

typedef struct {
    fill_args read;
    void (*call)(const any_args *a);
} kernel_entry;

extern const kernel_entry kernel_table[];

/* Returns how many cases failed. */
int32_t run_cases(const int32_t *blob);

void put_text(const char *text); /* by the port */

#endif
