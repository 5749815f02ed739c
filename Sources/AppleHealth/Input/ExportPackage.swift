internal import Capture
internal import Files

/// An export with the files that belong to it: a zip, or a folder as one unpacks to.
enum ExportPackage {
    case zip(ZipArchive)
    case folder(ExportFolder)

    /// The name of the kind in errors.
    var noun: String {
        switch self {
        case .zip: "zip"
        case .folder: "folder"
        }
    }

    /// Its files.
    func members() throws(CaptureError) -> [ExportMember] {
        switch self {
        case .zip(let archive): try archive.members()
        case .folder(let folder): folder.members
        }
    }

    /// Opens a file for reading.
    func open(_ member: ExportMember) throws(CaptureError) -> ExportInput {
        switch self {
        case .zip(let archive): ExportInput(try archive.open(member))
        case .folder(let folder): try folder.open(member)
        }
    }

    /// The number of names in it that are neither a folder nor a regular file.
    var otherCount: Int {
        switch self {
        case .zip: 0
        case .folder(let folder): folder.otherCount
        }
    }
}
