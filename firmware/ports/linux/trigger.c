/* The trigger of energy meters: a line of a GPIO chip, by the kernel's character device. The first
 * pulse takes it: GPIO 17, pin 11 of a Raspberry Pi's header, or what DPL_TRIGGER says, such as
 * /dev/gpiochip0:17. It has NOT MET A RASPBERRY PI. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "dpl_port.h"
#include "linux_port.h"

#define DEFAULT "/dev/gpiochip0:17"
#define PULSE_NANOSECONDS 1000000L

static int line = -1;
static bool looked;
static char name[128];

/* The number behind the last colon; false where there is none. */
static bool split(char *where, unsigned *number) {
    char *colon = strrchr(where, ':');
    if (colon == NULL || sscanf(colon + 1, "%u", number) != 1) {
        return false;
    }
    *colon = '\0';
    return true;
}

/* High from the moment it is an output. */
static int request(int chip, unsigned number) {
    struct gpio_v2_line_request wanted = {.num_lines = 1, .consumer = "deployer"};
    wanted.offsets[0] = number;
    wanted.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
    wanted.config.num_attrs = 1;
    wanted.config.attrs[0].mask = 1;
    wanted.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    wanted.config.attrs[0].attr.values = 1;
    return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &wanted) < 0 ? -1 : wanted.fd;
}

static void look(void) {
    char where[sizeof name];
    unsigned number;
    const char *given = getenv("DPL_TRIGGER");
    looked = true;
    snprintf(name, sizeof name, "%s", given != NULL ? given : DEFAULT);
    memcpy(where, name, sizeof where);
    if (!split(where, &number)) {
        return;
    }
    int chip = open(where, O_RDWR | O_CLOEXEC);
    if (chip >= 0) {
        line = request(chip, number);
        close(chip);
    }
}

const char *dpl_trigger_name(void) {
    return line >= 0 ? name : NULL;
}

static void set(unsigned level) {
    struct gpio_v2_line_values values = {.bits = level, .mask = 1};
    ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

void dpl_port_pulse(void) {
    if (!looked) {
        look();
    }
    if (line < 0) {
        return;
    }
    const struct timespec pulse = {0, PULSE_NANOSECONDS};
    set(0);
    nanosleep(&pulse, NULL);
    set(1);
}
