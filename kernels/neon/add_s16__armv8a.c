/* Add, int16. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s16__armv8a
typedef dpl_add_s16_args args;

#include "dpl/neon/add.h"
