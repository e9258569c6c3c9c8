/* code_spans.c - where functions begin and end, as symbols say, and what lies between them; and
 * the graph of one such span.
 *
 * A function symbol with a size says both. A function symbol without one, or a global label without a type
 * (hand-written assembly), extends to the next such symbol. Local labels without a type are places inside
 * functions. A symbol inside another function's extent is an entry of that function. */

#include "base/mem.h"
#include "base/str.h"
#include "x86/decode/ops.h"
#include "x86/flow/code_search.h"

/* ---- jump tables and where code begins ---- */

/* Where a jump through a table can go.
 *
 * Two shapes that compilers make are understood: a table of 4-byte distances from its own start (lea table,
 * movslq (table, index, 4), add, jmp), and one of 8-byte addresses (jmp *table(, index, 8)). The comparison
 * that guards the jump tells the number of entries; without it, entries are read as long as they lead into
 * the function, and the targets found are not all that there may be, or too many. */

enum {
    LOOK_BACK = 24, /* instructions before the jump */
    MAX_ENTRIES = 4096,
    MAX_LEA_BYTES = 1 << 16,
    MAX_STEPS = 1 << 28, /* over a whole file */
};

typedef struct jump_table {
    const input_section *section;
    size_t offset;
    uint32_t entry_bytes; /* 4 or 8 */
    uint32_t count;       /* 0: not known */
} jump_table;

/* The section and offset of an address in the image. */
static bool at_address(const input_image *image, uint64_t address, const input_section **section,
                       size_t *offset)
{
    *section = input_section_at(image, address);
    *offset = *section ? address - (*section)->address : 0;
    return *section;
}

/* What the displacement of an instruction refers to: `next` is the address of the next instruction where it
 * is relative to that, else 0. */
static bool place_of(const code_reader *r, const cfg_insn *i, int64_t disp, uint64_t next, jump_table *t)
{
    if (!r->image->relocatable)
        return at_address(r->image, next + (uint64_t)disp, &t->section, &t->offset);
    const reloc *rel = tacho_relocs_find(&r->relocs, r->span->start + i->offset, i->length);
    if (!rel || !rel->section)
        return false;
    uint64_t after = next ? r->span->start + i->offset + i->length - rel->offset : 0;
    t->section = rel->section;
    t->offset = rel->value + (uint64_t)rel->addend + after;
    return t->offset < t->section->size;
}

static bool decode(const cfg *g, uint32_t number, tacho_insn *out)
{
    const cfg_insn *i = &g->insns[number];
    return !tacho_decode(out, g->code->bytes + i->offset, i->length, NULL);
}

static uint64_t next_address(const code_reader *r, const cfg_insn *i)
{
    return r->span->section->address + r->span->start + i->offset + i->length;
}

/* A load of a 4-byte distance: the register that holds the table's address, -1 for other instructions. */
static int table_register(const tacho_insn *insn)
{
    const tacho_operand *source = &insn->operands[1];
    bool load = insn->operation == OP_SIGNED && source->kind == TACHO_OPERAND_MEM &&
                source->width_bits == 32 && source->mem.base.class_ == TACHO_REG_R64 &&
                source->mem.index.class_ == TACHO_REG_R64 && source->mem.scale == 4;
    return load ? source->mem.base.number : -1;
}

/* The nearest instruction before `offset`, in order of addresses, that loads the register with an address
 * relative to the instruction pointer: lea disp(%rip), %reg. Compilers put it before the loop, perhaps far
 * away. */
static bool find_lea(const cfg *g, code_reader *r, uint32_t offset, int reg, jump_table *t)
{
    for (uint32_t at = offset; at-- > 0 && offset - at < MAX_LEA_BYTES && r->steps < MAX_STEPS; r->steps++) {
        const uint8_t *b = g->code->bytes + at;
        if (!g->at[at] || g->at[at] == UINT32_MAX)
            continue;
        const cfg_insn *i = &g->insns[g->at[at] - 1];
        if (i->length != 7 || (b[0] & 0xf8) != 0x48 || b[1] != 0x8d || (b[2] & 0xc7) != 5 ||
            ((b[2] >> 3 & 7) | (b[0] & 4) << 1) != reg)
            continue;
        int32_t disp;
        memcpy(&disp, b + 3, sizeof disp);
        return place_of(r, i, disp, next_address(r, i), t);
    }
    return false;
}

