import NearMeCoreLocation

@MainActor func remind(of title: String, _ catalog: POICatalog) -> PhoneHost {
  let host = PhoneHost(.coreLocation(), PhoneSettings(catalog: catalog))
  host.launch()
  host.save(Reminder(id: "meds", title: title, target: .category(CategoryID("pharmacy"))))
  return host
}
