// swift-tools-version: 6.3
import PackageDescription

let store = Target.Dependency.product(name: "MessageStore", package: "MessageStore")
let observation = Target.Dependency.product(name: "MessageStoreObservation", package: "MessageStore")
let matrix = Target.Dependency.product(name: "MessageStoreMatrix", package: "MessageStore")
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let adapters = ["RongCloudAdapter", "SpiderAdapter", "LeanCloudAdapter", "NIMKitAdapter", "ChatKitAdapter"]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "MessageStore", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "ChatClient", dependencies: [store, observation], swiftSettings: settings),
        .executableTarget(name: "StarredMessages", dependencies: [store], swiftSettings: settings),
        .target(name: "MatrixClient", dependencies: [store, matrix], swiftSettings: settings),
        .executableTarget(name: "MatrixChat", dependencies: ["MatrixClient", store, matrix], swiftSettings: settings),
        .testTarget(
            name: "MatrixChatTests", dependencies: ["MatrixClient", "MatrixChat", store, matrix],
            swiftSettings: settings),
        .target(name: "AdapterSupport", dependencies: [store], swiftSettings: settings),
        .executableTarget(
            name: "Adapters", dependencies: ["AdapterSupport"] + adapters.map { .init(stringLiteral: $0) },
            swiftSettings: settings),
    ]
        + adapters.map { name in
            .target(name: name, dependencies: ["AdapterSupport", store], swiftSettings: settings)
        },
    swiftLanguageModes: [.v6]
)
