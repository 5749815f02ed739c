package import Manifest

/// The key bag of an encrypted backup: tags of four characters, each with a length of four bytes and its value, all
/// numbers big-endian.
///
///     VERS TYPE UUID … SALT ITER DPSL DPIC  of the bag │ UUID CLAS WRAP WPKY  of each class of protection
package struct KeyBag {
    /// The key of a class, wrapped under the password.
    struct WrappedKey: Equatable {
        let number: UInt32
        let bytes: [UInt8]
    }

    /// The salts and iterations that stretch the password: first `DPSL` and `DPIC`, then `SALT` and `ITER`.
    let firstSalt: [UInt8], firstIterations: UInt32, salt: [UInt8], iterations: UInt32
    /// The keys that are wrapped under the password, in order.
    let keys: [WrappedKey]

    /// The most iterations: more would only serve to keep a computer busy. Phones ask for 10,000,000.
    package static let iterationLimit: UInt32 = 100_000_000
    private static let sizeLimit = 1 << 20
    private static let classLimit = 256
    private static let saltLimit = 1024

    /// Reads a key bag; unknown tags are skipped.
    package init(_ bytes: [UInt8]) throws(BackupFault) {
        guard bytes.count <= Self.sizeLimit else { throw BackupFault("a key bag of more than 1 MiB") }
        let (bag, classes) = try Self.entries(bytes)
        func number(_ tag: String, of entries: [String: [UInt8]]) throws(BackupFault) -> UInt32 {
            guard let value = entries[tag] else { throw BackupFault("the key bag has no \(tag)") }
            guard value.count == 4 else { throw BackupFault("the key bag's \(tag) is not a number of 4 bytes") }
            return Self.number(value[...])
        }
        func salt(_ tag: String) throws(BackupFault) -> [UInt8] {
            guard let value = bag[tag] else { throw BackupFault("the key bag has no \(tag)") }
            guard (1...Self.saltLimit).contains(value.count) else {
                throw BackupFault("the key bag's \(tag) has \(value.count) bytes")
            }
            return value
        }
        func iterations(_ tag: String) throws(BackupFault) -> UInt32 {
            let count = try number(tag, of: bag)
            guard (1...Self.iterationLimit).contains(count) else {
                throw BackupFault("the key bag's \(tag) is \(count), not 1 to \(Self.iterationLimit) iterations")
            }
            return count
        }
        guard try number("TYPE", of: bag) == 1 else { throw BackupFault("the key bag is not one of a backup") }
        firstSalt = try salt("DPSL")
        firstIterations = try iterations("DPIC")
        self.salt = try salt("SALT")
        self.iterations = try iterations("ITER")
        var keys: [WrappedKey] = []
        for entries in classes {
            let key = WrappedKey(number: try number("CLAS", of: entries), bytes: entries["WPKY"] ?? [])
            // Bit 2 is the password; others are under a key that only the phone has.
            guard try number("WRAP", of: entries) & 2 != 0 else { continue }
            guard key.bytes.count == 40 else {
                throw BackupFault("the key bag's class \(key.number) has no WPKY of 40 bytes")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw BackupFault("the key bag has no key under the password") }
        self.keys = keys
    }

    /// Splits a bag into its own entries and those of each class: the first `UUID` is the bag's, each later one begins
    /// a class.
    private static func entries(_ bytes: [UInt8]) throws(BackupFault) -> ([String: [UInt8]], [[String: [UInt8]]]) {
        var bag: [String: [UInt8]] = [:], classes: [[String: [UInt8]]] = []
        var place = 0
        while place < bytes.count {
            guard bytes.count - place >= 8 else { throw BackupFault("the key bag is cut short") }
            let size = number(bytes[place + 4..<place + 8])
            guard size <= UInt32(bytes.count - place - 8) else {
                throw BackupFault("an entry of the key bag is longer than the bag")
            }
            let tag = String(decoding: bytes[place..<place + 4], as: UTF8.self)
            let value = Array(bytes[place + 8..<place + 8 + Int(size)])
            place += 8 + Int(size)
            if tag == "UUID", bag[tag] != nil {
                guard classes.count < classLimit else { throw BackupFault("the key bag has too many classes") }
                classes.append([:])
            }
            if classes.isEmpty { bag[tag] = value } else { classes[classes.count - 1][tag] = value }
        }
        return (bag, classes)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    /// Returns the class keys that a password opens, by the class's number.
    ///
    /// - Throws: `BackupFault` if it opens none.
    package func classKeys(_ password: Secret) throws(BackupFault) -> [UInt32: Secret] {
        guard let first = password.derivedKey(.sha256, salt: firstSalt, iterations: firstIterations),
            let key = first.derivedKey(.sha1, salt: salt, iterations: iterations)
        else { throw BackupFault("OpenSSL derives no key") }
        var opened: [UInt32: Secret] = [:]
        for wrapped in keys { opened[wrapped.number] = key.unwrappedKey(wrapped.bytes) ?? opened[wrapped.number] }
        guard !opened.isEmpty else { throw BackupFault("wrong password") }
        return opened
    }
}

/// A key of a file, under the key of its class: the class in 4 bytes, little-endian, and 40 wrapped bytes.
package struct WrappedFileKey: Equatable {
    package let number: UInt32
    private let wrapped: [UInt8]

    /// Reads `ManifestKey` or `EncryptionKey`.
    package init(_ bytes: [UInt8]) throws(BackupFault) {
        guard bytes.count == 44 else { throw BackupFault("a wrapped key of \(bytes.count) bytes, not 44") }
        number = bytes[0..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        wrapped = Array(bytes[4...])
    }

    /// Returns the key itself.
    package func unwrapped(_ classKeys: [UInt32: Secret]) throws(BackupFault) -> Secret {
        guard let classKey = classKeys[number] else {
            throw BackupFault("the key bag's class \(number) is missing or damaged")
        }
        guard let key = classKey.unwrappedKey(wrapped) else {
            throw BackupFault("the key of the file is damaged: class \(number) does not open it")
        }
        return key
    }
}
