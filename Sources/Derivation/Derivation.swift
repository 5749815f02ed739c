/// Derivation: what follows from an archive's evidence (`Spec/capture.md`). A capture and a repair store it, and
/// `hp-verify archive` compares what is stored with it.
///
/// | what | from | type |
/// |---|---|---|
/// | visibility ranges | events | `EventKind`, `RangeReplay` |
/// | local days | the zone of an observation | `LocalDays` |
/// | what a row of an aggregate says | the records of the row | `Amounts`, `AggregateGroup` |
/// | the hash of such a row | what it says | `AggregateHasher` |
/// | which records a row has | ranges and versions | `AggregateWalk`: all observations in one pass |
///
/// A capture knows only one observation and what it changed, so `Aggregation` in `Recording` finds the records of its
/// rows by SQL. The preimages of samples are in `Preimages`.
