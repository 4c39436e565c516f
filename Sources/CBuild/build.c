#include "nearme_build.h"

#define TEXT(x) #x
#define VALUE(x) TEXT(x)

const char *nearme_commit(void) {
#ifdef NEARME_COMMIT
  return VALUE(NEARME_COMMIT);
#else
  return "";
#endif
}
