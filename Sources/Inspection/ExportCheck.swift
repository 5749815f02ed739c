internal import Archive
enum ExportCheck {
    static func run(_ archive: borrowing Archive, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError) {}
}
