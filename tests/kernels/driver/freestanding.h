/* The two functions gcc may call of its own accord where there is no libc, and the blob's place. */
#ifndef FREESTANDING_H
#define FREESTANDING_H

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)to)[i] = (uint8_t)value;
    }
    return to;
}

#endif
