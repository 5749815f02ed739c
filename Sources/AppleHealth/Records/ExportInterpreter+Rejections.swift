internal import CanonicalJSON
internal import Capture

/// Elements that cannot be stored (`Spec/apple-health.md`, "Rejected records").
extension ExportInterpreter {
    /// Keeps what was read of a start tag, so that the same record is known again.
    mutating func readContent(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element, _ level: Int)
    {
        var attributes = JSONMembers()
        for index in element.attributes {
            let attribute = batch.attributes[index]
            attributes.add(batch.name(of: attribute), JSONMembers.string(batch.text(attribute.value)))
        }
        var content = Writer()
        content.beginObject()
        content.key("attributes")
        content.embed(canonical: attributes.object().span)
        content.key("element")
        content.string(element.name.text)
        content.endObject()
        samples[level].content = content.bytes
    }

    /// Counts a record that cannot be stored, with what stands in it.
    mutating func rejectSample(_ level: Int) {
        let sample = samples[level]
        let reason = sample.rejection ?? "missing_attribute"
        let place = "line \(sample.line)"
        // What is too large was not read as a whole: it is never known again.
        let content = (reason == "too_large" ? nil : sample.content) ?? Self.placed(sample)
        builder.reject(
            type: sample.type, reason: reason, place: place, start: sample.readableStart,
            content: content.span)
        // Without a type it weighs on all types already. Members stand elsewhere too, but whether all of them do is
        // not known now.
        guard level == 0, sample.type != nil else { return }
        for (index, member) in members.enumerated() {
            let content = index < memberContents.count ? memberContents[index] : Self.placed(sample)
            builder.reject(
                type: member.type, reason: "rejected_parent", place: place, start: member.start, content: content.span)
        }
    }

    private static func placed(_ sample: SampleDraft) -> [UInt8] {
        var content = Writer()
        content.beginObject()
        content.member("element", sample.element.text)
        content.member("line", sample.line)
        content.endObject()
        return content.bytes
    }

    /// Gives up what is open: it is beyond the limit.
    mutating func discard() {
        for level in samples.indices {
            samples[level].rejection = "too_large"
            samples[level].metadata.removeAll()
            samples[level].lists.removeAll()
        }
        // What else stood in it is not known.
        if samples[0].element == .Correlation || samples[0].element == .Workout {
            samples[0].type = nil
            samples[0].readableStart = nil
        }
        for index in objects.indices { objects[index] = ObjectDraft(objects[index].element) }
        members.removeAll()
        memberContents.removeAll()
    }
}
