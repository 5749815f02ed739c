public import Codes
internal import Manifest

/// A group of checks that look at the same thing, in the order in which they build on each other.
public enum Layer: String, CaseIterable, Sendable, Comparable {
    case container, line, canonical, shape, item, order, manifest, archive

    public static func < (left: Layer, right: Layer) -> Bool { left.place < right.place }

    private var place: Int { Layer.allCases.firstIndex(of: self)! }
}

/// One thing that is invalid.
public struct Finding: Sendable {
    /// The code of the invalid thing.
    public let code: Code
    /// Line of the bundle, from 1.
    public var line: Int?
    /// Frame, from 1.
    public var frame: Int?
    /// Byte: in the file for the container, in the line for canonical form.
    public var byte: Int64?
    /// JSON Pointer into the line.
    public var pointer: String?
    /// The expected and the found value. It is never a health value.
    public var expected: String?
    public var found: String?
    /// The number of findings of the kind that it stands for: hostile input can have millions of them in a row.
    package internal(set) var count = 1

    /// A finding.
    public init(
        _ code: Code, line: Int? = nil, frame: Int? = nil, byte: Int64? = nil, pointer: String? = nil,
        expected: String? = nil, found: String? = nil
    ) {
        self.code = code
        self.line = line
        self.frame = frame
        self.byte = byte
        // A hostile bundle chooses the names in it.
        self.pointer = pointer.map { $0.utf8.count <= 500 ? $0 : String($0.unicodeScalars.prefix(500)) }
        self.expected = expected
        self.found = found
    }

    /// The layer of the code.
    public var layer: Layer { Layer(rawValue: code.group)! }

    init(_ fault: ContainerFault) {
        self.init(
            Code(fault.code), frame: fault.frame, byte: fault.byte, expected: fault.expected, found: fault.found)
    }
}

/// The export that a file holds. If every layer is valid, all of it was recomputed.
public struct VerifiedExport: Sendable {
    /// Its kind and its id, as the header states them.
    public let kind, exportID: String
    /// The manifest hash that follows from the header, the items and the totals.
    public let manifestHash: String
}

/// The findings of one file.
public struct Report: Sendable {
    /// The status of a layer.
    public enum Status: String, Sendable {
        case ok, failed, unknown
    }

    /// Findings, the first `limit` of them.
    public private(set) var findings: [Finding] = []
    /// The number of findings of each code.
    public private(set) var counts: [Code: Int] = [:]
    /// Items that were looked at.
    public internal(set) var itemCount = 0
    /// `true` if the file was compared with an archive.
    public package(set) var hasArchive = false
    /// `true` if the file is a salvage of a damaged bundle.
    public internal(set) var isSalvage = false
    /// `true` if the file is a view for people, which holds none of the items.
    public internal(set) var isView = false
    /// `true` if the file is a page, in which more is read than its items.
    public internal(set) var isPage = false
    /// `true` if the file's kind of export has labels, and evidence for them, that only an archive can give.
    public internal(set) var hasLabels = false
    /// The comparison of the archive's record of the export with the file; `nil` if the archive was not asked.
    public package(set) var record: RecordAnswer?
    /// The comparison of the archive's evidence with the items of the file; `nil` if it was not asked for, or was left
    /// out.
    public package(set) var evidence: EvidenceAnswer?
    /// `true` if what is read in a page was rendered again, and is the same.
    package var isPageRendered = false
    /// The columns of a view that were not compared when it was rendered again, and is the same but for these; `nil`
    /// if it was not.
    package var uncomparedColumns: [String]?
    /// The renderer of a page or view whose items the archive gives, if it is not the one of this build.
    package var otherRenderer: Int64?
    /// The export of the file; `nil` if its header or lines are lost.
    public internal(set) var export: VerifiedExport?
    /// Something about how the archive was read.
    public package(set) var archiveNote: String?
    private var withheld: Set<Layer> = []
    private let limit: Int
    /// The findings that wait to be added, as `findings` and `counts`.
    private var held: [Finding] = [], heldCounts: [Code: Int] = [:]

    /// Nothing found yet.
    package init(limit: Int) { self.limit = limit }

