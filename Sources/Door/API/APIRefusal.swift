import Basics
import LiveHost
import NearMeEngine
import Places
import UserStore

/// Why a request of a person's or a program's was not done; nothing has changed.
struct APIRefusal: Error, Hashable, Sendable {
  /// For programs; it never changes, and is what metrics count.
  let name: String
  /// The status.
  let status: Int
  /// For people: what is wrong and what to do.
  let detail: String
  /// After so many seconds it may work.
  var retryAfterSeconds: Int?

  init(_ status: Int, _ name: String, _ detail: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.name = name
    self.detail = detail
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// As problem+json.
  ///
  /// - Source: RFC 9457, section 3.1.
  var json: String {
    var json = JSONText()
    json.add("type", "urn:nearme:problem:\(name)")
    json.add("title", title)
    json.add("status", status)
    json.add("name", name)
    json.add("detail", detail)
    return json.closed
  }
}

extension APIRefusal {
  /// Its name for people, the same for every refusal of that name.
  private var title: String {
    let words = String(name.map { $0 == "_" ? " " : $0 })
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

// MARK: - Those with a name

extension APIRefusal {
  static let unauthorized = APIRefusal(
    401,
    "unauthorized",
    "sign in with a link of `nearme person link NAME`, or send a token in Authorization: Bearer"
  )
  static let badLink = APIRefusal(
    401,
    "bad_link",
    "this link has been used, or is too old: `nearme person link NAME` makes another"
  )
  static let csrf = APIRefusal(
    403,
    "csrf",
    "send the csrf of GET /api/v1/session in the header X-CSRF-Token"
  )
  static let sessionOnly = APIRefusal(
    403,
    "session_only",
    "only a browser that is signed in may do this, and no token"
  )
  static let noRoute = APIRefusal(404, "no_route", "there is no such address: see /openapi.yaml")
  static let changed = APIRefusal(
    412,
    "changed",
    "it was changed since: read it again, and send the ETag of what you read in If-Match"
  )
  static let matchNeeded = APIRefusal(
    428,
    "match_needed",
    "send the ETag of what is to be changed in If-Match, so that nobody's change is lost"
  )
  static let brokenBody = APIRefusal(
    400,
    "broken_body",
    "the body broke off, or is not in the form that its headers say: send it again"
  )
  static let wrongType = APIRefusal(415, "wrong_type", "send application/json")
  static let keyReused = APIRefusal(
    422,
    "key_reused",
    "this Idempotency-Key was used for another change: make a new one for each"
  )
  static let busy = APIRefusal(
    503,
    "busy",
    "it cannot be done now: try again in a while, with the same Idempotency-Key",
    retryAfterSeconds: 5
  )

  static func tooLarge(most bytes: Int) -> APIRefusal {
    APIRefusal(413, "too_large", "a body has at most \(bytes >> 10) KiB here")
  }

  static func wrongScope(_ scope: SessionScope) -> APIRefusal {
    APIRefusal(403, "wrong_scope", "this needs a token of the scope \(scope.rawValue)")
  }

  static func tooMany(seconds: Int) -> APIRefusal {
    APIRefusal(
      429,
      "too_many",
      "too many requests: try again in \(seconds) s",
      retryAfterSeconds: seconds
    )
  }

  static func tooManyExamples(seconds: Int) -> APIRefusal {
    APIRefusal(
      429,
      "too_many_examples",
      "so many examples have gone out: the next one may in \((seconds + 59) / 60) min",
      retryAfterSeconds: seconds
    )
  }

  static func notFound(_ what: String) -> APIRefusal {
    APIRefusal(404, "not_found", "nothing of yours has this id: \(what)")
  }

  static func badQuery(_ name: String, _ wanted: String) -> APIRefusal {
    APIRefusal(400, "bad_query", "\(name): \(wanted)")
  }

  static let noSuchPage = badQuery("after", "there is no such page any more: begin anew")

  /// What to say of a category that no place has.
  static func unknown(_ category: CategoryID, among known: [CategoryID]) -> String {
    let names = known.map(\.name)
    let hint = nearestCategory(to: category.name, among: names).map { "did you mean \($0)?" }
    return
      "no place here is a \(category.name): \(hint ?? "known are " + names.joined(separator: ", "))"
  }

  static func badMember(_ path: String, _ reason: String) -> APIRefusal {
    APIRefusal(422, "bad_member", "\(path): \(reason)")
  }

  /// What an edit was refused for.
  init(_ refusal: EditRefusal) {
    let (status, name) =
      switch refusal {
      case .unknownReminder: (404, "not_found")
      case .unknownPlace, .missingPlace: (422, "unknown_place")
      case .idTaken: (409, "id_taken")
      case .badID: (422, "bad_id")
      case .blank: (422, "blank")
      case .tooLong: (422, "too_long")
      case .limitReached: (409, "limit_reached")
      case .planRefuses: (409, "plan_refuses")
      case .placeInUse: (409, "place_in_use")
      case .completed: (409, "completed")
      case .hasExpired: (409, ActionRefusal.daysAreOver.rawValue)
      case .endsBefore, .isOver: (422, "bad_member")
      case .nothingToChange: (409, "nothing_to_change")
      case .cannotBeWatched: (422, "cannot_be_watched")
      case .cannotBeDone(_, .unknownReminder): (404, "not_found")
      case .cannotBeDone(_, .snoozeOutOfRange): (422, "snooze_out_of_range")
      case .cannotBeDone(_, let reason): (409, reason.rawValue)
      }
    let detail =
      switch refusal {
      case .placeInUse(let id, let reminders):
        "\(reminders.joined(separator: ", ")) aim at \(id): add with_reminders=true to delete them, too"
      case .unknownReminder(let id, _): "nothing of yours has this id: \(id)"
      case .unknownPlace(let id, _), .missingPlace(let id, _):
        "you have no place “\(id)” yet: add it under Places"
      case .endsBefore: "expires: \(refusal)"
      case .isOver: "triggers: \(refusal)"
      case .idTaken(let id): "id: \(id) is taken: send another, or none"
      case .limitReached(let live):
        "\(live) reminders are live, as many as the free plan has room for: complete, mute or delete one"
      case .completed(let id), .cannotBeDone(let id, .completed):
        "\(id) is done: answer it with reopen to have it back"
      case .hasExpired(let id):
        "\(id) has ended, as its days are over: add it anew, with days to come"
      default: refusal.description
      }
    self.init(status, name, detail)
  }
}
