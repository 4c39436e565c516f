import Geodesy
import Simulation

/// Where the person really was, as a table.
func truePathText(_ day: ErrandDay) -> String {
  var table = TruePathText()
  for moment in day.moments {
    let stay = day.stays.first { $0.arrival <= moment.second && moment.second < $0.departure }
    table.add(
      second: moment.second,
      seconds: moment.seconds,
      moment.spot.coordinate,
      metersPerSecond: moment.metersPerSecond,
      state: stay?.kind ?? (moment.mode == .foot ? "foot" : "car")
    )
  }
  return table.text
}
