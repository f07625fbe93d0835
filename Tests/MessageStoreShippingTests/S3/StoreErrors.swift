#if S3
import MessageStoreS3

/// Whether an error is of the store, has the code, and holds the text.
func isStoreError(_ error: any Error, _ code: StoreError.Code, _ text: String = "") -> Bool {
    guard let error = error as? StoreError else { return false }
    return error.code == code && (text.isEmpty || error.message.contains(text))
}
#endif
