/* How a run ends: by the program, or because it did what GAP8 or the simulator cannot do. */
#include "parts.h"

#include <stdarg.h>
#include <stdlib.h>

_Noreturn void finish(machine *m, int status) {
    for (int i = 0; i < CORES; i++)
        flush_text(&m->cores[i]);
    write_profile(m);
    if (m->trace)
        fclose(m->trace);
    exit(status);
}

_Noreturn void fault(core *c, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fflush(stdout);
    fprintf(stderr, "gap8_sim: ");
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, " (%s, pc 0x%08x in %s, cycle %llu)\n", core_name(c->id), c->pc,
            function_name(c->machine, function_at(c->machine, c->pc)), (unsigned long long)c->now);
    finish(c->machine, EXIT_FAULT);
}
