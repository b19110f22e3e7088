/* AveragePool, float. */
#include "dpl/body/f32.h"
#include "dpl/neon/floats.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_f32__armv8a
typedef dpl_pool_f32_args args;

#define FIRST 0.0f
#define FOLD vaddq_f32
#define END(FOUND, COUNT) vdivq_f32(FOUND, COUNT)

#include "dpl/neon/pool_f32.h"
