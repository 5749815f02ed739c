/// Which member of a zip is the export, and what the others are (`Spec/apple-health.md`, "Reading").
enum ZipMembers {
    /// Members that may be the export, the largest first: `*.xml` at most one folder deep, not `*_cda.xml`.
    static func candidates(_ members: [ZipArchive.Member]) -> [ZipArchive.Member] {
        let readable = members.filter { $0.problem == nil && isCandidate($0.name) }
        return readable.sorted { ($1.size, $0.index) < ($0.size, $1.index) }
    }

    /// A member that may be the export and cannot be read.
    static func unreadable(_ members: [ZipArchive.Member]) -> ZipArchive.Member? {
        members.first { $0.problem != nil && isCandidate($0.name) }
    }

    /// How a member that is not the export is counted.
    static func kind(of name: [UInt8]) -> String {
        let folders = name.split(separator: UInt8(ascii: "/")).dropLast().map(Array.init)
        func isIn(_ folder: String) -> Bool { folders.contains(Array(folder.utf8)) }
        if isIn("attachments") { return "attachment_file" }
        if isIn("workout-routes") || ends(name, ".gpx") { return "workout_route_file" }
        if isIn("electrocardiograms") || ends(name, ".csv") { return "electrocardiogram_file" }
        if isIn("clinical-records") || ends(name, ".json") { return "clinical_record_file" }
        return "other_file"
    }

    private static func isCandidate(_ name: [UInt8]) -> Bool {
        ends(name, ".xml") && !ends(name, "_cda.xml") && name.count { $0 == UInt8(ascii: "/") } <= 1
    }

    /// Whether a name ends like this, in letters of either case.
    private static func ends(_ name: [UInt8], _ ending: String) -> Bool {
        name.suffix(ending.utf8.count).map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual(ending.utf8)
    }
}
