#if JetStream
import Foundation
import MessageStoreTestCarriers
import MessageStoreJetStream
import MessageStoreTestKit
import Testing

@Suite(
    "A JetStream as a carrier", .timeLimit(.minutes(30)),
    .enabled(if: NATSServer.executable != nil, "there is no nats-server in PATH"))
struct JetStreamCarrierTests {
    @Test("does what every carrier does")
    func contract() async throws {
        let server = try NATSServer()
        let configuration = server.configuration()
        let checks = CarrierChecks { try JetStreamCarrier(configuration) }
        try await checks.run()
        try await checks.manyObjects()
    }

    @Test("splits large objects, and erases their parts")
    func parts() async throws {
        let server = try NATSServer()
        let configuration = server.configuration()
        let carrier = try JetStreamCarrier(configuration)
        let (first, other) = (LargeObject.bytes(16 << 20), LargeObject.bytes(16 << 20, seed: 2))
        #expect(try await carrier.put(first, ifAbsent: "a/large"))
        #expect(try await !carrier.put(LargeObject.bytes(16 << 20, seed: 1), ifAbsent: "a/large"))
        #expect(try await JetStreamCarrier(configuration).get("a/large") == first)
        #expect(try await carrier.list("a/", after: nil) == ["a/large"])
        try await JetStreamCarrier(configuration).replace("a/large", with: other)
        #expect(try await carrier.get("a/large") == other)
        let before = [UInt8](first[5_000_000..<5_000_100])
        let after = [UInt8](other[5_000_000..<5_000_100])
        #expect(try !server.holds(before))
        #expect(try server.holds(after))
        try await carrier.replace("a/large", with: [1])
        #expect(try await carrier.get("a/large") == [1])
        #expect(try !server.holds(after))
    }

    @Test("takes several messages where the server's are small")
    func smallMessages() async throws {
        let server = try NATSServer("max_payload: 8000")
        let checks = CarrierChecks { [configuration = server.configuration()] in try JetStreamCarrier(configuration) }
        try await checks.run()
    }

    @Test("erases the parts of a put that was cut off, with the next put of any object")
    func leftovers() async throws {
        let server = try NATSServer(
            """
            max_payload: 20000
            authorization { users: [
                { user: any, password: p }
                { user: halted, password: p, permissions: { publish: { deny: ["TEST.place.o.>"] } } }
            ] }
            no_auth_user: any
            """)
        let carrier = try JetStreamCarrier(server.configuration())
        let kept = LargeObject.bytes(100_000)
        #expect(try await carrier.put(kept, ifAbsent: "a/kept"))
        let halted = try JetStreamCarrier(
            server.configuration { ($0.credentials, $0.timeout) = (.user("halted", password: "p"), .seconds(1)) })
        let secret = Array("a very secret sentence of this test".utf8)
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) {
                try await halted.put(secret + [UInt8](repeating: 1, count: 50_000), ifAbsent: "a/cut")
            }
            #expect(try server.holds(secret))
            let next = try JetStreamCarrier(server.configuration())
            try await next.replace("a/next", with: [2])
            #expect(try !server.holds(secret))
            #expect(try await carrier.get("a/kept") == kept)
            #expect(try await carrier.list("", after: nil) == ["a/kept", "a/next"])
        }
    }

    @Test("leaves no byte of what was removed or replaced in the server's files")
    func erased() async throws {
        let server = try NATSServer()
        let carrier = try JetStreamCarrier(server.configuration())
        let secret = Array("a very secret sentence of this test".utf8)
        for name in ["a/1", "a/2", "a/3"] { #expect(try await carrier.put(secret + name.utf8, ifAbsent: name)) }
        #expect(try server.holds(secret + "a/1".utf8))
        try await carrier.remove("a/1")
        try await carrier.replace("a/3", with: [1])
        #expect(try !server.holds(secret + "a/1".utf8))
        #expect(try !server.holds(secret + "a/3".utf8))
        #expect(try await carrier.get("a/2") == secret + "a/2".utf8)
        try await carrier.remove("a/2")
        #expect(try !server.holds(secret))
        #expect(try await carrier.list("", after: nil) == ["a/3"])
    }

    @Test("sees what another carrier puts, replaces and removes")
    func others() async throws {
        let server = try NATSServer()
        let one = try JetStreamCarrier(server.configuration())
        let two = try JetStreamCarrier(server.configuration())
        for number in 1...3 { #expect(try await one.put([1], ifAbsent: "a/\(number)")) }
        #expect(try await two.list("a/", after: nil) == ["a/1", "a/2", "a/3"])
        try await one.remove("a/2")
        #expect(try await two.list("a/", after: nil) == ["a/1", "a/3"])
        #expect(try await two.get("a/2") == nil)
        try await one.remove("a/3")
        #expect(try await two.put([2], ifAbsent: "a/3"))
        #expect(try await !one.put([3], ifAbsent: "a/3"))
        #expect(try await one.get("a/3") == [2])
        try await one.replace("a/1", with: [4])
        #expect(try await two.get("a/1") == [4])
        try await two.remove("a/1")
        #expect(try await one.get("a/1") == nil)
        #expect(try await one.list("", after: nil) == ["a/3"])
        #expect(try await JetStreamCarrier(server.configuration(prefix: "other")).list("", after: nil) == [])
    }

    @Test("puts and removes of several carriers leave what exactly one order of them leaves", arguments: 0..<3)
    func rivals(_ round: Int) async throws {
        let server = try NATSServer()
        let carriers = try (0..<3).map { _ in try JetStreamCarrier(server.configuration()) }
        let puts = try await withThrowingTaskGroup(of: [String].self) { group in
            for (rival, carrier) in carriers.enumerated() {
                group.addTask {
                    var put: [String] = []
                    for number in 0..<60 {
                        let name = "a/\(100 + number)"
                        if try await carrier.put([UInt8(rival)], ifAbsent: name) { put.append("\(name) \(rival)") }
                        if number % 7 == rival { try await carrier.remove("a/\(100 + number / 2)") }
                    }
                    return put
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let names = try await JetStreamCarrier(server.configuration()).list("a/", after: nil)
        for carrier in carriers {
            #expect(try await carrier.list("a/", after: nil) == names)
            for name in names {
                let bytes = try #require(try await carrier.get(name))
                #expect(bytes.count == 1 && puts.contains("\(name) \(bytes[0])"))
            }
        }
    }
}
#endif