/* A table of addresses that the jump itself names. */
static bool direct_table(const cfg *g, const code_reader *r, uint32_t number, const tacho_insn *jump,
                         jump_table *t)
{
    const tacho_mem *mem = &jump->operands[0].mem;
    t->entry_bytes = 8;
    return mem->scale == 8 && mem->base.class_ == TACHO_REG_NONE &&
           place_of(r, &g->insns[number], mem->disp, 0, t);
}

/* Goes back from the jump: the address of the table and the number of its entries. */
static bool find_table(const cfg *g, code_reader *r, uint32_t offset, jump_table *t)
{
    tacho_insn insn;
    uint32_t number = g->at[offset] - 1;
    int reg = -1;
    *t = (jump_table){.entry_bytes = 4};
    if (!decode(g, number, &insn))
        return false;
    bool direct = insn.operands[0].kind == TACHO_OPERAND_MEM;
    if (direct && !direct_table(g, r, number, &insn, t))
        return false;
    for (int k = 0; k < LOOK_BACK && !t->count; k++) {
        number = cfg_previous(g, g->insns[number].offset);
        if (number == CFG_NONE || !decode(g, number, &insn))
            break;
        const tacho_operand *second = &insn.operands[1];
        if (reg < 0)
            reg = table_register(&insn);
        if (insn.operation == OP_CMP && second->kind == TACHO_OPERAND_IMM && second->imm > 0 &&
            second->imm < MAX_ENTRIES)
            t->count = (uint32_t)second->imm + 1;
    }
    return direct || (reg >= 0 && find_lea(g, r, offset, reg, t));
}

/* Entry i of an object file's table: relocated. */
static bool relocated_entry(code_reader *r, const jump_table *t, size_t at, uint64_t *target)
{
    if (r->load(&r->table_relocs, t->section, r->payload))
        return false;
    const reloc *rel = tacho_relocs_find(&r->table_relocs, at, 1);
    if (!rel || rel->section != r->span->section)
        return false;
    *target = rel->value + (uint64_t)rel->addend;
    if (t->entry_bytes == 4)
        *target -= at - t->offset;
    return true;
}

/* The target of entry i as an offset in the code's section. */
static bool read_entry(code_reader *r, const jump_table *t, uint32_t i, uint64_t *target)
{
    size_t at = t->offset + (size_t)i * t->entry_bytes;
    if (at + t->entry_bytes > t->section->size)
        return false;
    if (r->image->relocatable)
        return relocated_entry(r, t, at, target);
    uint64_t address = 0;
    memcpy(&address, t->section->bytes + at, t->entry_bytes);
    if (t->entry_bytes == 4)
        address = t->section->address + t->offset + (uint64_t)(int64_t)(int32_t)address;
    *target = address - r->span->section->address;
    return true;
}

/* Where nothing may be guessed: the table ends where something else begins that code refers to. */
static uint32_t entries_at_most(const code_reader *r, const jump_table *t, uint32_t most)
{
    uint64_t start = t->section->address + t->offset;
    if (!r->marks)
        return t->count;
    size_t next = tacho_count_below(r->marks, r->mark_count, sizeof *r->marks, start + 1);
    uint64_t entries = next < r->mark_count ? (r->marks[next] - start) / t->entry_bytes : most;
    return entries < most ? (uint32_t)entries : most;
}

/* As cfg_code.cases wants it. */
static bool tacho_table_cases(cfg *g, uint32_t offset, void *reader)
{
    code_reader *r = reader;
    jump_table t;
    uint64_t target;
    if (!find_table(g, r, offset, &t))
        return false;
    uint32_t most = t.count ? t.count : MAX_ENTRIES, i = 0;
    if (g->code->reached_only)
        most = entries_at_most(r, &t, most);
    for (; i < most && read_entry(r, &t, i, &target); i++) {
        if (target < r->span->start || target - r->span->start >= g->code->size)
            break;
        cfg_add_case(g, (uint32_t)(target - r->span->start));
    }
    return t.count && i == t.count;
}

/* Code without symbols, cut into pieces that seem to be functions.
 *
 * Code is decoded from one end to the other. A cut is made after an instruction that control does not pass (a
 * jump, a return, bytes that are no instruction), unless a branch leads across: a conditional branch, or a
 * jump that is too short to be a call in tail position. The pieces need not be functions; they only must
 * contain their loops whole. */

enum {
    MAX_JUMP_BYTES = 4096 /* a longer jump is taken for a call in tail position */
};

typedef struct sweeper {
    tacho_error *err;
    size_t *cuts; /* where pieces begin: a stack */
    size_t count, capacity;
    size_t reach; /* branches lead up to here */
} sweeper;

