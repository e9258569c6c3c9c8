# s += a[i] * b[i], four sums, AVX
.intel_syntax noprefix
1:
    vmovapd ymm4, [rsi+rax+0]
    vmulpd ymm4, ymm4, [rdi+rax+0]
    vaddpd ymm0, ymm0, ymm4
    vmovapd ymm5, [rsi+rax+32]
    vmulpd ymm5, ymm5, [rdi+rax+32]
    vaddpd ymm1, ymm1, ymm5
    vmovapd ymm6, [rsi+rax+64]
    vmulpd ymm6, ymm6, [rdi+rax+64]
    vaddpd ymm2, ymm2, ymm6
    vmovapd ymm7, [rsi+rax+96]
    vmulpd ymm7, ymm7, [rdi+rax+96]
    vaddpd ymm3, ymm3, ymm7
    add rax, 128
    cmp rax, rcx
    jne 1b
