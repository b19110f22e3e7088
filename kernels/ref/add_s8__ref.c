/* Add, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s8__ref
typedef dpl_add_s8_args args;

#include "dpl/body/add.h"