static int push(sweeper *s, size_t at)
{
    if (tacho_mem_grow(&s->cuts, &s->capacity, s->count + 1, sizeof *s->cuts))
        return tacho_no_memory(s->err);
    s->cuts[s->count++] = at;
    return 0;
}

static void note_branch(sweeper *s, const code_span *span, size_t next, insn_flow flow, int64_t distance)
{
    int64_t target = (int64_t)next + distance;
    if (target < (int64_t)span->start || target >= (int64_t)span->end)
        return;
    if (flow == FLOW_JUMP && (distance > MAX_JUMP_BYTES || distance < -MAX_JUMP_BYTES))
        return;
    if ((size_t)target >= next) {
        s->reach = (size_t)target > s->reach ? (size_t)target : s->reach;
        return;
    }
    while (s->count > 1 && s->cuts[s->count - 1] > (size_t)target)
        s->count--;
}

/* Where the next piece may begin: after the padding. */
static size_t skip_padding(const code_span *span, size_t at)
{
    tacho_insn insn;
    while (at < span->end) {
        if (span->section->bytes[at] == 0xcc)
            at++;
        else if (!tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL) && insn.is_nop)
            at += insn.length;
        else
            break;
    }
    return at;
}

static int find_cuts(sweeper *s, const code_span *span)
{
    int rc = push(s, span->start);
    for (size_t at = span->start; at < span->end && !rc;) {
        tacho_insn insn;
        int64_t distance = 0;
        insn_flow flow = FLOW_STOP;
        size_t next = at + 1;
        if (!tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL)) {
            flow = tacho_insn_flow_of(&insn, &distance);
            next = at + insn.length;
        }
        if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
            note_branch(s, span, next, flow, distance);
        at = next;
        if (flow <= FLOW_CALL || flow == FLOW_BRANCH)
            continue;
        at = skip_padding(span, at);
        if (at > s->reach && at < span->end)
            rc = push(s, at);
    }
    return rc;
}

/* Cuts a span without symbols into what seem to be functions, and adds these. */
static int tacho_spans_split(span_list *out, code_span span, tacho_error *err)
{
    sweeper s = {.err = err};
    if (span.start) /* a NOP that begins a section is no padding */
        span.start = skip_padding(&span, span.start);
    if (span.end <= span.start)
        return 0;
    int rc = find_cuts(&s, &span);
    for (size_t i = 0; i < s.count && !rc; i++) {
        code_span piece = {span.section, s.cuts[i], i + 1 < s.count ? s.cuts[i + 1] : span.end, span.name};
        rc = tacho_spans_add(out, piece, err);
    }
    tacho_mem_free(s.cuts);
    return rc;
}

static bool names_code(const input_symbol *s)
{
    bool function = s->type == SYMBOL_FUNCTION || s->type == SYMBOL_INDIRECT_FUNCTION;
    return s->section && (function || (s->type == SYMBOL_NO_TYPE && s->global)) &&
           !tacho_starts_with(s->name, INPUT_LABEL);
}

/* The offset of a symbol in its section; false if it does not lie in it. */
static bool place_of_symbol(const input_image *image, const input_symbol *s, const input_section **section,
                            size_t *offset)
{
    *section = input_find_section(image, s->section);
    uint64_t base = *section && !image->relocatable ? (*section)->address : 0;
    if (!*section || s->value < base || s->value - base >= (*section)->size)
        return false;
    *offset = s->value - base;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const function_start *x = a, *y = b;
    int order = ORDER(x->section, y->section) ?: ORDER(x->offset, y->offset) ?: ORDER(x->rank, y->rank);
    return order ?: (x->name && y->name ? strcmp(x->name, y->name) : 0);
}

int tacho_functions_add(function_list *out, const input_image *image, tacho_error *err)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset;
        if (!names_code(s) || !place_of_symbol(image, s, &section, &offset) || !section->executable)
            continue;
        if (tacho_mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items))
            return tacho_no_memory(err);
        size_t size = s->size > section->size - offset ? section->size - offset : (size_t)s->size;
        uint8_t rank = (uint8_t)((s->size ? 0 : 4) + (s->global ? 0 : 2) + (s->name[0] == '_'));
        out->items[out->count++] = (function_start){section, offset, size, s->name, rank};
    }
    return 0;
}

void tacho_functions_sort(function_list *out)
{
    tacho_sort(out->items, out->count, sizeof *out->items, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const function_start *f = &out->items[i], *last = kept ? &out->items[kept - 1] : NULL;
        if (!last || last->section != f->section || last->offset != f->offset)
            out->items[kept++] = *f;
    }
    out->count = kept;
}

