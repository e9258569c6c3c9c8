/* assembling.h - what the files of src/x86/assemble share. The text goes through them statement by statement:
 * statements.c cuts it, directives.c or operands_*.c (with assemble_expression.c) read one, choose.c finds
 * its shape (mnemonics.c: its name), encode_bytes.c its bytes; relax.c then sizes branches and fills in what
 * refers to labels. */
#ifndef TACHO_ASSEMBLE_ASSEMBLING_H
#define TACHO_ASSEMBLE_ASSEMBLING_H

#include <Zydis/Zydis.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "base/private.h"
#include "base/str.h"
#include "tacho/assemble.h"

/* Numbers of no symbol. */
#define AS_NONE     UINT32_MAX
#define AS_ABSOLUTE TACHO_SECTION_ABSOLUTE

/* An index that is none, but has a SIB byte. */
#define AS_RIZ ((ZydisRegister)(ZYDIS_REGISTER_MAX_VALUE + 1))
#define AS_EIZ ((ZydisRegister)(ZYDIS_REGISTER_MAX_VALUE + 2))

/* How a symbol is meant: foo@PLT ... */
enum {
    AS_PLAIN,
    AS_PLT,
    AS_GOTPCREL,
    AS_OTHER_PLACE /* GOT, TPOFF ...: 32 bits, whatever they are */
};

/* number + symbol - minus. In Intel syntax also + first * first_scale + second * second_scale. */
typedef struct as_value {
    int64_t number;
    uint32_t symbol, minus; /* AS_NONE */
    uint8_t place;
    bool wide;    /* the number does not fit in 64 bits with sign: it is unsigned */
    bool memory;  /* it had brackets */
    bool spelled; /* it had a number or symbol at all */
    ZydisRegister first, second;
    uint8_t first_scale, second_scale; /* 0: no scale was written */
} as_value;

/* Where something lies before sizes are known: behind `at` bytes of the section's fixed ones, in a frag. */
typedef struct as_place {
    uint32_t section, frag;
    size_t at;
} as_place;

enum {
    AS_SYMBOL_UNKNOWN,
    AS_SYMBOL_PLACE,
    AS_SYMBOL_VALUE, /* .set */
};
typedef struct as_symbol {
    const char *name; /* NULL: a place without a name */
    uint8_t kind;
    bool global, weak, function, object, used, visiting;
    as_place place;
    as_value value, size;
    bool sized;
} as_symbol;

/* Bytes of fixed length, then one thing whose length the layout finds. */
typedef enum as_frag_kind {
    AS_FRAG_LAST,
    AS_FRAG_BRANCH,
    AS_FRAG_ALIGN,
    AS_FRAG_SPACE, /* .skip, .org */
} as_frag_kind;
typedef struct as_frag {
    size_t start, fixed; /* of its bytes among the section's fixed ones */
    uint64_t address;
    uint64_t length; /* of what follows them */
    uint64_t limit;  /* align: at most so many */
    as_value target;
    uint32_t region;
    uint16_t fill_size;
    uint8_t kind, opcode;
    uint8_t power;                      /* of the alignment */
    uint8_t code;                       /* filled with NOPs */
    uint8_t pass;                       /* parity of the last pass of the layout that saw it */
    uint8_t prefix_length, prefixes[6]; /* branch */
    bool near;                          /* ... that is not short, as a listing shows */
    uint64_t fill;
    uint64_t line;
    uint32_t column;
    bool org;
} as_frag;

typedef struct as_section {
    const char *name;
    uint8_t *bytes; /* fixed ones; after the layout all */
    size_t size, capacity;
    as_frag *frags; /* the last one is open */
    size_t frag_count, frag_capacity;
    uint64_t address_end;
    uint8_t power; /* alignment */
    uint8_t place; /* where it begins in a block of 64 bytes */
    bool executable, writable, zeros, passed_over;
} as_section;

