internal import Bytes
internal import CanonicalJSON
internal import Capture
internal import Timestamps

/// Elements in a record, which become metadata of it.
extension ExportInterpreter {
    /// Adds a `MetadataEntry` to a sample.
    mutating func addEntry(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int) {
        let values = ElementValues(batch, element)
        guard let key = values[.key], let value = values[.value] else { return leftOut.add("element:MetadataEntry") }
        samples[level].metadata.add(.entry, batch.text(key), batch.text(value))
        clearKeys.add(batch.text(key), &builder)
        if element.attributes.count > 2 { unknownAttributes.add(batch, element) }
        for index in element.attributes {
            let attribute = batch.attributes[index]
            guard attribute.name != .key, attribute.name != .value else { continue }
            let name = batch.name(of: attribute)
            samples[level].metadata.add(
                kind(of: attribute.name, name), name.span, batch.text(attribute.value))
        }
    }

    /// What an attribute that no table names is in the metadata.
    mutating func kind(of name: AttributeName, _ text: [UInt8]) -> MetadataDraft.Kind {
        let isPrivate = name.isPrivate || builder.isPrivate(key: text.span)
        return isPrivate ? .privateAttribute : .attribute
    }

    /// Adds a `MetadataEntry` to the innermost object.
    mutating func addObjectEntry(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let values = ElementValues(batch, element)
        guard let key = values[.key], let value = values[.value] else { return leftOut.add("element:MetadataEntry") }
        clearKeys.add(batch.text(key), &builder)
        unknownAttributes.add(batch, element)
        MetadataDraft.add(entry: batch.text(key), batch.text(value), to: &objects[objects.count - 1].metadata, &builder)
    }

    /// Adds a heartbeat to the innermost sample.
    mutating func addBeat(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let level = innermost
        var members = JSONMembers()
        unknownAttributes.add(batch, element)
        for index in element.attributes {
            let attribute = batch.attributes[index]
            let text = batch.text(attribute.value)
            if attribute.name == .time,
                let seconds = BeatTime.seconds(
                    text, after: samples[level].secondOfDay, modulo: 900)
            {
                var json = Writer()
                json.number(seconds)
                members.add(Array("seconds".utf8), json.bytes)
            } else {
                members.add(key(of: batch.name(of: attribute)), value(of: attribute, batch))
            }
        }
        samples[level].append(members.object(), to: .beats)
    }

    /// Adds a file's path to the innermost sample.
    mutating func addFile(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int) {
        guard let path = ElementValues(batch, element)[.path] else { return leftOut.add("element:FileReference") }
        samples[level].append(JSONMembers.string(batch.text(path)), to: .files)
        unknownAttributes.add(batch, element)
        readRoute(batch.text(path).array)
    }

    /// Begins an element that becomes an object.
    mutating func beginObject(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) -> Context {
        var object = ObjectDraft(element.name)
        unknownAttributes.add(batch, element)
        for index in element.attributes {
            let attribute = batch.attributes[index]
            object.members.add(key(of: batch.name(of: attribute)), value(of: attribute, batch))
        }
        switch element.name {
        case .RightEye, .LeftEye, .Prescription:
            object.members.add(Array("element".utf8), JSONMembers.string(element.name.text.utf8Span.span))
        default: break
        }
        objects.append(object)
        return .object
    }

    /// Ends the innermost object: it stands in the activity around it, or in the sample.
    mutating func endObject() {
        let object = objects.removeLast()
        if objects.isEmpty {
            guard let list = ObjectDraft.list(of: object.element) else { return }
            samples[innermost].append(object.object(), to: list)
        } else {
            objects[objects.count - 1].append(object.object(), of: object.element)
        }
    }

    /// An attribute's value as canonical JSON: a moment as a timestamp, what identifies as a private value, all
    /// else as its text.
    private mutating func value(of attribute: ElementBatch.Attribute, _ batch: borrowing ElementBatch) -> [UInt8] {
        let text = batch.text(attribute.value)
        let name = batch.name(of: attribute)
        if attribute.name.isPrivate || builder.isPrivate(key: name.span) {
            return MetadataDraft.privateValue(name.span, text, &builder)
        }
        if attribute.name.isDate, let timestamp = timestamp(text) { return JSONMembers.string(timestamp.span) }
        return JSONMembers.string(text)
    }

    /// A moment as a canonical timestamp; nil where the text is none.
    func timestamp(_ text: Span<UInt8>) -> [UInt8]? {
        guard let date = date(text), let timestamp = try? TimestampText(Double(date.seconds)) else { return nil }
        return Array(timestamp.string.utf8)
    }

    /// The key of an attribute; those of our own are taken.
    private func key(of name: [UInt8]) -> [UInt8] {
        Self.taken.contains(name) ? Array("attribute:".utf8) + name : name
    }

    private static let taken = ["element", "events", "metadata", "seconds", "statistics", "zones"].map {
        Array($0.utf8)
    }
}
