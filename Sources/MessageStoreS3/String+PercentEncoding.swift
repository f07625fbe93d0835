#if S3
internal import Foundation

extension String {
    /// The text in an address, as AWS signs it: letters, digits and `-._~` as they are, and every other byte as `%` and
    /// two hexadecimal digits.
    func percentEncoded(keeping kept: String = "") -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let allowed = CharacterSet(charactersIn: letters + "0123456789-._~" + kept)
        return addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// The key that a list has in this form, in which `+` is a space; nil where it is not in it.
    var percentDecodedKey: String? { replacing("+", with: " ").removingPercentEncoding }
}
#endif
