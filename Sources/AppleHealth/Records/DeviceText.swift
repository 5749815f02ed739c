internal import Bytes
internal import Capture

/// A device as an export writes it (`Spec/apple-health.md`, "Dates, numbers, texts").
///
///     <<HKDevice: 0x…>, name:…, manufacturer:…, model:…, hardware:…, firmware:…, software:…,
///     localIdentifier:…, UDI:…, creation date:…>
///
/// All of it is on one line.
///
/// The pointer and the creation date are left out: an export has another pointer than the one before, and some have
/// no creation date of a device that has one in others.
enum DeviceText {
    private static let heading = Array("<<HKDevice: 0x".utf8)
    private static let names = [
        "name:", "manufacturer:", "model:", "hardware:", "firmware:", "software:", "localIdentifier:", "UDI:",
        "creation date:",
    ].map { Array($0.utf8) }

    /// Returns the description that a text holds.
    static func description(_ text: Span<UInt8>) -> DeviceDescription {
        guard let body = body(text) else {
            var description = DeviceDescription()
            description.other = withoutPointers(text)
            return description
        }
        var fields = [[UInt8]?](repeating: nil, count: names.count)
        var others: [[UInt8]] = []
        var rest = text.extracting(body)
        while !rest.isEmpty {
            // Each part begins with a comma and a space.
            let part = rest.extracting(droppingFirst: 2)
            let field = field(at: part, free: fields)
            let start = field.map { names[$0].count } ?? 0
            var end = start
            while end < part.count, !begins(part.extracting(end...), free: fields, without: field) { end += 1 }
            let value = part.extracting(start..<end).array
            if let field { fields[field] = value } else { others.append(value) }
            rest = part.extracting(end...)
        }
        return describe(fields, others)
    }

    private static func describe(_ fields: [[UInt8]?], _ others: [[UInt8]]) -> DeviceDescription {
        var description = DeviceDescription()
        description.name = fields[0]
        description.manufacturer = fields[1]
        description.model = fields[2]
        description.hardwareVersion = fields[3]
        description.firmwareVersion = fields[4]
        description.softwareVersion = fields[5]
        description.localIdentifier = fields[6]
        description.udi = fields[7]
        if !others.isEmpty {
            description.other = Array(others.joined(separator: [UInt8(ascii: ","), UInt8(ascii: " ")]))
        }
        return description
    }

    /// Returns the range of the fields: after the pointer, before the last `>`; `nil` if the text has another form.
    private static func body(_ text: Span<UInt8>) -> Range<Int>? {
        guard text.hasPrefix(heading.span) else { return nil }
        var at = heading.count
        while at < text.count, isHexadecimal(text[at]) { at += 1 }
        guard at > heading.count, at < text.count, text[at] == UInt8(ascii: ">") else { return nil }
        at += 1
        guard at < text.count, text[text.count - 1] == UInt8(ascii: ">") else { return nil }
        let body = at..<text.count - 1
        let isList =
            body.isEmpty || (body.count >= 2 && text[at] == UInt8(ascii: ",") && text[at + 1] == UInt8(ascii: " "))
        return isList ? body : nil
    }

    /// Returns the field that begins here and was not met before.
    private static func field(at text: Span<UInt8>, free fields: [[UInt8]?]) -> Int? {
        for index in names.indices where fields[index] == nil {
            let name = names[index]
            if text.hasPrefix(name.span) { return index }
        }
        return nil
    }

    private static func begins(_ text: Span<UInt8>, free fields: [[UInt8]?], without current: Int?) -> Bool {
        guard text.count >= 2, text[0] == UInt8(ascii: ","), text[1] == UInt8(ascii: " "),
            let found = field(at: text.extracting(droppingFirst: 2), free: fields)
        else { return false }
        return found != current
    }

    /// Returns a text without anything like a pointer.
    private static func withoutPointers(_ text: Span<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var at = 0
        while at < text.count {
            if at + 2 < text.count, text[at] == UInt8(ascii: "0"), text[at + 1] == UInt8(ascii: "x"),
                isHexadecimal(text[at + 2])
            {
                at += 2
                while at < text.count, isHexadecimal(text[at]) { at += 1 }
                continue
            }
            kept.append(text[at])
            at += 1
        }
        return kept
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}
