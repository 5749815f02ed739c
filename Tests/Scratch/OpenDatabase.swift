public import Files
import Glibc

/// A database that another process has open: the `sqlite3` program, which waits for input until this goes.
@safe public final class OpenDatabase {
    private let stream: UnsafeMutablePointer<FILE>

    /// Starts the program; returns when it has read from the database, so that it has its locks.
    ///
    /// - Parameter folder: a place for the file by which it says so.
    public init(_ database: Path, in folder: TemporaryFolder) throws {
        let mark = folder.path("is-open")
        guard let stream = unsafe popen("sqlite3 -batch '\(database.text)'", "we") else {
            throw Program.Failure(status: errno)
        }
        unsafe self.stream = stream
        let commands = "SELECT count(*) FROM sqlite_schema;\n.once '\(mark.text)'\nSELECT 1;\n"
        guard unsafe fputs(commands, stream) >= 0, unsafe fflush(stream) == 0 else {
            throw Program.Failure(status: errno)
        }
        while (try FileStatus.of(mark)?.size ?? 0) == 0 { usleep(1000) }
    }

    deinit { unsafe pclose(stream) }
}
