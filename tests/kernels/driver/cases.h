/* A case of a blob (tests/kernels/catalogue/blob.py), and what every walk over them needs. */
#ifndef CASES_H
#define CASES_H

#include "driver.h"

#ifdef DRIVER_SMALL
enum { OPERANDS = 10, ROOM = 88 * 1024, OUTPUT = 62 * 1024 };
#else
enum { OPERANDS = 10, ROOM = 512 * 1024, OUTPUT = 96 * 1024 };
#endif

/* Bytes beside an operand, in a blob those that share words with it. */
enum { GUARD_BYTE = 0xC3 };
#define GUARD_WORD 0xC3C3C3C3u

/* size bytes, image and place both shift bytes beyond a word; output: image is what is expected. */
typedef struct {
    const uint8_t *image;
    int32_t size, shift;
    uint8_t *place;
} operand;

typedef struct {
    int32_t id, kernel, output; /* output: index of the operand the kernel writes */
    const int32_t *words;
    const uint8_t *mask; /* 1 where the output has an element; beyond a word as it is */
    int32_t count;
    operand operands[OPERANDS];
} test_case;

extern uint8_t room[ROOM]; /* aligned to 16 bytes */

/* Reads one case; gives where the next one starts. */
const int32_t *parse_case(const int32_t *blob, test_case *t);

/* Calls the kernel on the operands where they are placed. */
void call_kernel(const test_case *t);

void become_core(int32_t core);
int takes_barriers(void); /* whether a call since the last time came to one */
void fill_bytes(uint8_t *start, int32_t size, uint8_t value);
void copy_words(uint32_t *to, const uint32_t *from, int32_t count);
int equal_words(const uint32_t *a, const uint32_t *b, int32_t count);

static inline const uint32_t *words_at(const uint8_t *bytes) {
    return (const uint32_t *)(const void *)bytes;
}

/* The words that hold an operand, of which guards may be a part. */
static inline int32_t words_of(const operand *o) {
    return (o->shift + o->size + 3) / 4;
}
static inline const uint32_t *image_of(const operand *o) {
    return words_at(o->image - o->shift);
}
static inline uint32_t *place_of(const operand *o) {
    return (uint32_t *)(void *)(o->place - o->shift);
}
void put_number(int32_t number); /* after a space */

#endif
