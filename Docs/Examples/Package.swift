// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "MessageStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "ChatClient",
            dependencies: [.product(name: "MessageStore", package: "MessageStore")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
