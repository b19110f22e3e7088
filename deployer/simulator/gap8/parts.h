/* What the parts of the simulator ask of each other, by the file that answers. */
#ifndef GAP8_PARTS_H
#define GAP8_PARTS_H

#include "machine.h"

/* fault.c */
_Noreturn void fault(core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void finish(machine *m, int status);

/* elf.c: takes the memories of the program, loads it and its functions; returns the entry */
uint32_t load_program(machine *m, const char *path);

/* memory.c: reads extend nothing; costs go to the core's time */
bool take_memories(machine *m, uint32_t l1, uint32_t l2); /* bytes */
uint32_t bus_load(core *c, uint32_t address, int bytes);
void bus_store(core *c, uint32_t address, uint32_t value, int bytes);
uint64_t take_bank(machine *m, uint32_t address, uint64_t when);
uint8_t *plain_memory(machine *m, uint32_t address, uint32_t bytes);
void forget_code(machine *m, uint32_t address, uint32_t bytes);

/* decode.c, compressed.c */
bool decode(insn *out, uint32_t word);
uint32_t expand_compressed(uint32_t half);

/* cache.c */
uint32_t fetch_line(core *c, uint32_t line);
void flush_cache(instruction_cache *cache);
void clear_cache(instruction_cache *cache); /* and as after reset otherwise */

/* counters.c: control and status registers */
uint32_t read_csr(core *c, uint32_t number);
void write_csr(core *c, uint32_t number, uint32_t value);

/* cluster.c, soc.c */
uint32_t cluster_load(core *c, uint32_t offset);
void cluster_store(core *c, uint32_t offset, uint32_t value);
uint32_t soc_load(core *c, uint32_t address);
void soc_store(core *c, uint32_t address, uint32_t value);
void flush_text(core *c);

/* clocks.c */
void clocks_store(core *c, uint32_t offset, uint32_t value);
uint64_t fabric_time(const machine *m, uint64_t cycles);
void take_fabric_cycles(core *c, uint64_t from);
void wait_until(core *c, uint64_t when);

/* event_unit.c */
uint32_t events_load(core *c, uint32_t offset);
void events_store(core *c, uint32_t offset, uint32_t value);
void events_wait(core *c, uint32_t offset, uint8_t rd);
void events_trigger(core *c, uint32_t event, uint32_t cores);
void signal_event(machine *m, int core, uint32_t bits, uint64_t when);

/* dma.c: commands, and the end of a side's first transfer */
uint32_t dma_load(core *c, int port, uint32_t offset);
void dma_store(core *c, int port, uint32_t offset, uint32_t value);
void dma_complete(machine *m, dma_side *s);

/* dma_engine.c: when its next step is due, and the step */
uint64_t dma_due(const machine *m);
void dma_step(machine *m);

/* hyperram.c: `_done` gives the time of the next completion, `_complete` performs it */
uint32_t hyper_load(core *c, uint32_t offset);
void hyper_store(core *c, uint32_t offset, uint32_t value);
uint64_t hyper_done(const machine *m);
void hyper_complete(machine *m);

/* uart.c */
uint32_t uart_load(core *c, uint32_t offset);
void uart_store(core *c, uint32_t offset, uint32_t value);

/* schedule.c */
void come_back(machine *m, uint64_t when); /* something else happens then */
_Noreturn void run_machine(machine *m);

/* trace.c, profile.c */
void trace_step(core *c, const insn *i, uint32_t pc, uint64_t from);
uint32_t function_at(const machine *m, uint32_t address);
const char *function_name(const machine *m, uint32_t index);
void leave_function(core *c, uint32_t entered);
void write_profile(machine *m);

#endif
