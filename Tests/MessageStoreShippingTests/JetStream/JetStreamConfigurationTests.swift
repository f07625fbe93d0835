#if JetStream
import Foundation
import MessageStoreJetStream
import Testing

@Suite("A configuration for JetStream", .timeLimit(.minutes(30)))
struct JetStreamConfigurationTests {
    @Test("comes from a URL and an environment")
    func url() throws {
        var expected = JetStreamCarrier.Configuration(servers: ["nats://host:4222"], stream: "STREAM", prefix: "PREFIX")
        #expect(try .init(url: "nats://host:4222/STREAM/PREFIX", environment: [:]) == expected)
        expected.credentials = .user("me", password: "p")
        #expect(
            try .init(url: "nats://host:4222/STREAM/PREFIX", environment: ["NATS_USER": "me", "NATS_PASSWORD": "p"])
                == expected)
        expected.credentials = .file("/creds")
        expected.authorities = "/ca.pem"
        expected.monitoring = "http://host:8222"
        let environment = [
            "NATS_CREDS": "/creds", "NATS_CA": "/ca.pem", "NATS_MONITORING": "http://host:8222", "NATS_USER": "me",
        ]
        #expect(try .init(url: "nats://host:4222/STREAM/PREFIX", environment: environment) == expected)
        #expect(
            try JetStreamCarrier(url: "tls://host:1/S/P", environment: ["NATS_TOKEN": "t"]).description
                == "tls://host:1/S/P")
    }

    @Test(
        "refuses what is none, and repeats no secret of it",
        arguments: [
            "", "nats://host", "nats://host/S", "nats://host/S/P/Q", "http://host/S/P", "nats:///S/P",
            "nats://host/S./P", "nats://host/S/>", "nats://host/S/*", "nats://host//P", "nats://me:secret@host/S/P",
            "nats://secret@host/S/P",
        ])
    func invalid(_ url: String) {
        #expect {
            try JetStreamCarrier(url: url, environment: [:])
        } throws: {
            ($0 as? StoreError)?.code == .invalidArgument && !"\($0)".contains("secret")
        }
    }

    @Test("shows no secret")
    func secrets() throws {
        for credentials in [
            JetStreamCarrier.Credentials.user("me", password: "secret"), .token("secret"), .file("/secret"),
        ] {
            var configuration = JetStreamCarrier.Configuration(servers: ["nats://host"], stream: "S", prefix: "P")
            configuration.credentials = credentials
            let carrier = try JetStreamCarrier(configuration)
            var text = "\(configuration) \(String(reflecting: configuration)) \(String(reflecting: credentials))"
            dump(carrier, to: &text)
            dump(configuration, to: &text)
            text += "\(carrier) \(String(reflecting: carrier)) \(carrier.description)"
            #expect(!text.contains("secret"))
        }
    }
}
#endif
