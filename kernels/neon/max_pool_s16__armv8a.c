/* MaxPool, int16. */
#include "dpl/body/s16.h"
#include "dpl/neon/vectors_s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv8a
typedef dpl_pool_s16_args args;

#define EXTREME max
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/neon/extreme_pool.h"
