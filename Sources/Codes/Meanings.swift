// Made from Spec/codes.json by Scripts/write-codes.

/// What a finding means for what is in the file.
public enum Severity: String, CaseIterable, Sendable {
    case loss, contradiction, form

    /// What it means.
    public var meaning: String {
        switch self {
        case .loss:
            "something could not be read, or not be judged: what it held is not known to be right"
        case .contradiction:
            "everything was read, and what is there contradicts itself, the archive or the rules"
        case .form:
            "no content is missing; it is packed or spelled otherwise than an export does"
        }
    }
}

/// A place that a finding can have.
public enum PlaceName: String, CaseIterable, Sendable {
    case line, frame, byte, pointer, table, row, column
}

/// What a finding takes from the layers behind its own.
public enum Damages: String, CaseIterable, Sendable {
    case nothing, line, frame, sidecar, manifest, rest, all

    /// What it means.
    public var meaning: String {
        switch self {
        case .nothing:
            "nothing: other layers are judged as without it"
        case .line:
            "the line: the layers behind this one do not see it"
        case .frame:
            "the frame: its lines are not seen"
        case .sidecar:
            "what the sidecar holds: header and manifest"
        case .manifest:
            "the layer manifest alone: it is unknown"
        case .rest:
            "the rest of the file"
        case .all:
            "everything: each layer without a finding of its own is unknown"
        }
    }
}
