# s += a[i], eight sums, SSE
.intel_syntax noprefix
1:
    addpd xmm0, [rsi+rax+0]
    addpd xmm1, [rsi+rax+16]
    addpd xmm2, [rsi+rax+32]
    addpd xmm3, [rsi+rax+48]
    addpd xmm4, [rsi+rax+64]
    addpd xmm5, [rsi+rax+80]
    addpd xmm6, [rsi+rax+96]
    addpd xmm7, [rsi+rax+112]
    add rax, 128
    cmp rax, rcx
    jne 1b
