/* Copy, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/move.h"

#define KERNEL dpl_copy_s8__ref
typedef dpl_copy_s8_args args;
typedef element source;

#include "dpl/body/run.h"

static void run(const args *a, const element *input, element *out, int32_t count) {
    (void)a;
    copy_run(out, input, count);
}

#include "dpl/body/runs.h"
