.L1:
	vaddps %zmm1, %zmm2, %zmm3
	decq %rax
	jne .L1