typedef struct as_fix {
    as_place place;
    as_value value;
    uint64_t line;
    uint32_t column;
    uint8_t size;
    uint8_t after; /* bytes of the instruction behind the field */
    bool relative; /* to the end of the instruction */
    bool sign;     /* 32 bits are sign-extended */
    bool branch;
} as_fix;

typedef struct as_record {
    tacho_statement out;
    as_place start, end;
} as_record;

/* The text of a statement that is being read. */
typedef struct as_cursor {
    const char *at, *end;
} as_cursor;

typedef struct as_state {
    const tacho_assemble_options *options;
    tacho_error *err;
    int failed; /* a tacho_status other than 0 that ends it all */
    arena memory;

    const char *text, *end; /* the text, with its comments blanked */
    const char *line_start;
    uint64_t line;
    tacho_syntax syntax, first_syntax;
    tacho_dialect dialect;
    bool percent_registers; /* Intel syntax with prefixes */
    bool bare_registers;    /* AT&T syntax without */
    bool default_relative;  /* NASM: default rel */

    as_section *sections;
    size_t section_count, section_capacity;
    uint32_t section, previous;
    uint32_t stack[TACHO_ASSEMBLE_MAX_NESTING][2];
    unsigned stacked;

    as_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    hash_index symbol_index;

    as_fix *fixes;
    size_t fix_count, fix_capacity;
    as_record *records;
    size_t record_count, record_capacity;
    tacho_problem *problems;
    size_t problem_count, problem_capacity;
    const char **files;
    size_t file_count, file_capacity;
    uint32_t source_file, source_line;
    uint64_t total; /* bytes emitted */
    unsigned nesting;

    const char *after_prefix; /* where a statement of prefixes alone before this one begins; NULL */
    bool listing;             /* the text is a disassembler's (disassembly.c) */
    bool listing_begun, listing_after_text;
    uint64_t listing_function;          /* the address of a heading that no line has followed */
    uint64_t listing_next;              /* the address after the last line */
    uint64_t unread_count, unread_line; /* of a listing: lines left out; the first one */
} as_state;

/* ---- words ---- */

static inline bool as_begins(const char *at, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - at) >= n && !memcmp(at, with, n);
}

/** Without regard to case. */
static inline bool as_is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && tacho_str_same_n(at, word, n);
}

static inline const char *as_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/** A number in `bytes` of code. */
static inline void as_put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* ---- operands and instructions ---- */

enum {
    AS_REG = 1,
    AS_MEM,
    AS_IMM,
};

typedef struct as_operand {
    uint8_t kind;
    uint8_t mask; /* number of the k register; 0 none */
    bool zeroing, indirect;
    bool port;         /* (%dx) */
    bool target;       /* it can be what a branch goes to: no brackets, no registers */
    uint8_t broadcast; /* 1toN: N */
    bool element;      /* BCST */
    bool riz;          /* an index that is none, but has a SIB byte */
    bool far;
    ZydisRegister reg; /* or the segment's */
    ZydisRegister base, index;
    uint8_t scale;
    uint16_t size; /* bytes of memory, as written; 0 unknown */
    as_value value;
    const char *text; /* where it stands */
    uint32_t length;
} as_operand;

enum {
    AS_ANY_ENCODING,
    AS_VEX,
    AS_VEX3,
    AS_EVEX,
};

typedef struct as_insn {
    const char *name; /* as typed */
    size_t name_length;
    uint8_t prefixes[8]; /* bytes, as written */
    uint8_t prefix_count;
    uint8_t rex;          /* 0x40...: asked for */
    uint8_t encoding;     /* AS_VEX ... */
    uint8_t displacement; /* 0, 8, 32: asked for */
    uint8_t direction;    /* 0, 'l', 's' */
    ZydisRoundingMode rounding;
    bool sae;
    uint8_t operand_count;
    as_operand operands[TACHO_ASSEMBLE_MAX_OPERANDS]; /* Intel's order */
    bool att;
} as_insn;