/* The first function at or after the place. */
static size_t first_from(const function_list *f, const input_section *section, size_t offset)
{
    size_t at;
    COUNT_BEFORE(at, f->count,
                 f->items[at].section < section ||
                     (f->items[at].section == section && f->items[at].offset < offset));
    return at;
}

const char *tacho_functions_name(const function_list *f, const input_section *section, size_t offset)
{
    size_t i = first_from(f, section, offset);
    return i < f->count && f->items[i].section == section && f->items[i].offset == offset ? f->items[i].name
                                                                                          : NULL;
}

int tacho_spans_add(span_list *out, code_span span, tacho_error *err)
{
    if (span.end <= span.start)
        return 0;
    if (tacho_mem_grow(&out->spans, &out->capacity, out->count + 1, sizeof *out->spans))
        return tacho_no_memory(err);
    out->spans[out->count++] = span;
    return 0;
}

size_t tacho_functions_end(const function_list *f, size_t i)
{
    const function_start *s = &f->items[i];
    if (s->size)
        return s->offset + s->size;
    bool next = i + 1 < f->count && f->items[i + 1].section == s->section;
    return next ? f->items[i + 1].offset : s->section->size;
}

/* Functions, and what lies between them, of one section. */
static int add_section(span_list *out, const function_list *f, const input_section *section, tacho_error *err)
{
    size_t at = 0, end = section->size;
    int rc = 0;
    for (size_t i = first_from(f, section, 0); i < f->count && f->items[i].section == section && !rc; i++) {
        const function_start *s = &f->items[i];
        size_t stop = tacho_functions_end(f, i);
        if (s->offset < at || s->offset >= end)
            continue;
        rc = tacho_spans_split(out, (code_span){section, at, s->offset, NULL}, err);
        if (!rc)
            rc = tacho_spans_add(out, (code_span){section, s->offset, stop < end ? stop : end, s->name}, err);
        at = stop;
    }
    return rc || at >= end ? rc : tacho_spans_split(out, (code_span){section, at, end, NULL}, err);
}

/* The last local label at or before the place, where no function is known. */
static void name_by_labels(span_list *out, const input_image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        const input_section *section;
        size_t offset, at;
        if (s->type != SYMBOL_NO_TYPE || s->global || tacho_starts_with(s->name, INPUT_LABEL) ||
            !place_of_symbol(image, s, &section, &offset))
            continue;
        COUNT_BEFORE(at, out->count, span_is_before(&out->spans[at], section, offset));
        code_span *span = at < out->count ? &out->spans[at] : NULL;
        if (span && span->section == section && span->start == offset && !span->name)
            span->name = s->name;
    }
}

int tacho_spans_of_image(span_list *out, const input_image *image, const function_list *f,
                         const input_section *only, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < image->section_count && !rc; i++) {
        const input_section *s = &image->sections[i];
        if (only ? s == only : s->executable)
            rc = add_section(out, f, s, err);
    }
    name_by_labels(out, image);
    return rc;
}

/* ---- relocations, and the graph of a span ---- */

const reloc *tacho_relocs_find(const reloc_list *list, uint64_t offset, uint64_t length)
{
    size_t low = tacho_count_below(list->items, list->count, sizeof *list->items, offset);
    return low < list->count && list->items[low].offset - offset < length ? &list->items[low] : NULL;
}

static bool resolve(uint32_t offset, uint32_t length, uint32_t *target, void *payload)
{
    const code_reader *reader = payload;
    const code_span *span = reader->span;
    size_t at = span->start + offset;
    const reloc *r = tacho_relocs_find(&reader->relocs, at, length);
    if (!r)
        return false;
    uint64_t place = r->value + (uint64_t)r->addend + (at + length - r->offset);
    *target = CFG_NONE;
    if (r->section == span->section && place >= span->start && place < span->end)
        *target = (uint32_t)(place - span->start);
    return true;
}

int tacho_span_graph(cfg *g, arena *memory, code_reader *r, const code_span *span, const uint32_t *entries,
                     size_t entry_count, bool reached_only)
{
    int rc = r->load(&r->relocs, span->section, r->payload);
    if (rc)
        return rc;
    r->span = span;
    r->code = (cfg_code){.bytes = span->section->bytes + span->start,
                         .size = (uint32_t)(span->end - span->start),
                         .entries = entries,
                         .entry_count = entry_count,
                         .reached_only = reached_only,
                         .resolve = r->relocs.count ? resolve : NULL,
                         .cases = r->image->elf || r->image->relocatable ? tacho_table_cases : NULL,
                         .returns = r->returns,
                         .payload = r};
    return tacho_cfg_build(g, memory, &r->code);
}
