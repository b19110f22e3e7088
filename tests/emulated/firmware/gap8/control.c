/* Loops, branches on constants, loads and stores that move their base: lines "name value". */
#include "gap8.h"

uint32_t nested(uint32_t outer, uint32_t inner), shared_end(uint32_t outer, uint32_t inner);
uint32_t by_parts(uint32_t rounds), by_constants(void), constants(uint32_t value);

typedef uint64_t access(void *base, int step, uint32_t value);
access lb_post, lh_post, lw_post, lbu_post, lhu_post, lb_step, lh_step, lw_step, lbu_step, lhu_step;
access lb_at, lh_at, lw_at, lbu_at, lhu_at, sb_post, sh_post, sw_post, sb_step, sh_step, sw_step;

static uint32_t words[8];

static void fill(void) {
    for (uint32_t i = 0; i < 32; i++)
        ((uint8_t *)words)[i] = (uint8_t)(0x81 + 5 * i);
}

/* What was loaded, how far the base went, and the sum of the bytes with their places. */
static void run(const char *name, access *of) {
    fill();
    uint64_t out = of(words + 2, 12, 0xdeadbeef);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 32; i++)
        sum += (i + 1) * ((uint8_t *)words)[i];
    put_text(name);
    report(".value", (uint32_t)out);
    put_text(name);
    report(".moved", (uint32_t)(out >> 32) - (uint32_t)(uintptr_t)(words + 2));
    put_text(name);
    report(".memory", sum);
}
#define RUN(name) run(#name, name)

int main(void) {
    report("nested", nested(5, 3));
    report("shared_end", shared_end(4, 6));
    report("by_parts", by_parts(9));
    report("by_constants", by_constants());
    report("constants_-5", constants((uint32_t)-5));
    report("constants_13", constants(13));
    report("constants_0", constants(0));
    RUN(lb_post), RUN(lh_post), RUN(lw_post), RUN(lbu_post), RUN(lhu_post);
    RUN(lb_step), RUN(lh_step), RUN(lw_step), RUN(lbu_step), RUN(lhu_step);
    RUN(lb_at), RUN(lh_at), RUN(lw_at), RUN(lbu_at), RUN(lhu_at);
    RUN(sb_post), RUN(sh_post), RUN(sw_post), RUN(sb_step), RUN(sh_step), RUN(sw_step);
    return 0;
}
