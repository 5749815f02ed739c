internal import Archive
internal import Bytes
internal import Format
internal import SQLite

/// What a header says of its observation and of the device chain, held against their rows.
enum HeaderEvidence {
    /// Whether the archive has the observation of a scope.
    static func hasObservation(_ scope: EvidenceScope, _ reader: borrowing EvidenceReader) throws(ArchiveError)
        -> Bool
    {
        try reader.integer("SELECT 1 FROM observations WHERE id = \(scope.id)") == 1
    }

    /// Whether the header says of them what their rows say. A header with defects is not looked at.
    static func agrees(_ header: HeaderFacts, _ scope: EvidenceScope, _ reader: borrowing EvidenceReader)
        throws(ArchiveError) -> Bool
    {
        guard header.defectCount == 0 else { return true }
        let observation = "FROM observations WHERE id = \(scope.id)"
        let chain = "FROM device_chains WHERE id = (SELECT device_chain_id \(observation))"
        let rows = (
            try encoded(FieldEncoding.observation, .observation, observation, reader),
            try encoded(FieldEncoding.chain, .chain, chain, reader)
        )
        let export = header.bytes.span
        return rows.0 == encoded(FieldEncoding.observation, .observation, in: export, "observations")
            && rows.1 == encoded(FieldEncoding.chain, .chain, in: export, "device_chain")
    }

    /// The first row of a table; nothing where there is none.
    private static func encoded(
        _ fields: [FieldEncoding.Field], _ kind: FieldEncoding.Kind, _ rows: String, _ reader: borrowing EvidenceReader
    ) throws(ArchiveError) -> [UInt8] {
        var row = try reader.prepare("SELECT \(fields.map(\.name).joined(separator: ", ")) \(rows)")
        guard try row.step() else { return [] }
        var encoding = FieldEncoding()
        encoding.begin(kind)
        for (index, field) in fields.enumerated() {
            encoding.add(index, stored: row.value(Int32(index)), as: field.form, isRequired: field.isRequired)
        }
        return encoding.bytes.array
    }

    /// A member of the header: an object, or the first of an array.
    private static func encoded(
        _ fields: [FieldEncoding.Field], _ kind: FieldEncoding.Kind, in export: Span<UInt8>, _ name: String
    ) -> [UInt8] {
        guard let place = ObjectEncoder.value(of: name, in: export) else { return [] }
        var object = export.extracting(place)
        if object[0] == UInt8(ascii: "[") {
            guard let first = ObjectEncoder.entries(object).first else { return [] }
            object = object.extracting(first)
        }
        var encoder = ObjectEncoder()
        encoder.begin(kind)
        encoder.add(object, fields, nil, at: "")
        return encoder.encoding.bytes.array
    }
}
