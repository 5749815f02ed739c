import Manifest
import Testing

@testable import Backup

private let firstSalt = bytes(hex: "9648f7ea878ead1490d2dcbb8c875b6841130fc7")
private let salt = bytes(hex: "c63f9add0155a70b22435958b03be63474cd0788")
private let wrapped = bytes(
    hex: "8ddfed37e5cb0465789f7c4ff96a75a8275ecd7e4f034c997cf3549dbea3c022a58eb026c90ee356")
private let fileKey = bytes(
    hex: "020000000f66f0f12b2e99974772b937baeefce2e282f91a86916deeb0611c135a39c623f08027cef88b53db")

/// An entry of a key bag.
private func entry(_ tag: String, _ value: [UInt8]) -> [UInt8] {
    Array(tag.utf8) + [0, 0, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
}

private func number(_ tag: String, _ value: UInt32) -> [UInt8] {
    entry(tag, (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 255) })
}

/// The bag of the known backup: its own entries, then those of class 1, which only the phone opens, and of class 2.
private let bag: [(tag: String, bytes: [UInt8])] = [
    ("VERS", number("VERS", 5)), ("TYPE", number("TYPE", 1)), ("UUID", entry("UUID", [1])), ("WRAP", number("WRAP", 1)),
    ("SALT", entry("SALT", salt)), ("ITER", number("ITER", 1000)), ("NEWS", entry("NEWS", [1, 2, 3])),
    ("DPIC", number("DPIC", 1000)), ("DPSL", entry("DPSL", firstSalt)),
    ("UUID", entry("UUID", [2])), ("CLAS", number("CLAS", 1)), ("WRAP", number("WRAP", 1)),
    ("UUID", entry("UUID", [3])), ("CLAS", number("CLAS", 2)), ("WRAP", number("WRAP", 3)),
    ("WPKY", entry("WPKY", wrapped)),
]
private let whole = bag.flatMap(\.bytes)

private func password(_ text: String) -> Secret {
    var content = Array(text.utf8)
    return Secret(taking: 0..<content.count, of: &content)
}

@Suite struct `Key bags` {
    @Test func `the known backup's key is opened`() throws {
        let keys = try KeyBag(whole).classKeys(password("correct horse"))
        #expect(keys.keys.sorted() == [2])
        #expect(
            keys[2]?.equals(bytes(hex: "250e11d54980e993d57b7ee7992010c16ddba6f921008ac7d79c876318331fdc")) == true)
        let key = try WrappedFileKey(fileKey).unwrapped(keys)
        #expect(key.equals(bytes(hex: "3d818bf9beee86fa3d028df335399944b740b405876caa1257e883f1c3b33bf2")))
    }

    @Test func `a wrong password opens nothing`() throws {
        let bag = try KeyBag(whole)
        for text in ["correct horsf", "", "correct horse "] {
            let fault = #expect(throws: BackupFault.self) { try bag.classKeys(password(text)) }
            #expect(fault?.text == "wrong password")
        }
    }

    @Test func `a damaged class is left out, and a file of it is refused`() throws {
        var damaged = wrapped
        damaged[20] ^= 1
        let third = entry("UUID", [4]) + number("CLAS", 3) + number("WRAP", 2) + entry("WPKY", damaged)
        let keys = try KeyBag(whole + third).classKeys(password("correct horse"))
        #expect(keys.keys.sorted() == [2])
        var file = fileKey
        file[0] = 3
        let fault = #expect(throws: BackupFault.self) { try WrappedFileKey(file).unwrapped(keys) }
        #expect(fault?.text == "the key bag's class 3 is missing or damaged")
        file[0] = 2
        file[30] ^= 1
        #expect(throws: BackupFault.self) { try WrappedFileKey(file).unwrapped(keys) }
    }

    @Test(arguments: [1, 4, 5, 7, 8, 13, 14, 15])
    func `each needed tag is missed`(_ place: Int) {
        let rest = bag.indices.filter { $0 != place }.flatMap { bag[$0].bytes }
        let fault = #expect(throws: BackupFault.self) { try KeyBag(rest) }
        #expect(fault?.text.contains(bag[place].tag) == true, "\(fault?.text ?? "")")
    }

    @Test func `a bag that is cut short is refused`() {
        for count in whole.indices { #expect(throws: BackupFault.self) { try KeyBag(Array(whole[..<count])) } }
    }

    @Test(arguments: [0, 100_000_001, 1_000_000_000, 4_294_967_295] as [UInt32])
    func `iterations are bounded`(_ count: UInt32) {
        for tag in ["ITER", "DPIC"] {
            let changed = bag.flatMap { $0.tag == tag ? number(tag, count) : $0.bytes }
            let fault = #expect(throws: BackupFault.self) { try KeyBag(changed) }
            #expect(fault?.text.contains(tag) == true)
        }
    }

    @Test func `lengths beyond the end are refused`() {
        var changed = whole
        changed[4] = 0xFF
        let fault = #expect(throws: BackupFault.self) { try KeyBag(changed) }
        #expect(fault?.text == "an entry of the key bag is longer than the bag")
    }
}
