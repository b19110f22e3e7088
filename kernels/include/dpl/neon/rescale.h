/* Rescale from `source` to `element`, by any rule. */
#include "dpl/elementwise.h"
#include "dpl/neon/affine.h"

static void run(const args *a, const source *input, element *out, int32_t count) {
    const constants k = constants_of(&a->requant, 0);
    run_elements(a->requant.rule, &k, input, input, out, count);
}

#include "dpl/body/runs.h"
