// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals
// The names of SwiftUI that `Live` and the screen of Docs/ChatScreen.md use, for `.ci/apple`, as
// https://developer.apple.com/documentation/swiftui declares them.

public protocol DynamicProperty { mutating func update() }
extension DynamicProperty { public mutating func update() {} }

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}
extension Never: View { public var body: Never { return fatalError() } }

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > { fatalError("declared for its type") }
    public static func buildEither<First: View, Second: View>(first: First) -> EitherView<First, Second> {
        EitherView()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> EitherView<First, Second> {
        EitherView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}
public struct TupleView<T>: View { public var body: Never { return fatalError() } }
public struct EitherView<First: View, Second: View>: View { public var body: Never { return fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { return fatalError() } }

@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}
public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
}

public struct ScrollView<Content: View>: View {
    public var body: Never { return fatalError() }
    public init(@ViewBuilder content: () -> Content) {}
}
public struct LazyVStack<Content: View>: View {
    public var body: Never { return fatalError() }
    public init(@ViewBuilder content: () -> Content) {}
}
public struct Button<Label: View>: View {
    public var body: Never { return fatalError() }
    public init(_ title: String, action: @escaping @MainActor () -> Void) where Label == Text {}
}
public struct UnitPoint: Sendable { public static let bottom = UnitPoint() }
public struct ProgressView: View {
    public var body: Never { return fatalError() }
    public init() {}
}
public struct Text: View {
    public var body: Never { return fatalError() }
    public init(_ text: String) {}
}
public struct ForEach<Data: RandomAccessCollection, Content: View>: View where Data.Element: Identifiable {
    public var body: Never { return fatalError() }
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension View {
    public func task<ID: Equatable>(
        id: ID, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public func defaultScrollAnchor(_ anchor: UnitPoint?) -> some View { self }
    public func navigationTitle(_ title: String) -> some View { self }
    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        self
    }
}
