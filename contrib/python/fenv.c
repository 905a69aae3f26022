/* The floating-point flags, which WebAssembly does not have: NumPy sets them itself. */
#include <fenv.h>

static int raised;

int feclearexcept(int mask) { raised &= ~mask; return 0; }
int feraiseexcept(int mask) { raised |= mask & FE_ALL_EXCEPT; return 0; }
int fetestexcept(int mask) { return raised & mask; }
int fegetround(void) { return FE_TONEAREST; }
int __fesetround(int mode) { return mode == FE_TONEAREST ? 0 : -1; }
int fegetenv(fenv_t *env) { env->__cw = raised; return 0; }
int fesetenv(const fenv_t *env) { raised = env == FE_DFL_ENV ? 0 : (int)env->__cw; return 0; }
