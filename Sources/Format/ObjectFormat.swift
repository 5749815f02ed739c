/// The required form of a JSON value (`Spec/schemas`).
public indirect enum ValueFormat: Sendable {
    /// A string without U+0000.
    case text
    /// A number that is whole and at most 2^53−1 in magnitude.
    case integer
    /// Such a number from 0, or from 1.
    case count(least: Int64)
    /// One whole number.
    case exactly(Int64)
    case number, boolean
    /// A canonical timestamp.
    case timestamp
    /// An object nested at most 64 deep, or a text that is not the canonical text of one.
    case metadata
    /// A text of 64 hex digits, that is a UUID of version 8, or that is a JSON Pointer.
    case hash, uuid, pointer
    /// One of some texts.
    case choice([String])
    case object(ObjectFormat)
    /// An array of entries, at least and at most so many.
    case array(ValueFormat, least: Int, most: Int = .max)
}

/// A member of an object.
public struct MemberFormat: Sendable {
    public let name: String
    public let value: ValueFormat
    /// The forms that have the member.
    public let forms: Forms
    /// The forms in which it must be there whatever.
    public let required: Forms
    /// The forms in which it must be there unless a defect stands for it.
    public let excusable: Forms

    init(
        _ name: String, _ value: ValueFormat, in forms: Forms = .all, required: Forms = [], excusable: Forms = []
    ) {
        self.name = name
        self.value = value
        self.forms = forms
        self.required = required
        self.excusable = excusable
    }
}

/// A member that must be there where another one is.
public struct NeedFormat: Sendable {
    public let needed: String
    public let member: String
    /// The text of the other member with which it is not needed.
    public let text: String?
    /// `true` if a defect may stand for it.
    public let isExcusable: Bool

    init(_ needed: String, of member: String, unless text: String? = nil, isExcusable: Bool = false) {
        self.needed = needed
        self.member = member
        self.text = text
        self.isExcusable = isExcusable
    }
}

/// The members of an object, sorted by name: at most 64.
public struct ObjectFormat: Sendable {
    /// Names from the line to the object, with points between: `change.item.before`.
    public let path: String
    public let members: [MemberFormat]
    public let needs: [NeedFormat]

    init(_ path: String, _ members: [MemberFormat], needs: [NeedFormat] = []) {
        self.path = path
        self.members = members
        self.needs = needs
    }

    /// The names of the members.
    public var names: [String] { members.map(\.name) }

    /// The names of the members, with commas between.
    public var list: String { names.joined(separator: ", ") }

    /// Returns the texts that a member can be, or those that the entries of its array can be.
    public func choices(of name: String) -> [String] {
        switch members.first(where: { $0.name == name })?.value {
        case .choice(let texts), .array(.choice(let texts), _, _): texts
        default: preconditionFailure("\(path).\(name) is none of some texts")
        }
    }
}
