import Foundation
import Testing

@testable import MessageStoreTool

/// What a page in a file embeds, unpacked.
func embeddedData(of page: String) throws -> String {
    let start = try #require(page.range(of: #"<script type="text/plain" id="data">"#)).upperBound
    let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
    var packed = Array(try #require(Data(base64Encoded: String(page[start..<end]))))
    let inflater = try GzipInflater()
    var (text, room) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    while !inflater.isBetweenMembers {
        let step = try packed.withUnsafeMutableBufferPointer { input in
            try room.withUnsafeMutableBufferPointer { try inflater.step(input: input, output: $0) }
        }
        packed.removeFirst(step.consumed)
        text.append(contentsOf: room[..<step.produced])
    }
    return String(decoding: text, as: UTF8.self)
}
