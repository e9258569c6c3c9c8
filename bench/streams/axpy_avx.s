# y[i] += s * x[i], AVX
.intel_syntax noprefix
1:
    vmulpd ymm0, ymm15, [rsi+rax]
    vaddpd ymm0, ymm0, [rdi+rax]
    vmovapd [rdi+rax], ymm0
    add rax, 32
    cmp rax, rcx
    jne 1b
