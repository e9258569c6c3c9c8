# The Mandelbrot set's inner loop, z = z*z + c: all of it in registers, so that nothing but the core has a say in
# a measurement. Real parts are in xmm0 (z) and xmm2 (c), imaginary ones in xmm1 and xmm3.
        .text
        .globl  iterate
        .type   iterate, @function
iterate:
# LLVM-MCA-BEGIN iterate
.L3:
        vmulsd  %xmm0, %xmm0, %xmm4
        vmulsd  %xmm1, %xmm1, %xmm5
        vmulsd  %xmm1, %xmm0, %xmm1
        vsubsd  %xmm5, %xmm4, %xmm0
        vaddsd  %xmm1, %xmm1, %xmm1
        vaddsd  %xmm2, %xmm0, %xmm0
        vaddsd  %xmm3, %xmm1, %xmm1
        decl    %edi
        jne     .L3
# LLVM-MCA-END
        ret
        .size   iterate, .-iterate
