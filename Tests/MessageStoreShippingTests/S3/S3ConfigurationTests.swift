#if S3
import Foundation
import MessageStoreTestCarriers
import MessageStoreS3
import Testing

@Suite("The configuration of S3", .timeLimit(.minutes(30)))
struct S3ConfigurationTests {
    private static let valid = S3Carrier.Configuration(
        endpoint: "http://127.0.0.1:1", bucket: "bucket", prefix: "p/", accessKey: "access", secretKey: "hidden1",
        sessionToken: "hidden2")

    @Test("takes what can be used alone")
    func checks() throws {
        let changes: [(inout S3Carrier.Configuration) -> Void] = [
            { $0.endpoint = "" }, { $0.endpoint = "127.0.0.1:9000" }, { $0.endpoint = "ftp://host" },
            { $0.endpoint = "http://user:hidden3@host" }, { $0.endpoint = "http://host/?a=b" },
            { $0.endpoint = "http://" }, { $0.endpoint = "http://ho st\r\n" },
            { $0.region = "" }, { $0.region = "a:b" }, { $0.region = String(repeating: "a", count: 65) },
            { $0.bucket = "" }, { $0.bucket = "a/b" }, { $0.bucket = ".." }, { $0.bucket = "ä" },
            { $0.prefix = "a\0" }, { $0.prefix = String(repeating: "ä", count: 401) },
            { $0.accessKey = "" }, { $0.secretKey = "" }, { $0.secretKey = "a b" }, { $0.sessionToken = "" },
            { $0.sessionToken = "hidden\r\nHost: other" }, { $0.connectTimeout = .zero },
            { $0.stallTimeout = .seconds(-1) }, { $0.requestTimeout = .seconds(Int64.max) }, { $0.connections = 0 },
            { $0.connections = 65 }, { $0.objectSize = 4095 }, { $0.objectSize = 64 << 20 + 1 }, { $0.caFile = "" },
        ]
        for change in changes {
            var configuration = Self.valid
            change(&configuration)
            #expect { try S3Carrier(configuration) } throws: {
                isStoreError($0, .invalidArgument) && !"\($0)".contains("hidden")
            }
        }
        var configuration = Self.valid
        configuration.endpoint = nil
        configuration.region = "eu-central-1"
        configuration.usesPathStyle = false
        #expect(try S3Carrier(configuration).description == "s3://bucket/p/")
        #expect(try S3Carrier(configuration).objectSize == 8 << 20)
    }

    @Test("shows no secret, however it is shown")
    func secrets() throws {
        let carrier = try S3Carrier(Self.valid)
        var text = "\(carrier) \(Self.valid) \(String(reflecting: carrier)) \(String(reflecting: Self.valid))"
        text += " \(carrier as any Carrier) \([carrier]) \([Self.valid]) \(["a": Self.valid])"
        dump(carrier, to: &text)
        dump(Self.valid, to: &text)
        dump((1, carrier, Self.valid), to: &text)
        #expect(text.contains("s3://bucket/p/"))
        #expect(!text.contains("hidden"))
    }

    @Test("is read from an address and variables")
    func address() throws {
        var environment = ["AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "hidden"]
        func description(_ url: String) throws -> String {
            try S3Carrier(url: url, environment: environment).description
        }
        #expect(try description("s3://bucket") == "s3://bucket/")
        #expect(try description("s3://bucket/") == "s3://bucket/")
        #expect(try description("s3://bucket/accounts/42?region=eu-west-1") == "s3://bucket/accounts/42/")
        #expect(
            try description("s3://a.b-c/a%20b/?endpoint=http://127.0.0.1:9000&addressing=path") == "s3://a.b-c/a b/")
        for url in [
            "", "bucket", "s3:bucket", "s3://", "http://bucket/", "s3://user:hidden@bucket/", "s3://bucket:80/",
            "s3://bucket/?endpoint=x", "s3://bucket/?region=", "s3://bucket/?addressing=other", "s3://bucket/?x=y",
            "s3://bucket/?endpoint", "s3://bucket/#a",
        ] {
            #expect { try description(url) } throws: {
                isStoreError($0, .invalidArgument) && !"\($0)".contains("hidden")
            }
        }
        environment["AWS_SECRET_ACCESS_KEY"] = ""
        #expect { try description("s3://bucket") } throws: { isStoreError($0, .invalidArgument) }
    }

    @Test(
        "finds the service of the address, or else of the variables",
        .enabled(if: S3TestServer.isPossible, "python3 is not on the path"))
    func variables() async throws {
        let server = try S3TestServer("--region", "here", "--session-token", "token")
        let endpoint = "http://127.0.0.1:\(server.port)"
        var environment = [
            "AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
            "AWS_REGION": "here", "AWS_ENDPOINT_URL": endpoint + "/",
        ]
        #expect(try await S3Carrier(url: "s3://bucket/a", environment: environment).put([1], ifAbsent: "b"))
        environment["AWS_REGION"] = "there"
        environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"
        let url = "s3://bucket/a?endpoint=\(endpoint)&region=here"
        #expect(try await S3Carrier(url: url, environment: environment).get("b") == [1])
    }
}
#endif
