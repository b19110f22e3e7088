/* Runs the cases of a blob (tests/kernels/catalogue/blob.py) and reports those that fail.
 *
 * A port gives the blob and a console; main.c walks the cases; readers turn words and operands into
 * a kernel's argument struct; the generated table.c lists the kernels. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>

#include "port.h"

/* Cursor over the words and the placed operands of a case. */
typedef struct {
    const int32_t *word;
    uint8_t *const *operand;
} reader;

#include "any_args.h" /* written by catalogue/readers.py: of all structs, and their readers */

typedef void (*fill_args)(reader *r, any_args *a);

typedef struct {
    fill_args read;
    void (*call)(const any_args *a);
} kernel_entry;

extern const kernel_entry kernel_table[];

#endif
