/// The preimage of the semantic fingerprint of a stored version, and its fuzzy key (`Spec/identity.md`, "Families"). A
/// capture, which hashes millions, puts its own together from prepared texts.
public struct SemanticPreimage: ~Copyable {
    /// The values that the fingerprint depends on.
    public struct Values {
        /// UTF-8.
        public var type: [UInt8] = [], kind: [UInt8] = []
        /// Unix seconds.
        public var start = 0.0, end = 0.0
        public var number: Double?
        /// UTF-8.
        public var unit: [UInt8]?
        public var category, activity: Int64?

        /// A version of which nothing is known.
        public init() {}
    }

    private var preimage = SamplePreimage()
    private let keys = PreimageKeys()
    /// The type and the unit that came last; most versions have those of the version before.
    private var known = (type: [UInt8](), isCumulative: false)
    private var knownUnit = (unit: [UInt8](), base: BaseUnit(of: []))
    /// The fuzzy key of the version that was written last, also of one without a semantic fingerprint.
    public private(set) var fuzzyKey: [UInt8] = []

    /// A preimage of nothing.
    public init() {}

    /// The preimage.
    public var span: Span<UInt8> {
        @_lifetime(borrow self) get { preimage.span }
    }

    /// Writes the preimage of a version; returns `false` if it has no semantic fingerprint.
    public mutating func write(_ values: Values) -> Bool {
        if known.type != values.type { known = (values.type, SampleFamily.isCumulative(values.type)) }
        let family = SampleFamily(
            of: values.kind.span, hasNumber: values.number != nil, isCumulative: known.isCumulative)
        writeFuzzyKey(values, family)
        var amount: Double?
        let unit = values.unit ?? []
        if knownUnit.unit != unit { knownUnit = (unit, BaseUnit(of: unit)) }
        let base = knownUnit.base
        if family == .quantity || family == .cumulative, let number = values.number {
            guard let converted = base.value(number) else { return false }
            amount = converted
        }
        preimage.begin(.semanticFingerprint)
        if family == .workout, let activity = values.activity { preimage.add(keys.activity, activity) }
        if family == .category, let category = values.category { preimage.add(keys.category, category) }
        preimage.add(keys.end, Int64(values.end.rounded(.down)))
        preimage.add(keys.family, family.json)
        preimage.add(keys.sampleType, text: values.type.span)
        preimage.add(keys.start, Int64(values.start.rounded(.down)))
        if let amount {
            if values.unit != nil { preimage.add(keys.unit, text: base.text.span) }
            preimage.add(keys.value, number: amount)
        }
        preimage.end()
        return true
    }

    private mutating func writeFuzzyKey(_ values: Values, _ family: SampleFamily) {
        fuzzyKey.removeAll(keepingCapacity: true)
        let second = Int64(values.start.rounded(.down))
        let rest = second % family.window
        family.addFuzzyKey(
            window: second / family.window - (rest < 0 ? 1 : 0), category: values.category, activity: values.activity,
            to: &fuzzyKey)
    }
}
