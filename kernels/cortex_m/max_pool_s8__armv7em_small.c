/* MaxPool of little work, int8. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv7em_small
typedef dpl_pool_s8_args args;

#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_small.h"
