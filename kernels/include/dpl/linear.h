/* Where outputs of a linear Resize lie among its inputs. */
#ifndef DPL_LINEAR_H
#define DPL_LINEAR_H

#include <stdint.h>

/* Where an output position lies: between inputs first and first + 1, weight / (2 * factor) of the
 * way. first is -1 before the first input. */
typedef struct {
    int32_t first, weight, whole; /* whole: 2 * factor */
} position;

static inline position position_at(int32_t output, int32_t factor, int32_t half_pixel) {
    const int32_t whole = 2 * factor;
    const int32_t n = 2 * output + (half_pixel ? 1 - factor : 0);
    const int32_t first = (n + whole) / whole - 1; /* floors: n > -whole */
    const position p = {first, n - first * whole, whole};
    return p;
}

#endif
