/* Integer arithmetic, calls, memory and control flow: the same lines on any machine. */
#ifdef HOST
#include <stdint.h>
#include <stdio.h>
static void report(const char *name, uint32_t value) {
    printf("%s %u\n", name, value);
}
#else
#include "gap8.h"
#endif

static uint32_t seed = 0x12345678;

static uint32_t random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static uint32_t mixed(uint32_t sum, uint32_t value) {
    return (sum << 7 | sum >> 25) ^ value;
}

/* Quotients and remainders as RISC-V defines them are C's where C defines them. */
static uint32_t divided(int32_t a, int32_t b) {
    uint32_t sum = mixed((uint32_t)(a / b), (uint32_t)(a % b));
    return mixed(sum, (uint32_t)a / (uint32_t)b + (uint32_t)a % (uint32_t)b);
}

static uint32_t multiplied(int32_t a, int32_t b) {
    int64_t product = (int64_t)a * b;
    uint64_t plain = (uint64_t)(uint32_t)a * (uint32_t)b;
    uint32_t sum = mixed((uint32_t)product, (uint32_t)(product >> 32));
    sum = mixed(sum, (uint32_t)(plain >> 32));
    return mixed(sum, (uint32_t)((int64_t)a * (int64_t)(uint32_t)b >> 32));
}

static uint32_t compared(int32_t a, int32_t b) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    return (a < b) + 2 * (x < y) + 4 * (a == b) + 8 * (a >= b) + 16 * (x >= y) + 32 * (a != b);
}

static uint32_t shifted(int32_t a, uint32_t by) {
    return mixed((uint32_t)a << by, (uint32_t)a >> by) + (uint32_t)(a >> by) + (uint32_t)(a >> 3) +
           ((uint32_t)a >> 9) + ((uint32_t)a << 11);
}

static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t narrow(void) {
    int8_t bytes[17];
    int16_t halves[9];
    uint32_t sum = 0;
    for (int i = 0; i < 17; i++)
        bytes[i] = (int8_t)random();
    for (int i = 0; i < 9; i++)
        halves[i] = (int16_t)random();
    for (int i = 0; i < 17; i++)
        sum = mixed(sum, (uint32_t)(bytes[i] * halves[i % 9] + (uint8_t)bytes[i]));
    return sum;
}

static void sort(uint32_t *values, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            uint32_t kept = values[j];
            values[j] = values[j - 1];
            values[j - 1] = kept;
        }
}

static uint32_t sorted(void) {
    uint32_t values[50], sum = 0;
    for (int i = 0; i < 50; i++)
        values[i] = random();
    sort(values, 50);
    for (int i = 0; i < 50; i++)
        sum = mixed(sum, values[i]);
    return sum;
}

static uint32_t chosen(uint32_t which) {
    switch (which & 7) {
    case 0: return 17;
    case 1: return which * 3;
    case 2: return ~which;
    case 3: return which ^ 0xabcdef;
    case 4: return 0 - which;
    case 5: return which / 7;
    default: return which | 0xf0f0;
    }
}

static int32_t other_than(int32_t bad) {
    int32_t value = (int32_t)random();
    return value == bad || value == -1 ? 3 : value;
}

int main(void) {
    uint32_t sums[5] = {0};
    for (int i = 0; i < 500; i++) {
        int32_t a = (int32_t)random() >> (i % 29), b = other_than(0);
        sums[0] = mixed(sums[0], divided(a, b));
        sums[1] = mixed(sums[1], multiplied(a, b));
        sums[2] = mixed(sums[2], compared(a, b));
        sums[3] = mixed(sums[3], shifted(a, random() & 31));
        sums[4] = mixed(sums[4], chosen(random()));
    }
    report("divided", sums[0]);
    report("multiplied", sums[1]);
    report("compared", sums[2]);
    report("shifted", sums[3]);
    report("chosen", sums[4]);
    report("fibonacci", fibonacci(15));
    report("narrow", narrow());
    report("sorted", sorted());
    return 0;
}
