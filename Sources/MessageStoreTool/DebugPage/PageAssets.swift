internal import Foundation

/// The page's own files, which are built into the code.
enum PageAssets {
    /// The page as it is served: it loads the style and the script from files next to it.
    static let page = EmbeddedAssets.pageHTML
        .replacing("<!--style-->", with: #"<link rel="stylesheet" href="page.css">"#)
        .replacing("<!--script-->", with: #"<script src="page.js"></script>"#)
        .replacing("<!--policy-->", with: "").replacing("<!--data-->", with: "")

    static let style = Data(EmbeddedAssets.pageCSS.utf8)

    /// The page as a file, with data, style and script within.
    ///
    /// The data is deflated and in base64, so that no text within can end its element.
    /// A policy lets nothing run but the script, which has a number that nobody can guess.
    static func page(data: String) -> String {
        let nonce = DebugSite.makeToken()
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; "
            + "form-action 'none'"
        return EmbeddedAssets.pageHTML
            .replacing("<!--policy-->", with: "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">")
            .replacing("<!--style-->", with: "<style nonce=\"\(nonce)\">\n\(EmbeddedAssets.pageCSS)</style>")
            .replacing("<!--script-->", with: "<script nonce=\"\(nonce)\">\n\(scripts)</script>")
            .replacing("<!--data-->", with: "<script type=\"text/plain\" id=\"data\">\(data)</script>")
    }

    static let script = Data(scripts.utf8)

    /// All scripts, one after the other, in the order in which they need each other.
    private static let scripts = [
        EmbeddedAssets.textJS, EmbeddedAssets.sourceJS, EmbeddedAssets.embeddedJS, EmbeddedAssets.searchJS,
        EmbeddedAssets.eventsJS, EmbeddedAssets.stateJS, EmbeddedAssets.changesJS, EmbeddedAssets.chartJS,
        EmbeddedAssets.whyJS, EmbeddedAssets.keysJS, EmbeddedAssets.pageJS,
    ].joined(separator: "\n")
}
