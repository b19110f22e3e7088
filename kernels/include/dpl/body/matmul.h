/* MatMul: cores share the pixels of the left, row after row. `products` computes those of the
 * columns begin to end of row y. */
#include "dpl/cores.h"
#include "dpl/matmul.h"

void KERNEL(const args *a) {
    const int32_t width = a->left.width;
    const dpl_share share = dpl_core_share(a->left.height * width);
    for (int32_t y = 0; y < a->left.height; y++) {
        const int32_t begin = share.begin - y * width, end = share.end - y * width;
        if (begin < width && end > 0) {
            products(a, y, begin > 0 ? begin : 0, end < width ? end : width);
        }
    }
}
