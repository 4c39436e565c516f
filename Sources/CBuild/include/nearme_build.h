#ifndef NEARME_BUILD_H
#define NEARME_BUILD_H

/// The commit of the sources, with a plus where they had been changed; empty where the build did not say.
const char *nearme_commit(void);

#endif
