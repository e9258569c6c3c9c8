/* stores.h - stores in flight, the loads that read from them, and the store buffer. */
#ifndef TACHO_SIM_STORES_H
#define TACHO_SIM_STORES_H

#include "model/block/registers.h"
#include "model/sim/schedulers.h"

typedef struct sim sim;

enum {
    SIM_WORDS = 1024,         /* remembered words that were stored to; power of two */
    SIM_STORE_RECORDS = 1024, /* of stores that can be in flight; power of two */
    SIM_STORE_BUFFER = 256,   /* stores; power of two */
    STORE_GATHER_MOST = 16,
    STORE_LATE_LINES = 3,
};

/* Loads that wait for the data of the store which they read from. */
enum {
    FORWARD_WAITING_MOST = 32
};
typedef struct waiting_loads {
    int32_t until[FORWARD_WAITING_MOST]; /* each place is taken */
    int8_t change[SIM_HORIZON];          /* of `held` in a cycle */
    int32_t held;                        /* entries of the scheduler that they keep after they have left */
} waiting_loads;

/* When a load had the data of a store for which it waited, and by which port: of chains through memory. */
typedef struct load_link {
    int32_t available;
    int port;
} load_link;

/* A store; kept for as long as it can be in flight. */
typedef struct store_record {
    uint64_t address, other_address; /* the second with the other numbers */
    uint32_t bytes;
    int32_t address_start, data_start; /* cycles at which its µops leave for their ports */
    int32_t commit;                    /* at which it reaches the cache, or: */
    int32_t last_seq[2];               /* of these µops; negative: not renamed */
    int32_t register_ready;            /* at which the register that is stored is there */
    bool general;                      /* from a general register */
    const mem_access *by;
    uint32_t iteration;
    uint32_t insn;
} store_record;
#define STORE_INCOMPLETE INT32_MAX

typedef struct word_entry {
    stored_word stored;
    uint32_t run; /* of the simulator, in which it was made */
} word_entry;

/* For 4K aliasing: the stores by the lower 12 bits of their addresses, and the registers followed from other
 * numbers, which tell the known distances. */
typedef struct alias_tracker {
    register_values other;                  /* the same registers, from other numbers: 4K aliasing */
    uint32_t last[PAGE_BYTES / WORD_BYTES]; /* store that wrote to such a word last; 0: none */
} alias_tracker;

/* Where a load gets its data. */
typedef struct load_source {
    const store_record *store; /* NULL: from the cache */
    bool blocked;              /* it is not forwarded: the load waits for the cache */
    bool renamed;              /* it is where the store has it from */
    bool aliased;              /* the data is not from there: the store was taken for one to that address */
    int32_t available;         /* cycle from which on the data can be there */
} load_source;

/* The stores between renaming and the first-level cache, which they reach in order once they have retired. */
typedef struct store_buffer {
    int32_t commit[SIM_STORE_BUFFER];     /* cycle in which each of them reaches it */
    int32_t head, tail;                   /* numbers, low bits index; [head, tail) are inside */
    int32_t last;                         /* cycle of the youngest one */
    uint64_t line;                        /* that it goes to */
    bool alone;                           /* another one to that line can go with it */
    int32_t line_free;                    /* cycle in which a line can begin that is not one of these: */
    uint64_t gathered[STORE_GATHER_MOST]; /* the latest first */
    uint64_t filled[STORE_GATHER_MOST];   /* bytes that were written since, a bit each */
    uint32_t since[2];              /* stores since the latest line began, and from the one before to it */
    uint32_t late;                  /* further lines that take a slot */
    uint64_t next_line;             /* of the store whose data were renamed last */
    uint64_t next_bytes, next_rest; /* bytes of that line, and of the next, a bit each */
    uint32_t next_more;             /* others, behind it, that it reaches into */
    bool next_whole;                /* it is a line, */
    bool next_splits;               /* or else crosses one: as two stores */
    uint8_t made; /* stores in succession of what their instructions make: stores_made_most */
} store_buffer;

int memory_renaming_prepare(sim *s, arena *a);
/* In a cycle in which loads were renamed: whether no more are, and the instruction has one that likely is. */
bool memory_renaming_is_full(const sim *s, uint32_t insn);

/* Once a cycle: whether loads and store addresses have no room in the scheduler. */
bool waiting_full(sim *s);
uint64_t waiting_hash(const sim *s, uint64_t h);
/* A load that leaves in cycle `start`, where the links of chains through memory have a least length: `from`
 * is later where that of the load's chain would be shorter. */
void waiting_link(sim *s, const op *u, int port, int32_t start, load_source *from);
void waiting_links_reset(sim *s);
uint64_t waiting_links_hash(const sim *s, uint64_t h);

void store_buffer_reset(sim *s);
/* Where the next store goes to. */
void store_buffer_aim(sim *s, uint64_t address, uint32_t bytes);
/* So many stores are complete with the fused µop that entered the reorder buffer last. */
void store_buffer_enter(sim *s, uint32_t stores);

void store_forward_reset(sim *s);
/* The instruction's effect on the values of registers, after its stores. */
void store_forward_step(sim *s, const block_insn *bi);
/* After an iteration of a block whose addresses move on. */
void store_forward_advance(sim *s);
/* A µop of a store leaves for its port in cycle `start`. */
void store_forward_record_store(sim *s, const block_insn *bi, const mem_access *m, const op *u,
                                int32_t start);
/* What of the registers decides that, while they move. */
uint64_t store_forward_hash_places(const sim *s, uint64_t h);
/* Where a load that leaves for its port in cycle `start` gets its data. */
load_source store_forward_find_source(sim *s, const op *u, const mem_access *m, int32_t start);

#endif
