package import Files

/// The id of an observation, as documents name it: an integer of at most 2^53−1 in magnitude (`Spec/items.md`).
package enum ObservationID {
    /// Throws if no document can name an observation with this id.
    package static func check(_ id: Int64, _ path: Path) throws(ArchiveError) {
        guard id.magnitude >= 1 << 53 else { return }
        throw ArchiveError(
            .evidence, "\(path.display): the id of an observation is beyond 2^53-1, so no document can name it",
            hint: "hp-verify archive names the row")
    }
}
