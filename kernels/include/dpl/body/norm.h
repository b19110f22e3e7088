/* Normalizations, int8: what numbers that are normalized together share. */
#include "dpl/norm.h"
#include "dpl/over_root.h"
#include "dpl/requant.h"

typedef struct {
    int32_t total;
    uint64_t squares;
} moments;

/* How numbers of which count are normalized together become integers: count * x - total, over the
 * root of the variance times count * count. */
typedef struct {
    int32_t count, total;
    dpl_over_root over;
} normalizer;

static inline normalizer normalizer_of(const dpl_norm_s8_args *a, moments m, int32_t count) {
    const uint64_t epsilon = (uint64_t)a->epsilon[1] << 32 | a->epsilon[0];
    const uint64_t square = (uint64_t)((int64_t)m.total * m.total);
    const uint64_t variance = (uint64_t)(uint32_t)count * m.squares - square + epsilon;
    normalizer found = {count, m.total, dpl_over_root_of(variance, a->fraction)};
    return found;
}
