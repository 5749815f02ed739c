/// The data that is hashed: domain prefixes, each followed by canonical text (`Spec/hashes.md`, `Spec/identity.md`).
///
/// | type | preimage of |
/// |---|---|
/// | `ItemHashing`, `ItemListHashing`, `ManifestHashing`, `SalvageHashing`, `ExportID` | exports |
/// | `SamplePreimage`, `SampleMember`, `SampleTexts`, `PreimageKeys` | samples |
/// | `ContentHashing` | whatever is canonical text already |
///
/// The hash function is passed in (`DigestFunction`). Nothing here, and nothing below, imports a C library or a module
/// of a platform, so that it can be used wherever Swift runs.
