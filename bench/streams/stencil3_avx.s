# b[i] = a[i-1] + a[i] + a[i+1], AVX
.intel_syntax noprefix
1:
    vmovupd ymm0, [rsi+rax-8]
    vaddpd ymm0, ymm0, [rsi+rax]
    vaddpd ymm0, ymm0, [rsi+rax+8]
    vmovapd [rdi+rax], ymm0
    add rax, 32
    cmp rax, rcx
    jne 1b
