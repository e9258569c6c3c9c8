# a[i] = b[i] + c[i], SSE
.intel_syntax noprefix
1:
    movapd xmm0, [rsi+rax]
    addpd xmm0, [rdx+rax]
    movapd [rdi+rax], xmm0
    add rax, 16
    cmp rax, rcx
    jne 1b
