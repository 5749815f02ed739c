internal import Capture
internal import Files

/// The files beside the XML of an export, by their names below its folder.
final class SideFiles {
    /// A file, and what it is called below the folder of the export.
    struct File {
        let member: ExportMember
        let name: [UInt8]
    }

    private let package: ExportPackage
    private let files: [File]
    private let places: [[UInt8]: Int]
    /// `true` if there is a file beside the XML that an export can have.
    let areAny: Bool
    /// `true` if there is a file in one of the folders of an export: without any, nobody knows whether the folders were
    /// left out.
    let haveFolders: Bool
    private var next = 0
    /// Files whose places are those of a route.
    private var routes: Set<UInt64> = []
    /// For how many references each file was read.
    private var references: [UInt64: Int] = [:]
    /// For how many a file is read: workouts may stand in an export up to eight times.
    private static let referenceLimit = 16

    /// - Parameter export: the XML, which is not one of them.
    init(_ package: ExportPackage, _ members: [ExportMember], export: ExportMember) {
        self.package = package
        let folder = export.name.prefix((export.name.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
        files = members.filter { $0.index != export.index }
            .map { member in
                let isBelow = member.name.starts(with: folder)
                return File(member: member, name: isBelow ? Array(member.name.dropFirst(folder.count)) : member.name)
            }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        let kinds = Set(files.map { ExportMembers.kind(of: $0.name) }).subtracting(ExportMembers.leftOut)
        areAny = !kinds.isEmpty
        haveFolders = !kinds.subtracting(["other_file"]).isEmpty
        // Of two files of one name, a path leads to the first.
        places = Dictionary(files.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the next file; `nil` after the last.
    func advance() -> File? {
        guard next < files.count else { return nil }
        next += 1
        return files[next - 1]
    }

    /// Returns the file to which a path in the export leads: from its folder on, whether it begins with `/` or not. No
    /// other name leads to a file, so that `..` leads nowhere.
    func file(at path: [UInt8]) -> File? {
        places[path.first == UInt8(ascii: "/") ? Array(path.dropFirst()) : path].map { files[$0] }
    }

    /// Returns `true` if a file may be read for another reference: many that name one large file would cost its size
    /// each.
    func mayRead(_ file: File) -> Bool {
        references[file.member.index, default: 0] += 1
        return references[file.member.index, default: 0] <= Self.referenceLimit
    }

    /// Notes that the places of a file are those of a route.
    func noteRoute(_ file: File) { routes.insert(file.member.index) }

    /// Returns `true` if the places of a file are those of a route.
    func isRoute(_ file: File) -> Bool { routes.contains(file.member.index) }

    /// Passes on a file in stretches; false where it cannot be read to its end.
    func read(_ file: File, _ body: (Span<UInt8>) -> Void) -> Bool {
        guard file.member.problem == nil else { return false }
        do throws(CaptureError) {
            var input = try package.open(file.member)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while let count = try input.read(into: &buffer) {
                if count == 0 { return true }
                body(buffer.span.extracting(0..<count))
            }
        } catch {
            return false
        }
        return false
    }
}
