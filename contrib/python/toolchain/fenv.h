/* The flags of fenv.c, in place of bits/fenv.h, which says that there are none. */
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0

typedef unsigned long fexcept_t;

typedef struct {
  unsigned long __cw;
} fenv_t;

#define FE_DFL_ENV ((const fenv_t *)-1)
