internal import MessageStoreLMDB

#if canImport(Darwin)
internal import Foundation
#endif

extension MessageStore {
    /// When the system lets a process read the files of a store.
    public enum FileProtection: Sendable, Hashable {
        /// After the device was unlocked once since it started, as apps need that are woken in the background.
        case untilFirstUnlock
        /// Always.
        case none
    }

    /// Creates the directory of a store, if it is missing, and sets how Apple's systems treat its files; call it before
    /// the store is opened.
    ///
    /// ```swift
    /// try MessageStore.prepareDirectory(path)
    /// let store = try await MessageStore.open(path, account: "alice")
    /// ```
    ///
    /// Files that the store makes later get the protection of their directory. Protection that ends reading while the
    /// device is locked is not offered: the store maps its files, and a process that reads a mapped page of such a file
    /// is ended by a signal. On other systems this only creates the directory, with mode 0700.
    ///
    /// - Parameters:
    ///   - path: The directory of the store, whose parent exists.
    ///   - protection: When files can be read.
    ///   - isInBackups: Whether backups of the device have the store. A restored device continues an older copy of it,
    ///     with the same id; ``backup(to:progress:)`` makes one that is a store of its own.
    /// - Throws: `StoreError`: `permissionDenied`, `storeMissing` if the parent does not exist, and others.
    public static func prepareDirectory(
        _ path: String, protection: FileProtection = .untilFirstUnlock, isInBackups: Bool = false
    ) throws {
        try StoreError.translating { try FileSystem.createSharedDirectory(path) }
        #if canImport(Darwin)
        do {
            var directory = URL(fileURLWithPath: path, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = !isInBackups
            try directory.setResourceValues(values)
            #if os(iOS) || os(tvOS) || os(visionOS)
            let type: FileProtectionType = protection == .none ? .none : .completeUntilFirstUserAuthentication
            let below = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            for file in [path] + below.map({ path + "/" + $0 }) {
                do { try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: file) } catch {
                    // A file may go meanwhile.
                    if file == path || FileManager.default.fileExists(atPath: file) { throw error }
                }
            }
            #endif
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileWriteNoPermission
            let code: StoreError.Code = isForbidden ? .permissionDenied : .inputOutput
            throw StoreError(code, "the protection of the directory cannot be set", path: path)
        }
        #endif
    }
}
