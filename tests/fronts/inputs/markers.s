	xorl %eax, %eax
# LLVM-MCA-BEGIN chain
	imulq %rax, %rax
	addq %rax, %rbx
# LLVM-MCA-END chain
	nop
# OSACA-BEGIN loads
	movq (%rdi), %rcx
	movq 8(%rdi), %rdx
	movq 16(%rdi), %rsi
# OSACA-END
