// SQLite as Swift sees it: the one module that calls the C library, and all that is unsafe about it.
//
//     SQLiteConnection   owns a `sqlite3`: opens, hardens, runs, copies, closes
//     SQLiteStatement    owns a `sqlite3_stmt`: binds parameters, steps, reads columns
//     SQLiteValue        a value of a row or of a function's argument, borrowed
//     SQLFunction        a function of ours that SQL calls with values and that gives one
//     VirtualTable       rows of ours that SQL reads as a table
//     SQLiteError        what SQLite says when it cannot do something
//     Statistics         keeps a file's own from steering SQLite's planner
//     WatchedFile        a database or a log whose pages a guard looks at
//     PageGuard          what each page is used for, and that none is used twice
//     PageTree           what a page of a b-tree leads to
//     SQLiteLimits       what a schema may ask for
//     DatabaseFiles      the files that SQLite may open, look for and remove
//
// It knows nothing of what is stored.

/// The errors that a connection and its statements throw: the caller's own kind of error, made from SQLite's.
///
/// So a module that reads a database has one kind of error, and one place where SQLite's become its own.
@usableFromInline package protocol SQLiteFailure: Error {
    /// The caller's error for one of SQLite's.
    init(_ error: SQLiteError)
}
