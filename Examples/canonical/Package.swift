// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "canonical",
    dependencies: [.package(name: "healthprobe-tools", path: "../..")],
    targets: [
        .executableTarget(
            name: "canonical", dependencies: [.product(name: "CanonicalJSON", package: "healthprobe-tools")])
    ]
)
