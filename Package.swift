// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

// The commit that the tools are built from, as `make build` says it (`Scripts/commit`); empty where nobody does. Nothing else
// gets into a string of C.
let told = Context.environment["HP_COMMIT"] ?? ""
let commit = told.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " ") } ? told : ""

let package = Package(
    name: "healthprobe-tools",
    products: [
        .library(name: "CanonicalJSON", targets: ["CanonicalJSON"]),
        .library(name: "Preimages", targets: ["Preimages"]),
        .library(name: "Manifest", targets: ["Manifest"]),
        .library(name: "Archive", targets: ["Archive"]),
        .executable(name: "hp-export", targets: ["hp-export"]),
        .executable(name: "hp-verify", targets: ["hp-verify"]),
    ],
    targets: [
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev", brew: "expat"),
        system("CZip", pkgConfig: "libzip", apt: "libzip-dev", brew: "libzip"),
        .target(name: "CProcess"),
        .target(name: "CBuild", cSettings: [.define("HP_COMMIT", to: "\"\(commit)\"")]),
        // The version and the commit.
        library("Build", ["CBuild"]),
        library("Bytes"),
        library("CanonicalJSON", ["Bytes"]),
        // What a finding can be: made from Spec/codes.json.
        library("Codes"),
        library("CSV", ["Bytes"]),
        // The format as data: made from Spec/schemas, Spec/columns.json and Spec/*.sql.
        library("Format"),
        // What a comparison comes to, as plain values: the answer to "did I lose data?".
        library("Answer", ["Measures", "Timestamps"]),
        library("Measures"),
        library("Timestamps"),
        // The one module that knows the platform; only Files, Tool and Pipeline import it.
        library("Platform"),
        library("Files", ["Bytes", "Platform"]),
        library("Pipeline", ["Platform"]),
        library("Preimages", ["Bytes", "CanonicalJSON", "Timestamps"]),
        library("Manifest", ["Bytes", "COpenSSL", "CZstd", "Preimages"]),
        library("ReportPage", ["Answer", "Bytes", "CanonicalJSON", "Manifest", "Measures", "Timestamps"]),
        library("SQLite", ["CSQLite", "Files"]),
        library(
            "Archive",
            ["Bytes", "CanonicalJSON", "Files", "Format", "Manifest", "Measures", "Pipeline", "SQLite", "Timestamps"]),
        // What follows from evidence: captures and repairs store it, checks compare what is stored with it.
        library("Derivation", ["Archive", "Bytes", "Manifest", "Measures", "Preimages", "SQLite", "Timestamps"]),
        library(
            "Changes",
            [
                "Answer", "Archive", "Bytes", "CanonicalJSON", "Files", "Format", "Manifest", "Measures", "Pipeline",
                "Preimages", "SQLite", "Timestamps",
            ]),
        // What a day, a month or a night adds up to.
        library(
            "Days",
            ["Answer", "Archive", "Bytes", "CanonicalJSON", "Changes", "Files", "Measures", "SQLite", "Timestamps"]),
        library(
            "Recording",
            [
                "Archive", "Bytes", "CanonicalJSON", "Derivation", "Files", "Manifest", "Measures", "Pipeline",
                "Preimages", "SQLite",
                "Timestamps",
            ]),
        library(
            "Capture",
            [
                "Archive", "Bytes", "CanonicalJSON", "Changes", "Files", "Manifest", "Preimages", "Recording",
                "Timestamps",
            ]),
        library(
            "AppleHealth",
            [
                "Bytes", "CanonicalJSON", "Capture", "CExpat", "CZip", "Files", "Manifest", "Pipeline", "Preimages",
                "Recording", "Timestamps",
            ]),
        library("Backup", ["Archive", "Bytes", "Files", "Manifest", "Measures", "Preimages", "SQLite", "Timestamps"]),
        library(
            "Exports",
            [
                "Answer", "Archive", "Build", "Bytes", "CanonicalJSON", "Changes", "CSV", "Days", "Files", "Format",
                "Manifest", "Measures", "Pipeline", "Preimages", "ReportPage", "Timestamps",
            ]),
        library(
            "Verification",
            [
                "Archive", "Bytes", "CanonicalJSON", "Codes", "Files", "Format", "Manifest", "Measures", "Pipeline",
                "Preimages", "Timestamps",
            ]),
        // Who signed what a verifier computed.
        library("Signatures", ["Bytes", "Codes", "Manifest", "Timestamps"]),
        library(
            "Matching",
            ["Archive", "Bytes", "Codes", "Exports", "Files", "Manifest", "Pipeline", "Verification"]),
        library("ReportCache", ["Archive", "Changes", "Files", "Manifest", "SQLite"]),
        library(
            "Salvage", ["Archive", "Bytes", "CanonicalJSON", "Codes", "Files", "Manifest", "Pipeline", "Verification"]),
        library(
            "Inspection",
            [
                "Archive", "CanonicalJSON", "Codes", "Derivation", "Exports", "Files", "Format", "Manifest", "Measures",
                "Pipeline", "SQLite",
                "Timestamps",
            ]),
        library("Tool", ["Archive", "Build", "CanonicalJSON", "CProcess", "Files", "Pipeline", "Platform"]),
        tool(
            "hp-export",
            [
                "Answer", "AppleHealth", "Archive", "Backup", "CanonicalJSON", "Capture", "Changes", "Codes", "Days",
                "Exports",
                "Files",
                "Inspection", "Manifest", "Measures", "Recording", "ReportCache", "ReportPage", "Timestamps", "Tool",
            ]),
        tool(
            "hp-verify",
            [
                "Archive", "Build", "CanonicalJSON", "Codes", "Exports", "Files", "Inspection", "Manifest",
                "Matching", "Pipeline", "ReportCache", "Salvage", "Signatures", "Tool", "Verification",
            ]),
        // What tests share: fixtures, temporary folders, other programs. Nothing in Sources depends on it.
        .target(name: "Scratch", dependencies: ["Files"], path: "Tests/Scratch", swiftSettings: settings),
        tests("BytesTests", ["Bytes"]),
        tests("CanonicalJSONTests", ["Bytes", "CanonicalJSON", "Scratch"]),
        tests("CSVTests", ["CSV"]),
        tests("MeasuresTests", ["Measures"]),
        tests("TimestampsTests", ["Timestamps", "Scratch"]),
        tests("FilesTests", ["Files", "Scratch"]),
        tests("PipelineTests", ["Pipeline"]),
        tests("PreimagesTests", ["Preimages"]),
        tests("ManifestTests", ["Manifest", "Scratch"]),
        tests("SQLiteTests", ["SQLite", "Files", "Scratch"]),
        tests("BackupTests", ["Backup", "Manifest"]),
        tests("ArchiveTests", ["Archive", "Bytes", "Changes", "Files", "Scratch", "SQLite", "Timestamps"]),
        tests("DerivationTests", ["Derivation", "Archive", "Scratch", "Timestamps"]),
        tests("RecordingTests", ["Recording", "Archive", "Bytes", "Files", "Format", "Scratch", "SQLite"]),
        tests(
            "AppleHealthTests",
            [
                "AppleHealth", "Bytes", "CanonicalJSON", "Capture", "Files", "Manifest", "Preimages", "Recording",
                "Scratch",
            ]),
        tests(
            "CaptureTests",
            ["Capture", "Archive", "CanonicalJSON", "Files", "Manifest", "Recording", "Scratch", "Timestamps"]),
        tests("ExportsTests", ["Exports", "Archive", "CanonicalJSON", "Files", "Format", "Manifest", "Scratch"]),
        tests("ToolTests", ["Archive", "Build", "Files", "Tool"]),
        tests("SignaturesTests", ["Bytes", "Codes", "Signatures"]),
        tests(
            "VerificationTests",
            [
                "Verification", "Archive", "CanonicalJSON", "Codes", "Exports", "Files", "Format", "Manifest",
                "Matching",
                "Scratch",
            ]),
    ]
)

// The fuzzers need the libFuzzer of the toolchain, which `make fuzz` asks for; nothing else is built with it.
if Context.environment["HP_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
        .executableTarget(
            name: "hp-fuzz",
            dependencies: [
                "AppleHealth", "Archive", "Backup", "CanonicalJSON", "Capture", "CFuzzer", "Codes", "Exports", "Files",
                "Inspection",
                "Manifest", "Signatures", "Verification",
            ], path: "Fuzz/hp-fuzz", swiftSettings: settings),
    ]
}
