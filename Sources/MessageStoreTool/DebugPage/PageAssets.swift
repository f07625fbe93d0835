internal import Foundation

/// The page's own files, which are built into the code.
enum PageAssets {
    /// The page as it is served: it loads the style and the script from files next to it.
    static let page = text(PackageResources.page_html)
        .replacing("<!--style-->", with: #"<link rel="stylesheet" href="page.css">"#)
        .replacing("<!--script-->", with: #"<script src="page.js"></script>"#)
        .replacing("<!--policy-->", with: "").replacing("<!--data-->", with: "")

    static let style = Data(PackageResources.page_css)

    /// The page as a file, with data, style and script within.
    ///
    /// The data is deflated and in base64, so that no text within can end its element.
    /// A policy lets nothing run but the script, which has a number that nobody can guess.
    static func page(data: String) -> String {
        let nonce = DebugSite.makeToken()
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; "
            + "form-action 'none'"
        return text(PackageResources.page_html)
            .replacing("<!--policy-->", with: "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">")
            .replacing("<!--style-->", with: "<style nonce=\"\(nonce)\">\n\(text([UInt8](style)))</style>")
            .replacing("<!--script-->", with: "<script nonce=\"\(nonce)\">\n\(text([UInt8](script)))</script>")
            .replacing("<!--data-->", with: "<script type=\"text/plain\" id=\"data\">\(data)</script>")
    }

    /// All scripts, one after the other, in the order in which they need each other.
    static let script = Data(scripts.joined(separator: [0x0A]))

    private static let scripts = [
        PackageResources.text_js, PackageResources.source_js, PackageResources.embedded_js,
        PackageResources.search_js, PackageResources.events_js, PackageResources.state_js, PackageResources.changes_js,
        PackageResources.chart_js, PackageResources.why_js, PackageResources.keys_js, PackageResources.page_js,
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
