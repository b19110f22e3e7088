/* MaxPool, float. */
#include "dpl/body/f32.h"
#include "dpl/neon/floats.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_f32__armv8a
typedef dpl_pool_f32_args args;

#define FIRST (-__builtin_inff())
#define FOLD vmaxq_f32
#define END(FOUND, COUNT) ((void)(COUNT), (FOUND))

#include "dpl/neon/pool_f32.h"
