public import Foundation

extension StoreError: CustomNSError {
    /// The domain of errors that Objective-C sees.
    public static var errorDomain: String { "MessageStore.StoreError" }
    /// The number of the code.
    public var errorCode: Int { code.number }
    /// The description, which holds no text of a message.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
