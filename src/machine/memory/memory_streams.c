/* memory_streams.c - loads, stores and copies of whole vectors, one after the other. */
#include "machine/memory/memory_internal.h"

/* Eight vectors an iteration; what vectors there are is known when it runs. */
#define ALL(op, r)              op(0, r) op(1, r) op(2, r) op(3, r) op(4, r) op(5, r) op(6, r) op(7, r)
#define LOAD_(n, r, mov, size)  mov " " #n "*" #size "(%[from]), %%" #r #n "\n\t"
#define STORE_(n, r, mov, size) mov " %%" #r #n ", " #n "*" #size "(%[to])\n\t"

#define STREAMS_OF(r, size, end)                                                                             \
    static void load_##r(char *to, const char *from, uint64_t bytes)                                         \
    {                                                                                                        \
        (void)to;                                                                                            \
        __asm__ volatile(".p2align 6\n1:\n\t" ALL(LOAD_##r, r) "add $8*" #size ", %[from]\n\t"               \
                                                               "sub $8*" #size ", %[bytes]\n\tja 1b" end     \
                         : [from] "+r"(from), [bytes] "+r"(bytes)                                            \
                         :                                                                                   \
                         : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");  \
    }                                                                                                        \
    static void store_##r(char *to, const char *from, uint64_t bytes)                                        \
    {                                                                                                        \
        (void)from;                                                                                          \
        __asm__ volatile(".p2align 6\n1:\n\t" ALL(STORE_##r, r) "add $8*" #size ", %[to]\n\t"                \
                                                                "sub $8*" #size ", %[bytes]\n\tja 1b" end    \
                         : [to] "+r"(to), [bytes] "+r"(bytes)                                                \
                         :                                                                                   \
                         : "cc", "memory");                                                                  \
    }                                                                                                        \
    static void copy_##r(char *to, const char *from, uint64_t bytes)                                         \
    {                                                                                                        \
        __asm__ volatile(".p2align 6\n1:\n\t" ALL(LOAD_##r, r)                                               \
                             ALL(STORE_##r, r) "add $8*" #size ", %[from]\n\tadd $8*" #size ", %[to]\n\t"    \
                                               "sub $8*" #size ", %[bytes]\n\tja 1b" end                     \
                         : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)                             \
                         :                                                                                   \
                         : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");  \
    }
#define LOAD_xmm(n, r)  LOAD_(n, r, "movups", 16)
#define STORE_xmm(n, r) STORE_(n, r, "movups", 16)
#define LOAD_ymm(n, r)  LOAD_(n, r, "vmovups", 32)
#define STORE_ymm(n, r) STORE_(n, r, "vmovups", 32)
#define LOAD_zmm(n, r)  LOAD_(n, r, "vmovups", 64)
#define STORE_zmm(n, r) STORE_(n, r, "vmovups", 64)
STREAMS_OF(xmm, 16, "")
STREAMS_OF(ymm, 32, "\n\tvzeroupper")
STREAMS_OF(zmm, 64, "\n\tvzeroupper")

uint32_t memory_streams(memory_stream *out[MEMORY_STREAMS])
{
    static memory_stream *const all[][MEMORY_STREAMS] = {
        {load_xmm, store_xmm, copy_xmm}, {load_ymm, store_ymm, copy_ymm}, {load_zmm, store_zmm, copy_zmm}};
    const int widest = __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
    for (int i = 0; i < MEMORY_STREAMS; i++)
        out[i] = all[widest][i];
    return 16u << widest;
}
