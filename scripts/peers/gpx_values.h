// What a program in C makes of the texts of a point: numbers by strtod, times by hand.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long points;
static double latitudes, longitudes;
static long long instants;

static int digits(const char *s, int n) {
  int v = 0;
  while (n-- > 0) v = v * 10 + (*s++ - '0');
  return v;
}

// Seconds since 1970 of 2026-01-05T17:20:00Z; H. Hinnant, "chrono-compatible low-level date
// algorithms", days_from_civil.
static long long seconds_of(const char *s) {
  int y = digits(s, 4), m = digits(s + 5, 2), d = digits(s + 8, 2);
  y -= m <= 2;
  long long era = (y >= 0 ? y : y - 399) / 400;
  unsigned yoe = (unsigned)(y - era * 400);
  unsigned doy = (153u * (unsigned)(m + (m > 2 ? -3 : 9)) + 2) / 5 + (unsigned)d - 1;
  unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  long long days = era * 146097 + (long long)doe - 719468;
  return ((days * 24 + digits(s + 11, 2)) * 60 + digits(s + 14, 2)) * 60 + digits(s + 17, 2);
}

static void print_result(void) {
  printf("%ld points, latitudes %.6f, longitudes %.6f, seconds %lld\n", points, latitudes,
         longitudes, instants);
}
