import Files

@testable import Capture

/// The feed's reader on any file.
enum FeedTarget {
    private static let file = InputFile("feed")
    static let secret = madeUpSecret()

    static func check(_ bytes: [UInt8]) {
        file.write(bytes)
        let whole = steps(chunkSize: 256 << 10)
        for size in [1, 7, 100] where bytes.count < size * 4000 {
            requireSame(steps(chunkSize: size), whole, "steps do not depend on how much is read at once")
        }
    }

    /// The steps as texts, and the fault that ended them.
    private static func steps(chunkSize: Int) -> [String] {
        let path = file.path
        return waiting {
            var steps: [String] = []
            do throws(CaptureError) {
                let reader = try FeedReader.open(path, secret: secret, chunkSize: chunkSize)
                while let step = try await reader.next() { steps.append("\(step)") }
            } catch {
                steps.append(error.description)
            }
            return steps
        }
    }

    /// A secret of nothing but zeros.
    private static func madeUpSecret() -> ArchiveSecret {
        let file = InputFile("secret"), digits = String(repeating: "00", count: 32)
        file.write(Array("healthprobe-secret 1\nsecret \(digits)\nchain \(digits)\n".utf8))
        do throws(CaptureError) { return try ArchiveSecret.open(file.path) } catch {
            fatalError("a secret can be read")
        }
    }
}
