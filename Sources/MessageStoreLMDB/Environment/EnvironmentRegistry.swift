/// The environments that this process has open, by device and inode of their directory.
///
/// Opening one twice and closing either drops the process's file locks and makes its readers
/// invisible to other processes, so a second open is refused.
enum EnvironmentRegistry {
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    private static let open = Locked<Set<Identity>>([])

    /// A place in the registry, given back when the value is released.
    final class Registration: Sendable {
        let identity: Identity
        /// Keeps the directory's inode from being given to another, should the directory be removed meanwhile.
        let directory: OpenDirectory

        fileprivate init(_ identity: Identity, _ directory: OpenDirectory) {
            self.identity = identity
            self.directory = directory
        }

        deinit {
            _ = EnvironmentRegistry.open.withLock { $0.remove(identity) }
        }
    }

    static func isOpen(_ identity: Identity) -> Bool { open.withLock { $0.contains(identity) } }

    static func register(directory: String) throws -> Registration {
        guard let found = try FileSystem.status(of: directory) else {
            throw FileError(operation: "open environment", path: directory, errno: 2)
        }
        guard found.kind == .directory else {
            throw LMDBError(.failedPreflight, operation: "open", path: directory, detail: "not a directory")
        }
        let held = try OpenDirectory(directory)
        // Asked once more: what was there before it was opened may have gone.
        guard let status = try FileSystem.status(of: directory) else {
            throw FileError(operation: "open environment", path: directory, errno: 2)
        }
        let identity = Identity(device: status.device, inode: status.inode)
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw LMDBError(
                .alreadyOpen, operation: "open", path: directory,
                detail: "already open in this process; read with the store that has it open, or close it")
        }
        return Registration(identity, held)
    }
}

extension Environment {
    /// Whether this process has an environment in a directory open.
    package static func isOpen(at path: String) -> Bool {
        guard let status = try? FileSystem.status(of: path) else { return false }
        return EnvironmentRegistry.isOpen(.init(device: status.device, inode: status.inode))
    }
}
