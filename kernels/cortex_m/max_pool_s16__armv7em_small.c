/* MaxPool of little work, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv7em_small
typedef dpl_pool_s16_args args;

#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_small.h"
