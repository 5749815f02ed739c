internal import Manifest

/// Takes the items of an export as they are verified, in order.
package protocol ItemSink: AnyObject {
    /// Takes the header of the export, before its items.
    func begin(_ header: HeaderFacts)
    /// - Parameter lines: lines before the run; nil where lines have no numbers.
    func add(_ run: ItemRun, lines: Int?)
}

extension ItemSink {
    package func begin(_ header: HeaderFacts) {}
}

/// Reads the items of lines that are in no file.
package struct ItemReader {
    private let verifier = FrameVerifier(
        limits: ContainerLimits(frame: 1 << 20, line: .max), ItemWants(identities: true))

    package init() {}

    /// Returns the items of whole lines.
    package func items(in lines: [UInt8]) -> [ItemIdentity] {
        let before = LinesBefore(header: nil, hasSeenHeader: true, otherLimit: .max)
        var items: [ItemIdentity] = []
        for case .items(let run) in verifier.verify(.lines(lines), after: before).events { items += run.identities }
        return items
    }
}
