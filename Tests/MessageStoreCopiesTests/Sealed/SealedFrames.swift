import Foundation

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreTestSupport

/// The frames of a journal's file or of a segment as they are stored, for somebody who changes them.
struct SealedFrames {
    struct Frame {
        let offset: Int
        /// Without the zeros that fill it up.
        let byteCount: Int
    }

    var bytes: [UInt8]
    let frames: [Frame]

    private static let headerSize = 64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var (frames, offset) = ([Frame](), 0)
        while offset + Self.headerSize <= bytes.count, bytes[offset..<offset + 8].elementsEqual(Array("\nMSJRNS1".utf8))
        {
            let count = (0..<4).reduce(0) { sum, byte in
                sum + (Int(bytes[offset + 56 + byte]) + Int(bytes[offset + 60 + byte])) << (8 * byte)
            }
            frames.append(Frame(offset: offset, byteCount: Self.headerSize + count + 32))
            offset += (Self.headerSize + count + 32 + 63) / 64 * 64
        }
        self.frames = frames
    }

    /// The bytes of a frame with those that fill it up.
    func whole(_ index: Int) -> ArraySlice<UInt8> {
        let frame = frames[index]
        return bytes[frame.offset..<min(frame.offset + (frame.byteCount + 63) / 64 * 64, bytes.count)]
    }

    /// Puts the bytes of another frame of the same size in the place of one.
    mutating func put(_ other: ArraySlice<UInt8>, at index: Int) {
        let place = whole(index).indices
        bytes.replaceSubrange(place, with: other)
    }

    /// Changes a bit of a frame.
    mutating func flip(bit: Int, of index: Int) { bytes[frames[index].offset + bit / 8] ^= 1 << UInt8(bit % 8) }

    /// Puts the id of a store into a frame.
    mutating func setStore(_ id: ArraySlice<UInt8>, of index: Int) {
        let start = frames[index].offset + 16
        bytes.replaceSubrange(start..<start + 16, with: id)
    }

    /// The id of the store that a frame names.
    func store(of index: Int) -> ArraySlice<UInt8> { bytes[frames[index].offset + 16..<frames[index].offset + 32] }

    /// Makes the checksum of a frame right.
    mutating func renewChecksum(of index: Int) {
        let frame = frames[index]
        let sum = XXH64.hash(
            Array(bytes[frame.offset + 16..<frame.offset + frame.byteCount]).span.bytes, seed: 0x4D53_4A52_4E4C_0000)
        bytes.replaceSubrange(
            frame.offset + 8..<frame.offset + 16, with: withUnsafeBytes(of: sum.littleEndian) { Array($0) })
    }
}

/// A file that is sealed as a whole, such as a lens: a line, a checksum of eight bytes, sealed bytes.
enum WholeFile {
    private static let start = "messagestore-sealed\n".utf8.count

    /// The file with the checksum of its bytes.
    static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let sum = XXH64.hash(Array(bytes[(start + 8)...]).span.bytes)
        bytes.replaceSubrange(start..<start + 8, with: withUnsafeBytes(of: sum.bigEndian) { Array($0) })
        return bytes
    }

    /// The first of the sealed bytes.
    static let sealedStart = start + 8

    /// A file of keys with the checksum of its JSON.
    static func keysWithChecksum(_ bytes: [UInt8]) -> [UInt8] {
        let json = Array(bytes.drop { $0 != 0x0A }.dropFirst().dropLast())
        let digits = String(XXH64.hash(json.span.bytes), radix: 16)
        return Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8) + [0x0A] + json + [0x0A]
    }
}
