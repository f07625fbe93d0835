internal import MessageStoreLMDB

/// The making of a store for an import, which is undone where nothing was imported.
///
/// An empty store that a failed import left would block the next import.
struct StoreCreation {
    private let path: String
    private let isNew: Bool
    /// The path to which the store moves before it is removed.
    let aside: String

    /// Looks at a store's place before the store is opened, and removes what a kill left next to it.
    init(path: String) throws {
        let path = FileSystem.withoutTrailingSlashes(path)
        let parent = FileSystem.parent(of: path)
        (self.path, aside) = (path, parent + "/" + Leftovers.Mark.copying.newName())
        Leftovers.remove(.copying, in: parent)
        isNew = try StoreError.translating { try FileSystem.status(of: path) == nil }
    }

    /// Removes the store again if it was made since and holds no event; it must be closed.
    func undo() {
        guard isNew, (try? isEmpty()) == true else { return }
        // Under the writer's lock, as another process may have found the store in the meantime.
        guard let lock = try? FileLock.take(path + "/writer.lock"), (try? isEmpty()) == true, OwnFiles.fill(path) else {
            return
        }
        guard (try? FileSystem.rename(path, to: aside)) != nil else { return }
        withExtendedLifetime(lock) { try? FileSystem.remove(aside) }
    }

    /// Whether it is a store without events.
    private func isEmpty() throws -> Bool {
        let store = try MessageStore.openReadOnly(path)
        defer { try? store.close() }
        return try store.lastPosition() == .origin
    }
}
