package import CanonicalJSON
package import Codes
package import Manifest

/// The codes of the faults that the modules below find.
extension Code {
    /// The code of a deviation from canonical form.
    package init(_ deviation: JSONError.Code) {
        guard let code = Code(rawValue: "canonical." + deviation.rawValue) else {
            preconditionFailure("Spec/codes.json has no such deviation")
        }
        self = code
    }

    /// The code of a fault of the container.
    package init(_ fault: ContainerFault.Code) {
        self =
            switch fault {
            case .empty: .containerEmpty
            case .notZstd: .containerNotZstd
            case .frameHeader: .containerFrameHeader
            case .dictionary: .containerDictionary
            case .window: .containerWindow
            case .frameLimit: .containerFrameLimit
            case .frameEmpty: .containerFrameEmpty
            case .frameCorrupt: .containerFrameCorrupt
            case .checksumMissing: .containerChecksumMissing
            case .checksum: .containerChecksum
            case .contentSizeMissing: .containerContentSizeMissing
            case .contentSize: .containerContentSize
            case .truncated: .containerTruncated
            case .frameLineEnd: .containerFrameLineEnd
            case .skippable: .containerSkippable
            case .trailing: .containerTrailing
            case .seekTableMissing: .containerSeekTableMissing
            case .seekTable: .containerSeekTable
            case .seekTableMismatch: .containerSeekTableMismatch
            }
    }
}
