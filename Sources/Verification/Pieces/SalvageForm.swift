package import Files
internal import Manifest

/// The form in which a damaged file is searched for recoverable data (`Spec/salvage.md`, What a file is read as).
package enum SalvageForm: ~Copyable {
    case frames
    case text
    case rows(SalvageRows)
    /// A view for people, which holds no items.
    case view

    /// Bytes that tell how a frame begins.
    package static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    /// Returns the form of a file.
    ///
    /// - Parameter holdsFrame: whether the magic of a frame stands anywhere in it.
    package static func of(_ source: FileSource, named path: Path, holdsFrame: Bool) throws -> SalvageForm {
        switch try ExportContainer.of(source, named: path) {
        case .bundle where holdsFrame || source.size < 4: return .frames
        case .table(let sidecar):
            let rows = try SalvageRows(source, named: path, sidecar: sidecar)
            if rows.isView { return .view }
            return .rows(rows)
        default:
            if holdsFrame { return .frames }
            let rows = try SalvageRows(source, named: path, sidecar: .missing)
            if rows.hasFirstRow { return .rows(rows) }
            return .text
        }
    }
}
