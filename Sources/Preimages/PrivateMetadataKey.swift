/// Decides by its name whether the value of a metadata key is private (`Spec/identity.md`, "Private metadata").
package enum PrivateMetadataKey {
    /// Keys of Apple's metadata that are private.
    package static let ofApple = Set(
        [
            "HKDeviceName", "HKDeviceSerialNumber", "HKDigitalSignature", "HKExternalUUID",
            "HKMetadataKeySyncIdentifier", "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier",
        ].map { Array($0.utf8) })

    /// Entries that may be any part of a word.
    private static let parts = words(
        """
        account address email login nickname phonenumber serial telephone token userid useridentifier username
        usernumber uuid website
        """)
    /// Entries that are a word, or several next to each other.
    private static let whole = words(
        """
        addr bssid emailid fax guid handle homepage href imei ip ipv4 ipv6 link mail mailbox mobilenumber phone
        postalcode postcode screenname ssid street udid uri url zipcode
        """)
    /// Entries that may also begin a word, or end one behind three letters or more.
    private static let edges = words("link url")

    /// Returns `true` if the value of a key is private by the name of the key alone.
    package static func contains(_ key: [UInt8]) -> Bool {
        isApples(key) ? ofApple.contains(key) : isOfOthers(key)
    }

    /// Returns `true` if a key begins as those of Apple do.
    package static func isApples(_ key: [UInt8]) -> Bool {
        let name = key.first == UInt8(ascii: "_") ? key.dropFirst() : key[...]
        return name.starts(with: "HK".utf8)
    }

    private static func isOfOthers(_ key: [UInt8]) -> Bool {
        let words = words(of: key)
        if words.contains(where: hasPart) { return true }
        let isCompanion = words.first?.starts(with: "companion".utf8) ?? false
        if isCompanion, words.joined().suffix(2).elementsEqual("id".utf8) { return true }
        // No entry has more than four words.
        for start in words.indices {
            for end in start..<min(words.count, start + 4) {
                let run = Array(words[start...end].joined())
                if isEntry(run) || (run.last == UInt8(ascii: "s") && isEntry(run.dropLast())) { return true }
            }
        }
        return false
    }

    private static func isEntry(_ run: some Collection<UInt8>) -> Bool {
        let run = Array(run)
        return whole.contains(run) || parts.contains(run)
    }

    /// Returns `true` if a word has one of `parts` in it, or one of `edges` at its beginning or end.
    private static func hasPart(_ word: [UInt8]) -> Bool {
        if parts.contains(where: { stands($0, in: word) }) { return true }
        let singular = word.last == UInt8(ascii: "s") ? word.dropLast() : word[...]
        return edges.contains { edge in
            word.starts(with: edge)
                || (singular.count >= edge.count + 3 && singular.suffix(edge.count).elementsEqual(edge))
        }
    }

    private static func stands(_ part: [UInt8], in word: [UInt8]) -> Bool {
        guard word.count >= part.count else { return false }
        return (0...word.count - part.count).contains { word[$0...].starts(with: part) }
    }

    /// Cuts a key into words, in small letters.
    static func words(of key: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for at in key.indices {
            let byte = key[at]
            let isPart = isCapital(byte) || isSmall(byte) || isDigit(byte) || byte >= 0x80
            if !isPart || begins(key, at), !word.isEmpty {
                words.append(word)
                word = []
            }
            if isPart { word.append(isCapital(byte) ? byte | 0x20 : byte) }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// Returns `true` if a capital begins a word: behind a byte that is no capital, or before a small letter.
    private static func begins(_ key: [UInt8], _ at: Int) -> Bool {
        guard isCapital(key[at]), at > 0 else { return false }
        return !isCapital(key[at - 1]) || (at + 1 < key.count && isSmall(key[at + 1]))
    }

    private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
    private static func isSmall(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func words(_ text: String) -> Set<[UInt8]> {
        Set(text.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) })
    }
}
