// The zones of this system, for all that reads settings.
@_exported import TimeZones
