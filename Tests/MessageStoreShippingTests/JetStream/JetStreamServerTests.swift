#if JetStream
import Foundation
import MessageStoreTestCarriers
import MessageStoreJetStream
import MessageStoreTestKit
import Testing

@Suite(
    "A JetStream's server", .timeLimit(.minutes(30)),
    .enabled(if: NATSServer.executable != nil, "there is no nats-server in PATH"))
struct JetStreamServerTests {
    @Test("that is killed loses nothing that it acknowledged")
    func killed() async throws {
        let server = try NATSServer()
        let carrier = try JetStreamCarrier(server.configuration())
        var put: [String] = []
        for round in 1...3 {
            for number in 0..<20 {
                let name = "a/\(round)\(100 + number)"
                #expect(try await carrier.put(Array(name.utf8), ifAbsent: name))
                put.append(name)
            }
            server.kill()
            try server.start()
        }
        #expect(try await carrier.list("a/", after: nil) == put)
        let other = try JetStreamCarrier(server.configuration())
        for name in put { #expect(try await other.get(name) == Array(name.utf8)) }
        try await other.remove("a/1100")
        #expect(try await carrier.get("a/1100") == nil)
    }

    @Test("that does not run fails a call in time")
    func notRunning() async throws {
        let server = try NATSServer()
        let configuration = server.configuration { $0.timeout = .milliseconds(500) }
        let connected = try JetStreamCarrier(configuration)
        #expect(try await connected.put([1], ifAbsent: "a/1"))
        server.kill()
        for carrier in [connected, try JetStreamCarrier(configuration)] {
            await expect(.carrierFailed) { _ = try await carrier.put([1], ifAbsent: "a/2") }
            await expect(.carrierFailed) { _ = try await carrier.get("a/1") }
            await expect(.carrierFailed) { _ = try await carrier.list("", after: nil) }
        }
        try server.start()
        #expect(try await JetStreamCarrier(server.configuration()).list("", after: nil) == ["a/1"])
    }

    @Test("refuses a wrong password and missing rights, and no error holds a secret")
    func refused() async throws {
        let server = try NATSServer(
            """
            authorization { users: [
                { user: writer, password: "correct-secret" },
                { user: reader, password: "reader-secret", permissions: {
                    publish: ["$JS.API.STREAM.>", "$JS.API.CONSUMER.>", "$JS.API.DIRECT.>", "$JS.FC.>"], subscribe: ["_INBOX.>"] } }
            ] }
            """)
        func carrier(_ user: String, _ password: String, _ timeout: Duration) throws -> JetStreamCarrier {
            try JetStreamCarrier(
                server.configuration {
                    $0.credentials = .user(user, password: password)
                    $0.timeout = timeout
                })
        }
        for wrong in [
            try carrier("writer", "wrong-secret", .seconds(60)), try JetStreamCarrier(server.configuration()),
        ] {
            await expect(.carrierRefused) { _ = try await wrong.put([1], ifAbsent: "a/1") }
            await expect(.carrierRefused) { _ = try await wrong.list("", after: nil) }
        }
        let writer = try carrier("writer", "correct-secret", .seconds(60))
        #expect(try await writer.put([1], ifAbsent: "a/1"))
        let reader = try carrier("reader", "reader-secret", .seconds(60))
        #expect(try await reader.get("a/1") == [1])
        #expect(try await reader.list("", after: nil) == ["a/1"])
        let limited = try carrier("reader", "reader-secret", .seconds(1))
        await expect(.carrierRefused) { _ = try await limited.put([1], ifAbsent: "a/2") }
        #expect(try await limited.get("a/1") == [1])
    }

    @Test("without JetStream is refused")
    func withoutJetStream() async throws {
        let server = try NATSServer("accounts { A: { users: [ { user: a, password: a } ] } }")
        let carrier = try JetStreamCarrier(server.configuration { $0.credentials = .user("a", password: "a") })
        await expect(.carrierRefused) { _ = try await carrier.put([1], ifAbsent: "a/1") }
    }

    @Test("that is full is reported so, and what is there stays")
    func full() async throws {
        let server = try NATSServer(jetStream: "sync_interval: always, max_file_store: 1000000")
        let carrier = try JetStreamCarrier(server.configuration())
        #expect(try await carrier.put([1], ifAbsent: "a/1"))
        await expect(.diskFull) {
            for number in 2...4 {
                _ = try await carrier.put([UInt8](repeating: 1, count: 500_000), ifAbsent: "a/\(number)")
            }
        }
        #expect(try await carrier.get("a/1") == [1])
    }

    @Test("reports whether every message is on the disk")
    func durability() async throws {
        let always = try NATSServer()
        func carrier(_ server: NATSServer, monitoring: Int?) throws -> JetStreamCarrier {
            try JetStreamCarrier(
                server.configuration { $0.monitoring = monitoring.map { "http://127.0.0.1:\($0)" } })
        }
        #expect(try await carrier(always, monitoring: always.monitoring).durability() == .everyMessage)
        let other = try NATSServer(jetStream: "max_file_store: 1000000000")
        for carrier in [
            try carrier(always, monitoring: nil), try carrier(always, monitoring: always.port),
            try carrier(other, monitoring: other.monitoring), try carrier(other, monitoring: always.monitoring),
        ] {
            let durability = try await carrier.durability()
            guard case .weaker(let reason) = durability else {
                Issue.record("\(durability)")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("is asked directly for messages where its stream allows that", arguments: [true, false])
    func direct(_ isAllowed: Bool) async throws {
        // Each way alone works where the other one is denied.
        let denied = isAllowed ? "$JS.API.STREAM.MSG.GET.>" : "$JS.API.DIRECT.>"
        let server = try NATSServer(
            """
            authorization { users: [
                { user: any, password: p }
                { user: reader, password: p, permissions: { publish: { deny: ["\(denied)"] } } }
            ] }
            no_auth_user: any
            """)
        let settings = #"{"name":"TEST","subjects":["TEST.>"],"discard":"new","allow_direct":false}"#
        if !isAllowed { try server.request("STREAM.CREATE.TEST", settings) }
        let carrier = try JetStreamCarrier(server.configuration())
        let names = (10..<20).map { "a/\($0)" }
        for name in names { #expect(try await carrier.put(Array(name.utf8), ifAbsent: name)) }
        let reader = try JetStreamCarrier(server.configuration { $0.credentials = .user("reader", password: "p") })
        for name in names { #expect(try await reader.get(name) == Array(name.utf8)) }
        // The settings may change at any time.
        let other = settings.replacing("\"allow_direct\":false", with: "\"allow_direct\":\(!isAllowed)")
        try server.request("STREAM.UPDATE.TEST", other)
        for name in names { #expect(try await carrier.get(name) == Array(name.utf8)) }
    }

    @Test("with a mirror, which has erased messages still, answers with what is there now")
    func mirror() async throws {
        let server = try NATSServer()
        let carrier = try JetStreamCarrier(server.configuration())
        let names = (10..<40).map { "a/\($0)" }
        for name in names { #expect(try await carrier.put([1], ifAbsent: name)) }
        try server.request(
            "STREAM.CREATE.MIRROR", #"{"name":"MIRROR","mirror":{"name":"TEST"},"mirror_direct":true}"#)
        // The server says to nobody that a mirror has caught up.
        for _ in 0..<600 where try !server.request("STREAM.INFO.MIRROR").contains("\"messages\":\(names.count)") {
            try await Task.sleep(for: .milliseconds(50))
        }
        let other = try JetStreamCarrier(server.configuration())
        for name in names[..<15] { try await other.replace(name, with: [2]) }
        for name in names[15...] { try await other.remove(name) }
        for name in names { #expect(try await carrier.get(name) == (name < names[15] ? [2] : nil)) }
    }

    private func expect(_ code: StoreError.Code, _ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? StoreError)?.code == code && !"\(error)".contains("secret")
        }
    }
}
#endif
