#if S3
import Foundation
import MessageStoreTestCarriers
import MessageStoreS3
import Testing

@Suite("S3 with faults", .timeLimit(.minutes(30)), .enabled(if: S3TestServer.isPossible, "python3 is not on the path"))
struct S3FaultTests {
    private let server: S3TestServer
    private let carrier: S3Carrier

    init() async throws {
        server = try S3TestServer()
        carrier = try server.carrier("p/")
        // Past the probe, so that faults count requests of the tests alone.
        #expect(try await carrier.put([1, 2, 3, 4], ifAbsent: "a"))
    }

    @Test("puts an object once although answers are lost")
    func lostAnswers() async throws {
        try server.set("lost-ack=1")
        #expect(try await !carrier.put([5], ifAbsent: "b"))
        #expect(try await carrier.get("b") == [5])
        await #expect { try await carrier.replace("b", with: [6]) } throws: { isStoreError($0, .carrierFailed) }
        #expect(try await carrier.get("b") == [6])
        // The probe's own answers are lost as well.
        #expect(try await !server.carrier("q/").put([5], ifAbsent: "b"))
        try server.set("lost-ack=2")
        try await carrier.replace("b", with: [7])
        try await carrier.replace("b", with: [8])
        #expect(try await carrier.get("b") == [8])
        try server.set("lost-ack=0")
        #expect(try await !carrier.put([9], ifAbsent: "b"))
        #expect(try await carrier.list("", after: nil) == ["a", "b"])
    }

    @Test("tries again where the service fails, and reports its failure at last")
    func failures() async throws {
        try server.set("fail=2")
        for number in 10..<20 {
            #expect(try await carrier.put([5], ifAbsent: "b/\(number)"))
            #expect(try await carrier.get("b/\(number)") == [5])
            try await carrier.replace("b/\(number)", with: [6])
        }
        #expect(try await carrier.list("b/", after: nil).count == 10)
        for number in 10..<20 { try await carrier.remove("b/\(number)") }
        try server.set("fail=1")
        let isExpected: (any Error) -> Bool = { isStoreError($0, .carrierFailed, "500 InternalError") }
        await #expect { try await carrier.put([1], ifAbsent: "c") } throws: { isExpected($0) }
        await #expect { try await carrier.get("a") } throws: { isExpected($0) }
        await #expect { try await carrier.list("", after: nil) } throws: { isExpected($0) }
        await #expect { try await carrier.remove("a") } throws: { isExpected($0) }
        try server.set("fail=0&conflict=2")
        #expect(try await carrier.put([1], ifAbsent: "c"))
        #expect(try await carrier.put([1], ifAbsent: "d"))
        try server.set("conflict=1")
        await #expect { try await carrier.put([1], ifAbsent: "e") } throws: {
            isStoreError($0, .carrierFailed, "409 ConditionalRequestConflict")
        }
        try server.set("conflict=0")
        #expect(try await carrier.list("", after: nil) == ["a", "c", "d"])
    }

    @Test("takes no half of an object or a list for the whole")
    func truncated() async throws {
        for fault in ["truncate", "shorten"] {
            try server.set("\(fault)=1")
            await #expect { try await carrier.get("a") } throws: { isStoreError($0, .carrierFailed) }
            try server.set("\(fault)=0")
            #expect(try await carrier.get("a") == [1, 2, 3, 4])
        }
        for fault in ["truncate", "garbage"] {
            try server.set("\(fault)=1")
            await #expect { try await carrier.list("", after: nil) } throws: { isStoreError($0, .carrierFailed) }
            try server.set("\(fault)=0")
            #expect(try await carrier.list("", after: nil) == ["a"])
        }
        try server.set("truncate=2")
        #expect(try await carrier.get("a") == [1, 2, 3, 4])
        #expect(try await carrier.get("a") == [1, 2, 3, 4])
    }

    @Test("refuses a service that replaces objects in spite of the condition, and leaves nothing there")
    func ignoredCondition() async throws {
        try server.set("ignore-condition=1")
        let other = try server.carrier("q/")
        await #expect { try await other.put([1], ifAbsent: "a") } throws: {
            isStoreError($0, .carrierRefused, "conditional puts")
        }
        #expect(try await other.get("a") == nil)
        try server.set("ignore-condition=0")
        #expect(try await other.put([1], ifAbsent: "a"))
        let objects = try FileManager.default.contentsOfDirectory(atPath: server.directory + "/objects")
        #expect(objects.count == 2)
    }

    @Test("fails where nothing answers, or not in time")
    func silence() async throws {
        try server.set("delay=600")
        let hasty = try server.carrier("p/") { $0.requestTimeout = .milliseconds(100) }
        await #expect { try await hasty.get("a") } throws: { isStoreError($0, .carrierFailed) }
        let stalled = try server.carrier("p/") { $0.stallTimeout = .milliseconds(1) }
        await #expect { try await stalled.get("a") } throws: { isStoreError($0, .carrierFailed) }
        server.kill()
        await #expect { try await carrier.get("a") } throws: { isStoreError($0, .carrierFailed) }
        await #expect { try await carrier.put([1], ifAbsent: "b") } throws: { isStoreError($0, .carrierFailed) }
        let nowhere = try server.carrier { $0.endpoint = "http://no-such-host.invalid" }
        await #expect { try await nowhere.get("a") } throws: { isStoreError($0, .carrierFailed) }
    }

    @Test("ends a call whose task was cancelled")
    func cancelled() async throws {
        try server.set("delay=600")
        let calls = (0..<6).map { _ in Task { [carrier] in try await carrier.get("a") } }
        for (place, call) in calls.enumerated() {
            if place == 0 { try await Task.sleep(for: .milliseconds(200)) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try server.set("delay=0")
        #expect(try await carrier.get("a") == [1, 2, 3, 4])
    }

    @Test("loses nothing that was acknowledged when the service is killed again and again")
    func kills() async throws {
        var server = server
        var acknowledged: [String] = ["a"]
        for round in 10..<16 {
            try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 10..<50 {
                    group.addTask { [carrier] in
                        let name = "k/\(round)-\(number)"
                        do { return try await carrier.put(Array(name.utf8), ifAbsent: name) ? name : nil } catch {
                            #expect(isStoreError(error, .carrierFailed))
                            return nil
                        }
                    }
                }
                var count = 0
                for try await name in group {
                    if let name { acknowledged.append(name) }
                    count += 1
                    if count == 10 {
                        server.kill()
                        server = try S3TestServer(after: server)
                    }
                }
            }
        }
        let names = try await carrier.all("")
        #expect(Set(names).isSuperset(of: acknowledged))
        #expect(acknowledged.count > 60)
        for name in names.dropFirst() { #expect(try await carrier.get(name) == Array(name.utf8)) }
    }
}
#endif
