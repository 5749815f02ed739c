internal import Format

/// The columns of a table, by the kind of its items.
struct TableColumns {
    let columns: [TableColumn]

    /// The columns of an item kind; nil where it has no table.
    init?(_ kind: ItemKind) {
        switch kind {
        case .record: columns = TableColumn.record
        case .change: columns = TableColumn.change
        case .comparison: columns = TableColumn.comparison
        case .finding: columns = TableColumn.finding
        case .pair: columns = TableColumn.pair
        case .day: columns = TableColumn.day
        case .typeManifest: columns = TableColumn.typeManifest
        case .version: columns = TableColumn.version
        case .sample, .sharedRecord: return nil
        }
    }

    /// The first row, with its CR LF.
    var firstRow: [UInt8] { Array((columns.map(\.name).joined(separator: ",") + "\r\n").utf8) }

    /// `tableSchema` of a sidecar.
    var schema: String {
        let entries = columns.map {
            "{\"datatype\":\"\($0.datatype)\",\"name\":\"\($0.name)\",\"titles\":\"\($0.name)\"}"
        }
        return "{\"columns\":[" + entries.joined(separator: ",") + "]}"
    }
}
