// Counts the allocations of a process that is started with this library in LD_PRELOAD.
#define _GNU_SOURCE
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long count;

long nearme_allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

static void add(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t n) { add(); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { add(); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { add(); return __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { add(); return __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
  add();
  *p = __libc_memalign(a, n);
  return *p ? 0 : 12;
}
