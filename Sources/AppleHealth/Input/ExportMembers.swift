/// A file of a zip, or of a folder as one unpacks to.
struct ExportMember {
    /// Its place among all files.
    let index: UInt64
    /// The bytes of its name from the top of the zip or folder on, in whatever encoding.
    let name: [UInt8]
    /// Bytes of its content.
    let size: UInt64
    /// Bytes of it in the zip.
    let packedSize: UInt64
    /// Why it is not read; nil where it can be.
    let problem: String?
}

/// The rules that find the export among files, and classify the others (`Spec/apple-health.md`, "Reading").
enum ExportMembers {
    /// Files that may be the export, the largest first: `*.xml` at most two folders deep, not `*_cda.xml`.
    static func candidates(_ members: [ExportMember]) -> [ExportMember] {
        let readable = members.filter { $0.problem == nil && isCandidate($0.name) }
        return readable.sorted { ($1.size, $0.index) < ($0.size, $1.index) }
    }

    /// Returns a file that may be the export and cannot be read.
    static func unreadable(_ members: [ExportMember]) -> ExportMember? {
        members.first { $0.problem != nil && isCandidate($0.name) }
    }

    /// Returns the kind under which a file that is not the export is counted.
    static func kind(of name: [UInt8]) -> String {
        if isAppleDouble(name) { return "apple_double_file" }
        if isOfSystem(name) { return "system_file" }
        let folders = name.split(separator: UInt8(ascii: "/")).dropLast().map(Array.init)
        func isIn(_ folder: String) -> Bool { folders.contains(Array(folder.utf8)) }
        if isIn("attachments") { return "attachment_file" }
        if isIn("workout-routes") || ends(name, ".gpx") { return "workout_route_file" }
        if isIn("electrocardiograms") || ends(name, ".csv") { return "electrocardiogram_file" }
        if isIn("clinical-records") || ends(name, ".json") { return "clinical_record_file" }
        return "other_file"
    }

    /// Returns `true` if a file holds a Mac's notes of another file, by its name or its folder.
    private static func isAppleDouble(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "/"))
        return parts.last?.starts(with: "._".utf8) == true
            || parts.dropLast().contains { $0.elementsEqual("__MACOSX".utf8) }
    }

    /// Kinds of files that no export has.
    static let leftOut: Set<String> = ["apple_double_file", "system_file"]

    /// Returns `true` if a file holds a system's notes of a folder.
    private static func isOfSystem(_ name: [UInt8]) -> Bool {
        let last = name.split(separator: UInt8(ascii: "/")).last ?? []
        return last.first == UInt8(ascii: ".") || ends(Array(last), "desktop.ini") || ends(Array(last), "thumbs.db")
    }

    private static func isCandidate(_ name: [UInt8]) -> Bool {
        ends(name, ".xml") && !ends(name, "_cda.xml") && name.count { $0 == UInt8(ascii: "/") } <= 2
            && !isAppleDouble(name) && !isOfSystem(name)
    }

    /// Returns `true` if a name ends like this, in letters of either case.
    private static func ends(_ name: [UInt8], _ ending: String) -> Bool {
        name.suffix(ending.utf8.count).map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual(ending.utf8)
    }
}
