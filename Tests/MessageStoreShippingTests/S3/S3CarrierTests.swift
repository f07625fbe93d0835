#if S3
import Foundation
import MessageStoreTestCarriers
import MessageStoreS3
import MessageStoreTestKit
import Testing

@Suite("S3 as a carrier", .timeLimit(.minutes(30)), .enabled(if: S3TestServer.isPossible, "python3 is not on the path"))
struct S3CarrierTests {
    @Test(
        "does what every carrier does, under any prefix",
        arguments: ["", "accounts/42/", "accounts/42", "a b/ä%2F+?&=#*~'()!/", "../x/./y//", "e\u{301}/日本語\n<&>;:@$,"])
    func contract(prefix: String) async throws {
        let server = try S3TestServer()
        try await CarrierChecks { try server.carrier(prefix) }.run()
        // A neighbour's objects are not shown.
        #expect(try await server.carrier("other/").put([1], ifAbsent: "a"))
        #expect(try await server.carrier(prefix + "z").put([1], ifAbsent: "a"))
        #expect(try await server.carrier(prefix + "/").list("", after: nil) == [])
    }

    @Test("lists more objects than a list has")
    func many() async throws {
        let server = try S3TestServer("--fill", "30000")
        try await CarrierChecks { try server.carrier("accounts/42/") }.manyObjects()
        let names = try await server.carrier().all("many/")
        #expect(names.count == 30_000)
        #expect(names.first == "many/00000000" && names.last == "many/00029999")
        #expect(try await server.carrier("many/").list("0002", after: "00029997") == ["00029998", "00029999"])
        #expect(try await server.carrier("many/").list("", after: nil).count == CarrierLimits.page)
    }

    @Test("puts objects of the greatest size, with few and with many requests at a time", arguments: [1, 8])
    func large(connections: Int) async throws {
        let server = try S3TestServer()
        let carrier = try server.carrier {
            $0.objectSize = 8 << 20
            $0.connections = connections
        }
        let bytes = LargeObject.bytes(carrier.objectSize)
        #expect(try await carrier.put(bytes, ifAbsent: "large"))
        #expect(try await !carrier.put(bytes, ifAbsent: "large"))
        #expect(try await carrier.get("large") == bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 as Range<UInt8> {
                group.addTask { () async throws -> Void in
                    let bytes = [UInt8](repeating: number, count: 10_000)
                    #expect(try await carrier.put(bytes, ifAbsent: "o/\(number)"))
                    #expect(try await carrier.get("o/\(number)") == bytes)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await carrier.list("o/", after: nil).count == 40)
        await #expect(throws: StoreError.self) {
            try await carrier.put([UInt8](repeating: 0, count: 64 << 20 + 1), ifAbsent: "larger")
        }
    }

    @Test("leaves out objects of others, however many there are")
    func others() async throws {
        let server = try S3TestServer("--page", "3")
        let others = try server.carrier("place/b.")
        for number in 10..<20 { #expect(try await others.put([1], ifAbsent: "txt-\(number)")) }
        let carrier = try server.carrier("place/")
        for name in ["a", "b", "c"] { #expect(try await carrier.put([2], ifAbsent: name)) }
        #expect(try await server.carrier("place").put([2], ifAbsent: "x"))
        #expect(try await carrier.all("") == ["a", "b", "c"])
        #expect(try await carrier.list("", after: "b") == ["c"])
        #expect(try await others.all("").count == 10)
    }

    @Test("refuses a wrong secret, key, region, bucket and token, and shows no secret")
    func refused() async throws {
        let server = try S3TestServer("--session-token", "session+/=")
        let changes: [(String, (inout S3Carrier.Configuration) -> Void)] = [
            ("SignatureDoesNotMatch", { $0.secretKey = "hidden" }),
            ("InvalidAccessKeyId", { $0.accessKey = "unknown" }),
            ("AuthorizationHeaderMalformed", { $0.region = "eu-central-1" }),
            ("NoSuchBucket", { $0.bucket = "missing" }),
            ("InvalidToken", { $0.sessionToken = "hidden" }),
            ("InvalidToken", { $0.sessionToken = nil }),
        ]
        for (code, change) in changes {
            let carrier = try server.carrier("p/") {
                $0.sessionToken = "session+/="
                change(&$0)
            }
            let isExpected: (any Error) -> Bool = {
                isStoreError($0, .carrierRefused, code) && !"\($0)".contains("hidden")
            }
            await #expect { try await carrier.put([1], ifAbsent: "a") } throws: { isExpected($0) }
            await #expect { try await carrier.get("a") } throws: { isExpected($0) }
            await #expect { try await carrier.list("", after: nil) } throws: { isExpected($0) }
            await #expect { try await carrier.replace("a", with: [1]) } throws: { isExpected($0) }
            await #expect { try await carrier.remove("a") } throws: { isExpected($0) }
        }
        let carrier = try server.carrier("p/") { $0.sessionToken = "session+/=" }
        #expect(try await carrier.list("", after: nil) == [])
        #expect(try await carrier.put([1], ifAbsent: "a"))
    }

    @Test("speaks TLS with a service whose authority is trusted, and refuses others")
    func certificates() async throws {
        guard let openssl = Python.find("openssl") else { return print("skipped: openssl is not on the path") }
        let place = try TemporaryStore()
        let (key, certificate, both) = (place.directory + "/key", place.directory + "/ca", place.directory + "/both")
        let process = Process()
        process.executableURL = openssl
        process.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            + ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try Data(
            [key, certificate].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }.joined()
        ).write(to: URL(fileURLWithPath: both))
        let server = try S3TestServer("--certificate", both)
        let trusting = try server.carrier {
            $0.endpoint = "https://127.0.0.1:\(server.port)"
            $0.caFile = certificate
        }
        #expect(try await trusting.put([1, 2], ifAbsent: "a"))
        #expect(try await trusting.get("a") == [1, 2])
        for file in [nil, place.directory + "/missing"] as [String?] {
            let other = try server.carrier {
                $0.endpoint = "https://127.0.0.1:\(server.port)"
                $0.caFile = file
            }
            await #expect { try await other.get("a") } throws: { isStoreError($0, .carrierRefused) }
        }
    }
}
#endif
