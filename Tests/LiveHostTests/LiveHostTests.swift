import Testing
import LiveHost
