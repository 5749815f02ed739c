import CanonicalJSON
import Format
import Scratch
import Testing

@testable import Exports

@Suite struct `Tables` {
    /// Rows worked out by hand from `Spec/reports.md`.
    @Test(arguments: [
        (#"{"item_count":1,"sample_type":"steps"}"#, "steps,1,,,H"),
        (#"{"item_count":1,"sample_type":""}"#, "',1,,,H"),
        (#"{"sample_type":"=1+1"}"#, "'=1+1,,,,H"),
        (#"{"sample_type":"'a"}"#, "''a,,,,H"),
        (#"{"sample_type":"-\n\"x\", y"}"#, "\"'-\n\"\"x\"\", y\",,,,H"),
        (#"{"sample_type":"\u0001\t\\"}"#, "\u{01}\t\\,,,,H"),
        (#"{"sample_type":"\r\n"}"#, "\"'\r\n\",,,,H"),
        (#"{"sample_type":"＝1"}"#, "'＝1,,,,H"),
        (#"{"sample_type":"a "}"#, "\"a \",,,,H"),
        (
            #"{"defect_count":0,"item_count":9007199254740991,"item_kind":"type_manifest","items_hash":"00"}"#,
            ",9007199254740991,0,00,H"
        ),
    ])
    func `a row says what the item says, in the dialect`(item: String, row: String) {
        var table = TableWriter(columns: TableColumn.typeManifest)
        table.write(item.utf8Span.span, hash: "H".utf8Span.span)
        #expect(String(decoding: table.bytes, as: UTF8.self) == row + "\r\n")
    }

    @Test func `an object that is there without a member has a cell of its own`() {
        var table = TableWriter(columns: TableColumn.record)
        table.write(
            #"{"device":{},"metadata":{"a":[1,"}"]},"source":{"version":"1"},"visibility":[]}"#.utf8Span.span,
            hash: "H".utf8Span.span)
        let cells = String(decoding: table.bytes, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        let names = TableColumn.record.map(\.name)
        #expect(cells[names.firstIndex(of: "device")!] == "{}")
        #expect(cells[names.firstIndex(of: "source")!] == "")
        #expect(cells[names.firstIndex(of: "source.version")!] == "1")
    }
}
