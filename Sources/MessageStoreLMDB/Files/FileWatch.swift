package import Dispatch

/// Calls a closure whenever the system reports that directories or files changed, whichever process changed them.
///
/// By `inotify` on Linux, where files that are changed in a directory count, and by `kqueue` on Apple's systems, where
/// files are named themselves. Paths that do not exist, or exist again, are watched from the next change of another path
/// or ``renew()`` on. File systems on a network report changes of this machine alone.
package final class FileWatch: Sendable {
    private let paths: [String]
    private let queue: DispatchQueue
    private let changed: @Sendable () -> Void

    #if canImport(Darwin)
    private struct Watched {
        let source: any DispatchSourceFileSystemObject
        let file: FileSystem.Status
    }
    private let watched = Locked([String: Watched]())

    /// - Parameters:
    ///   - paths: Directories, for files that come to them, and files.
    ///   - queue: A serial queue, on which `changed` is called.
    package init(_ paths: [String], on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) {
        (self.paths, self.queue, self.changed) = (paths, queue, changed)
        renew()
    }

    /// Watches the files that are at the paths now.
    package func renew() {
        watched.withLock { watched in
            for path in paths {
                let status = (try? FileSystem.status(of: path)) ?? nil
                if let status, let known = watched[path]?.file, known.inode == status.inode,
                    known.device == status.device
                {
                    continue
                }
                watched.removeValue(forKey: path)?.source.cancel()
                guard let status else { continue }
                let descriptor = open(path, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                guard descriptor >= 0 else { continue }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete, .link], queue: queue)
                source.setEventHandler { [weak self] in self?.notice() }
                source.setCancelHandler { close(descriptor) }
                source.resume()
                watched[path] = Watched(source: source, file: status)
            }
        }
    }

    /// Ends the calls; one may be running.
    package func cancel() {
        watched.withLock { watched in
            for entry in watched.values { entry.source.cancel() }
            watched = [:]
        }
    }
    #else
    private static let mask =
        UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF)
        | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW)

    private struct Open {
        let descriptor: Int32
        let source: any DispatchSourceRead
    }
    private let open: Locked<Open?>

    /// - Parameters:
    ///   - paths: Directories, for files that come to them or change in them.
    ///   - queue: A serial queue, on which `changed` is called.
    package init(_ paths: [String], on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) {
        (self.paths, self.queue, self.changed) = (paths, queue, changed)
        open = Locked(nil)
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in
            Self.drain(descriptor)
            self?.notice()
        }
        source.setCancelHandler { close(descriptor) }
        open.withLock { $0 = Open(descriptor: descriptor, source: source) }
        renew()
        source.resume()
    }

    /// Watches the directories that are at the paths now; one that is watched already stays so.
    package func renew() {
        open.withLock { open in
            guard let open else { return }
            for path in paths { _ = inotify_add_watch(open.descriptor, path, Self.mask) }
        }
    }

    /// Ends the calls; one may be running.
    package func cancel() {
        open.withLock { open in
            open?.source.cancel()
            open = nil
        }
    }

    /// Takes the events out of the descriptor; that there were any is all that counts.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
    #endif

    deinit { cancel() }

    private func notice() {
        renew()
        changed()
    }
}
