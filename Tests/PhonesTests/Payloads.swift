import Phones
import Timeline
import Traces

/// Reads what a phone sends, at a fixed moment.
func intake(
  _ source: IntakeSource,
  _ text: String = "",
  query: [(name: String, value: String)] = [],
  contentType: String? = nil,
  userAgent: String? = nil,
  speedUnit: SpeedUnit = .asDocumented
) -> IntakeReading {
  read(
    IntakeBody(
      source: source,
      bytes: Array(text.utf8),
      query: query,
      contentType: contentType,
      userAgent: userAgent,
      receivedAt: noon + .seconds(30),
      settings: SourceSettings(speedUnit: speedUnit)
    )
  )
}

/// 2026-03-03T12:00:00Z, Unix second 1772539200.
let noon = Timestamp(seconds: 1_772_539_200)

extension IntakeReading {
  /// The fixes with what made the app send each.
  var fixes: [(fix: Fix, trigger: IntakeTrigger)] {
    items.compactMap { if case .fix(let fix, let trigger) = $0 { (fix, trigger) } else { nil } }
  }

  /// The signals.
  var signals: [IntakeSignal] {
    items.compactMap { if case .signal(let signal) = $0 { signal } else { nil } }
  }

  /// Everything but fixes.
  var others: [IntakeItem] {
    items.filter { if case .fix = $0 { false } else { true } }
  }
}

let iPhoneAgent = "OwnTracks/26.3.1 CFNetwork/3860.200 Darwin/25.3.0"
let androidAgent = "Owntracks-Android/gms/420600005"
