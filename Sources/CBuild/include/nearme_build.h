#ifndef NEARME_BUILD_H
#define NEARME_BUILD_H

/// The commit of the sources, with a plus where they had been changed; empty where there was none.
const char *nearme_commit(void);

#endif
