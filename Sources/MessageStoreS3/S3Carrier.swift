#if S3
internal import Foundation
internal import Synchronization

#if canImport(FoundationXML)
internal import FoundationXML
#endif

/// A bucket of S3, or of a service that is compatible with it, as a carrier.
///
/// The service must put objects only if no object has the name (`If-None-Match: *`), as S3 does;
/// the carrier tests this before its first such put, with an object whose name begins with `probe-` and which is then removed.
/// It must list names in the order of their bytes, which directory buckets of S3 do not.
///
/// Requests are signed (AWS signature version 4), bodies are not (`UNSIGNED-PAYLOAD`), since shipped objects carry
/// checksums of their own. A request that fails for a cause that may pass is tried up to four times, with about a
/// second of waiting in all. After a task is cancelled, a call ends soon with `CancellationError`, and its request may
/// have been done.
///
/// In a bucket that keeps versions of objects, replaced or removed ones can still be read by who has the right.
public final class S3Carrier: Carrier, CustomStringConvertible, CustomReflectable {
    /// The greatest object that is read or put, in bytes.
    private static let greatestObject = 64 << 20
    /// The greatest list or failure that is read, in bytes.
    private static let greatestList = 4 << 20
    private static let retries = 3

    /// Objects of at most so many bytes are put.
    public let objectSize: Int
    /// The bucket and the prefix as an address; it holds no secret.
    public let description: String
    private let prefix: String
    private let address: String
    private let client: HTTPClient
    private let putsConditionally = Atomic(false)

    /// Prepares requests and sends none.
    ///
    /// - Throws: `StoreError`: `invalidArgument` if a part of the configuration cannot be used; `carrierFailed` if
    ///   libcurl cannot.
    public init(_ configuration: Configuration) throws {
        address = try configuration.checkedAddress()
        client = try HTTPClient(configuration)
        (objectSize, prefix) = (configuration.objectSize, configuration.prefix)
        description = "s3://\(configuration.bucket)/\(configuration.prefix)"
    }

    /// The description alone, so that dumps show no secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .class) }

    /// Puts an object if no object has the name; see ``Carrier/put(_:ifAbsent:)``.
    ///
    /// A put whose answer was lost is sent again and then finds its own object, so that false is no proof of a rival.
    public func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try check(name, bytes)
        if !putsConditionally.load(ordering: .relaxed) {
            try await tryConditionalPut()
            putsConditionally.store(true, ordering: .relaxed)
        }
        return try await putIfAbsent(prefix + name, bytes)
    }

    /// The bytes of an object; nil only if the service names it as missing. See ``Carrier/get(_:)``.
    public func get(_ name: String) async throws -> [UInt8]? {
        try name.checkObjectName()
        let answer = try await send(HTTPRequest(method: "GET", url: url(prefix + name), limit: Self.greatestObject))
        // Another 404 is not about the object, but about the bucket or the address.
        if answer.status == 404, answer.code == "NoSuchKey" { return nil }
        guard answer.status == 200 else { throw failure(answer) }
        guard answer.length == answer.body.count else {
            throw StoreError(.carrierFailed, "an object came without its length", path: description)
        }
        return answer.body
    }

    /// The names of objects; objects without a valid name are left out. See ``Carrier/list(_:after:)``.
    public func list(_ prefix: String, after name: String?) async throws -> [String] {
        var last = name.map { self.prefix + $0 }
        while true {
            let (keys, isTruncated) = try await keys(self.prefix + prefix, after: last)
            var names: [String] = []
            for key in keys {
                guard key.utf8.starts(with: (self.prefix + prefix).utf8),
                    last.map({ $0.utf8.lexicographicallyPrecedes(key.utf8) }) ?? true
                else {
                    throw StoreError(.carrierRefused, "the service does not list names in order", path: description)
                }
                last = key
                let name = String(decoding: key.utf8.dropFirst(self.prefix.utf8.count), as: UTF8.self)
                // Others may keep objects here as well, with other names.
                if (try? name.checkObjectName()) != nil { names.append(name) }
            }
            if !names.isEmpty || !isTruncated { return Array(names.prefix(CarrierLimits.page)) }
            guard !keys.isEmpty else { throw unreadableList }
        }
    }

    /// Puts an object in the place of another; see ``Carrier/replace(_:with:)``.
    public func replace(_ name: String, with bytes: [UInt8]) async throws {
        try check(name, bytes)
        let answer = try await send(putRequest(prefix + name, bytes))
        guard answer.isSuccess else { throw failure(answer) }
    }

    /// Removes an object; see ``Carrier/remove(_:)``.
    public func remove(_ name: String) async throws {
        try name.checkObjectName()
        try await removeObject(prefix + name)
    }
}

