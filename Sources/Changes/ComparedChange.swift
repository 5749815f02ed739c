internal import Bytes
internal import Archive

/// A change as comparisons look at it.
struct ComparedChange {
    /// A version, and what its metadata state, by number.
    struct Side {
        let version: ComparedVersion
        let statements: [Int]
    }

    /// The ids of versions that may belong to other changes too.
    struct SharedIDs {
        let before, after: [StoredID]
    }

    let kind: ChangeKind
    let before, after: Side?
    /// Nil where its versions belong to no other change.
    let shared: SharedIDs?
    /// `true` if the sample was first seen after the first observation of its type, and ended before that observation.
    let isFirstSeenLater: Bool
    /// From the first start to the last end of its versions; nil where the leading one lacks a date.
    let span: ClosedRange<Double>?
    /// The sample, and whether its changes are those of samples that are alike.
    let sample: StoredID
    let isMatched: Bool
    /// The version that disappeared or appeared.
    let versionID: Int64?
    /// The pair that it is in, once that is known.
    var mark: ReplacementMark?
    /// The local day on which the record begins, where days are counted; of a change, the one before.
    var day: Int64?

    init(
        kind: ChangeKind, leading: Side, other: Side?, shared: SharedIDs?, isFirstSeenLater: Bool, sample: StoredID,
        isMatched: Bool = false, versionID: Int64?
    ) {
        self.kind = kind
        (self.sample, self.isMatched, self.versionID) = (sample, isMatched, versionID)
        before = kind == .appeared ? nil : leading
        after = kind == .appeared ? leading : kind == .disappeared ? nil : other
        self.shared = shared
        self.isFirstSeenLater = isFirstSeenLater
        var span = leading.version.span
        if let own = span, let more = other?.version.span, kind == .representationChanged {
            span = min(own.lowerBound, more.lowerBound)...max(own.upperBound, more.upperBound)
        }
        self.span = span
    }
}

extension ComparedChange {
    /// It as an example of its type; nil for what appeared.
    var example: Comparison.Example? {
        guard let before else { return nil }
        return Comparison.Example(
            isChanged: kind == .representationChanged, start: before.version.start, end: before.version.end,
            startAfter: after?.version.start, endAfter: after?.version.end,
            valueBefore: before.version.value.number, valueAfter: after?.version.value.number)
    }
}

extension ComparedVersion.Value {
    /// The value as a number; `nil` if it cannot be shown as one.
    fileprivate var number: Double? {
        switch self {
        case .amount(let amount): amount
        case .part(let value): Double(value)
        case .absent, .otherUnit: nil
        }
    }
}

// How a change travels with its sorted row.
extension ComparedChange {
    private var code: UInt8 {
        switch kind {
        case .appeared: 0
        case .disappeared: 1
        case .representationChanged: 2
        }
    }

    func append(to bytes: inout ByteBuffer) {
        bytes.append(isMatched ? 1 : 0)
        sample.append(to: &bytes)
        bytes.append(code)
        bytes.append(isFirstSeenLater ? 1 : 0)
        bytes.append(shared == nil ? 0 : 1)
        if let shared { for id in shared.before + shared.after { id.append(to: &bytes) } }
        bytes.append(optional: versionID)
        before?.append(to: &bytes)
        after?.append(to: &bytes)
    }

    /// Reads what `append` wrote.
    init(_ reader: inout CompactReader) {
        let (isMatched, sample) = (reader.byte() == 1, StoredID(&reader))
        let code = reader.byte()
        let isFirstSeenLater = reader.byte() == 1
        let shared = reader.optional { reader in
            SharedIDs(
                before: [StoredID(&reader), StoredID(&reader)], after: [StoredID(&reader), StoredID(&reader)])
        }
        let version = reader.optional { $0.integer() }
        self.init(
            kind: code == 0 ? .appeared : code == 1 ? .disappeared : .representationChanged, leading: Side(&reader),
            other: code == 2 ? Side(&reader) : nil, shared: shared, isFirstSeenLater: isFirstSeenLater,
            sample: sample, isMatched: isMatched, versionID: version)
    }
}

extension ComparedChange.Side {
    fileprivate func append(to bytes: inout ByteBuffer) {
        version.append(to: &bytes)
        bytes.append(lowBytesOf: UInt64(statements.count), count: 4)
        for statement in statements { bytes.append(lowBytesOf: UInt64(statement), count: 4) }
    }

    fileprivate init(_ reader: inout CompactReader) {
        let version = ComparedVersion(&reader)
        var statements: [Int] = []
        for _ in 0..<reader.number(4) { statements.append(reader.number(4)) }
        self.init(version: version, statements: statements)
    }
}
