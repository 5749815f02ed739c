internal import Capture
internal import Files

/// How much is held at a time.
struct ReadingLimits {
    /// Bytes that are read at once.
    var step = 256 << 10
    var interpreter = ExportInterpreter.Limits()
    var zip = ZipLimits()
    /// Bytes of a start tag.
    var tagBytes = 4 << 20
    /// Bytes of text in which an export says its date.
    var headBytes: Int64 = 16 << 20
}

/// An export that was read up to its date.
struct OpenExport: ~Copyable {
    /// Its date.
    let date: ExportDate
    private var document: ExportDocument
    private var interpreter: ExportInterpreter
    private var batch: ElementBatch
    private var position: Int

    /// What a file is read with.
    private struct Reading {
        let secret: ArchiveSecret
        /// What errors call the file.
        let name: String
        let limits: ReadingLimits
        let shouldStop: @Sendable () -> Bool
    }

    /// Opens an export: a text, or the first member of a zip that is one.
    static func open(
        _ path: Path, secret: ArchiveSecret, limits: ReadingLimits, shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> OpenExport {
        let name = path.bytes == [UInt8(ascii: "-")] ? "standard input" : path.display
        let reading = Reading(secret: secret, name: name, limits: limits, shouldStop: shouldStop)
        switch try ExportFile.open(path, limits.zip, shouldStop) {
        case .text(let input):
            guard case .export(let export) = try read(input, reading) else {
                throw CaptureError(.format, "\(name): not an Apple Health export")
            }
            return export
        case .zip(let archive):
            return try open(archive, reading)
        }
    }

    private static func open(_ archive: ZipArchive, _ reading: Reading) throws(CaptureError) -> OpenExport {
        let name = reading.name
        let members = try archive.members()
        var isDamaged = false
        let candidates = ZipMembers.candidates(members)
        for candidate in candidates.prefix(reading.limits.zip.candidates) {
            switch try read(ExportInput(archive.open(candidate)), reading) {
            case .export(var export):
                for member in members where member.index != candidate.index {
                    export.interpreter.leftOut.add(ZipMembers.kind(of: member.name))
                }
                return export
            case .damaged: isDamaged = true
            case .other: break
            }
        }
        if isDamaged {
            throw CaptureError(
                .format,
                "\(name): a member of the zip is damaged before it says whether it is an Apple Health export")
        }
        if let member = ZipMembers.unreadable(members), let problem = member.problem {
            throw CaptureError(.format, "\(name): \(Path(bytes: member.name).display): \(problem)")
        }
        guard candidates.count <= reading.limits.zip.candidates else {
            let text = "no Apple Health export among the \(reading.limits.zip.candidates) largest XML files of this zip"
            throw CaptureError(.format, "\(name): \(text)")
        }
        throw CaptureError(
            .format, "\(name): no Apple Health export in this zip",
            hint: "an export has export.xml, or its name in another language, in the folder apple_health_export")
    }

    /// What a text is, by its beginning.
    private enum Beginning: ~Copyable {
        case export(OpenExport)
        /// Its root is not that of an export.
        case other
        /// It is damaged before its root.
        case damaged
    }

    /// Reads a text up to its date.
    private static func read(_ input: consuming ExportInput, _ reading: Reading) throws(CaptureError) -> Beginning {
        let (name, limits) = (reading.name, reading.limits)
        var document = ExportDocument(
            input, name: name, limit: min(limits.tagBytes, limits.interpreter.elementBytes), step: limits.step,
            shouldStop: reading.shouldStop)
        var interpreter = ExportInterpreter(reading.secret, name: name, limits: limits.interpreter)
        var batch = ElementBatch()
        var position = 0
        repeat {
            do throws(CaptureError) {
                _ = try interpreter.walk(batch, from: &position)
            } catch {
                if interpreter.isExport { throw error }
                return .other
            }
            if let date = interpreter.exportDate {
                return .export(
                    OpenExport(
                        date: date, document: document, interpreter: interpreter, batch: batch, position: position))
            }
            position = 0
            if reading.shouldStop() { throw CaptureError(.source, "\(name): stopped") }
            guard document.bytesRead < limits.headBytes else {
                guard interpreter.isExport else { return .other }
                throw CaptureError(.format, "\(name): no ExportDate in its first \(limits.headBytes >> 20) MiB")
            }
        } while try document.advance(into: &batch)
        guard interpreter.isExport else { return document.isInputDamaged ? .damaged : .other }
        if case .malformed(let line, let byte) = document.outcome {
            throw CaptureError(.format, "\(name): not well-formed at line \(line), byte \(byte), before its ExportDate")
        }
        throw CaptureError(.format, "\(name): ends before its ExportDate")
    }

    /// Its parts, to go on with.
    consuming func parts() -> Parts {
        Parts(document: document, interpreter: interpreter, batch: batch, position: position)
    }

    /// What reading goes on with.
    struct Parts: ~Copyable {
        var document: ExportDocument
        var interpreter: ExportInterpreter
        var batch: ElementBatch
        var position: Int
    }
}
