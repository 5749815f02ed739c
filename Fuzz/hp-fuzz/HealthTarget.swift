import Capture
import Files

@testable import AppleHealth

/// The reader of Apple Health exports on any file: repairs, markup, XML, values, and zips.
enum HealthTarget {
    private static let file = InputFile("health")

    static func check(_ bytes: [UInt8]) {
        file.write(bytes)
        let whole = pages(ReadingLimits())
        for step in [1, 13] where bytes.count < step * 4000 {
            var limits = ReadingLimits()
            limits.step = step
            requireSame(pages(limits), whole, "pages do not depend on how much is read at once")
        }
    }

    /// The pages as texts, how the export ended, and what was repaired and left out.
    private static func pages(_ limits: ReadingLimits) -> [String] {
        let path = file.path, secret = FeedTarget.secret
        return waiting {
            var pages: [String] = []
            do throws(CaptureError) {
                let reader = try AppleHealthReader.open(path, secret: secret, limits: limits)
                while let page = try await reader.next() { pages.append("\(page)") }
                let outcome = await reader.outcome
                pages.append("\(outcome, default: "-")")
                pages += await reader.leftOut.sorted.map { "\($0.kind) \($0.count)" }
                // Repairs are counted before the text is parsed, so also behind a place where the parser stops.
                if case .complete? = outcome { pages += await reader.repairs.named.map { "\($0.name) \($0.count)" } }
            } catch {
                pages.append(error.description)
            }
            return pages
        }
    }
}
