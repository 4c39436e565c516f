// Reads a GPX file with expat, decoding coordinates and times.
#include <expat.h>
#include "gpx_values.h"

static char text[64];
static size_t length;
static int in_time;

static void start(void *u, const XML_Char *name, const XML_Char **a) {
  (void)u;
  in_time = 0;
  if (!strcmp(name, "trkpt")) {
    points++;
    for (; *a; a += 2) {
      if (!strcmp(a[0], "lat")) latitudes += strtod(a[1], NULL);
      if (!strcmp(a[0], "lon")) longitudes += strtod(a[1], NULL);
    }
  } else if (!strcmp(name, "time")) {
    in_time = 1;
    length = 0;
  }
}

static void end(void *u, const XML_Char *name) {
  (void)u;
  (void)name;
  if (in_time && length >= 20) instants += seconds_of(text);
  in_time = 0;
}

static void characters(void *u, const XML_Char *s, int n) {
  (void)u;
  if (!in_time || length + (size_t)n >= sizeof text) return;
  memcpy(text + length, s, (size_t)n);
  length += (size_t)n;
}

int main(int argc, char **argv) {
  static char buffer[1 << 18];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 66;
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, characters);
  size_t n;
  do {
    n = fread(buffer, 1, sizeof buffer, file);
    if (XML_Parse(parser, buffer, (int)n, n < sizeof buffer) != XML_STATUS_OK) return 65;
  } while (n == sizeof buffer);
  print_result();
  return 0;
}
