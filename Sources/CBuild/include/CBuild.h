// From what the tools were built, as Package.swift was told by HP_COMMIT.
#ifndef HP_CBUILD_H
#define HP_CBUILD_H

// A commit, and behind a blank `changed` or `archive`; empty where nothing was said.
const char *hp_commit(void);

#endif
