/* format.c - instructions and registers as text. Instructions are decoded again from their bytes, here with
 * CET on, so that ENDBR64 reads as such. */
#include <stdio.h>
#include <string.h>
#include <Zydis/Zydis.h>
#include "tacho/decode.h"

int tacho_insn_format(const tacho_insn *insn, uint64_t address, int relative, char *out, size_t size)
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction zi;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    if (size == 0)
        return TACHO_ERR_USAGE;
    out[0] = '\0';
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, insn->bytes, insn->length, &zi, ops)))
        return TACHO_ERR_INPUT;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    ZyanU64 runtime = relative ? ZYDIS_RUNTIME_ADDRESS_NONE : address;
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &zi, ops, zi.operand_count_visible, out,
                                                      size, runtime, NULL))) {
        out[size - 1] = '\0';
        return TACHO_ERR_LIMIT;
    }
    return TACHO_OK;
}
