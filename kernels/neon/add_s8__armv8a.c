/* Add, int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s8__armv8a
typedef dpl_add_s8_args args;

#include "dpl/neon/add.h"
