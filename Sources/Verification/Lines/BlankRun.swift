/// Blank lines that follow each other where there are no frames: pieces end anywhere, and a run of them is one finding.
struct BlankRun {
    private var finding: Finding?
    private var count = 0

    /// Adds so many lines; the finding is that of the first ones.
    mutating func add(_ count: Int, _ first: Finding) {
        if finding == nil { finding = first }
        self.count += count
    }

    /// Ends the run: its finding, if there is one.
    mutating func take() -> Finding? {
        guard var whole = finding else { return nil }
        whole.found = LineVerifier.blankLines(count)
        (finding, count) = (nil, 0)
        return whole
    }
}
