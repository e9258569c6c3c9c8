# a[i] = b[i] + s * c[i]
.intel_syntax noprefix
1:
    vmulpd ymm0, ymm15, [rdx+rax]
    vaddpd ymm0, ymm0, [rsi+rax]
    vmovapd [rdi+rax], ymm0
    add rax, 32
    cmp rax, rcx
    jne 1b
