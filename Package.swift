// swift-tools-version: 6.3
import Foundation
import PackageDescription

// Elsewhere a resource would link Foundation to the layer below all others.
#if os(macOS)
let isApple = true
#else
let isApple = false
#endif

// LMDB compiled as a package in place of the system's library: `package` for the one that `.ci/lmdb` makes, or the address
// of one that a person published.
let compiledLMDB = Context.environment["MESSAGESTORE_LMDB"]
/// Whether the trait `Encryption` is on by default: only so do an optimised build with it and the benchmarks' share modules, since
/// SwiftPM passes traits that are named in another order.
let isSealingByDefault = Context.environment["MESSAGESTORE_ENCRYPTION"] != nil

let package = Package(
    name: "MessageStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "MessageStore", targets: ["MessageStore"]),
        // Search of messages; hosts that do not search need not link it.
        .library(name: "MessageStoreSearch", targets: ["MessageStoreSearch"]),
        // Live queries as observable values, and a property wrapper for SwiftUI.
        .library(name: "MessageStoreObservation", targets: ["MessageStoreObservation"]),
        // Events from other processes: all that an extension links to hand them over.
        .library(name: "MessageStoreSharing", targets: ["MessageStoreSharing"]),
        // The log on other machines: shipping, restoring and following it, with a folder as the carrier.
        .library(name: "MessageStoreShipping", targets: ["MessageStoreShipping"]),
        // Other carriers, each with the trait that links its client library.
        .library(name: "MessageStoreS3", targets: ["MessageStoreS3"]),
        .library(name: "MessageStoreJetStream", targets: ["MessageStoreJetStream"]),
        // The responses of a Matrix server as events, for clients and the tool.
        .library(name: "MessageStoreMatrix", targets: ["MessageStoreMatrix"]),
        // The messages of another store as events, from rows that the host reads.
        .library(name: "MessageStoreMigration", targets: ["MessageStoreMigration"]),
        .library(name: "MessageStoreTestKit", targets: ["MessageStoreTestKit"]),
        // For the benchmarks, which are a package of their own; no host needs it.
        .library(
            name: "_MessageStoreBenchmarkSupport", targets: ["MessageStoreBenchmarkSupport", "MessageStoreWorkload"]),
        // The tool as a library, for a host to build with its own types; and the tool without any.
        .library(name: "MessageStoreTool", targets: ["MessageStoreTool"]),
        .executable(name: "messagestore", targets: ["MessageStoreMain"]),
    ],
    traits: [
        .default(enabledTraits: isSealingByDefault ? ["Tool", "Encryption"] : ["Tool"]),
        .trait(name: "Tool", description: "The command-line tool, and what it alone depends on."),
        .trait(name: "S3", description: "The carrier for S3 and compatible services, by libcurl."),
        .trait(name: "JetStream", description: "The carrier for NATS JetStream, by the NATS client library for C."),
        .trait(name: "Encryption", description: "Stores with a key: by Nettle, on Apple's systems by CryptoKit."),
        .trait(name: "SQLite", description: "The tool reads and writes SQLite files, by the system's library."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // C modules: system libraries and nothing else.
        .systemLibrary(
            name: "MessageStoreCLMDB",
            pkgConfig: compiledLMDB == nil ? "lmdb" : nil,
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "MessageStoreCZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "MessageStoreCCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(
            name: "MessageStoreCNATS",
            pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"]), .brew(["cnats"])]
        ),
        .systemLibrary(
            name: "MessageStoreCSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),

        .systemLibrary(
            name: "MessageStoreCNettle",
            pkgConfig: "nettle",
            providers: [.apt(["nettle-dev"]), .brew(["nettle"])]
        ),

        // The layers, lowest first. A target may import only the targets above it.
        .target(
            name: "MessageStoreSealing",
            dependencies: [
                .target(
                    name: "MessageStoreCNettle",
                    condition: .when(platforms: [.linux, .android, .openbsd], traits: ["Encryption"]))
            ]
        ),
        .target(
            name: "MessageStoreLMDB", dependencies: ["MessageStoreCLMDB", "MessageStoreSealing"],
            exclude: isApple ? [] : ["PrivacyInfo.xcprivacy"],
            resources: isApple ? [.copy("PrivacyInfo.xcprivacy")] : []
        ),
        .target(name: "MessageStoreLog", dependencies: ["MessageStoreLMDB", "MessageStoreSealing"]),
        .target(
            name: "MessageStoreSharing", dependencies: ["MessageStoreLog", "MessageStoreLMDB", "MessageStoreSealing"]),
        .target(
            name: "MessageStoreProjections",
            dependencies: ["MessageStoreLog", "MessageStoreLMDB", "MessageStoreSealing"]),
        .target(
            name: "MessageStore",
            dependencies: [
                "MessageStoreProjections", "MessageStoreSharing", "MessageStoreLog", "MessageStoreLMDB",
                "MessageStoreSealing", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "MessageStoreObservation", dependencies: ["MessageStore", "MessageStoreProjections"]),
        .target(
            name: "MessageStoreSearch",
            dependencies: ["MessageStore", "MessageStoreProjections", "MessageStoreLog", "MessageStoreLMDB"]
        ),
        .target(
            name: "MessageStoreShipping", dependencies: ["MessageStore", "MessageStoreLog", "MessageStoreLMDB"]),
        .target(
            name: "MessageStoreS3",
            dependencies: [
                "MessageStoreShipping", .target(name: "MessageStoreCCurl", condition: .when(traits: ["S3"])),
            ]
        ),
        .target(
            name: "MessageStoreJetStream",
            dependencies: [
                "MessageStoreShipping", .target(name: "MessageStoreCNATS", condition: .when(traits: ["JetStream"])),
            ]
        ),
        .target(name: "MessageStoreMatrix", dependencies: ["MessageStore", "MessageStoreProjections"]),
        .target(name: "MessageStoreMigration", dependencies: ["MessageStore", "MessageStoreProjections"]),
        .target(
            name: "MessageStoreTestKit",
            dependencies: ["MessageStore", "MessageStoreLog", "MessageStoreLMDB", "MessageStoreSealing"]
        ),
        // Generated backlogs of events, for the tool's demo, the benchmarks and the tests.
        .target(name: "MessageStoreWorkload", dependencies: ["MessageStore"]),
        .target(
            name: "MessageStoreBenchmarkSupport",
            dependencies: [
                "MessageStore", "MessageStoreTestKit", "MessageStoreWorkload", "MessageStoreProjections",
                "MessageStoreLog", "MessageStoreLMDB",
            ]
        ),
        .target(
            name: "MessageStoreTool",
            dependencies: [
                "MessageStore", "MessageStoreMatrix", "MessageStoreMigration", "MessageStoreSearch",
                "MessageStoreShipping", "MessageStoreProjections", "MessageStoreWorkload", "MessageStoreCZlib",
                .target(name: "MessageStoreS3", condition: .when(traits: ["S3"])),
                .target(name: "MessageStoreJetStream", condition: .when(traits: ["JetStream"])),
                .target(name: "MessageStoreCSQLite", condition: .when(traits: ["SQLite"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"])),
            ],
            // `EmbeddedAssets.swift` is made of them.
            exclude: ["DebugPage/Assets"]
        ),
        .executableTarget(name: "MessageStoreMain", dependencies: ["MessageStoreTool"]),

        // What a store must show, computed from its events without the store's code, and random events.
        .target(
            name: "MessageStoreModel",
            dependencies: ["MessageStore", "MessageStoreLog", "MessageStoreTestKit", "MessageStoreWorkload"],
            path: "Tests/MessageStoreModel"
        ),
        // A carrier in memory, and servers that tests of carriers start and kill.
        .target(
            name: "MessageStoreTestCarriers",
            dependencies: [
                "MessageStoreShipping", "MessageStoreS3", "MessageStoreJetStream", "MessageStoreLog",
                "MessageStoreTestKit", "MessageStoreWorkload",
                .target(name: "MessageStoreCNATS", condition: .when(traits: ["JetStream"])),
            ],
            path: "Tests/MessageStoreTestCarriers", exclude: ["server.py"]
        ),
        .testTarget(name: "MessageStoreSealingTests", dependencies: ["MessageStoreSealing"]),
        .testTarget(
            name: "MessageStoreLMDBTests",
            dependencies: ["MessageStoreLMDB", "MessageStoreSealing", "MessageStoreTestKit", "MessageStoreWorkload"]
        ),
        .testTarget(
            name: "MessageStoreLogTests",
            dependencies: [
                "MessageStoreLog", "MessageStoreLMDB", "MessageStoreSealing", "MessageStoreTestKit",
                "MessageStoreWorkload",
            ]
        ),
        .testTarget(
            name: "MessageStoreProjectionsTests",
            dependencies: [
                "MessageStoreProjections", "MessageStoreLog", "MessageStoreLMDB", "MessageStoreTestKit",
                "MessageStoreModel", "MessageStoreWorkload",
            ]
        ),
        // The façade's tests, by the rooms of `MessageStore`; what they share has a target of its own.
        .testTarget(
            name: "MessageStoreTestSupport",
            dependencies: [
                "MessageStore", "MessageStoreSharing", "MessageStoreProjections", "MessageStoreLog", "MessageStoreLMDB",
                "MessageStoreTestKit", "MessageStoreModel", "MessageStoreWorkload",
            ]
        ),
        .testTarget(name: "MessageStoreRecordingTests", dependencies: ["MessageStoreTestSupport"]),
        .testTarget(name: "MessageStoreReadingTests", dependencies: ["MessageStoreTestSupport"]),
        .testTarget(name: "MessageStoreForgettingTests", dependencies: ["MessageStoreTestSupport"]),
        .testTarget(
            name: "MessageStoreCopiesTests",
            dependencies: [
                "MessageStoreTestSupport", "MessageStoreSearch", "MessageStoreSharing", "MessageStoreShipping",
                "MessageStoreLog", "MessageStoreCLMDB",
            ],
            exclude: ["format-1", "format-2", "format-3", "format-4", "views-0.1"].map { "Golden/" + $0 }
        ),
        .testTarget(name: "MessageStorePastTests", dependencies: ["MessageStoreTestSupport"]),
        .testTarget(name: "MessageStoreProcessesTests", dependencies: ["MessageStoreTestSupport"]),
        // What a host declares of its own, with the public interface alone.
        .testTarget(
            name: "MessageStoreHostTests", dependencies: ["MessageStore"], exclude: ["Golden/host-events-1"],
            packageAccess: false
        ),
        .testTarget(
            name: "MessageStoreSearchTests",
            dependencies: [
                "MessageStoreSearch", "MessageStore", "MessageStoreTestKit", "MessageStoreModel",
                "MessageStoreWorkload",
            ],
            exclude: ["Folding/oracle.py", "Scan/scan.py"]
        ),
        .testTarget(
            name: "MessageStoreShippingTests",
            dependencies: [
                "MessageStoreShipping", "MessageStoreS3", "MessageStoreJetStream", "MessageStoreTestCarriers",
                "MessageStore", "MessageStoreLog", "MessageStoreTestKit", "MessageStoreModel", "MessageStoreWorkload",
            ]
        ),
        .testTarget(
            name: "MessageStoreObservationTests",
            dependencies: ["MessageStoreObservation", "MessageStore", "MessageStoreTestKit"]
        ),
        .testTarget(
            name: "MessageStoreTestKitTests",
            dependencies: ["MessageStoreTestKit", "MessageStoreObservation", "MessageStore"]
        ),
        .testTarget(
            name: "MessageStoreMigrationTests",
            dependencies: ["MessageStoreMigration", "MessageStore", "MessageStoreTestKit"]
        ),
        .testTarget(name: "MessageStoreWorkloadTests", dependencies: ["MessageStoreWorkload", "MessageStore"]),
        .testTarget(
            name: "MessageStoreBenchmarkSupportTests", dependencies: ["MessageStoreBenchmarkSupport", "MessageStore"]),
        .testTarget(
            name: "MessageStoreToolTests",
            dependencies: [
                "MessageStoreTool", "MessageStoreMain", "MessageStoreHostTool", "MessageStoreMatrix",
                "MessageStoreTestKit", "MessageStoreModel", "MessageStoreWorkload", "MessageStore",
                "MessageStoreSharing", "MessageStoreLog", "MessageStoreLMDB",
                "MessageStoreCZlib",
                .target(name: "MessageStoreCSQLite", condition: .when(traits: ["SQLite"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"])),
            ],
            exclude: ["DebugPage/Browser", "Fixtures"]
        ),
        // The tool as a host builds it, with a projection of its own; `Docs/Debugging.md` uses it.
        .executableTarget(
            name: "MessageStoreHostTool", dependencies: ["MessageStoreTool", "MessageStore"],
            path: "Tests/MessageStoreHostTool", packageAccess: false
        ),
        // What this repository says of itself: documents, sources, and code that must not compile. It reads files and the
        // built modules, so it needs them built and imports none.
        .testTarget(name: "RepositoryTests", dependencies: ["MessageStore"], exclude: ["Invariants/Snippets"]),
        // Kills, faults, power loss, damage, full disks and limits; what may end badly happens in the child. The C shim is
        // compiled by the tests and preloaded into the child.
        .testTarget(
            name: "MessageStoreReliabilityTests",
            dependencies: [
                "MessageStore", "MessageStoreShipping", "MessageStoreTestCarriers", "MessageStoreTestKit",
                "MessageStoreTestSupport", "MessageStoreModel", "MessageStoreWorkload", "MessageStoreMain",
                "MessageStoreReliabilityChild",
            ],
            exclude: ["Shim"]
        ),
        .executableTarget(
            name: "MessageStoreReliabilityChild",
            dependencies: [
                "MessageStoreSearch", "MessageStoreSharing", "MessageStoreShipping", "MessageStoreS3",
                "MessageStoreJetStream", "MessageStoreTestCarriers", "MessageStore", "MessageStoreLog",
                "MessageStoreLMDB",
                "MessageStoreTestKit", "MessageStoreModel", "MessageStoreWorkload",
            ],
            path: "Tests/MessageStoreReliabilityChild"
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The documentation plugin is wanted only where documentation is built, so no host inherits it.
if Context.environment["MESSAGESTORE_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

let lowest = package.targets.first { $0.name == "MessageStoreLMDB" }
if let compiledLMDB {
    package.dependencies.append(
        compiledLMDB == "package"
            ? .package(path: ".lmdb/swift-clmdb") : .package(url: compiledLMDB, exact: "0.9.36"))
    lowest?.dependencies.append(.product(name: "CLMDB", package: "swift-clmdb"))
} else {
    lowest?.linkerSettings = [.linkedLibrary("lmdb")]
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
        .treatAllWarnings(as: .error),
    ]
    // Where the library is optimised for its tests, they are not, since they would take longer to compile.
    if target.type == .test { target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release))) }
}

// `.ci/run` optimises the library for the tests that have a full size; those without one are not compiled again.
if Context.environment["MESSAGESTORE_FULL_SIZES"] != nil {
    let root = URL(fileURLWithPath: Context.packageDirectory)
    for target in package.targets where target.type == .test {
        let path = "Tests/\(target.name)"
        let files = FileManager.default.enumerator(at: root.appending(path: path), includingPropertiesForKeys: nil)
        let texts = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
            .map { file in (file: file, text: (try? String(contentsOf: file, encoding: .utf8)) ?? "") }
        let hasFullSize = { (text: String) in text.contains("TestSize.") || text.contains("Seeds.first") }
        if target.name.hasSuffix("Tests"), !texts.contains(where: { hasFullSize($0.text) }) {
            package.targets.removeAll { $0.name == target.name }
        } else {
            target.sources = texts.filter { hasFullSize($0.text) || !$0.text.contains("@Test") }
                .map { String($0.file.path.dropFirst(root.path.count + path.count + 2)) }
        }
    }
}