extension S3Carrier {
    private func check(_ name: String, _ bytes: [UInt8]) throws {
        try name.checkObjectName()
        guard bytes.count <= Self.greatestObject else {
            throw StoreError(.invalidArgument, "an object is too large", path: description)
        }
    }

    private func url(_ key: String) -> String { address + key.percentEncoded(keeping: "/") }

    private func putRequest(_ key: String, _ bytes: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: "PUT", url: url(key), headers: ["Content-Type: application/octet-stream"], body: bytes,
            limit: Self.greatestList)
    }

    /// A put whose answer was lost and which was sent again is refused by its own object.
    private func putIfAbsent(_ key: String, _ bytes: [UInt8]) async throws -> Bool {
        var request = putRequest(key, bytes)
        request.headers.append("If-None-Match: *")
        let answer = try await send(request)
        if answer.status == 412 { return false }
        guard answer.isSuccess else { throw failure(answer) }
        return true
    }

    private func removeObject(_ key: String) async throws {
        let answer = try await send(HTTPRequest(method: "DELETE", url: url(key), limit: Self.greatestList))
        guard answer.isSuccess || answer.status == 404 && answer.code == "NoSuchKey" else { throw failure(answer) }
    }

    /// Throws unless the service refuses to put an object twice. The object has a name that no list shows.
    private func tryConditionalPut() async throws {
        let key = prefix + "probe-\(UInt64.random(in: .min ... .max)).tmp"
        var isRefused = try await !putIfAbsent(key, [0])
        if !isRefused { isRefused = try await !putIfAbsent(key, [1]) }
        // One that is left does no harm.
        try? await removeObject(key)
        guard isRefused else {
            throw StoreError(.carrierRefused, "the service does not support conditional puts", path: description)
        }
    }

    /// The first keys that begin with a prefix and follow a key, and whether there are more.
    private func keys(_ prefix: String, after key: String?) async throws -> ([String], isTruncated: Bool) {
        // In the order of the signature.
        var query = "encoding-type=url&list-type=2&max-keys=\(CarrierLimits.page)&prefix=" + prefix.percentEncoded()
        if let key { query += "&start-after=" + key.percentEncoded() }
        let answer = try await send(HTTPRequest(method: "GET", url: address + "?" + query, limit: Self.greatestList))
        guard answer.status == 200 else { throw failure(answer) }
        guard let document = S3Document(answer.body), document.root == "ListBucketResult",
            let isTruncated = document.values["IsTruncated"].flatMap({ Bool($0) })
        else { throw unreadableList }
        let isEncoded = document.values["EncodingType"] == "url"
        let keys = document.keys.compactMap { isEncoded ? $0.percentDecodedKey : $0 }
        guard keys.count == document.keys.count else { throw unreadableList }
        return (keys, isTruncated)
    }

    /// Sends a request until there is an answer that another try would not change, or the tries are used up.
    private func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        var attempt = 0
        while true {
            do {
                let answer = try await client.perform(request)
                if !answer.isTransient || attempt == Self.retries { return answer }
            } catch let error as HTTPFailure {
                guard error.isTransient, attempt < Self.retries else {
                    throw StoreError(
                        error.isRefusal ? .carrierRefused : .carrierFailed, "a request failed: \(error.reason)",
                        path: description)
                }
            }
            attempt += 1
            try await Pause.sleep(for: .milliseconds(Int.random(in: 50...100) << attempt))
        }
    }

    private var unreadableList: StoreError {
        StoreError(.carrierFailed, "the service answered with no list", path: description)
    }

    private func failure(_ answer: HTTPAnswer) -> StoreError {
        let code: StoreError.Code =
            answer.status == 507 ? .diskFull : answer.isRefusal ? .carrierRefused : .carrierFailed
        let name = answer.code
        return StoreError(
            code, "the service answered \(answer.status)" + (name.isEmpty ? "" : " " + name), path: description)
    }
}

/// A list or a failure in the XML of a service like S3.
final class S3Document: NSObject, XMLParserDelegate {
    private(set) var root = ""
    /// The texts of the root's children.
    private(set) var values: [String: String] = [:]
    /// The keys of a list, as the document has them.
    private(set) var keys: [String] = []
    private var path: [String] = []
    private var text = ""

    /// Reads a document; nil if the bytes are no whole one.
    init?(_ bytes: [UInt8]) {
        super.init()
        guard !bytes.isEmpty else { return nil }
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        guard parser.parse() else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if path.isEmpty { root = name }
        path.append(name)
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters more: String) { text += more }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if path.count == 2 {
            values[name] = text
        } else if path.count == 3, name == "Key", path[1] == "Contents" {
            keys.append(text)
        }
        _ = path.popLast()
        text = ""
    }
}
#endif
