// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "MessageStoreBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // With Encryption: a sealed store is measured against a clear one.
        // Where the store has the trait by default, naming it would change the flags of all modules.
        .package(
            name: "MessageStore", path: "..",
            traits: Context.environment["MESSAGESTORE_ENCRYPTION"] == nil ? [.defaults, "Encryption"] : [.defaults]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Without traits: no counts of allocations, and nothing to link for them.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CRawLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "CRocksDB",
            providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]
        ),
        .target(name: "CCallgrind"),
        .target(name: "CFlushes"),
        .target(name: "CSystemMemory"),
        .executableTarget(
            name: "MessageStoreBenchmarks",
            dependencies: [
                "CRawLMDB", "CRocksDB", "CCallgrind", "CFlushes", "CSystemMemory",
                .product(name: "MessageStore", package: "MessageStore"),
                .product(name: "MessageStoreObservation", package: "MessageStore"),
                .product(name: "MessageStoreSearch", package: "MessageStore"),
                .product(name: "MessageStoreShipping", package: "MessageStore"),
                .product(name: "_MessageStoreBenchmarkSupport", package: "MessageStore"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "Micro",
            dependencies: [
                .product(name: "_MessageStoreBenchmarkSupport", package: "MessageStore"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Micro",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .executable {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
