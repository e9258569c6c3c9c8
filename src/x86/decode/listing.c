/* listing.c - instructions as their author wrote them, or else disassembled. */
#include <stdio.h>

#include "base/search.h"
#include "x86/decode/insn_struct.h"

uint64_t tacho_listing_address(const tacho_listing *l, uint64_t code_offset)
{
    size_t n = l->piece_count;
    while (n > 0 && l->pieces[n - 1].code_offset > code_offset)
        n--;
    return n ? l->pieces[n - 1].address + (code_offset - l->pieces[n - 1].code_offset)
             : l->address + code_offset;
}

const tacho_typed *tacho_listing_typed(const tacho_listing *l, uint64_t code_offset)
{
    uint64_t address = tacho_listing_address(l, code_offset);
    size_t i = tacho_count_below(l->typed, l->typed_count, sizeof *l->typed, address);
    while (i < l->typed_count && l->typed[i].address == address && l->typed[i].label)
        i++;
    return i < l->typed_count && l->typed[i].address == address ? &l->typed[i] : NULL;
}

int tacho_listing_write(const tacho_listing *l, const tacho_insn *insn, uint64_t code_offset, char *out,
                        size_t size)
{
    if (!l)
        return tacho_insn_format(insn, 0, 1, out, size);
    const tacho_typed *t = l->as_typed ? tacho_listing_typed(l, code_offset) : NULL;
    if (!t || !t->text)
        return tacho_insn_write(insn, l->syntax, tacho_listing_address(l, code_offset),
                                TACHO_TARGETS_OF_BRANCHES, out, size);
    bool comment = l->with_comments && t->comment;
    int n = snprintf(out, size, "%s%s%s", t->text, comment ? "  " : "", comment ? t->comment : "");
    return n >= 0 && (size_t)n < size ? TACHO_OK : TACHO_ERR_LIMIT;
}
