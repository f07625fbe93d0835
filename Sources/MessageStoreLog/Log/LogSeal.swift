internal import MessageStoreLMDB
package import MessageStoreSealing

/// The key of a log's environment, and the file in its directory from which the key follows, so that both are exchanged
/// with the log in one step.
package struct LogSeal {
    package static let fileName = "keys.json"
    private static let greatestFile = 64 << 10

    /// nil for a clear log.
    let key: SecretKey?
    let file: [UInt8]?

    /// Called when nothing but the exchange of the directories is left to do.
    let beforeExchange: () throws -> Void

    package init(key: SecretKey?, file: [UInt8]?, beforeExchange: @escaping () throws -> Void = {}) {
        (self.key, self.file, self.beforeExchange) = (key, file, beforeExchange)
    }

    init(of environment: Environment) throws {
        self.init(
            key: environment.configuration.key,
            file: environment.configuration.key == nil ? nil : try Self.file(in: environment.path))
    }

    /// The file of the keys of the log at a path, also if a kill left that log as the last retired one; nil if there is
    /// none. A longer file is cut off.
    package static func file(in path: String) throws -> [UInt8]? {
        let log = try RetiredLog.path(of: path) ?? path
        guard let status = try FileSystem.status(of: log + "/" + fileName) else { return nil }
        guard status.kind == .file else {
            throw StoreError(.logDamaged, "the file of the keys is not a regular file", path: log + "/" + fileName)
        }
        return try FileSystem.read(log + "/" + fileName, limit: greatestFile)
    }
}
