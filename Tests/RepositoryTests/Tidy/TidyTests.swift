import Testing

@Suite("The sources follow the rules of CONTRIBUTING.md")
struct TidyTests {
    /// Files that are named after a family of types, or a part of one. A file that is split or renamed leaves the list.
    static let misnamedFiles: Set<String> = [
        "Sources/MessageStoreLog/Record/Numbers.swift",
        "Tests/AppleStubs/CryptoKit.swift", "Tests/AppleStubs/Darwin.swift", "Tests/AppleStubs/SwiftUI.swift",
        "Tests/MessageStoreProjectionsTests/ProjectionFixture.swift",
        "Tests/MessageStoreRecordingTests/ContentTypes/VendorPayloads.swift",
        "Tests/MessageStoreTestSupport/ConversationComparison.swift",
        "Tests/MessageStoreTestSupport/ModelComparison+Details.swift",
        "Tests/MessageStoreTestSupport/ModelComparison.swift",
    ]

    /// How often the tests of a target wait for time or for turns of other tasks; the code says why. Lower a number when the
    /// count is lower; none may rise.
    static let polls = [
        "MessageStoreForgettingTests": 1,
        "MessageStoreProcessesTests": 1,
        "MessageStoreReliabilityChild": 4,
        "MessageStoreReliabilityTests": 6,
        "MessageStoreSearchTests": 1,
        "MessageStoreShippingTests": 2,
        "MessageStoreTestKitTests": 1,
        "MessageStoreTestSupport": 1,
        "MessageStoreToolTests": 1,
    ]

    private let sources: [SourceFile]
    private let tests: [SourceFile]

    init() throws {
        (sources, tests) = (try SourceFile.all(in: "Sources"), try SourceFile.all(in: "Tests"))
    }

    @Test(
        "files have at most 400 lines, functions 70, and files are named after what they declare, but for those that are listed"
    )
    func longFiles() {
        #expect(!sources.isEmpty && !tests.isEmpty)
        #expect((sources + tests).flatMap(Tidy.longFiles) == [])
        #expect((sources + tests).flatMap(Tidy.longFunctions) == [])
        let misnamed = Set((sources + tests).filter(Tidy.isMisnamed).map(\.path))
        #expect(misnamed.subtracting(Self.misnamedFiles).sorted() == [])
        #expect(Self.misnamedFiles.subtracting(misnamed).sorted() == [], "these need no exception any more")
    }

    @Test(
        "sources neither trap nor hold notes, wait by the scheduler, lock no function, and cite no requirement to the public"
    )
    func forbidden() {
        #expect(sources.flatMap(Tidy.forbidden) == [])
        let waiting = [
            "Sources/MessageStore/Work/Scheduler.swift", "Sources/MessageStoreShipping/Carriers/Pause.swift",
        ]
        let others = sources.filter { !waiting.contains($0.path) }
        #expect(others.flatMap(Tidy.foreignClocks) == [])
        #expect(sources.flatMap(Tidy.lockedFunctions) == [])
        #expect(sources.flatMap(Tidy.citedCodes) == [])
    }

    @Test("tests wait for what they need, not for time or turns, look at no zipped sequences, and have a time limit")
    func polls() {
        let targets = Dictionary(grouping: tests.flatMap(Tidy.polls)) { String($0.split(separator: "/")[1]) }
        let many = targets.filter { $1.count > Self.polls[$0] ?? 0 }
        #expect(many.isEmpty)
        #expect(tests.flatMap(Tidy.zippedExpectations) == [])
        #expect(tests.flatMap(Tidy.unlimitedSuites) == [])
    }
}
