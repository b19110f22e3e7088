/* Maximum, float. */
#include "dpl/body/f32.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_maximum_f32__armv8a
typedef dpl_mul_f32_args args;

#define VALUE vmaxq_f32

#include "dpl/neon/mul_f32.h"
