# The dot product with four accumulators: four additions are under way at a time.
        .text
        .globl  dot4
        .type   dot4, @function
dot4:
        xorl    %eax, %eax
.L3:
# LLVM-MCA-BEGIN dot4
        vmovups (%rdi,%rax), %ymm4
        vmovups 32(%rdi,%rax), %ymm5
        vmovups 64(%rdi,%rax), %ymm6
        vmovups 96(%rdi,%rax), %ymm7
        vfmadd231ps (%rsi,%rax), %ymm4, %ymm0
        vfmadd231ps 32(%rsi,%rax), %ymm5, %ymm1
        vfmadd231ps 64(%rsi,%rax), %ymm6, %ymm2
        vfmadd231ps 96(%rsi,%rax), %ymm7, %ymm3
        subq    $-128, %rax
        cmpq    %rdx, %rax
        jne     .L3
# LLVM-MCA-END
        ret
        .size   dot4, .-dot4
