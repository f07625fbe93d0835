import Foundation
import Testing

/// Notices what is made in a folder, also by other processes.
final class FolderWatch {
    private let descriptor: Int32

    init(_ path: String) throws {
        #if os(Linux)
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        try #require(inotify_add_watch(descriptor, path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0)
        #else
        (descriptor, folder) = (kqueue(), open(path, O_EVTONLY))
        var change = kevent(
            ident: UInt(folder), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
            fflags: UInt32(NOTE_WRITE), data: 0, udata: nil)
        try #require(folder >= 0 && kevent(descriptor, &change, 1, nil, 0, nil) == 0)
        #endif
    }

    #if os(Linux)
    deinit { close(descriptor) }
    #else
    private let folder: Int32

    deinit {
        close(descriptor)
        close(folder)
    }
    #endif

    /// Waits until something is made after the last look; false where a process ends first, of which this is the output.
    ///
    /// - Parameter milliseconds: The longest wait, after which the answer is true as well; -1 for none.
    func next(before output: Pipe, within milliseconds: Int32 = -1) -> Bool {
        var entries = [descriptor, output.fileHandleForReading.fileDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            guard poll(&entries, 2, milliseconds) != 0 else { return true }
            if entries[0].revents != 0 {
                #if os(Linux)
                var events = [UInt8](repeating: 0, count: 4096)
                _ = read(descriptor, &events, events.count)
                #else
                var event = kevent()
                _ = kevent(descriptor, nil, 0, &event, 1, nil)
                #endif
                return true
            }
            if entries[1].revents != 0, output.fileHandleForReading.availableData.isEmpty { return false }
        }
    }
}
