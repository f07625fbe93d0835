import Foundation

/// A directory that lives as long as this value.
package final class TemporaryDirectory {
    /// Its path.
    package let path: String

    /// Creates an empty one.
    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/adapter-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
