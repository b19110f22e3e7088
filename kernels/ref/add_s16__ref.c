/* Add, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s16__ref
typedef dpl_add_s16_args args;

#include "dpl/body/add.h"
