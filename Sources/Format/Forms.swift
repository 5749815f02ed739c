/// The forms that a line can have, as a set: which members it may and must have depends on these.
///
/// An item's form is its kind; of a change, a comparison, a finding and a pair there are several, told apart by a
/// member. A header's form is the kind of its export.
public struct Forms: OptionSet, Sendable {
    public let rawValue: UInt64

    /// The forms of some bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Every form.
    public static let all = Forms(rawValue: .max)
}
