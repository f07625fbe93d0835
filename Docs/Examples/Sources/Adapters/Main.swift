import AdapterSupport
import ChatKitAdapter
import Foundation
import LeanCloudAdapter
import NIMKitAdapter
import RongCloudAdapter
import SpiderAdapter

/// Runs the samples of the documents named by the arguments, or of all; exits with 1 where something is not as expected.
@main
struct Main {
    static let samples: [(name: String, run: @Sendable () async throws -> SampleRun)] = [
        ("RongCloud", RongCloudSample.run), ("Spider", SpiderSample.run), ("LeanCloud", LeanCloudSample.run),
        ("NIMKit", NIMKitSample.run), ("ChatKit", ChatKitSample.run),
    ]

    static func main() async throws {
        let names = Array(CommandLine.arguments.dropFirst())
        let unknown = names.filter { name in !samples.contains { $0.name == name } }
        guard unknown.isEmpty else {
            print(
                "unknown: \(unknown.joined(separator: ", ")). Choose from \(samples.map(\.name).joined(separator: ", "))."
            )
            exit(2)
        }
        var differences = 0
        for sample in samples where names.isEmpty || names.contains(sample.name) {
            differences += try await sample.run().differences
        }
        print(differences == 0 ? "all is as expected" : "\(differences) expectations did not hold")
        if differences > 0 { exit(1) }
    }
}
