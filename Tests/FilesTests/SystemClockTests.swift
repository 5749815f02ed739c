import Scratch
import Testing

@testable import Files

@Suite struct `The clock on the wall` {
    @Test func `tells whole microseconds of now`() throws {
        let text = String(decoding: try Program.run("date", ["+%s"]), as: UTF8.self)
        let before = try #require(Double(text.dropLast()))
        for _ in 0..<100 {
            let now = SystemClock.now()
            #expect(now >= before)
            #expect((now * 1e6).rounded() / 1e6 == now)
        }
    }
}
