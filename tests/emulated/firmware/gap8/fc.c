/* What the fabric controller's instructions cost, its cache cold and used before: lines "name
 * cycles". */
#include "gap8.h"

L1 static volatile uint32_t near;
static volatile uint32_t far;

#define CODE(name, times, text)                                                                    \
    static __attribute__((noinline, aligned(64))) void name(void) {                                \
        __asm__ volatile(".option push\n.option norvc\n.rept " #times "\n" text                    \
                         "\n.endr\n.option pop" ::"r"(&near),                                      \
                         "r"(&far), "r"(0x1B000100), "r"(0x10201800), "r"(0x1A104000)              \
                         : "t0", "memory");                                                        \
    }
CODE(straight_128, 128, "addi x0, x0, 0")
CODE(straight_256, 256, "addi x0, x0, 0")
CODE(straight_320, 320, "addi x0, x0, 0")
CODE(straight_1024, 1024, "addi x0, x0, 0")
CODE(own_memory, 32, "lw t0, 0(%2)")
CODE(l1, 32, "lw t0, 0(%0)")
CODE(l2, 32, "lw t0, 0(%1)")
CODE(cluster_register, 32, "lw t0, 4(%3)")
CODE(soc_register, 32, "lw t0, 0(%4)")

static uint32_t spent(void (*code)(void)) {
    uint32_t from = cycles();
    code();
    return cycles() - from;
}

static void tell(void (*code)(void), const char *cold, const char *again) {
    report(cold, spent(code));
    for (int i = 0; i < 4; i++)
        code();
    report(again, spent(code));
}
#define TELL(code) tell(code, #code "_cold", #code "_again")

int main(void) {
    use_code_cache();
    count_from_zero();
    start_cluster(1);
    TELL(straight_128);
    TELL(straight_256);
    TELL(straight_320);
    TELL(straight_1024);
    TELL(own_memory);
    TELL(l1);
    TELL(l2);
    TELL(cluster_register);
    TELL(soc_register);
    return 0;
}
