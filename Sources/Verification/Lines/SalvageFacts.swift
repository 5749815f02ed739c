internal import CanonicalJSON
internal import Format
internal import Manifest

/// The facts of the header of a salvage (`Spec/salvage.md`).
package struct SalvageFacts: Sendable {
    /// Canonical bytes of `salvage`.
    package let bytes: [UInt8]
    /// The header of the export that it was saved from, where that survived.
    package let export: HeaderFacts?
    /// The manifest line of that export, where it survived.
    package let manifestLine: [UInt8]?
}

/// Takes the values of a salvage header's line.
struct SalvageVisitor: ShapeVisitor {
    /// The export in it.
    private(set) var header = HeaderVisitor()
    private var format: [UInt8]?
    private var formatVersion: Captured?

    mutating func beginEntry(of slot: Slot) { header.beginEntry(of: slot) }
    mutating func beginArray(of slot: Slot) { header.beginArray(of: slot) }

    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {
        switch slot {
        case .salvageFormat: format = ItemFacts.bytes(value, line)
        case .salvageFormatVersion: formatVersion = value
        default: header.visit(slot, value, in: line)
        }
    }

    /// Returns the member of an unknown format; `nil` if this verifier knows the format.
    func unknownFormat(in line: Span<UInt8>) -> UnknownFormat? {
        if let format, format != Array(Bundle.salvageFormat.utf8) {
            return UnknownFormat(pointer: "/salvage/format", version: nil)
        }
        guard let formatVersion, Reader.double(formatVersion.range, in: line) != Double(Bundle.version) else {
            return nil
        }
        return UnknownFormat(pointer: "/salvage/format_version", version: ItemFacts.integer(formatVersion, line))
    }

    /// Pointers, from `salvage`, to what contradicts something else.
    func contradictions(in line: Span<UInt8>) -> [String] {
        SalvageAccount(Self.salvage(in: line).span).contradictions
            + (header.facts[.export] == nil ? [] : header.contradictions(in: line).map { "/export" + $0 })
    }

    /// Returns the facts of a salvage header without faults.
    func facts(in line: Span<UInt8>) -> SalvageFacts {
        var export: HeaderFacts?
        if header.facts[.export] != nil {
            export = header.headerFacts(in: line)
            export?.isOfSalvage = true
        }
        return SalvageFacts(
            bytes: Self.salvage(in: line), export: export, manifestLine: manifestLine(in: line))
    }

    /// Returns the `salvage` object of a line that has nothing else.
    private static func salvage(in line: Span<UInt8>) -> [UInt8] {
        ("{\"salvage\":".utf8.count..<line.count - 1).map { line[$0] }
    }

    private func manifestLine(in line: Span<UInt8>) -> [UInt8]? {
        guard let hash = header.facts[.manifestHash], let totals = header.facts[.totals] else { return nil }
        return Array("{\"manifest_hash\":\"".utf8) + hash.range.map { line[$0] } + Array("\",\"totals\":".utf8)
            + totals.range.map { line[$0] } + Array("}".utf8)
    }
}
