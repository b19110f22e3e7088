/* What a return of two bytes costs the fabric controller, the line of code behind it cold and used
 * before: lines "name cycles". The line it lies in ends there, or two bytes later. */
#include "gap8.h"

#define RETURNS(name, nops)                                                                        \
    void name(void);                                                                               \
    __asm__(".balign 16\n.zero 64\n" #name ":\n.rept " #nops                                       \
            "\nc.nop\n.endr\nc.jr ra\n.balign 16\n.zero 64\n")
RETURNS(first_of_all, 0);
RETURNS(before_the_end, 6);
RETURNS(at_the_end, 7);

static __attribute__((noinline)) uint32_t spent(void (*code)(void)) {
    uint32_t from = cycles();
    code();
    return cycles() - from;
}

int main(void) {
    use_code_cache();
    count_from_zero();
    spent(first_of_all);
    uint32_t before = spent(before_the_end), before_again = spent(before_the_end);
    uint32_t at = spent(at_the_end), at_again = spent(at_the_end);
    report("before_the_end_cold", before);
    report("before_the_end_again", before_again);
    report("at_the_end_cold", at);
    report("at_the_end_again", at_again);
    return 0;
}
