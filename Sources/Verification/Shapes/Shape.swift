internal import Bytes

/// What a JSON value must look like: `Spec/items.md` and `Spec/bundle.md` as tables (`ShapeTables.swift`), read by
/// `ShapeReader`.
enum Shape: Sendable {
    /// A string without U+0000.
    case text
    /// A number that is whole and at most 2^53−1 in magnitude.
    case integer
    /// Such a number from 0, or from 1.
    case count(least: Int64)
    /// A whole number within bounds.
    case within(ClosedRange<Int64>)
    case number
    case boolean
    /// A canonical timestamp.
    case timestamp
    /// An object nested at most 64 deep, or a text that is not the canonical text of one.
    case metadata
    /// A text that fits a form.
    case form(Form)
    /// One of some texts.
    case choice([[UInt8]])
    case object(ObjectShape)
    /// An array of entries, at least and at most so many.
    indirect case array(Shape, least: Int, most: Int = .max, slot: Slot?)

    /// Forms of texts.
    enum Form: Sendable {
        case hash, uuid8, pointer
    }
}

/// Whether a member must be there.
enum Requirement: Sendable {
    case optional
    /// Required unless a defect stands for it.
    case evidence
    /// Required whatever.
    case always
}

/// A member of an object.
final class MemberShape: Sendable {
    let name: [UInt8]
    let text: String
    let shape: Shape
    let requirement: Requirement
    /// Where the value goes, for checks that look at several members.
    let slot: Slot?
    /// The forms that have the member.
    let forms: Forms

    init(name: String, shape: Shape, requirement: Requirement, slot: Slot?, forms: Forms) {
        self.name = Array(name.utf8)
        text = name
        self.shape = shape
        self.requirement = requirement
        self.slot = slot
        self.forms = forms
    }
}

/// A member that must be there where another one is, or where another one has not a certain text.
struct Dependency: Sendable {
    enum Cause: Sendable {
        case member(Int)
        case memberWithout(Int, text: [UInt8])
    }

    /// The number of the member that is needed.
    let needed: Int
    let cause: Cause
    let isExcusable: Bool
}

/// The members of an object, sorted by name: at most 64.
final class ObjectShape: Sendable {
    let members: [MemberShape]
    /// Members that stand together.
    let dependencies: [Dependency]
    /// Whether the same object comes again in many lines.
    let comesAgain: Bool
    /// Whether these are the members of an item, so that `ItemMember` numbers them.
    let isItem: Bool

    /// - Parameters:
    ///   - pairs: names of members of which one needs the other; `isExcusable` says whether a defect may stand for it.
    ///   - needs: names of a member and of one that it needs.
    ///   - unless: names that are needed unless a member has this text.
    init(
        isItem: Bool = false, comesAgain: Bool = false, _ members: [MemberShape],
        pairs: [(String, String)] = [], needs: [(String, String)] = [],
        unless: (member: String, text: String, needed: [String])? = nil, isExcusable: Bool = false
    ) {
        precondition(members.count <= 64)
        precondition(
            !isItem || members.map(\.text) == ItemMember.allCases.map(\.name),
            "the members of an item are numbered in their order")
        self.isItem = isItem
        self.comesAgain = comesAgain
        let sorted = members.sorted { $0.text < $1.text }
        self.members = sorted
        func number(_ name: String) -> Int {
            guard let number = sorted.firstIndex(where: { $0.text == name }) else {
                preconditionFailure("\(name) is a member")
            }
            return number
        }
        let onMembers = (needs + pairs + pairs.map { ($0.1, $0.0) }).map { member, needed in
            Dependency(needed: number(needed), cause: .member(number(member)), isExcusable: isExcusable)
        }
        let onText = (unless?.needed ?? []).map { needed in
            Dependency(
                needed: number(needed),
                cause: .memberWithout(number(unless!.member), text: Array("\"\(unless!.text)\"".utf8)),
                isExcusable: isExcusable)
        }
        dependencies = onMembers + onText
    }
}

/// Values that later checks look at.
enum Slot: Int, CaseIterable, Sendable {
    // Of an item.
    case itemKind, sampleType, sampleUUIDHash, strictFingerprint, payloadHash, startDate, endDate, metadata
    case semanticFingerprint, device, deviceIdentifier, source, sourceName, sourceVersion, sourceSystemVersion,
        sourceBundle
    case itemHash, item
    // Of a change, a comparison or a finding.
    case change, before, beforeStart, beforeEnd, beforePayload, beforeBundle, beforeName, after, afterStart, afterEnd,
        afterPayload, afterBundle, afterName
    case comparisonSources, windowPart, windowStart, windowEnd, finding, pairKind, pairKey, label, markKind
    // Entries of arrays.
    case defects, defectPointer, defectReason, defectClass, defectValue
    case visibility, rangeFirst, rangeFirstSeen, rangeLast, rangeLastSeen
    case events, eventKind, eventObservation
    case relationships, relationshipEnd, relationshipIdentity, relationshipInScope, relationshipType,
        relationshipObservation, relationshipKind, relationshipEnded
    // Of a header.
    case export, exportID, format, formatVersion, identityRules, mode, observationID, filterTypes, filterNames,
        filterSources, since, until, overlapping, withRelated
    case coverage, fromCoverage, coverageType, coverageObservation, observations,
        observation, exportKind,
        fromObservationID, changes, labels, chain, fromChain, chainHash, fromChainHash, leftOut,
        historyArchive, historyLink, historySequence
    // Of a manifest.
    case manifestHash, totals, totalDefects, totalItems, pageHash, renderer, totalTypes, typeDefects, typeItems
    case typeName, loss
    // Of a salvage; too many to be kept with the others.
    case salvageFormat, salvageFormatVersion
}
