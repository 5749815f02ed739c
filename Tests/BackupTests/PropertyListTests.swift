import Testing

@testable import Backup

/// Bytes from hex digits.
func bytes(hex text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// What `plistlib` of Python writes.
private let everything = bytes(
    hex: """
        62706c6973743030db0102030405060708090a0b0c0d0e0f1011141516171855617363696953626967546461746154646174
        6553696e74546c697374546c6f6e67547265616c54746578745375696453796573536162631300000100000000004200ff33
        41c823268000000013fffffffffffffffba21213100151785f10147979797979797979797979797979797979797979233ff8
        00000000000065005a006f00eb002020ac81012c09081f25292e33373c41464b4f535760636c75787a7c939ca7aa00000000
        000001010000000000000019000000000000000000000000000000ab
        """)

@Suite struct `Property lists` {
    private let list: PropertyList

    init() throws { list = try PropertyList(everything) }

    @Test func `each kind of object is read`() throws {
        #expect(list.count == 25)
        let expected: [(String, PropertyList.Object)] = [
            ("int", .integer(-5)), ("big", .integer(1 << 40)), ("real", .real(1.5)), ("yes", .boolean(true)),
            ("date", .date(809_913_600)), ("text", .string("Zoë €")), ("ascii", .string("abc")), ("uid", .uid(300)),
            ("long", .string("yyyyyyyyyyyyyyyyyyyy")),
        ]
        for (name, object) in expected { #expect(try list.member(name, of: list.root) == object) }
        #expect(try list.bytes("data", of: list.root) == [0, 255])
        guard case .array(let members) = try list.member("list", of: list.root) else { throw BackupFault("none") }
        #expect(try members.map { try list.object($0) } == [.integer(1), .string("x")])
        #expect(try list.member("none", of: list.root) == nil)
    }

    /// Whatever byte is another, reading ends with a value or a fault, and each object with one.
    @Test func `a changed byte is never a crash`() {
        for place in everything.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var changed = everything
                changed[place] ^= change
                guard let list = try? PropertyList(changed) else { continue }
                for number in 0..<list.count { _ = try? list.object(number) }
                _ = try? list.member("uid", of: list.root)
            }
        }
    }

    @Test func `a list that is cut short is refused`() {
        for count in everything.indices {
            #expect(throws: BackupFault.self) { try PropertyList(Array(everything[..<count])) }
        }
    }

    @Test(arguments: [
        // Bytes of the trailer, counted from its start, and what the message has.
        (6, 0, "trailer"), (6, 9, "trailer"), (7, 0, "trailer"), (8, 0xFF, "trailer"), (13, 0x20, "trailer"),
        (23, 0x19, "trailer"), (31, 0xFF, "trailer"), (15, 0x1A, "cut short"), (14, 0x10, "cut short"),
    ])
    func `a trailer that cannot be is refused`(_ place: Int, _ value: UInt8, _ word: String) {
        var changed = everything
        changed[changed.count - 32 + place] = value
        let fault = #expect(throws: BackupFault.self) { try PropertyList(changed) }
        #expect(fault?.text.contains(word) == true, "\(fault?.text ?? "")")
    }

    /// The first number of the table of offsets.
    @Test(arguments: [0, 7, 0xAB, 0xFF] as [UInt8])
    func `objects outside of the list are refused`(_ offset: UInt8) {
        var changed = everything
        changed[0xAB] = offset
        let fault = #expect(throws: BackupFault.self) { try PropertyList(changed) }
        #expect(fault?.text == "object 0 of the property list is outside of it")
    }

    @Test func `lengths beyond the end and references to nothing are refused`() throws {
        // "bplist00", one object, its offset 8, the trailer.
        func list(_ object: [UInt8]) throws(BackupFault) -> PropertyList {
            let table = 8 + object.count
            return try PropertyList(
                Array("bplist00".utf8) + object + [8, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
                    + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, UInt8(table)])
        }
        for object: [UInt8] in [
            [0x42, 1], [0x5F, 0x10, 200], [0x4F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255], [0x6F, 0x13, 255],
            [0xA1, 1], [0xD1, 0], [0xAF, 0x13, 0, 0, 0, 1, 0, 0, 0, 0], [0x5F], [0x5F, 0x55], [0x13, 1], [0x33, 0],
        ] {
            let read = try list(object)
            #expect(throws: BackupFault.self) { try read.object(0) }
        }
        // A collection that has itself is read as what it is.
        #expect(try list([0xA1, 0]).object(0) == .array([0]))
        #expect(try list([0xD1, 0, 0]).member("x", of: 0) == nil)
    }

    /// Each key of the root is a text of 4 MB.
    @Test func `keys cost no more than the name that is looked for`() throws {
        let count = 500_000, text = [UInt8](repeating: 0x78, count: 4 << 20)
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(value >> (8 * (size - 1 - $0)) & 255) }
        }
        let dictionary = [0xDF, 0x12] + number(count, 4) + [UInt8](repeating: 1, count: 2 * count)
        let string = [0x5F, 0x12] + number(text.count, 4) + text
        let table = 8 + dictionary.count + string.count
        let list = try PropertyList(
            Array("bplist00".utf8) + dictionary + string + number(8, 4) + number(8 + dictionary.count, 4)
                + [0, 0, 0, 0, 0, 0, 4, 1] + number(2, 8) + number(0, 8) + number(table, 8))
        #expect(try list.member("IsEncrypted", of: list.root) == nil)
        #expect(try list.object(1) == .string(String(decoding: text, as: UTF8.self)))
    }

    @Test func `other forms are named`() {
        let fault = #expect(throws: BackupFault.self) { try PropertyList(Array("<?xml version=\"1.0\"?>".utf8)) }
        #expect(fault?.text == "an XML property list, not a binary one")
    }
}

