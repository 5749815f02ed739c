import CanonicalJSON
import Codes
import Files
import Manifest
import Tool

/// The question of since when a signature exists, as the options put it.
struct TimeQuestion: Sendable {
    private let authorities: [UInt8]
    /// `nil` if each file has its own next to it.
    private let stamp: Path?

    /// The question that the options put; `nil` if they put none.
    init?(_ arguments: Arguments) throws {
        stamp = arguments.declares("--timestamp") ? try arguments.path("--timestamp") : nil
        guard let path = try arguments.path("--tsa-ca") else {
            if stamp != nil { throw UsageError("--timestamp needs --tsa-ca") }
            return nil
        }
        guard stamp == nil || arguments.operands.count == 1 else {
            throw UsageError("--timestamp is of one file: name one, or leave the time stamps next to the files")
        }
        guard stamp != nil || !arguments.operands.contains(Path("-")) || !arguments.declares("--timestamp") else {
            throw UsageError("standard input has no time stamp next to it: name one with --timestamp")
        }
        authorities = try SignatureQuestion.bytes(of: path, limit: TimeStamp.authorityLimit)
        guard TimeStamp.hasAuthority(authorities) else {
            throw NotReadable(description: "\(path.display): no certificate in PEM")
        }
    }

    /// Returns since when a signature exists.
    ///
    /// - Throws: `FileError` or `NotReadable` if the time stamp cannot be read.
    func result(of file: Path, _ signature: [UInt8]) throws -> TimeResult {
        let path = stamp ?? file.withSuffix(".tsr")
        guard stamp != nil || FileStatus.exists(path) else { return TimeResult(path, nil, .timestampMissing) }
        let answer = try SignatureQuestion.bytes(of: path, limit: TimeStamp.limit)
        do throws(TimeStamp.Fault) {
            return TimeResult(path, try TimeStamp(answer, of: signature, authorities: authorities), nil)
        } catch {
            switch error {
            case .unreadable: throw NotReadable(description: "\(path.display): not an answer of a time-stamp service")
            case .refused: return TimeResult(path, nil, .timestampRefused)
            case .algorithm: return TimeResult(path, nil, .timestampAlgorithm)
            case .imprint: return TimeResult(path, nil, .timestampImprint)
            case .bad: return TimeResult(path, nil, .timestampBad)
            case .untrusted: return TimeResult(path, nil, .timestampUntrusted)
            }
        }
    }
}

/// A time at which a signature existed.
struct TimeResult: Sendable {
    private let file: Path
    /// `nil` if there is a finding.
    let stamp: TimeStamp?
    /// The finding; `nil` if there is none.
    let code: Code?

    fileprivate init(_ file: Path, _ stamp: TimeStamp?, _ code: Code?) {
        (self.file, self.stamp, self.code) = (file, stamp, code)
    }

    /// The file that is missing, if one is.
    var missing: Path? { code == .timestampMissing ? file : nil }

    /// The accuracy in seconds, without zeros at its end.
    private var accuracy: String? {
        stamp?.accuracy.map { accuracy in
            let digits = String(String(1_000_000 + accuracy % 1_000_000).dropFirst())
            let fraction = digits.last { $0 != "0" }.map { digits[...digits.lastIndex(of: $0)!] }
            return "\(accuracy / 1_000_000)\(fraction.map { ".\($0)" } ?? "")"
        }
    }

    /// Words of a verdict on a good stamp.
    var words: String {
        let precision = accuracy.map { "±\($0) s" } ?? "accuracy not stated"
        return "not after \(stamp?.text ?? "") (\(precision)), as a service states that your CA file vouches for"
    }

    /// One object.
    var json: JSONObject {
        ["accuracy_microseconds": stamp?.accuracy, "file": file.display, "time": stamp?.text]
    }
}
