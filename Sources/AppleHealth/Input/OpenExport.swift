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
        let options: ReadingOptions
        /// What errors call the file.
        let name: String
        let limits: ReadingLimits
        let shouldStop: @Sendable () -> Bool
    }

    /// Opens an export: a text, or the one file of a zip or folder that is one.
    static func open(
        _ path: Path, secret: ArchiveSecret, options: ReadingOptions, limits: ReadingLimits,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) -> OpenExport {
        let name = path.bytes == [UInt8(ascii: "-")] ? "standard input" : path.display
        let reading = Reading(
            secret: secret, options: options, name: name, limits: limits, shouldStop: shouldStop)
        switch try ExportFile.open(path, limits.zip, shouldStop) {
        case .text(let input):
            guard case .export(let export) = try read(input, reading) else {
                throw CaptureError(.format, "\(name): not an Apple Health export")
            }
            return export
        case .package(let package):
            return try open(package, reading)
        }
    }

    private static func open(_ package: ExportPackage, _ reading: Reading) throws(CaptureError) -> OpenExport {
        let members = try package.members()
        var isDamaged = false
        let candidates = ExportMembers.candidates(members).prefix(reading.limits.zip.candidates)
        for (place, candidate) in candidates.enumerated() {
            switch try read(package.open(candidate), reading) {
            case .export(var export):
                for other in candidates.dropFirst(place + 1) where try isExport(other, in: package, reading) {
                    throw twoExports(candidate, other, in: package, reading)
                }
                export.interpreter.sideFiles = SideFiles(package, members, export: candidate)
                export.interpreter.leftOut.add("other_file", package.otherCount)
                return export
            case .damaged: isDamaged = true
            case .other: break
            }
        }
        throw noExport(members, isDamaged: isDamaged, in: package, reading)
    }

    /// Whether another file is an export, too, or would be one but for an error.
    private static func isExport(_ member: ExportMember, in package: ExportPackage, _ reading: Reading)
        throws(CaptureError) -> Bool
    {
        if reading.shouldStop() { throw CaptureError(.source, "\(reading.name): stopped") }
        guard let beginning = try? read(package.open(member), reading) else { return true }
        if case .export = beginning { return true }
        return false
    }

    private static func twoExports(
        _ one: ExportMember, _ other: ExportMember, in package: ExportPackage, _ reading: Reading
    ) -> CaptureError {
        let names = [one, other].map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
            .map { Path(bytes: $0).display }
        return CaptureError(
            .format,
            "\(reading.name): two Apple Health exports in this \(package.noun): \(names[0]) and \(names[1])",
            hint: "name a zip or folder with one of them")
    }

    private static func noExport(
        _ members: [ExportMember], isDamaged: Bool, in package: ExportPackage, _ reading: Reading
    ) -> CaptureError {
        let (name, limit) = (reading.name, reading.limits.zip.candidates)
        if isDamaged {
            return CaptureError(
                .format,
                "\(name): a member of the zip is damaged before it says whether it is an Apple Health export")
        }
        if let member = ExportMembers.unreadable(members), let problem = member.problem {
            return CaptureError(.format, "\(name): \(Path(bytes: member.name).display): \(problem)")
        }
        guard ExportMembers.candidates(members).count <= limit else {
            let text = "no Apple Health export among the \(limit) largest XML files of this \(package.noun)"
            return CaptureError(.format, "\(name): \(text)")
        }
        return CaptureError(
            .format, "\(name): no Apple Health export in this \(package.noun)",
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
        var interpreter = ExportInterpreter(
            reading.secret, name: name, options: reading.options, limits: limits.interpreter)
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
        if document.outcome == .complete, let date = reading.options.observedAt {
            return .export(
                OpenExport(date: date, document: document, interpreter: interpreter, batch: batch, position: position))
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
