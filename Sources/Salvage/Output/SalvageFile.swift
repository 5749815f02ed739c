internal import CanonicalJSON
internal import Files
internal import Manifest
internal import Verification

/// Writes the file that comes out: header, items, last line, seek table.
struct SalvageFile {
    /// The files that it was recovered from; usually one.
    let sources: [SalvageSource]
    let generator: (name: String, version: String)
    let account: Account
    let header: HeaderFacts?
    let manifest: [UInt8]?
    let missing: Missing?

    /// The `salvage` object.
    private var salvage: [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("account")
        json.beginArray()
        for entry in account.entries { entry.write(to: &json) }
        json.endArray()
        json.member("account_count", account.count)
        if let header {
            json.key("export")
            json.embed(canonical: header.bytes.span)
        }
        json.member("format", Bundle.salvageFormat)
        json.member("format_version", Bundle.version)
        json.key("generator")
        json.beginObject()
        json.member("name", generator.name)
        json.member("version", generator.version)
        json.endObject()
        if let manifest {
            json.key("manifest")
            json.embed(canonical: manifest.span)
        }
        if let missing {
            json.key("missing")
            missing.write(to: &json)
        }
        if sources.count > 1 {
            json.key("other_sources")
            json.beginArray()
            for source in sources.dropFirst() { source.write(to: &json) }
            json.endArray()
        }
        json.key("source")
        sources[0].write(to: &json)
        json.endObject()
        return json.bytes
    }

    /// Writes and publishes the file; returns the salvage hash.
    func write(
        to place: borrowing SalvagePlace, spool: borrowing Spool, totals tally: TypeTally, ledger: inout LineLedger
    ) throws -> String {
        let salvage = salvage
        var totals = Writer()
        tally.writeTotals(to: &totals)
        let hash = ledger.salvageHash(salvage: salvage, totals: totals.bytes).hex
        var file = try place.output()
        var table = SeekTable()
        var compressor = FrameCompressor(level: 1)
        try Self.add(line: Array("{\"salvage\":".utf8) + salvage + Array("}".utf8), to: &file, &table, &compressor)
        try Self.copy(spool, to: &file)
        for frame in spool.frames { table.add(compressedSize: frame.size, textSize: frame.textSize) }
        try Self.add(
            line: Array("{\"salvage_hash\":\"\(hash)\",\"totals\":".utf8) + totals.bytes + Array("}".utf8), to: &file,
            &table, &compressor)
        let end = table.frame()
        try file.write(end.span)
        try file.synchronize()
        try file.publish(replacing: place.isReplacing)
        return hash
    }

    private static func add(
        line: [UInt8], to file: inout PendingFile, _ table: inout SeekTable, _ compressor: inout FrameCompressor
    ) throws {
        let text = line + [UInt8(ascii: "\n")]
        let frame = compressor.frame(of: text.span)
        try file.write(frame.span)
        table.add(compressedSize: frame.count, textSize: text.count)
    }

    private static func copy(_ spool: borrowing Spool, to file: inout PendingFile) throws {
        let source = try spool.source()
        var offset: Int64 = 0
        while offset < source.size {
            let bytes = try source.read(at: offset, count: 1 << 20)
            precondition(!bytes.isEmpty, "the spool holds what was written to it")
            try file.write(bytes.span)
            offset += Int64(bytes.count)
        }
    }
}
