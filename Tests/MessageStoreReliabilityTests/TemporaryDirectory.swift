#if os(macOS) || os(Linux)
import Foundation
@_exported import MessageStoreTestKit

/// A directory that goes with its owner.
///
/// On tmpfs where there is one, because most of what is tried is many small stores.
final class TemporaryDirectory: Sendable {
    let path: String

    init(in parent: String? = nil) throws {
        let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
        path = (parent.map { $0 + "/" } ?? memory) + "messagestore-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A copy of the directory, which goes with its owner.
    func copy() throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for name in try names() {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
        }
        return copy
    }

    /// The names in the directory.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }
}
#endif