@Suite struct `Records of files` {
    private let wrapped = bytes(
        hex: "020000000f66f0f12b2e99974772b937baeefce2e282f91a86916deeb0611c135a39c623f08027cef88b53db")
    private let archived = bytes(
        hex: """
            62706c6973743030d401020304050610135924617263686976657258246f626a656374735424746f70582476657273696f6e
            5f100f4e534b657965644172636869766572a307080d55246e756c6cd2090a0b0c5d456e6372797074696f6e4b6579545369
            7a6580021011d10e0f574e532e646174614f102c020000000f66f0f12b2e99974772b937baeefce2e282f91a86916deeb061
            1c135a39c623f08027cef88b53dbd1111254726f6f74800112000186a008111b24293244484e536166686a6d75a4a7acae00
            000000000001010000000000000014000000000000000000000000000000b3
            """)
    private let flat = bytes(
        hex: """
            62706c6973743030d2010203045d456e6372797074696f6e4b65795453697a654f102c020000000f66f0f12b2e99974772b9
            37baeefce2e282f91a86916deeb0611c135a39c623f08027cef88b53db1011080d1b204f0000000000000101000000000000
            000500000000000000000000000000000051
            """)

    @Test func `the key is found in both forms`() throws {
        let key = try WrappedFileKey(wrapped)
        #expect(key.number == 2)
        #expect(try FileRecord.key(archived) == key)
        #expect(try FileRecord.key(flat) == key)
        #expect(try FileRecord.key(everything) == nil)
    }

    /// `0x80 0x02` is the UID of the key's object.
    @Test func `a UID that leads nowhere or to itself is refused`() throws {
        let place = try #require(
            archived.indices.dropLast().first { archived[$0] == 0x80 && archived[$0 + 1] == 2 })
        for number: UInt8 in [1, 3, 255] {
            var changed = archived
            changed[place + 1] = number
            #expect(throws: BackupFault.self) { try FileRecord.key(changed) }
        }
    }

    @Test func `a key of another length is refused`() {
        for count in [0, 4, 43, 45] {
            #expect(throws: BackupFault.self) { try WrappedFileKey([UInt8](repeating: 1, count: count)) }
        }
    }
}
