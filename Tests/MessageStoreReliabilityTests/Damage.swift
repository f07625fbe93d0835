#if os(macOS) || os(Linux)
import Foundation
import MessageStoreWorkload

/// One way in which a file can be damaged.
enum Damage: String, CaseIterable {
    case bit, byte, sector, zeroPage, randomPage, headerBit, slot, swapPages, stalePage, truncate

    private static let pageSize = 4096

    /// Damages bytes of a file.
    func apply(to bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let pages = max(bytes.count / Self.pageSize, 1)
        let page = random.nextIndex(pages) * Self.pageSize
        func clamped(_ range: Range<Int>) -> Range<Int> { range.clamped(to: 0..<bytes.count) }
        switch self {
        case .bit: bytes[random.nextIndex(bytes.count)] ^= 1 << UInt8(random.nextIndex(8))
        case .byte: bytes[random.nextIndex(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        case .sector:
            let start = random.nextIndex(max(bytes.count / 512, 1)) * 512
            for index in clamped(start..<start + 512) { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        case .zeroPage: for index in clamped(page..<page + Self.pageSize) { bytes[index] = 0 }
        case .randomPage:
            for index in clamped(page..<page + Self.pageSize) {
                bytes[index] = UInt8(truncatingIfNeeded: random.next())
            }
        case .headerBit:
            let index = page + random.nextIndex(16)
            if index < bytes.count { bytes[index] ^= 1 << UInt8(random.nextIndex(8)) }
        case .slot:
            let index = page + 16 + random.nextIndex(64)
            if index < bytes.count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        case .swapPages:
            let other = random.nextIndex(pages) * Self.pageSize
            for offset in 0..<Self.pageSize where max(page, other) + offset < bytes.count {
                bytes.swapAt(page + offset, other + offset)
            }
        case .stalePage:
            // As a write that went to another page leaves it: the other's content under this one's number.
            let other = random.nextIndex(pages) * Self.pageSize
            for offset in 8..<Self.pageSize where max(page, other) + offset < bytes.count {
                bytes[page + offset] = bytes[other + offset]
            }
        case .truncate: bytes.removeSubrange(random.nextIndex(bytes.count)...)
        }
    }
}
#endif
