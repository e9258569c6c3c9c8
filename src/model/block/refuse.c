/* refuse.c - instructions that the microarchitecture cannot execute. */
#include "model/block/block.h"

int block_refuse(const block *b, uint32_t number, uint32_t offset, tacho_error *err)
{
    char text[120];
    tacho_insn insn; /* decoded again: the block's may have another one's numbers */
    int rc = tacho_decode(&insn, b->bytes + offset, b->size - offset, err);
    if (rc)
        return rc;
    tacho_listing_write(b->listing, &insn, offset, text, sizeof text);
    tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s has no %s: %s (instruction %u)", b->arch->name,
                    tacho_extension_name(tacho_arch_lacks(b->arch, &insn)), text, number);
    if (err)
        err->offset = offset;
    return TACHO_ERR_UNSUPPORTED;
}
