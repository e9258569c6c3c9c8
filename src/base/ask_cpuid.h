/* ask_cpuid.h - what the processor says of itself; or another one, which tests have recorded. What decides
 * which instructions are executed asks the compiler's __builtin_cpu_supports, which knows this one alone. */
#ifndef TACHO_BASE_ASK_CPUID_H
#define TACHO_BASE_ASK_CPUID_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CPUID_EAX,
    CPUID_EBX,
    CPUID_ECX,
    CPUID_EDX
};

/** As cpuid_ask; `out` is all 0 before. */
typedef bool cpuid_source(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

typedef struct cpuid_signature {
    char vendor[13]; /**< "GenuineIntel", "AuthenticAMD" ...; "" where there is no CPUID */
    unsigned family, model, stepping;
} cpuid_signature;

typedef struct cpuid_description {
    char brand[49];             /**< without blanks around it; "" where it does not say */
    bool hypervisor;            /**< it is a virtual machine's */
    char hypervisor_vendor[13]; /**< "" where it does not say */
    bool invariant_tsc;
} cpuid_description;

/** Leaves as in the Intel SDM, volume 2A, CPUID; AMD64 manual, volume 3, appendix E. @return false, and all
 *  0: the processor has no such leaf */
bool cpuid_ask(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
/** Family and model as the manuals add them up from leaf 1. */
cpuid_signature cpuid_who(void);
/** Leaves 80000002h to 4h and 80000007h; 40000000h is the hypervisor's. */
void cpuid_describe(cpuid_description *out);
/** The registers that the system keeps for programs, as XCR0 has them. */
uint64_t cpuid_kept_state(void);

/** In tests: from now on, this answers in the processor's place. */
void cpuid_pretend(cpuid_source *source);
bool cpuid_is_pretended(void);

#endif
