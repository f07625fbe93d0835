import MessageStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Many reads at once that do not end.
enum Holding {
    /// Begins `count` reads, each in a thread; acknowledges 1 for each that began and 0 for each that could not.
    static func hold(_ path: String, _ count: Int) throws {
        let store = try MessageStore.openReadOnly(path, configuration: .ofTests)
        for _ in 0..<count {
            let box = Unmanaged.passRetained(Box(store))
            var thread = pthread_t(bitPattern: 0)
            _ = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    let store = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().store
                    do {
                        try store.read { _ in
                            acknowledge(Position(1))
                            while true { sleep(1000) }
                        }
                    } catch { acknowledge(Position(0)) }
                    return nil
                }, box.toOpaque())
        }
        while true { sleep(1000) }
    }

    private final class Box {
        let store: MessageStore
        init(_ store: MessageStore) { self.store = store }
    }
}
