#if os(macOS) || os(Linux)
import Foundation
import MessageStoreShipping

#if S3 || JetStream
import MessageStoreTestCarriers
#endif
#if JetStream
import MessageStoreJetStream
#endif
#if S3
import MessageStoreS3
#endif

/// A place that children ship to, and the server that keeps it.
final class ShippingPlace {
    /// Carriers whose servers can be started here.
    enum Kind: String, CaseIterable, Sendable {
        case folder
        #if S3
        case s3
        #endif
        #if JetStream
        case jetstream
        #endif

        var isPossible: Bool {
            switch self {
            case .folder: true
            #if S3
            case .s3: S3TestServer.isPossible
            #endif
            #if JetStream
            case .jetstream: NATSServer.executable != nil
            #endif
            }
        }

        static var possible: [Self] { allCases.filter(\.isPossible) }
    }

    /// The place, as children take it.
    let argument: String
    /// A carrier of the test's own.
    let carrier: any Carrier
    /// Where the bytes of the place are.
    let files: String
    /// The bytes of the place's messages; nil for a place whose files are looked at.
    private let messages: (() throws -> [[UInt8]])?
    /// Kills the server and starts it again; nil for a place without one.
    let restart: (() throws -> Void)?

    init(_ kind: Kind, in directory: String) throws {
        switch kind {
        case .folder:
            files = directory + "/place"
            (argument, carrier, restart, messages) = ("folder", try FolderCarrier(files), nil, nil)
        #if S3
        case .s3:
            var server = try S3TestServer()
            files = server.directory
            (argument, carrier, messages) = ("s3:\(server.port)", try server.carrier(), nil)
            restart = {
                server.kill()
                server = try S3TestServer(after: server)
            }
        #endif
        #if JetStream
        case .jetstream:
            // Messages are small, so that large objects are several.
            let server = try NATSServer("max_payload: 12000")
            files = server.directory
            (argument, carrier) = ("jetstream:\(server.port)", try JetStreamCarrier(server.configuration()))
            // A server that is killed while it erases a message may leave its bytes in a file, where no client sees them.
            messages = { try server.messages() }
            restart = {
                server.kill()
                try server.start()
            }
        #endif
        }
    }

    /// The numbers of the messages whose texts the place has.
    func words() throws -> Set<UInt64> {
        if let messages { return try messages().reduce(into: []) { $0.formUnion(Self.words(Data($1))) } }
        return wordsInFiles()
    }

    /// The same of all bytes in files, whether anybody can ask for them or not.
    func wordsInFiles() -> Set<UInt64> {
        let names = FileManager.default.enumerator(atPath: files)?.compactMap { $0 as? String } ?? []
        return names.filter { !$0.contains(".tmp/") }.reduce(into: []) {
            $0.formUnion(Self.words(FileManager.default.contents(atPath: files + "/" + $1) ?? Data()))
        }
    }

    /// A number counts with the sign after it: a part of an object may end within one. Texts have theirs twice, so that
    /// one of the two is whole.
    private static func words(_ bytes: Data) -> Set<UInt64> {
        var numbers: Set<UInt64> = []
        var start = bytes.startIndex
        while let word = bytes.range(of: Data("secret-".utf8), in: start..<bytes.endIndex) {
            let digits = bytes[word.upperBound...].prefix { (0x30...0x39).contains($0) }
            let isWhole = digits.endIndex < bytes.endIndex && bytes[digits.endIndex] == UInt8(ascii: "-")
            if isWhole, let number = UInt64(String(decoding: digits, as: UTF8.self)) { numbers.insert(number) }
            start = word.upperBound
        }
        return numbers
    }
}
#endif
