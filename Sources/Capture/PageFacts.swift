internal import Preimages

/// The facts about a type in this page.
struct TypeFacts {
    /// Its identifier as JSON.
    let json: [UInt8]
    /// `true` if its values add up.
    let isCumulative: Bool
}

/// The facts about a text in this page: as a unit, and as JSON.
struct UnitFacts {
    /// The text as JSON.
    let json: [UInt8]
    /// The unit under the name that it has in fingerprints.
    let identity: [UInt8]
    /// The base unit of its dimension, and that as JSON.
    let base: BaseUnit
    let baseJSON: [UInt8]

    /// The facts of a text.
    init(_ unit: [UInt8]) {
        json = SampleTexts.json(unit)
        identity = SampleMember.comparedName(of: unit.span) ?? json
        base = BaseUnit(of: unit)
        baseJSON = SampleTexts.json(base.text)
    }
}

/// The facts about a source in this page.
struct SourceFacts {
    /// It as JSON.
    let json: [UInt8]
    /// As JSON.
    let bundleIdentifier: [UInt8]?
}
