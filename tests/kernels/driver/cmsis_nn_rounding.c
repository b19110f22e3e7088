/* Says how often CMSIS-NN rounds: 1/4 is 0, but 1 when rounded to a half and again. */
#include "arm_nnfunctions.h"
#include "port.h"

int32_t run_cases(const int32_t *blob) {
    const int8_t one = 1;
    int8_t result = 0;
    (void)blob;
    arm_elementwise_mul_s8(&one, &one, 0, 0, &result, 0, 1 << 30, -1, -128, 127, 1);
    put_text(result == 0 ? "single" : "double");
    return 0;
}
