# The inner loop of a dot product of floats, as a compiler makes it from
#   for (i = 0; i < n; i++) s += a[i] * b[i];
# with -O3 -ffast-math -mavx2 -mfma: one accumulator, so that each addition waits for the one before.
        .text
        .globl  dot
        .type   dot, @function
dot:
        vxorps  %xmm0, %xmm0, %xmm0
        xorl    %eax, %eax
.L3:
        vmovups (%rdi,%rax), %ymm1
        vfmadd231ps (%rsi,%rax), %ymm1, %ymm0
        addq    $32, %rax
        cmpq    %rdx, %rax
        jne     .L3
        ret
        .size   dot, .-dot
