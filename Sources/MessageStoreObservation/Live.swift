#if canImport(SwiftUI)
public import MessageStore
public import SwiftUI

/// The newest value of a query on the store of the environment, for a SwiftUI view.
///
/// ```swift
/// struct Badge: View {
///     @Live({ $0.observeUnreadTotals() }) private var totals
///     var body: some View { Text("\(totals?.badge ?? 0)") }
/// }
/// // At the root of the account's views: .environment(\.messageStore, store)
/// ```
///
/// The query begins when the view's body first reads the value, and ends with the view. Another store in the
/// environment, as after a switch of the account, or another `id` takes its place; the view never shows the former
/// value with the new store. Its guarantees are those of ``LiveValue``, which `$totals` is.
@propertyWrapper
public struct Live<Value: Sendable & Equatable>: DynamicProperty {
    @Environment(\.messageStore) private var store
    @State private var live: LiveValue<Value>
    private let id: AnyHashable
    private let query: @MainActor (MessageStore) -> LiveQuery<Value>

    /// Creates a property that follows a query.
    ///
    /// - Parameters:
    ///   - id: The inputs of the query, as the conversation whose timeline it is; another one starts another query.
    ///   - query: The query of a store.
    @MainActor
    public init(id: some Hashable & Sendable = 0, _ query: @escaping @MainActor (MessageStore) -> LiveQuery<Value>) {
        (self.id, self.query) = (AnyHashable(id), query)
        _live = State(wrappedValue: LiveValue())
    }

    /// The newest value; nil before the first one.
    @MainActor public var wrappedValue: Value? { projectedValue.value }

    /// The value with its error, and whether it is loading.
    @MainActor public var projectedValue: LiveValue<Value> {
        // SwiftUI calls `DynamicProperty.update()` on any thread; the body runs on the main actor.
        live.follow(id: [AnyHashable(store.map(ObjectIdentifier.init)), id]) { store.map(query) }
        return live
    }
}

private struct MessageStoreKey: EnvironmentKey {
    static var defaultValue: MessageStore? { nil }
}

extension EnvironmentValues {
    /// The store of the account whose views these are.
    public var messageStore: MessageStore? {
        get { self[MessageStoreKey.self] }
        set { self[MessageStoreKey.self] = newValue }
    }
}
#endif
