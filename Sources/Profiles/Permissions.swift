/// When permissions are asked for.
public enum PermissionRule: String, Hashable, Sendable, CaseIterable {
  /// As a step of the introduction, after an explanation.
  case onboardingStep = "onboarding_step"
  /// When something first needs it.
  case justInTime = "just_in_time"
}

/// Something that the system lets an app do only if the user agrees.
public enum Permission: String, Hashable, Sendable, CaseIterable {
  /// Showing notifications.
  case notifications
  /// Knowing the position.
  case location
  /// Knowing that a chosen app is opened.
  case appUsage = "app_usage"
}

/// A moment at which permissions could be asked for.
public enum PermissionMoment: Hashable, Sendable {
  /// The app is opened.
  case launch
  /// The step of the introduction that explains them.
  case onboardingStep
  /// A reminder that uses these features is saved.
  case saving([Feature])
}

extension ProductProfile {
  /// What to ask for at a moment, in the order of ``Permission``.
  ///
  /// At launch, nothing, in no product. The permission to see opened apps is never asked for before a reminder needs
  /// it.
  ///
  /// - Parameter granted: what need not be asked for any more, and what was refused, which is not asked for again.
  public func permissions(
    toAskAt moment: PermissionMoment,
    granted: [Permission]
  ) -> [Permission] {
    let needed: [Permission] =
      switch moment {
      case .launch: []
      case .onboardingStep: permissions == .onboardingStep ? [.notifications, .location] : []
      case .saving(let features): [.notifications] + features.compactMap(\.permission)
      }
    return Permission.allCases.filter { needed.contains($0) && !granted.contains($0) }
  }
}

extension Feature {
  /// What the system must allow for it, besides notifications.
  public var permission: Permission? {
    switch self {
    case .placeTrigger, .leaveTrigger, .placeCondition: .location
    case .appOpenedTrigger: .appUsage
    default: nil
    }
  }
}
