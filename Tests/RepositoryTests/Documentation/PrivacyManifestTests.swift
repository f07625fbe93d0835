import Foundation
import Testing

@Suite("The privacy manifest for Apple's systems", .timeLimit(.minutes(30)))
struct PrivacyManifestTests {
    /// The calls for which Apple wants a reason
    /// (https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api).
    private static var calls: [(category: String, calls: Regex<Substring>)] {
        [
            (
                "FileTimestamp",
                #/\b(?:stat|fstat|lstat|fstatat)\(|getattrlist|\.(?:creation|modification)Date|st_[mc]time?spec/#
            ),
            ("SystemBootTime", #/systemUptime|mach_absolute_time/#),
            ("DiskSpace", #/\bf?statv?fs\(|volumeAvailableCapacity|systemFreeSize/#),
            ("UserDefaults", #/UserDefaults/#),
            ("ActiveKeyboards", #/activeInputModes/#),
        ]
    }
    /// The modules that no app links.
    private static let tools = ["TestKit", "Tool", "Main", "BenchmarkSupport", "Workload"].map { "MessageStore" + $0 }

    @Test("it has a reason for each category of calls that the library makes, and for no other")
    func reasons() throws {
        let file = RepositoryText.root.appendingPathComponent("Sources/MessageStoreLMDB/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        let manifest = try #require(list as? [String: Any])
        let entries = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let declared = entries.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
        let lines = try SourceFile.all(in: "Sources").filter { file in
            !Self.tools.contains { file.path.contains("Sources/\($0)/") }
        }.flatMap(\.lines).filter { !$0.contains("//") }
        let called = Self.calls.filter { call in lines.contains { $0.contains(call.calls) } }
        let expected = called.map { "NSPrivacyAccessedAPICategory" + $0.category }
        #expect(declared == expected)
        #expect(entries.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    }
}
