/// A value that can be reached only while a mutex is held.
///
/// It uses `pthread_mutex_t` because the thread sanitizer does not see the futex of
/// `Synchronization.Mutex` on Linux and would report races that are none.
///
/// The value must not be a function itself, which each access would wrap once more: it is put into a structure.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {  // Protected by `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// In memory of its own, through a pointer, to spare the exclusivity checks of class properties, which the mutex
    /// makes needless.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        value.deallocate()
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while the mutex is held.
    @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

    /// Waits until `isReady` answers true, then runs `body`; the mutex is held during both.
    package func waitUntil<Result, Failure: Error>(
        _ isReady: (Value) -> Bool,
        then body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(value.pointee) {
            pthread_cond_wait(condition, mutex)
        }
        return try body(&value.pointee)
    }

    /// Changes the value and wakes every thread in ``waitUntil(_:then:)``.
    package func signal<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value.pointee)
    }
}
