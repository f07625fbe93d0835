#if S3
import Foundation
import MessageStoreTestCarriers
import MessageStoreS3
import Testing

/// The server of `moto`, which imitates S3 in memory; it was written by others than the carrier.
final class MotoServer {
    static let executable = Python.find("moto_server")
    static let isPossible = executable != nil && Python.executable != nil

    private(set) var configuration = S3Carrier.Configuration(bucket: "bucket", accessKey: "any", secretKey: "any")
    private let process = Process()
    // The server ends when this does.
    private let input = Pipe()

    /// Starts the server with a bucket and a user.
    ///
    /// - Parameter verifying: Whether it verifies signatures. It does so from an address that it has decoded in part, so
    ///   that no path with encoded characters passes, and no slash in a query.
    init(verifying: Bool) throws {
        let errors = Pipe()
        process.executableURL = Python.executable
        process.arguments = ["-c", Self.watch, Self.executable?.path ?? "", "-H", "127.0.0.1", "-p", "0"]
        // The calls that make the bucket and the user are not signed.
        process.environment = ProcessInfo.processInfo.environment.merging(
            verifying ? ["INITIAL_NO_AUTH_ACTION_COUNT": "4"] : [:]
        ) { $1 }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        var text = ""
        while let bytes = try errors.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty, !text.hasSuffix("\nPress")
        {
            text += String(decoding: bytes, as: UTF8.self)
        }
        // It logs every request, and would wait where nobody reads.
        errors.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
        let address = try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output
        let keys = try Python.run(Self.preparation, String(address)).split(separator: "\n")
        try #require(keys.count == 2)
        configuration.endpoint = String(address)
        (configuration.accessKey, configuration.secretKey) = (String(keys[0]), String(keys[1]))
        configuration.objectSize = 1 << 20
    }

    deinit { try? input.fileHandleForWriting.close() }

    func carrier(
        _ prefix: String, _ change: (inout S3Carrier.Configuration) -> Void = { _ in }
    ) throws -> S3Carrier {
        var configuration = configuration
        configuration.prefix = prefix
        change(&configuration)
        return try S3Carrier(configuration)
    }

    /// Runs the server until the input ends.
    private static let watch = """
        import subprocess, sys
        server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
        sys.stdin.read()
        server.kill()
        """

    /// Makes the bucket, and a user that may do everything in S3; prints its keys.
    private static let preparation = """
        import re, sys, urllib.parse, urllib.request
        def call(service, method, path, **fields):
            data = urllib.parse.urlencode(fields).encode()
            request = urllib.request.Request(sys.argv[1] + path, data, method=method)
            request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=any/20200101/us-east-1/" + service
                + "/aws4_request, SignedHeaders=host, Signature=any")
            return urllib.request.urlopen(request).read().decode()
        def iam(action, **fields):
            return call("iam", "POST", "/", Action=action, UserName="user", Version="2010-05-08", **fields)
        call("s3", "PUT", "/bucket")
        iam("CreateUser")
        iam("PutUserPolicy", PolicyName="all", PolicyDocument='{"Version": "2012-10-17", "Statement": '
            '[{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}')
        answer = iam("CreateAccessKey")
        for name in ["AccessKeyId", "SecretAccessKey"]:
            print(re.search("<%s>(.*?)<" % name, answer)[1])
        """
}
#endif
