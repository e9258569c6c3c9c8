/* block_layout.c - where the instructions of a block lie: one after the other from `alignment` on, or, for
 * the path of a loop through several parts of a program, in pieces. The front end sees addresses only through
 * this. */
#include "model/block/block.h"

/* Pieces may lie before the first one; addresses stay positive, and the same modulo any fetch block. */
static const uint64_t pieces_base = (uint64_t)1 << 40;

static int wrong_pieces(tacho_error *err)
{
    return tacho_error_set(
        err, TACHO_ERR_USAGE,
        "pieces begin at code offset 0, go up by whole instructions and lie near each other");
}

static int check_pieces(const block *b, const tacho_predict_options *o, tacho_error *err)
{
    if (b->mode != TACHO_MODE_LOOP)
        return tacho_error_set(err, TACHO_ERR_USAGE, "code in pieces is a loop; it cannot be unrolled");
    for (size_t k = 0; k < o->piece_count; k++) {
        int64_t distance = (int64_t)(o->pieces[k].address - o->pieces[0].address);
        if ((k ? o->pieces[k].code_offset <= o->pieces[k - 1].code_offset : o->pieces[0].code_offset != 0) ||
            distance >= TACHO_MAX_PIECE_DISTANCE || distance <= -TACHO_MAX_PIECE_DISTANCE)
            return wrong_pieces(err);
    }
    uint32_t offset = 0;
    size_t k = 0;
    for (uint32_t i = 0; i < b->decoded_count && k < o->piece_count; i++) {
        k += o->pieces[k].code_offset == offset;
        offset += b->decoded[i]->length;
    }
    return k == o->piece_count ? 0 : wrong_pieces(err);
}

int block_place(block *b, const tacho_predict_options *o, tacho_error *err)
{
    size_t count = o->pieces ? o->piece_count : 0, k = 0;
    const uint64_t base = o->once && count ? o->pieces[0].address : pieces_base + b->alignment;
    int rc = count ? check_pieces(b, o, err) : 0;
    if (rc)
        return rc;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        block_insn *bi = &b->insns[i];
        bi->address = b->alignment + bi->offset;
        bool begins = false;
        while (k + 1 < count && o->pieces[k + 1].code_offset <= bi->offset) {
            k++;
            begins = true;
        }
        if (i && begins)
            b->insns[i - 1].jumps = true;
        if (count)
            bi->address = base + (o->pieces[k].address - o->pieces[0].address) +
                          (bi->offset - o->pieces[k].code_offset);
    }
    b->in_pieces = count > 0;
    b->insns[b->insn_count - 1].jumps = b->mode == TACHO_MODE_LOOP;
    return 0;
}
