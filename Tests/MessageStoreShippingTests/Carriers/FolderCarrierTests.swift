import Foundation
import MessageStoreShipping
import MessageStoreTestKit
import Testing

@Suite("A folder as a carrier", .timeLimit(.minutes(30)))
struct FolderCarrierTests {
    @Test("does what every carrier does")
    func contract() async throws {
        let place = try TemporaryStore()
        let checks = CarrierChecks { try FolderCarrier(place.directory + "/folder", objectSize: 100_000) }
        try await checks.run()
        try await checks.manyObjects()
    }

    @Test("refuses what is no folder, and takes no link for an object")
    func refused() async throws {
        let place = try TemporaryStore()
        let path = place.directory + "/folder"
        #expect { try FolderCarrier("") } throws: { ($0 as? StoreError)?.code == .invalidArgument }
        #expect { try FolderCarrier(place.directory + "/missing/folder") } throws: {
            ($0 as? StoreError)?.code == .invalidArgument
        }
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect { try FolderCarrier(path) } throws: { ($0 as? StoreError)?.code == .carrierRefused }
        try FileManager.default.removeItem(atPath: path)
        let carrier = try FolderCarrier(path)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/etc/passwd")
        await #expect(throws: StoreError.self) { try await carrier.get("link") }
        #expect(try await carrier.list("", after: nil) == [])
        #expect(try await !carrier.put([1], ifAbsent: "link"))
    }
}
