/* marks.c - the places that code refers to. A jump table of unknown length ends at the latest at the next
 * such place. To find them, functions are decoded from one end to the other. Bytes among them that are no
 * code give wrong marks, which can only make a table seem shorter. */

#include "base/mem.h"
#include "base/search.h"
#include "binary/extract/static.h"

static int add_mark(searcher *s, const tacho_insn *insn, uint64_t next)
{
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if ((o->kind != TACHO_OPERAND_MEM && o->kind != TACHO_OPERAND_AGEN) ||
            o->mem.base.class_ != TACHO_REG_RIP)
            continue;
        if (tacho_mem_grow(&s->marks, &s->mark_capacity, s->mark_count + 1, sizeof *s->marks))
            return tacho_no_memory(s->err);
        s->marks[s->mark_count++] = next + (uint64_t)o->mem.disp;
    }
    return 0;
}

static int mark_tile(searcher *s, const code_span *span)
{
    int rc = 0;
    for (size_t at = span->start; at < span->end && !rc;) {
        tacho_insn insn;
        if (tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL)) {
            at++;
            continue;
        }
        at += insn.length;
        rc = add_mark(s, &insn, span->section->address + at);
    }
    return rc;
}

ORDER_NUMBERS(by_address, uint64_t);

int marks_find(searcher *s)
{
    int rc = 0;
    if (s->f.image.relocatable) /* where references lead to, the linker knows */
        return 0;
    for (size_t i = 0; i < s->tile_count && !rc; i++)
        if (s->tiles[i].function)
            rc = mark_tile(s, &s->tiles[i].span);
    tacho_sort(s->marks, s->mark_count, sizeof *s->marks, by_address);
    s->f.reader.marks = s->marks;
    s->f.reader.mark_count = s->mark_count;
    return rc;
}
