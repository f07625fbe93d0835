import Foundation
import MessageStoreCZlib
import Testing

@testable import MessageStoreTool

/// What a page in a file embeds, unpacked.
func embeddedData(of page: String) throws -> String {
    let start = try #require(page.range(of: #"<script type="text/plain" id="data">"#)).upperBound
    let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
    let packed = [UInt8](try #require(Data(base64Encoded: String(page[start..<end]))))
    var size = uLong(32 << 20)
    var text = [UInt8](repeating: 0, count: Int(size))
    #expect(uncompress(&text, &size, packed, uLong(packed.count)) == Z_OK)
    return String(decoding: text.prefix(Int(size)), as: UTF8.self)
}
