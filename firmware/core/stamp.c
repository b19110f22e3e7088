#include "stamp.h"

#include "command.h"
#include "dpl_port.h"
#include "dpl_print.h"

#ifndef DPL_ENERGY_MODE
#define DPL_ENERGY_MODE 0
#endif

static bool energy_mode = DPL_ENERGY_MODE;

bool dpl_energy_mode(void) {
    return energy_mode;
}

static const char *mode_name(void) {
    return energy_mode ? "energy" : "performance";
}

/* Nothing is on the line while the pin is low: the window may begin with it. */
void dpl_stamp(void) {
    if (energy_mode) {
        dpl_port_flush();
        dpl_port_pulse();
    } else {
        dpl_print_lap(dpl_port_microseconds());
    }
}

void dpl_boot_stamp(void) {
    dpl_print("m-timestamp-mode-");
    dpl_print_line(mode_name());
    dpl_stamp();
}

/* The first pulse in energy mode is no edge of a window: it finds the pin, as at start. */
const char *dpl_x_mode(const dpl_words *words) {
    const char *wanted = words->word[1];
    if (words->count > 1) {
        bool energy = dpl_same(wanted, "energy");
        if (!energy && !dpl_same(wanted, "performance")) {
            return "usage: x-mode [energy | performance]";
        }
        energy_mode = energy;
        if (energy) {
            dpl_stamp();
        }
    }
    dpl_print_tagged("m-x-mode-", mode_name());
    return 0;
}
