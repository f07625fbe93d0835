#if S3
import Foundation
import MessageStoreS3
import Testing

@Suite(
    "S3 as moto imitates it", .timeLimit(.minutes(30)),
    .enabled(if: MotoServer.isPossible, "moto_server or python3 is not on the path"))
struct MotoTests {
    @Test("verifies signatures")
    func signatures() async throws {
        let server = try MotoServer(verifying: true)
        let carrier = try server.carrier("p-")
        #expect(try await carrier.put([1, 2], ifAbsent: "a/b"))
        #expect(try await !carrier.put([3], ifAbsent: "a/b"))
        try await carrier.replace("c", with: [4])
        #expect(try await carrier.get("a/b") == [1, 2])
        #expect(try await carrier.list("", after: nil) == ["a/b", "c"])
        #expect(try await carrier.list("", after: "b") == ["c"])
        try await carrier.remove("c")
        #expect(try await carrier.get("c") == nil)
        let wrong = try server.carrier("p-") { $0.secretKey = "hidden" }
        let isExpected: (any Error) -> Bool = {
            isStoreError($0, .carrierRefused, "403 SignatureDoesNotMatch") && !"\($0)".contains("hidden")
        }
        await #expect { try await wrong.get("a") } throws: { isExpected($0) }
        await #expect { try await wrong.put([1], ifAbsent: "a") } throws: { isExpected($0) }
        await #expect { try await wrong.list("", after: nil) } throws: { isExpected($0) }
        let unknown = try server.carrier("p-") { $0.accessKey = "AKIAUNKNOWN" }
        await #expect { try await unknown.get("a") } throws: {
            isStoreError($0, .carrierRefused, "403 InvalidAccessKeyId")
        }
    }

    @Test("does what every carrier does, under a prefix of any characters")
    func prefix() async throws {
        let server = try MotoServer(verifying: false)
        let checks = CarrierChecks { try server.carrier("a b/ä+日本語&=~/") }
        // moto looks for an object and writes it in two steps, between which another thread of it may do the same.
        try await checks.run(withRivals: false)
        try await checks.manyObjects(1100)
        let missing = try server.carrier("p/") { $0.bucket = "missing" }
        await #expect { try await missing.get("a") } throws: { isStoreError($0, .carrierRefused, "NoSuchBucket") }
        await #expect { try await missing.put([1], ifAbsent: "a") } throws: { isStoreError($0, .carrierRefused) }
    }
}
#endif
