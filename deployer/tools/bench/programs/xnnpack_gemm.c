/* A matrix product by a GEMM microkernel of XNNPACK, counted and proven.
 *
 * Built with KERNEL, its tile of MR rows by NR columns, KR values side by side of each column, and
 * FLOATS for one of fp32, else int8 with a scale a column. Called with rows, depth and columns. The
 * calling convention and the layout of packed weights are those the microkernels document: biases
 * of NR columns, their weights KR values of each column at a time, their scales. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_BEHIND_BYTES = 64,
    EVICTING_BYTES = 4 << 20,
    LOWEST = -128,
    HIGHEST = 127,
    OUTPUT_ZERO = 3
};

#ifdef FLOATS
typedef float element;
typedef float bias;
typedef struct {
    float low, high;
} bounds;
#else
typedef int8_t element;
typedef int32_t bias;
typedef struct {
    int16_t zero;
    int8_t low, high;
} bounds;
#endif

extern void KERNEL(size_t rows, size_t columns, size_t depth_bytes, const element *a,
                   size_t a_pitch_bytes, const void *weights, element *c, size_t c_pitch_bytes,
                   size_t tile_pitch_bytes, const bounds *limits);

typedef struct {
    size_t rows, depth, columns;
    element *a, *b, *c; /* rows x depth, columns x depth, rows x columns */
    bias *biases;
    float *scales;
    int8_t *weights; /* packed */
    bounds limits;
} product;

static size_t whole(size_t count, size_t of) {
    return (count + of - 1) / of * of;
}

static void *zeroed(size_t count, size_t bytes) {
    void *found = calloc(count * bytes + READ_BEHIND_BYTES, 1);
    if (!found) {
        fputs("no memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return found;
}

static int32_t drawn(int32_t low, int32_t high) {
    return low + rand() % (high - low + 1);
}

static void draw(product *p) {
    for (size_t i = 0; i < p->rows * p->depth; i++) {
        p->a[i] = (element)drawn(LOWEST, HIGHEST);
    }
    for (size_t i = 0; i < p->columns * p->depth; i++) {
        p->b[i] = (element)drawn(-HIGHEST, HIGHEST);
    }
    for (size_t n = 0; n < p->columns; n++) {
        p->biases[n] = (bias)drawn(-1000, 1000);
        p->scales[n] = (float)drawn(1, 1000) * 0x1p-24f;
    }
}

static void pack_block(product *p, int8_t *to, size_t first, size_t depth) {
    memcpy(to, p->biases + first, NR * sizeof(bias));
    element *weights = (element *)(void *)(to + NR * sizeof(bias));
    for (size_t n = 0; n < NR && first + n < p->columns; n++) {
        for (size_t k = 0; k < p->depth; k++) {
            weights[k / KR * KR * NR + n * KR + k % KR] = p->b[(first + n) * p->depth + k];
        }
    }
#ifndef FLOATS
    memcpy(weights + depth * NR, p->scales + first, NR * sizeof(float));
#else
    (void)depth;
#endif
}

static void pack(product *p) {
    const size_t depth = whole(p->depth, KR);
    size_t bytes = NR * (sizeof(bias) + depth * sizeof(element));
#ifndef FLOATS
    bytes += NR * sizeof(float);
#endif
    const size_t blocks = (p->columns + NR - 1) / NR;
    p->weights = zeroed(blocks, bytes);
    for (size_t i = 0; i < blocks; i++) {
        pack_block(p, p->weights + i * bytes, i * NR, depth);
    }
}

#ifdef FLOATS
static const bounds LIMITS = {-INFINITY, INFINITY};

static int same(float sum, float magnitude, float found, float scale) {
    (void)scale;
    return fabsf(sum - found) <= magnitude * 1e-5f;
}
#else
static const bounds LIMITS = {OUTPUT_ZERO, LOWEST, HIGHEST};

static int same(int32_t sum, int32_t magnitude, int8_t found, float scale) {
    (void)magnitude;
    const long value = lrintf((float)sum * scale) + OUTPUT_ZERO;
    return found == (value < LOWEST ? LOWEST : value > HIGHEST ? HIGHEST : value);
}
#endif

static size_t differing(const product *p) {
    size_t wrong = 0;
    for (size_t m = 0; m < p->rows; m++) {
        for (size_t n = 0; n < p->columns; n++) {
            bias sum = p->biases[n], magnitude = 1;
            for (size_t k = 0; k < p->depth; k++) {
                const bias one = (bias)p->a[m * p->depth + k] * (bias)p->b[n * p->depth + k];
                sum += one;
                magnitude += one < 0 ? -one : one;
            }
            wrong += !same(sum, magnitude, p->c[m * p->columns + n], p->scales[n]);
        }
    }
    return wrong;
}

/* Caches hold nothing of the product, as when a network reaches a layer. */
static void evict(void) {
    volatile int8_t *all = zeroed(EVICTING_BYTES, 1);
    for (int32_t i = 0; i < EVICTING_BYTES; i++) {
        all[i]++;
    }
}

/* What is counted, up to gemm_end. */
__attribute__((noinline)) void gemm_run(const product *p) {
    const size_t a_pitch = p->depth * sizeof(element), c_pitch = p->columns * sizeof(element);
    for (size_t m = 0; m < p->rows; m += MR) {
        const size_t rows = p->rows - m < MR ? p->rows - m : MR;
        KERNEL(rows, p->columns, a_pitch, p->a + m * p->depth, a_pitch, p->weights,
               p->c + m * p->columns, c_pitch, NR * sizeof(element), &p->limits);
    }
}

__attribute__((noinline)) void gemm_end(void) {
    __asm__ volatile("");
}

int main(int count, char **words) {
    if (count != 4) {
        return EXIT_FAILURE;
    }
    product p = {.rows = strtoul(words[1], NULL, 10),
                 .depth = strtoul(words[2], NULL, 10),
                 .columns = strtoul(words[3], NULL, 10),
                 .limits = LIMITS};
    p.a = zeroed(p.rows * p.depth, sizeof(element));
    p.b = zeroed(p.columns * p.depth, sizeof(element));
    p.c = zeroed(p.rows * p.columns, sizeof(element));
    p.biases = zeroed(whole(p.columns, NR), sizeof(bias));
    p.scales = zeroed(whole(p.columns, NR), sizeof(float));
    draw(&p);
    pack(&p);
    evict();
    gemm_run(&p);
    gemm_end();
    printf("%zu\n", differing(&p));
    return EXIT_SUCCESS;
}
