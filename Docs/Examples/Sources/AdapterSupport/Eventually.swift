/// Waits up to ten seconds for what another task does; answers whether it came about.
package func eventually(_ condition: () throws -> Bool) async throws -> Bool {
    for _ in 0..<2_000 {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try condition()
}
