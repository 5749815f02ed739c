// SQLite as Swift sees it. Only what the importer cannot bring over stands here: variadic functions and macros that cast.
#ifndef HP_CSQLITE_SHIM_H
#define HP_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLite copies the bytes before the call returns (https://sqlite.org/c3ref/c_static.html).
static inline sqlite3_destructor_type hp_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Sets an option of a connection; whether it is set now.
static inline int hp_sqlite_db_config(sqlite3 *db, int option, int value) {
    int now = -1;
    return sqlite3_db_config(db, option, value, &now) == SQLITE_OK && now == value;
}

// No memory mapping, not even for the sorter's temporary files: mapped pages count as resident memory,
// and a file that shrinks while it is mapped kills the process.
static inline int hp_sqlite_config_no_mmap(void) {
    return sqlite3_config(SQLITE_CONFIG_MMAP_SIZE, (sqlite3_int64)0, (sqlite3_int64)0);
}

// No count of the memory in use: it is not asked for, and keeping it makes connections on several threads wait for one lock at each allocation.
static inline int hp_sqlite_config_no_memory_status(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
