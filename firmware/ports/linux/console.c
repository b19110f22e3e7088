/* stdin and stdout, which --listen makes a connection (listen.c); a terminal is switched to raw
 * mode and put back at exit. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "dpl_port.h"
#include "linux_port.h"

static struct termios before;

static struct {
    unsigned char byte[4096];
    ssize_t next, count;
} input;

static struct {
    char byte[4096];
    size_t count;
} output;

static void restore_terminal(void) {
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void dpl_console_start(void) {
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &before) != 0) {
        return; /* a pipe */
    }
    raw = before;
    cfmakeraw(&raw);
    raw.c_lflag |= ISIG; /* Ctrl-C ends the program */
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    atexit(restore_terminal);
}

static int refill(uint32_t limit_us) {
    struct pollfd console = {.fd = STDIN_FILENO, .events = POLLIN};
    int timeout_ms = limit_us > 0 ? (int)((limit_us + 999) / 1000) : -1;
    int ready;
    do {
        ready = poll(&console, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        return DPL_TIMEOUT;
    }
    input.next = 0;
    input.count = read(STDIN_FILENO, input.byte, sizeof input.byte);
    return input.count > 0 ? 0 : DPL_CLOSED;
}

int dpl_port_getc(uint32_t limit_us) {
    dpl_port_flush();
    int status = input.next < input.count ? 0 : refill(limit_us);
    return status < 0 ? status : input.byte[input.next++];
}

/* A host that has gone away ends the program. */
void dpl_port_flush(void) {
    for (size_t sent = 0; sent < output.count;) {
        ssize_t wrote = write(STDOUT_FILENO, output.byte + sent, output.count - sent);
        if (wrote < 0 && errno != EINTR) {
            _exit(1);
        }
        sent += wrote > 0 ? (size_t)wrote : 0;
    }
    output.count = 0;
}

void dpl_port_putc(char c) {
    output.byte[output.count++] = c;
    if (c == '\n' || output.count == sizeof output.byte) {
        dpl_port_flush();
    }
}
