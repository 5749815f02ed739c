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
        for index in element.attributes {
            let attribute = batch.attributes[index]
            guard attribute.name != .key, attribute.name != .value else { continue }
            let name = batch.name(of: attribute)
            samples[level].metadata.add(
                attribute.name.isPrivate ? .privateAttribute : .attribute, name.span, batch.text(attribute.value))
        }
    }

    /// Adds a `MetadataEntry` to the innermost object.
    mutating func addObjectEntry(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let values = ElementValues(batch, element)
        guard let key = values[.key], let value = values[.value] else { return leftOut.add("element:MetadataEntry") }
        MetadataDraft.add(entry: batch.text(key), batch.text(value), to: &objects[objects.count - 1].metadata, &builder)
    }

    /// Adds a heartbeat to the innermost sample.
    mutating func addBeat(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        let level = innermost
        var members = JSONMembers()
        for index in element.attributes {
            let attribute = batch.attributes[index]
            let text = batch.text(attribute.value)
            if attribute.name == .time, let seconds = BeatTime.seconds(text, after: samples[level].secondOfDay) {
                var json = Writer()
                json.number(seconds)
                members.add(Array("seconds".utf8), json.bytes)
            } else {
                members.add(Self.key(of: batch.name(of: attribute)), value(of: attribute, batch))
            }
        }
        samples[level].append(members.object(), to: .beats)
    }

    /// Adds a file's path to the innermost sample.
    mutating func addFile(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int) {
        guard let path = ElementValues(batch, element)[.path] else { return leftOut.add("element:FileReference") }
        samples[level].append(JSONMembers.string(batch.text(path)), to: .files)
    }

    /// Begins an element that becomes an object.
    mutating func beginObject(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) -> Context {
        var object = ObjectDraft(element.name)
        for index in element.attributes {
            let attribute = batch.attributes[index]
            object.members.add(Self.key(of: batch.name(of: attribute)), value(of: attribute, batch))
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
        if attribute.name.isPrivate {
            let name = batch.name(of: attribute)
            return MetadataDraft.privateValue(name.span, text, &builder)
        }
        if attribute.name.isDate, let date = date(text), let timestamp = try? TimestampText(Double(date.seconds)) {
            return JSONMembers.string(timestamp.string.utf8Span.span)
        }
        return JSONMembers.string(text)
    }

    /// The key of an attribute; those of our own are taken.
    private static func key(of name: [UInt8]) -> [UInt8] {
        taken.contains(name) ? Array("attribute:".utf8) + name : name
    }

    private static let taken = ["element", "events", "metadata", "seconds", "statistics"].map { Array($0.utf8) }
}
