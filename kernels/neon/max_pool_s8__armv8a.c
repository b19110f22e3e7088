/* MaxPool, int8. */
#include "dpl/body/s8.h"
#include "dpl/neon/vectors_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv8a
typedef dpl_pool_s8_args args;

#define EXTREME max
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/neon/extreme_pool.h"
