import Archive
import CanonicalJSON
import Codes
import Files

/// Entries in a file, held against an earlier and a later file (`Spec/history.md`, "Entries in a file").
struct EntriesBetween {
    private let file: Path
    private let fault: HistoryRun.Fault?
    /// The number of entries that were read.
    private let count: Int
    /// The number of entries from the earlier file to the later one.
    private let distance: Int64

    /// Reads entries, and says of both files what the entries show; `nil` if one of the files carries no entry, or is
    /// invalid.
    static func read(_ file: Path, _ exports: inout [CarriedEntry]) throws -> EntriesBetween? {
        let descriptor = try FileVerification.open(file)
        guard let old = exports[0].carried, let new = exports[1].carried else { return nil }
        var run = HistoryRun(from: old, to: new)
        do {
            try run.read(descriptor)
        } catch is NotEntries {
            throw NotReadable(description: "\(file.display): more than \(HistoryRun.countLimit) entries")
        }
        let entries = EntriesBetween(
            file: file, fault: run.result, count: run.count, distance: new.head.length - old.head.length)
        (exports[0].state, exports[1].state) = (.first, entries.state)
        return entries
    }

    /// The finding; `nil` if the later history extends the earlier one.
    var code: Code? {
        switch fault {
        case nil: nil
        case .anotherArchive: .entriesAnotherArchive
        case .unreadable: .entriesUnreadable
        case .gap, .missing: .entriesGap
        case .previous: .entriesPrevious
        case .state: .entriesState
        case .forked: .entriesForked
        case .observation: .entriesObservation
        case .withdrawn: .entriesWithdrawn
        case .rewound: .entriesRewound
        }
    }

    private var state: CarriedEntry.State {
        switch code {
        case nil: .extends
        case .entriesAnotherArchive: .anotherArchive
        case .entriesForked: .forked
        case .entriesWithdrawn: .withdrawn
        case .entriesRewound: .rewound
        default: .unproven
        }
    }

    /// The place of the fault: a line of the file, an entry, or observations.
    private var place: (line: Int?, sequence: Int64?, observations: [Int64]?) {
        switch fault {
        case .anotherArchive(let line): (line, nil, nil)
        case .unreadable(let line), .gap(let line), .previous(let line), .state(let line): (line, nil, nil)
        case .missing(let sequence), .forked(let sequence), .observation(let sequence): (nil, sequence, nil)
        case .withdrawn(let ids): (nil, nil, ids)
        case .rewound, nil: (nil, nil, nil)
        }
    }

    /// One line for people.
    var text: String {
        let entries = "\(count) \(count == 1 ? "entry" : "entries")"
        guard let code else {
            return "\(file.display): \(entries): the later history extends the earlier one by \(distance)\n"
        }
        let (line, sequence, observations) = place
        let places = [
            line.map { "line \($0)" }, sequence.map { "entry \($0)" },
            observations.map { ids in
                "observation\(ids.count == 1 ? "" : "s") \(ids.map(String.init).joined(separator: ", "))"
            },
        ].compactMap(\.self).joined(separator: ", ")
        return "\(file.display): \(code.rawValue)\(places.isEmpty ? "" : ": \(places)")\n"
    }

    /// One object.
    var json: JSONObject {
        let (line, sequence, observations) = place
        return [
            "code": code?.rawValue, "count": count, "extends_by": code == nil ? distance : nil,
            "file": file.display, "line": line, "observations": observations, "sequence": sequence,
        ]
    }
}
