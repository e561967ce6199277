// SPDX-License-Identifier: Apache-2.0

//go:build !race

#include "textflag.h"

// func mixEights(to, cover []uint8, v uint8)
//
// In each 16-bit lane: sum = to*(255-cover) + v*cover + 128, to = (sum + sum>>8) >> 8.
TEXT ·mixEights(SB), NOSPLIT, $0-49
	MOVQ to_base+0(FP), DI
	MOVQ to_len+8(FP), CX
	MOVQ cover_base+24(FP), SI
	MOVBLZX v+48(FP), AX

	PXOR X0, X0                // zero
	MOVD AX, X1
	PSHUFLW $0, X1, X1
	PSHUFD $0, X1, X1          // v in each lane
	PCMPEQW X2, X2
	PSRLW $8, X2               // 255 in each lane
	PCMPEQW X3, X3
	PSRLW $15, X3
	PSLLW $7, X3               // 128 in each lane
	ADDQ DI, CX                // the end
	CMPQ DI, CX
	JEQ done

loop:
	MOVQ (DI), X4
	MOVQ (SI), X5
	PUNPCKLBW X0, X4
	PUNPCKLBW X0, X5
	MOVO X2, X6
	PXOR X5, X6                // 255 - cover
	PMULLW X6, X4
	PMULLW X1, X5
	PADDW X5, X4
	PADDW X3, X4
	MOVO X4, X5
	PSRLW $8, X5
	PADDW X5, X4
	PSRLW $8, X4
	PACKUSWB X4, X4
	MOVQ X4, (DI)
	ADDQ $8, DI
	ADDQ $8, SI
	CMPQ DI, CX
	JNE loop

done:
	RET
