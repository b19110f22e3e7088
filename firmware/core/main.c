/* Harness: boot lines, then one command after the other, docs/protocol.md. */
#include "command.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "network.h"
#include "reply.h"
#include "stack.h"
#include "stamp.h"

static const dpl_command *find(const dpl_commands *commands, const char *verb) {
    for (int i = 0; i < commands->count; i++) {
        if (dpl_same(commands->entries[i].verb, verb)) {
            return &commands->entries[i];
        }
    }
    return 0;
}

static const char *dispatch(const dpl_words *words) {
    const dpl_command *command = find(&dpl_mlperf_commands, words->word[0]);
    if (!command) {
        command = find(&dpl_probe_commands, words->word[0]);
    }
    if (!command) {
        return "unknown command, try help";
    }
    if (words->count < command->least || words->count > command->most) {
        dpl_print("e-[usage: ");
        dpl_print(command->usage);
        dpl_print_line("]");
        return 0;
    }
    return command->run(words);
}

static void end_reply(const char *error) {
    if (error) {
        dpl_print_tagged("e-", error);
    }
    dpl_reply_end();
    dpl_print_line("m-ready");
    dpl_port_flush();
}

static void boot_lines(void) {
    dpl_boot_stamp();
    dpl_print_line("m-init-done");
    if (!dpl_input_size_right()) {
        dpl_print_tagged("e-", "bug: built for another input size");
    }
    dpl_port_earlier();
    end_reply(dpl_port_fault());
}

/* False once the console is closed. */
static bool serve_one(void) {
    char text[DPL_COMMAND_MAX + 1];
    dpl_reading reading = dpl_read_command(text);
    if (reading == DPL_COMMAND_CLOSED) {
        return false;
    }
    dpl_reply_begin(text);
    if (reading == DPL_COMMAND_TOO_LONG) {
        end_reply("command too long");
        return true;
    }
    dpl_words words = dpl_split(text);
    if (words.count > 0) {
        end_reply(dispatch(&words));
    }
    if (dpl_exit_wanted()) {
        dpl_port_exit(0); /* returns on a device that cannot end */
    }
    return true;
}

int main(void) {
    dpl_port_init();
    dpl_stack_paint();
    dpl_input_clear();
    boot_lines();
    while (serve_one()) {
    }
    dpl_port_exit(0);
    return 0;
}
