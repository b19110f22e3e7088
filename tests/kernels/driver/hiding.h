/* Bytes that a kernel must not touch, where the address sanitizer is there to watch them. */
#ifndef HIDING_H
#define HIDING_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define HIDE(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define SHOW(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
#define HIDE(start, size) ((void)(start), (void)(size))
#define SHOW(start, size) ((void)(start), (void)(size))
#endif

#endif
