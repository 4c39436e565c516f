/// What each app is answered once what it sent is on the disk.
///
/// | road | status and body | why |
/// |---|---|---|
/// | `owntracks` | 200, commands or `[]` | Android resends for ever what is not answered in JSON |
/// | `overland` | 200, `{"result":"ok"}` | without it the app keeps the batch and sends it again |
/// | `traccar`, `osmand` | 200, `OK` | any 2xx; the body is not read |
/// | `gpslogger` | 200, `OK` | any 2xx; the body is not read |
/// | `fixes`, `signals` | 200, `{"result":"ok"}` | Colota reads the status alone, a shortcut the body |
package func shortAnswer(to source: IntakeSource) -> (body: String, contentType: String) {
  switch source {
  case .owntracks: ("[]", "application/json")
  case .overland, .fixes, .signals: (#"{"result":"ok"}"#, "application/json")
  case .traccar, .osmand, .gpslogger: ("OK", "text/plain; charset=utf-8")
  }
}
