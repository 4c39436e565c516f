extension Understanding.Span {
  /// For what is not supported: what to say instead, in a sentence; nil for all else.
  public var advice: String? {
    guard kind == .unsupported else { return nil }
    let reason = reason ?? ""
    if reason.hasPrefix("no_category ") {
      return
        "no kind of place is called \(reason.dropFirst("no_category ".count)): name one of your own places"
    }
    return switch reason {
    case "moving_feast": "a feast that moves from year to year is not known: name its date"
    case "holidays": "public holidays are not known: name the day"
    case "moon": "the moon is not followed: name the day"
    case "sun": "the sun is not followed: name the hour"
    case "on_the_way": "a way cannot be watched: say when I leave work, or near a grocery"
    case "weather": "the weather is not known here: name the day"
    case "others": "what others do is not known to the phone: name a time or a place"
    case "vague": "it says no time: name a day, or every so many days"
    case "unknown_day": "the day is not known: name its date"
    case "unknown_hour": "the hour is not known: name it, as at 7 am"
    case "quarter": "days of a quarter are not counted: name the months"
    case "working_days": "working days are not counted: name the day, or so many days"
    case "no_such_day": "there is no such day"
    case "how_often_elsewhere":
      "how often cannot be said of a place or of the phone: say on which weekdays, or an hour"
    case "offset_from_leaving": "what comes before or after leaving is not known: say when I leave"
    case "no_reminder":
      "when not to speak is not known by itself: say when to, as every day except Sunday"
    case "another_reminder": "this is a reminder of its own: say it by itself"
    case "travel_time": "how long a way takes is not known: say how far, as within a mile of home"
    case "transit": "trains and buses are not known to the phone: name a station, or an hour"
    case "until_place":
      "how long until one comes or leaves is not known: name an hour, as until 6 pm"
    case "device": "which device it is is not known to the phone: say when I connect to the car"
    default: reason
    }
  }
}
