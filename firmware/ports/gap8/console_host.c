/* The console of the model pulp-open, whose UART sends and never receives: RISC-V semihosting, on
 * the model's stdin and stdout. The model stands still until a byte comes, so no limit of time
 * ends the wait for one. */
#ifdef DPL_PULP_OPEN
#include "dpl_port.h"
#include "gap8.h"

#define WRITE 5u
#define READ_CHARACTER 7u
#define STDOUT 1u

static uint8_t line[256];
static uint32_t filled;

static int32_t host(uint32_t call, const uint32_t *arguments) {
    register uint32_t a0 __asm__("a0") = call;
    register const uint32_t *a1 __asm__("a1") = arguments;
    __asm__ volatile(".option push\n.option norvc\n"
                     "slli x0, x0, 31\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return (int32_t)a0;
}

void dpl_console_start(void) {}
void dpl_console_awaken(void) {}

int dpl_port_getc(uint32_t limit_us) {
    (void)limit_us;
    int32_t byte = host(READ_CHARACTER, 0);
    return byte < 0 ? DPL_CLOSED : byte;
}

void dpl_port_putc(char c) {
    line[filled++] = (uint8_t)c;
    if (filled == sizeof line) {
        dpl_port_flush();
    }
}

void dpl_port_flush(void) {
    if (filled == 0) {
        return;
    }
    const uint32_t arguments[] = {STDOUT, (uint32_t)line, filled};
    (void)host(WRITE, arguments);
    filled = 0;
}
#endif
