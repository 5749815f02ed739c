internal import CanonicalJSON

/// The members of the preimages of content hashes, prepared (`Spec/identity.md`, "Content hashes").
struct ContentKeys {
    let bundleIdentifier: Key = "bundle_identifier"
    let categoryValue: Key = "category_value"
    let device: Key = "device"
    let durationSeconds: Key = "duration_seconds"
    let endDate: Key = "end_date"
    let metadataHash: Key = "metadata_hash"
    let numericValue: Key = "numeric_value"
    let sampleType: Key = "sample_type"
    let sampleUUIDHash: Key = "sample_uuid_hash"
    let source: Key = "source"
    let startDate: Key = "start_date"
    let unit: Key = "unit"
    let valueKind: Key = "value_kind"
    let workoutActivityType: Key = "workout_activity_type"
}
