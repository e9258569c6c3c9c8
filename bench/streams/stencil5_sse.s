# b[j][i] = a[j-1][i] + a[j][i-1] + a[j][i+1] + a[j+1][i], rows of 4,096 bytes and a line, SSE
.intel_syntax noprefix
1:
    movupd xmm0, [rsi+rax-8]
    movupd xmm1, [rsi+rax+8]
    addpd xmm0, [rsi+rax-4160]
    addpd xmm1, [rsi+rax+4160]
    addpd xmm0, xmm1
    movapd [rdi+rax], xmm0
    add rax, 16
    cmp rax, rcx
    jne 1b
