import Backup

/// `PropertyList`, `FileRecord` and `KeyBag` on any bytes.
enum BackupTarget {
    static func check(_ bytes: [UInt8]) {
        checkList(bytes)
        checkBag(bytes)
        require(record(bytes) == record(bytes), "a record has one key")
    }

    /// What an object refers to is in the list, and reading it twice is the same.
    private static func checkList(_ bytes: [UInt8]) {
        guard let list = try? PropertyList(bytes) else { return }
        for number in 0..<list.count {
            guard let object = try? list.object(number) else { continue }
            require("\(object)" == (try? list.object(number)).map { "\($0)" }, "an object is read as it was")
            switch object {
            case .data(let range):
                require(list.data(range) == Array(bytes[range]), "data are in the list")
            case .array(let members):
                require(members.allSatisfy { $0 >= 0 && $0 < list.count }, "members are in the list")
            case .dictionary(let keys, let values):
                require(keys.count == values.count, "each key has a value")
                require((keys + values).allSatisfy { $0 >= 0 && $0 < list.count }, "members are in the list")
                checkMembers(keys, values, list, number)
            default: break
            }
        }
    }

    /// A name leads to the value of a key that is this name.
    private static func checkMembers(_ keys: [Int], _ values: [Int], _ list: PropertyList, _ number: Int) {
        for key in keys.prefix(8) {
            guard case .string(let name) = try? list.object(key), let found = try? list.place(of: name, in: number)
            else { continue }
            let isValue = zip(keys, values).contains { key, value in
                guard value == found, case .string(name) = try? list.object(key) else { return false }
                return true
            }
            require(isValue, "a name leads to a value of its own")
        }
    }

    /// A bag that is read is whole to the byte, and an unknown tag changes nothing.
    private static func checkBag(_ bytes: [UInt8]) {
        guard (try? KeyBag(bytes)) != nil else { return }
        require((try? KeyBag(Array(bytes.dropLast()))) == nil, "a bag without its last byte is cut short")
        require((try? KeyBag(bytes + Array("....".utf8) + [0, 0, 0, 1, 7])) != nil, "an unknown tag is skipped")
    }

    private static func record(_ bytes: [UInt8]) -> WrappedFileKey? { (try? FileRecord.key(bytes)) ?? nil }
}