/* assemble_text.c */
/** Keeps a problem with the text from `at`. */
void as_problem(as_state *s, int code, const char *at, size_t length, const char *format, ...)
    TACHO_PRINTF(5, 6);
/** The same. @return false */
#define as_refuse(...) (as_problem(__VA_ARGS__), false)
/** What was allocated; where that is NULL, memory ran out, which ends it all. */
void *as_need(as_state *s, const void *memory);
/** As tacho_mem_grow. @return false: memory ran out, which ends it all */
bool as_grow(as_state *s, void *array, size_t *capacity, size_t count, size_t size);

/* assemble_symbols.c */
uint32_t as_symbol_named(as_state *s, const char *name, size_t length);
/** A symbol without a name for the place where the next byte will be. */
uint32_t as_symbol_here(as_state *s);
/** "1:": its next definition; "1b", "1f": the last and the next one. */
uint32_t as_symbol_local(as_state *s, const char *digits, size_t length, char which);
void as_define_here(as_state *s, uint32_t symbol, const char *at, size_t length);
/** The value, as far as .set makes it another one. @return false: it refers to itself */
bool as_resolve(as_state *s, as_value *v);
/** The number, if it needs no layout. */
bool as_is_number(as_state *s, as_value *v);

/* assemble_symbols.c */
as_section *as_section_now(as_state *s);
as_place as_here(as_state *s);
uint32_t as_section_named(as_state *s, const char *name, size_t length);
void as_emit(as_state *s, const void *bytes, size_t count);
void as_emit_zeros(as_state *s, size_t count);
/** Closes the open frag with one of that kind, of `length` bytes for now. */
as_frag *as_add_frag(as_state *s, as_frag_kind kind, uint64_t length);
void as_add_fix(as_state *s, as_fix fix);

/* assemble_expression.c */
void as_skip_space(as_cursor *c);
/** Whether the next sign is that one, blanks aside. */
bool as_at(as_cursor *c, char sign);
/** The same; it is passed over. */
bool as_take(as_cursor *c, char sign);
bool as_is_name_start(char ch);
bool as_is_name(char ch);
/** How many signs from `at` on can be of a name; with `signs` also '@'. */
size_t as_word_length(const char *at, const char *end, bool signs);
/** Reads an expression up to what cannot belong to it. @return false after a problem */
bool as_expression(as_state *s, as_cursor *c, as_value *out);
static inline as_value as_number(int64_t number)
{
    return (as_value){.number = number, .symbol = AS_NONE, .minus = AS_NONE, .spelled = true};
}
/** The length of a C++ name as demanglers write it, or of a plain one; 0 none. */
size_t as_name_length(const as_state *s, const char *at, const char *end);

/* assemble_registers.c */
/** The register of that name. ST, without number, is ST0. */
ZydisRegister as_register(const char *name, size_t length);
/** Reads one with its st(...) at the cursor. */
ZydisRegister as_read_register(as_cursor *c);
unsigned as_register_bytes(ZydisRegister r);

/* statements.c */
/** Reads an operand of a syntax. @return false after a problem */
typedef bool as_operand_reader(as_state *s, as_cursor *c, as_operand *o);
/** The rest of a statement: operands with their decorations, and commas. @return false after a problem */
bool as_operands(as_state *s, as_cursor *c, as_insn *insn, as_operand_reader *read);
/* operands_att.c, operands_intel.c */
bool as_operands_att(as_state *s, as_cursor *c, as_insn *insn);
bool as_operands_intel(as_state *s, as_cursor *c, as_insn *insn);
/** {k1}, {z}, {1to8}, {rn-sae} behind an operand, or alone. @return false after a problem */
bool as_decoration(as_state *s, as_cursor *c, as_insn *insn, as_operand *o);

