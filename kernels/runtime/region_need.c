/* The rule of an input along one axis. */
#include "dpl/region.h"

static int32_t floor_divide(int32_t a, int32_t b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Positions of the input that some outputs read: inside the tensor, at least one. */
dpl_range dpl_region_need(const dpl_receptive_field *field, dpl_range outputs) {
    const int32_t stride = field->stride, span = field->span, pad = field->pad;
    int32_t lo = outputs.lo * stride - pad, hi = (outputs.hi - 1) * stride - pad + span;
    if (field->up) {
        lo = -floor_divide(span - 1 - pad - outputs.lo, stride);
        hi = floor_divide(outputs.hi - 1 + pad, stride) + 1;
    }
    const int32_t last = field->extent - 1;
    lo = lo < 0 ? 0 : lo > last ? last : lo;
    hi = hi > field->extent ? field->extent : hi;
    dpl_range need = {(int16_t)lo, (int16_t)(hi > lo ? hi : lo + 1)};
    return need;
}
