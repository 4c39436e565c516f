// Reads a GPX file with libxml2's SAX2 push parser, decoding coordinates and times.
#include <libxml/parser.h>
#include "gpx_values.h"

static char text[64];
static size_t length;
static int in_time;

static void start(void *u, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nns,
                  const xmlChar **ns, int count, int defaulted, const xmlChar **a) {
  (void)u, (void)prefix, (void)uri, (void)nns, (void)ns, (void)defaulted;
  in_time = 0;
  if (!strcmp((const char *)name, "trkpt")) {
    points++;
    for (int i = 0; i < count; i++, a += 5) {
      char value[64];
      size_t n = (size_t)(a[4] - a[3]);
      if (n >= sizeof value) continue;
      memcpy(value, a[3], n);
      value[n] = 0;
      if (!strcmp((const char *)a[0], "lat")) latitudes += strtod(value, NULL);
      if (!strcmp((const char *)a[0], "lon")) longitudes += strtod(value, NULL);
    }
  } else if (!strcmp((const char *)name, "time")) {
    in_time = 1;
    length = 0;
  }
}

static void end(void *u, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)u, (void)name, (void)prefix, (void)uri;
  if (in_time && length >= 20) instants += seconds_of(text);
  in_time = 0;
}

static void characters(void *u, const xmlChar *s, int n) {
  (void)u;
  if (!in_time || length + (size_t)n >= sizeof text) return;
  memcpy(text + length, s, (size_t)n);
  length += (size_t)n;
}

int main(int argc, char **argv) {
  static char buffer[1 << 18];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 66;
  xmlSAXHandler sax;
  memset(&sax, 0, sizeof sax);
  sax.initialized = XML_SAX2_MAGIC;
  sax.startElementNs = start;
  sax.endElementNs = end;
  sax.characters = characters;
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, NULL, NULL, 0, NULL);
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) {
    if (xmlParseChunk(parser, buffer, (int)n, 0) != 0) return 65;
  }
  xmlParseChunk(parser, buffer, 0, 1);
  print_result();
  return 0;
}
