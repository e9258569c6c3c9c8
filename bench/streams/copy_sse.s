# a[i] = b[i], SSE
.intel_syntax noprefix
1:
    movaps xmm0, [rsi+rax]
    movaps xmm1, [rsi+rax+16]
    movaps [rdi+rax], xmm0
    movaps [rdi+rax+16], xmm1
    add rax, 32
    cmp rax, rcx
    jne 1b