    /// Findings in all.
    public var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ finding: Finding) {
        counts[finding.code, default: 0] += finding.count
        if findings.count < limit { findings.append(finding) }
    }

    /// Keeps a finding back until it is known whether it is one.
    mutating func hold(_ finding: Finding) {
        heldCounts[finding.code, default: 0] += finding.count
        if held.count < limit { held.append(finding) }
    }

    /// Adds what was kept back, or drops it.
    mutating func settleHeld(areFindings: Bool) {
        if areFindings {
            counts.merge(heldCounts, uniquingKeysWith: +)
            findings += held.prefix(max(0, limit - findings.count))
        }
        (held, heldCounts) = ([], [:])
    }

    /// Withholds all later layers, because something was lost at a layer: none of them can be ok.
    mutating func withhold(after layer: Layer) { withheld.formUnion(Layer.allCases.filter { $0 > layer }) }

    /// Withholds a layer that could not be looked at.
    package mutating func withhold(_ layer: Layer) { withheld.insert(layer) }

    mutating func withhold(_ layers: Set<Layer>) { withheld.formUnion(layers) }

    mutating func withholdAll() { withheld.formUnion(Layer.allCases) }

    /// `true` if anything was lost or damaged.
    var hasLosses: Bool { !withheld.isEmpty }

    package func isWithheld(_ layer: Layer) -> Bool { withheld.contains(layer) }

    /// Returns the status of a layer.
    public func status(_ layer: Layer) -> Status {
        if counts.keys.contains(where: { $0.group == layer.rawValue }) { return .failed }
        return withheld.contains(layer) || (layer == .archive && !hasArchive) ? .unknown : .ok
    }

    /// `true` if every layer that was to be checked is valid.
    public var isGood: Bool {
        Layer.allCases.allSatisfy { layer in
            let isElsewhere = layer == .archive ? !hasArchive : isView && (layer == .item || layer == .order)
            return status(layer) == .ok || (isElsewhere && status(layer) == .unknown)
        }
    }

    /// The parts of the file that were compared with nothing.
    public var notVerified: [Unverified] {
        // The items of a view, and so their labels, are elsewhere.
        if isView { return uncomparedColumns.map { $0.isEmpty ? [] : [.labelCells] } ?? [.cells] }
        let areItemsGiven = evidence == .given || otherRenderer != nil
        return (isPage && !isPageRendered ? [.page] : []) + (hasLabels && !areItemsGiven ? [.labels] : [])
    }

    /// One line for people. It vouches for nothing that was not compared.
    public var verdict: String {
        let what = isSalvage ? " salvage" : isView ? " people view" : isPage ? " page" : ""
        guard isGood else { return "invalid\(what): \(total) finding\(total == 1 ? "" : "s")" }
        return "valid\(what): \(comparison)" + notVerified.map { "; \(words($0))" }.joined()
    }

    private func words(_ part: Unverified) -> String {
        if part == .labelCells { return "\(part.words): \((uncomparedColumns ?? []).joined(separator: ", "))" }
        guard part == .page || part == .cells, let otherRenderer else { return part.words }
        return "items match, cells of renderer \(otherRenderer) were not verified"
    }

    /// The words for the agreement of the file with itself or with an archive.
    private var comparison: String {
        guard hasArchive else { return "self-consistent" }
        let matches =
            isSalvage ? "its items match" : isView && uncomparedColumns == nil ? "its item hashes match" : "matches"
        return switch (record, evidence) {
        case (.notRecorded, _): "reproduced, not recorded"
        case (_, .given): "\(matches) the archive"
        default: "\(matches) what the archive recorded"
        }
    }
}

/// The parts of a file that a verifier did not compare (`Spec/verifier.md`).
public enum Unverified: String, Sendable {
    /// Those of a view for people, but for the item hashes.
    case cells
    /// Those of a view for people that may be names that somebody gave.
    case labelCells = "label_cells"
    /// The text of a page.
    case page
    /// Labels, evidence and other figures of changes, which only the archive gives again.
    case labels

    /// The words for it in a verdict.
    public var words: String {
        switch self {
        case .cells: "cells not verified"
        case .labelCells: "cells from labels were not compared"
        case .page: "what is read was not compared with its items"
        case .labels: "labels: not checked"
        }
    }
}

/// The relation of an archive's record of an export to a file.
public enum RecordAnswer: String, Sendable {
    case agrees, differs, unknown
    case notRecorded = "not_recorded"
}

/// The relation of an archive's evidence to the items of a file.
public enum EvidenceAnswer: String, Sendable {
    case given, differs
    /// Lines are lost, or the archive cannot be asked for the export again.
    case unknown
}
