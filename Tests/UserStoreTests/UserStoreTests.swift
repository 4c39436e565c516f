import Testing
import UserStore
