# a[i] = b[i], AVX
.intel_syntax noprefix
1:
    vmovaps ymm0, [rsi+rax]
    vmovaps [rdi+rax], ymm0
    add rax, 32
    cmp rax, rcx
    jne 1b
