/// Everything that an app needs to embed the engine, under one name: `import NearMe`.
///
/// Nothing of it reads a clock, a file or the network, and nothing needs Foundation. Files of places are
/// in `PlaceStore`, the user's database is in `UserStore`; both are products of their own, behind the
/// trait `Stores`.
@_exported import Arrivals
@_exported import Fencing
@_exported import Geodesy
@_exported import NearMeEngine
@_exported import Places
@_exported import Recurrence
@_exported import Timeline
@_exported import Tones
@_exported import Traces
