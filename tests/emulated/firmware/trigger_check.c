/* The linux port's trigger on a kernel that is stood in for: every call to it is told in a line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dpl_port.h"

const char *dpl_trigger_name(void);

enum { CHIP = 70, LINE = 71 };

int open(const char *path, int flags, ...) {
    printf("open %s %d\n", path, flags & O_ACCMODE);
    if (getenv("NO_CHIP") != NULL) {
        errno = ENOENT;
        return -1;
    }
    return CHIP;
}

int close(int fd) {
    printf("close %d\n", fd);
    return 0;
}

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request == GPIO_V2_GET_LINE_IOCTL) {
        struct gpio_v2_line_request *wanted = argument;
        printf("line %d: %u of %u, flags %llx, starts %llu\n", fd, wanted->offsets[0],
               wanted->num_lines, (unsigned long long)wanted->config.flags,
               (unsigned long long)wanted->config.attrs[0].attr.values);
        wanted->fd = LINE;
        return getenv("BUSY") != NULL ? -1 : 0;
    }
    const struct gpio_v2_line_values *values = argument;
    printf("set %d: %llu\n", fd, (unsigned long long)(values->bits & values->mask));
    return request == GPIO_V2_LINE_SET_VALUES_IOCTL ? 0 : -1;
}

int nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)left;
    printf("sleep %ld ns\n", wanted->tv_nsec + 1000000000L * wanted->tv_sec);
    return 0;
}

int main(void) {
    printf("before: %s\n", dpl_trigger_name() ? dpl_trigger_name() : "none");
    dpl_port_pulse();
    dpl_port_pulse();
    printf("after: %s\n", dpl_trigger_name() ? dpl_trigger_name() : "none");
    return 0;
}
