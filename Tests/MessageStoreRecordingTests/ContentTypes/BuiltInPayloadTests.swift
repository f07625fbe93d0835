import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B27–B33, C23, E18: built-in payloads")
struct BuiltInPayloadTests {
    private let types = ContentTypeRegistry()
    private static let photo = MediaFile(
        url: "https://x/猫.jpg", path: "/tmp/a", name: "猫.jpg", byteCount: 5_000_000_000, format: "jpg")
    private static let fields: [String: JSONValue] = [
        "id": 9_007_199_254_740_993, "ratio": 0.5, "list": ["a", .null, false], "deep": ["k": "ü"],
    ]

    private func expectRoundTrip<Payload: MessagePayload & Equatable>(_ payload: Payload) throws {
        let content = try payload.encode()
        #expect(content.type == Payload.contentType)
        #expect(types.decode(content).payload() == payload)
    }

    @Test("B27–B33, C23: every built-in payload is read as it was written, with all of its fields and with the fewest")
    func roundTrips() throws {
        try expectRoundTrip(TextPayload("你好 👩‍👩‍👧\n"))
        try expectRoundTrip(
            ImagePayload(Self.photo, thumbnail: MediaFile(path: "t"), width: 4032, height: 3024, text: "caption"))
        try expectRoundTrip(ImagePayload(MediaFile(url: "u")))
        try expectRoundTrip(AudioPayload(Self.photo, duration: 1.25, text: "caption"))
        try expectRoundTrip(AudioPayload(MediaFile(path: "p")))
        try expectRoundTrip(VideoPayload(Self.photo, thumbnail: Self.photo, duration: 0, text: ""))
        try expectRoundTrip(VideoPayload(MediaFile(path: "p")))
        try expectRoundTrip(LocationPayload(latitude: -90, longitude: 180, text: "速来！"))
        try expectRoundTrip(LocationPayload(latitude: 45.5, longitude: 34.25))
        try expectRoundTrip(FilePayload(Self.photo, text: "see"))
        try expectRoundTrip(TipPayload(Self.fields, text: "t"))
        try expectRoundTrip(NotificationPayload(Self.fields))
        try expectRoundTrip(CallPayload())
    }

    @Test("B29: text is required of the text type alone, and only on sending")
    func text() throws {
        #expect(try ImagePayload(Self.photo).encode().text == nil)
        #expect(try ImagePayload(Self.photo, text: "caption").encode().text == "caption")
        #expect(TextPayload("").encode().text == "")
        try withTemporaryStore { store throws in
            #expect(try store.readBack(MessageContent(type: .text)) == MessageContent(type: .text))
        }
    }

    @Test(
        "B32: a location without its coordinates, or out of range, is neither sent nor read",
        arguments: [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .infinity)] as [(Double, Double)])
    func locations(latitude: Double, longitude: Double) {
        expectError(.invalidArgument) { _ = try LocationPayload(latitude: latitude, longitude: longitude).encode() }
        for json in [#"{"latitude":\#(latitude),"longitude":\#(longitude)}"#, #"{"latitude":1}"#, "{}"] {
            let content = MessageContent(type: .location, text: "here", data: Array(json.utf8))
            #expect(types.decode(content).unknown == .some(nil))
            #expect(types.preview(of: content) == "here")
        }
    }

    @Test("B30, B31, B33: a file needs a URL or a path, and no size is negative")
    func media() {
        let empty = MediaFile(url: "", name: "n")
        expectError(.invalidArgument) { _ = try ImagePayload(Self.photo, thumbnail: empty).encode() }
        expectError(.invalidArgument) { _ = try VideoPayload(Self.photo, thumbnail: empty).encode() }
        let negative = MediaFile(url: "u", byteCount: -1)
        let attempts: [any MessagePayload] = [
            ImagePayload(empty), AudioPayload(empty), VideoPayload(empty), FilePayload(empty),
            ImagePayload(negative), AudioPayload(negative), VideoPayload(negative), FilePayload(negative),
            ImagePayload(Self.photo, width: -1), ImagePayload(Self.photo, height: -1),
            AudioPayload(Self.photo, duration: -0.1), VideoPayload(Self.photo, duration: .infinity),
        ]
        for attempt in attempts { expectError(.invalidArgument) { _ = try attempt.encode() } }
    }

    @Test("a thumbnail of another form, as some services have it, leaves the picture readable")
    func foreignThumbnail() {
        for thumbnail in ["\"aGVsbG8=\"", "7", "[]", "null"] {
            let json = #"{"file": {"url": "u"}, "width": 3, "thumbnail": \#(thumbnail)}"#
            let content = MessageContent(type: .image, data: Array(json.utf8))
            #expect(types.decode(content).payload() == ImagePayload(MediaFile(url: "u"), width: 3))
        }
    }

    @Test("A21: keys that a payload does not know are passed over")
    func unknownKeys() {
        let json = #"{"file":{"url":"u","etag":[1]},"width":3,"later":{"a":null}}"#
        let content = MessageContent(type: .image, data: Array(json.utf8))
        #expect(types.decode(content).payload() == ImagePayload(MediaFile(url: "u"), width: 3))
    }

    @Test("E13: broken data is unknown and never a trap")
    func brokenData() throws {
        let whole = try ImagePayload(Self.photo, width: 1, height: 2).encode().data
        var broken = (0..<whole.count).map { Array(whole[..<$0]) }
        broken += [
            [0xFF, 0xFE], [0xEF, 0xBB, 0xBF], [0], Array("null".utf8), Array("[]".utf8), Array("{\"file\":7}".utf8),
            Array("{\"file\":{\"url\":\"\\ud800\"}}".utf8), [UInt8](repeating: UInt8(ascii: "["), count: 100_000),
        ]
        for data in broken {
            for type in [ContentType.image, .location, .file, .audio, .video] {
                let content = MessageContent(type: type, data: data, attributes: data)
                #expect(types.decode(content).unknown == .some(nil))
                #expect(types.preview(of: content) == "[\(type)]")
            }
        }
        for width in ["1e99", "1.5", "-1", "\"1\""] {
            let data = Array("{\"file\":{\"url\":\"u\"},\"width\":\(width)}".utf8)
            #expect(types.decode(MessageContent(type: .image, data: data)).unknown == .some(nil))
        }
        let tip = MessageContent(type: .tip, data: [UInt8](repeating: UInt8(ascii: "["), count: 100_000))
        #expect(types.decode(tip).unknown == .some(nil))
    }
}
