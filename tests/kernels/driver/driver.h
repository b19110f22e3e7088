/* Runs the cases of a blob (tests/kernels/catalogue/blob.py) and reports those that fail.
 *
 * A port gives the blob and a console; main.c walks the cases; arguments.c turns words and operands
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
#include "dpl/transpose.h"

typedef union {
    dpl_conv2d_s8_args conv2d;
    dpl_depthwise_conv2d_s8_args depthwise_conv2d;
    dpl_fully_connected_s8_args fully_connected;
    dpl_add_s8_args add;
    dpl_rescale_s8_args rescale;
    dpl_pool_s8_args pool;
    dpl_softmax_s8_args softmax;
    dpl_transpose_s8_args transpose;
    dpl_conv_transpose2d_s8_args conv_transpose2d;
    dpl_mul_s8_args mul;
    dpl_prelu_s8_args prelu;
    dpl_table_s8_args table;
    dpl_concat_s8_args concat;
    dpl_copy_s8_args copy;
    dpl_pad_s8_args pad;
    dpl_resize_s8_args resize;
    dpl_block_s8_args block;
} any_args;

/* Cursor over the words and the placed operands of a case. */
typedef struct {
    const int32_t *word;
    uint8_t *const *operand;
} reader;

typedef void (*fill_args)(reader *r, any_args *a);

void read_conv2d(reader *r, any_args *a);
void read_depthwise_conv2d(reader *r, any_args *a);
void read_fully_connected(reader *r, any_args *a);
void read_add(reader *r, any_args *a);
void read_rescale(reader *r, any_args *a);
void read_pool(reader *r, any_args *a);
void read_softmax(reader *r, any_args *a);
void read_transpose(reader *r, any_args *a);
void read_conv_transpose2d(reader *r, any_args *a);
void read_mul(reader *r, any_args *a);
void read_prelu(reader *r, any_args *a);
void read_table(reader *r, any_args *a);
void read_concat(reader *r, any_args *a);
void read_copy(reader *r, any_args *a);
void read_pad(reader *r, any_args *a);
void read_resize(reader *r, any_args *a);
void read_block(reader *r, any_args *a);

typedef struct {
    fill_args read;
    void (*call)(const any_args *a);
} kernel_entry;

extern const kernel_entry kernel_table[];

/* Returns how many cases failed. */
int32_t run_cases(const int32_t *blob);

void put_text(const char *text); /* by the port */

#endif
