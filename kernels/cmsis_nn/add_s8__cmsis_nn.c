/* Add and Sub by CMSIS-NN, whose function requantizes each input and the sum: its multipliers and
 * shifts are such that the first two are exact products. */
#include "dpl/cmsis_nn/call.h"
#include "dpl/elementwise.h"

enum {
    LEFT = 16,      /* the least at which the library's own shift keeps the sign */
    HALF = 1 << 30, /* as a multiplier: 1/2 */
};

/* ((x - zero) << 16) * (m << 16) / 2^32 = (x - zero) * m. Half of the sum, of which
 * 2^(1 - shift) is taken, rounded half up, so that nothing is lost. */
void dpl_add_s8__cmsis_nn(const dpl_add_s8_args *a) {
    const int32_t left = a->multiplier[0] * (1 << LEFT), right = a->multiplier[1] * (1 << LEFT);
    const int32_t elements = a->output.height * a->output.width * a->output.channels;
    (void)arm_elementwise_add_s8(a->left.data, a->right.data, -a->left_zero, left, -1,
                                 -a->right_zero, right, -1, LEFT, a->output.data, a->output_zero,
                                 HALF, 1 - a->shift, a->low, a->high, elements);
}
