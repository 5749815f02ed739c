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

    /// A name leads to the first value that has it.
    private static func checkMembers(_ keys: [Int], _ values: [Int], _ list: PropertyList, _ number: Int) {
        let names = keys.prefix(8).map { key -> String? in
            guard case .string(let name) = try? list.object(key), name.utf8.allSatisfy({ $0 < 0x80 }) else {
                return nil
            }
            return name
        }
        for (index, name) in names.enumerated() {
            guard let name, names.firstIndex(of: name) == index, let found = try? list.place(of: name, in: number)
            else { continue }
            let place = values.prefix(index + 1).contains(found)
            require(place, "a name leads to no later value")
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
