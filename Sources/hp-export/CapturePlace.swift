import Archive
import Capture
import Files
import Recording
import Tool

extension CaptureCommand {
    /// A capture that has begun, and whether its archive is new.
    struct Begun: ~Copyable {
        let capture: Capture
        let isNew: Bool
    }

    /// Where a capture begins: its archive, which may have to be created, and the secret.
    struct Place {
        let archive: Path
        let secret: Path
        let isOfExport: Bool
        /// Whether a prototype is moved aside.
        let isReset: Bool
        let origin: Archive.Origin
        let wait: LockWait
        let hooks: Capture.Hooks
        let voice: Voice

        /// Opens the archive, or begins one; says whether it did.
        func begin() throws -> Begun {
            // Whoever comes at the same time finds the archive and the secret that the first one made.
            let lock = try CaptureLock.take(for: archive, wait)
            let (isNew, isReset) = try prepare()
            let secret = try ArchiveSecret.find(secret, for: archive)
            var origin = origin
            origin.historySalt = secret.historySalt
            // A feed's client may rely on what is committed; an export can be read again.
            if isNew, !isOfExport {
                try Archive.create(archive, origin: origin, replaced: isReset)
                noteNewArchive()
            }
            let capture =
                isNew && isOfExport
                ? try Capture.create(
                    archive, lock: lock, origin: origin, replaced: isReset, secret: secret, wait: wait, hooks: hooks)
                : try Capture.open(
                    archive, lock: lock, secret: secret, program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// The same, without a trace.
        func rehearse() throws -> Begun {
            try CaptureLock.waitUntilFree(archive, wait)
            let isThere = FileStatus.exists(archive)
            var wasReset = false
            if isThere, isReset { wasReset = try Archive.isPrototype(archive, wait: wait) }
            if wasReset {
                voice.note("\(archive.display): the prototype would be moved aside, and a new archive begins")
            }
            let isNew = !isThere || wasReset
            if isNew {
                if !isThere { try Archive.checkPlace(archive) }
                if isReset, !wasReset { wasReset = try Archive.hasPrototypeBackup(archive) }
                if !isOfExport { noteNewArchive() }
            }
            let secret = try ArchiveSecret.find(secret, for: archive, changesNothing: true)
            let capture = try Capture.rehearse(
                archive, creating: isNew ? origin : nil, replaced: wasReset, isWhole: isOfExport, secret: secret,
                program: origin.program, wait: wait, hooks: hooks)
            return Begun(capture: capture, isNew: isNew)
        }

        /// Says that there is an archive now. That of a feed is there at once, that of an export when it is captured.
        func noteNewArchive() { voice.note("\(archive.display): a new archive") }

        /// Moves a prototype aside where that is wanted; returns whether there is no archive, and whether one was moved
        /// aside.
        private func prepare() throws -> (isNew: Bool, isReset: Bool) {
            try Archive.removeUnfinished(archive)
            var wasReset = false
            if FileStatus.exists(archive), isReset,
                let backup = try Archive.setAsidePrototype(archive, now: SystemClock.now(), wait: wait)
            {
                voice.note("\(archive.display): the prototype is now \(backup.display), and a new archive begins")
                wasReset = true
            }
            guard !FileStatus.exists(archive) else { return (false, false) }
            try Archive.checkPlace(archive)
            if isReset, !wasReset { wasReset = try Archive.hasPrototypeBackup(archive) }
            return (true, wasReset)
        }
    }
}