/* mnemonics.c */
/** What a mnemonic can stand for. */
typedef struct as_meaning {
    uint16_t mnemonic; /* Zydis's; 0 none */
    uint8_t size;      /* bytes, by the suffix; 0 none */
    uint8_t how;       /* AS_HOW_... */
    uint8_t value;     /* immediate of a pseudo-operation; source size of movzbl */
} as_meaning;
enum {
    AS_HOW_PLAIN,
    AS_HOW_BRANCH, /* value: 0xeb, 0x70.., 0xe8, 0xe0..0xe3, 0xc7 */
    AS_HOW_NOP,
    AS_HOW_COMPARE, /* value: the immediate */
    AS_HOW_WAIT,    /* fwait before it */
    AS_HOW_STRING,
    AS_HOW_EXTEND, /* movzbl: value is the size of the source */
    AS_HOW_MOVABS,
    AS_HOW_FAR,
};
enum {
    AS_MEANINGS = 4
};
int as_meanings(const char *name, size_t length, bool att, as_meaning *out);
uint16_t as_zydis_mnemonic(const char *name, size_t length);
/** A prefix by its name. @return its byte, 0x40... of rex, 0 none */
uint8_t as_prefix(const char *name, size_t length);
/** A problem: the first `length` letters of its name are no mnemonic. It may stand in place of the last one.
 */
void as_unknown_instruction(as_state *s, const as_insn *insn, size_t length, bool replaces);

/* encode_bytes.c */
/** The bytes of an instruction into the section. @return false after a problem */
bool as_instruction(as_state *s, as_insn *insn);

/* directives.c */
/** @return false: it is none */
bool as_directive(as_state *s, const char *name, size_t length, as_cursor *c);
void as_assign(as_state *s, const char *name, size_t length, as_cursor *c);

/* comments.c */
/** Whose Intel syntax a text is in, and whether ';' begins a comment in it, by what stands in it. */
tacho_dialect as_find_dialect(const char *text, size_t size);
bool as_semicolon_comments(const char *text, size_t size);
/** Puts blanks in the place of comments; lines and columns stay. A line end within one becomes AS_LINE. */
void as_blank_comments(char *text, size_t size, bool semicolons, bool of_lines);
#define AS_LINE '\v'

/* statements.c */
/** Reads all of the text. */
void as_read(as_state *s);

/* relax.c */
void as_layout(as_state *s);
/** After it: fills in a fix, or gives what the linker has to. @return 1: given; 0; -1 after a problem */
int as_resolve_fix(as_state *s, const as_fix *f, tacho_assembled_fixup *out);
uint64_t as_address(const as_state *s, as_place p);

/* relax.c */
TACHO_PRIVATE void tacho_nops(uint8_t *out, size_t count);

/* statements.c */
/** Keeps what was read from `at` to `end` and begins at `start`. */
void as_record_at(as_state *s, const char *at, const char *end, tacho_statement_kind kind, as_place start);
/** Reads one instruction. */
void as_instruction_at(as_state *s, as_cursor *c);

/* disassembly.c */
/** Takes a line of what a disassembler prints. @return false: it is a statement */
bool as_listing_line(as_state *s, const char *at, const char *end);

/* An attempt to encode an instruction in one of its meanings. */

enum {
    AS_DONE,
    AS_NO_FORM,
    AS_AMBIGUOUS,            /* the size of a memory operand */
    AS_CONTRADICTION,        /* the suffix says another size than the registers */
    AS_FAILED,               /* a problem is kept already */
    AS_SENTINEL = 0x12345678 /* a displacement or an immediate that is filled in later, of 32 bits */
};

typedef struct as_try {
    as_insn *insn; /* a copy, which is changed */
    ZydisEncoderRequest request;
    const as_operand *memory;
    uint8_t immediates, mask;
    bool needs_evex, vector;
    bool patch_sib;  /* its index, rax, becomes none */
    bool patch_disp; /* the displacement becomes `disp` */
    uint8_t sib_scale;
    int64_t disp;
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH + 1];
    uint8_t length;
} as_try;

/* choose.c */
int as_encode_by_zydis(as_try *t, const as_meaning *meaning);

#endif
