import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the pages: they are in the binary itself.
package struct PageAssets: Sendable {
  private struct File: Sendable {
    let path: String
    let type: String
    let bytes: @Sendable () -> [UInt8]
  }

  private static let html = "text/html; charset=utf-8"
  private static let script = "text/javascript; charset=utf-8"

  private static let files: [File] = [
    File(path: "/", type: html) { PackageResources.index_html },
    File(path: "/join", type: html) { PackageResources.join_html },
    File(path: "/app.css", type: "text/css; charset=utf-8") { PackageResources.app_css },
    File(path: "/manifest.webmanifest", type: "application/manifest+json") {
      PackageResources.manifest_webmanifest
    },
    File(path: "/openapi.yaml", type: "application/yaml; charset=utf-8") {
      PackageResources.openapi_yaml
    },
    File(path: "/icon.svg", type: "image/svg+xml") { PackageResources.icon_svg },
    File(path: "/icon-192.png", type: "image/png") { PackageResources.icon_192_png },
    File(path: "/icon-512.png", type: "image/png") { PackageResources.icon_512_png },
    File(path: "/answers.js", type: script) { PackageResources.answers_js },
    File(path: "/api.js", type: script) { PackageResources.api_js },
    File(path: "/app.js", type: script) { PackageResources.app_js },
    File(path: "/channels.js", type: script) { PackageResources.channels_js },
    File(path: "/daily-mail.js", type: script) { PackageResources.daily_mail_js },
    File(path: "/decisions.js", type: script) { PackageResources.decisions_js },
    File(path: "/dom.js", type: script) { PackageResources.dom_js },
    File(path: "/join.js", type: script) { PackageResources.join_js },
    File(path: "/map.js", type: script) { PackageResources.map_js },
    File(path: "/person.js", type: script) { PackageResources.person_js },
    File(path: "/picker.js", type: script) { PackageResources.picker_js },
    File(path: "/push.js", type: script) { PackageResources.push_js },
    File(path: "/qr.js", type: script) { PackageResources.qr_js },
    File(path: "/queue.js", type: script) { PackageResources.queue_js },
    File(path: "/sw.js", type: script) { PackageResources.sw_js },
    File(path: "/swipe.js", type: script) { PackageResources.swipe_js },
    File(path: "/view-add.js", type: script) { PackageResources.view_add_js },
    File(path: "/view-day.js", type: script) { PackageResources.view_day_js },
    File(path: "/view-list.js", type: script) { PackageResources.view_list_js },
    File(path: "/view-phones.js", type: script) { PackageResources.view_phones_js },
    File(path: "/view-places.js", type: script) { PackageResources.view_places_js },
    File(path: "/view-settings.js", type: script) { PackageResources.view_settings_js },
    File(path: "/view-today.js", type: script) { PackageResources.view_today_js },
    File(path: "/view-welcome.js", type: script) { PackageResources.view_welcome_js },
    File(path: "/words.js", type: script) { PackageResources.words_js },
  ]

  /// Where the files are served.
  package static var paths: [String] { files.map(\.path) }

  func add(to router: Router<DoorContext>) {
    for file in Self.files {
      let buffer = ByteBuffer(bytes: file.bytes())
      let hash = SHA256.hash(data: Data(buffer.readableBytesView)).prefix(8)
      let etag = "\"" + hash.map { String(format: "%02x", $0) }.joined() + "\""
      for method in [HTTPRequest.Method.get, .head] {
        router.on(RouterPath(file.path), method: method) { request, _ in
          Self.response(file.type, buffer, etag: etag, request)
        }
      }
    }
  }

  private static func response(
    _ type: String,
    _ buffer: ByteBuffer,
    etag: String,
    _ request: Request
  ) -> Response {
    var headers = PageHeaders.usual
    headers[.contentType] = type
    headers[.eTag] = etag
    // A new version of the door shows with the next look; nothing is sent twice until then.
    headers[.cacheControl] = "no-cache"
    if let known = request.headers[.ifNoneMatch], known.contains(etag) {
      return Response(status: .notModified, headers: headers)
    }
    guard request.method != .head else {
      headers[.contentLength] = "\(buffer.readableBytes)"
      return Response(status: .ok, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: buffer))
  }
}

/// What every page says to the browser.
enum PageHeaders {
  /// Only files of this door, nothing in the page itself, in nobody's frame; and nobody is told where one came from.
  static let usual: HTTPFields = {
    var headers = HTTPFields()
    headers[.contentSecurityPolicy] =
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
      + "form-action 'self'; frame-ancestors 'none'"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.referrerPolicy] = "no-referrer"
    headers[.crossOriginOpenerPolicy] = "same-origin"
    return headers
  }()
}
