// QR codes, as ISO/IEC 18004:2015 has them: byte mode, error correction level M, versions 1 to 25 (997 bytes).
// A set-up link carries a password, so it is drawn here and sent nowhere.

/// Codewords of error correction in a block and blocks, by version, for level M (table 9).
const CHECKS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21];

/// Two bits that stand for level M in the format information (table 12).
const LEVEL_M = 0b00;

const sizeOf = (version) => 17 + 4 * version;

/// Where the middles of the alignment patterns are, in rows and columns alike (annex E).
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - (count - 2 - i) * step)];
}

/// How many codewords a version holds, those of error correction included.
function codewords(version) {
  const size = sizeOf(version);
  const count = alignments(version).length;
  let bits = size * size - 3 * 64 - 2 * 15 - 1 - 2 * (size - 16);
  // Alignment patterns take 25 modules; those on the timing lines share five with them.
  if (count > 0) bits -= (count * count - 3) * 25 - 2 * (count - 2) * 5;
  if (version >= 7) bits -= 2 * 18;
  return Math.floor(bits / 8);
}

const dataCodewords = (version) => codewords(version) - CHECKS[version - 1] * BLOCKS[version - 1];

// The field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x² + 1.
const exponents = new Uint8Array(255);
const logarithms = new Uint8Array(256);
for (let i = 0, value = 1; i < 255; i += 1) {
  exponents[i] = value;
  logarithms[value] = i;
  value = value << 1 ^ (value & 0x80 ? 0x11d : 0);
}

const times = (a, b) => a === 0 || b === 0 ? 0 : exponents[(logarithms[a] + logarithms[b]) % 255];

/// The polynomial with the roots α⁰ … αⁿ⁻¹, its leading 1 left out.
function generator(degree) {
  let terms = [1];
  for (let i = 0; i < degree; i += 1) {
    const next = [...terms, 0];
    terms.forEach((term, j) => { next[j + 1] ^= times(term, exponents[i]); });
    terms = next;
  }
  return terms.slice(1);
}

function checksOf(data, divisor) {
  const rest = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((term, i) => { rest[i] ^= times(term, factor); });
  }
  return rest;
}

/// The data with its header, filled up to what the version holds.
function framed(bytes, version) {
  const bits = [];
  const add = (value, length) => { for (let i = length - 1; i >= 0; i -= 1) bits.push(value >> i & 1); };
  const capacity = dataCodewords(version) * 8;
  add(0b0100, 4);
  add(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, capacity - bits.length));
  add(0, (8 - bits.length % 8) % 8);
  for (let fill = 0xec; bits.length < capacity; fill ^= 0xec ^ 0x11) add(fill, 8);
  return Array.from({ length: capacity / 8 }, (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((byte, bit) => byte << 1 | bit, 0));
}

/// The blocks with their checks, dealt out a codeword each in turn.
function dealt(data, version) {
  const blocks = BLOCKS[version - 1];
  const short = Math.floor(data.length / blocks);
  const firstLong = blocks - data.length % blocks;
  const divisor = generator(CHECKS[version - 1]);
  const parts = [];
  for (let i = 0, at = 0; i < blocks; i += 1) {
    const length = short + (i >= firstLong ? 1 : 0);
    parts.push(data.slice(at, at + length));
    at += length;
  }
  const checks = parts.map((part) => checksOf(part, divisor));
  const out = [];
  for (let i = 0; i <= short; i += 1) for (const part of parts) if (i < part.length) out.push(part[i]);
  for (let i = 0; i < divisor.length; i += 1) for (const check of checks) out.push(check[i]);
  return out;
}

/// The eight masks (table 10).
const masks = [
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
  (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0
];

/// The remainder of a word by a polynomial, appended to it: a BCH code.
function coded(word, polynomial, length) {
  let rest = word << length;
  for (let bit = 31 - Math.clz32(rest); rest >= 1 << length; bit = 31 - Math.clz32(rest)) rest ^= polynomial << bit - length;
  return word << length | rest;
}

class Grid {
  constructor(version) {
    this.version = version;
    this.size = sizeOf(version);
    this.dark = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.drawPatterns();
  }

  set(x, y, isDark) {
    this.dark[y][x] = isDark;
    this.fixed[y][x] = true;
  }

  drawPatterns() {
    for (let i = 0; i < this.size; i += 1) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [this.size - 4, 3], [3, this.size - 4]]) this.drawFinder(x, y);
    const middles = alignments(this.version);
    const last = middles.length - 1;
    middles.forEach((y, j) => middles.forEach((x, i) => {
      // Three corners are taken by the finders.
      const isFinder = i === 0 && j === 0 || i === 0 && j === last || i === last && j === 0;
      if (!isFinder) this.drawRings(x, y, 2);
    }));
    this.drawFormat(0);
    if (this.version >= 7) this.drawVersion();
  }

  drawFinder(x, y) {
    this.drawRings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }

  drawRings(x, y, radius, isDark = (ring) => ring !== 1) {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        const [px, py] = [x + dx, y + dy];
        if (px < 0 || py < 0 || px >= this.size || py >= this.size) continue;
        this.set(px, py, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }

  /// Level and mask, twice, and the module that is always dark.
  drawFormat(mask) {
    const bits = coded(LEVEL_M << 3 | mask, 0x537, 10) ^ 0x5412;
    const bit = (i) => (bits >> i & 1) === 1;
    for (let i = 0; i < 15; i += 1) {
      const first = i < 6 ? [8, i] : i === 6 ? [8, 7] : i === 7 ? [8, 8] : i === 8 ? [7, 8] : [14 - i, 8];
      const second = i < 8 ? [this.size - 1 - i, 8] : [8, this.size - 15 + i];
      this.set(...first, bit(i));
      this.set(...second, bit(i));
    }
    this.set(8, this.size - 8, true);
  }

  drawVersion() {
    const bits = coded(this.version, 0x1f25, 12);
    for (let i = 0; i < 18; i += 1) {
      const [far, near] = [this.size - 11 + i % 3, Math.floor(i / 3)];
      this.set(far, near, (bits >> i & 1) === 1);
      this.set(near, far, (bits >> i & 1) === 1);
    }
  }

  /// Fills the columns in pairs from the right, up and down in turn.
  drawData(words) {
    let at = 0;
    let isUp = true;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let i = 0; i < this.size; i += 1) {
        const y = isUp ? this.size - 1 - i : i;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x]) continue;
          this.dark[y][x] = at < words.length * 8 && (words[at >> 3] >> 7 - (at & 7) & 1) === 1;
          at += 1;
        }
      }
      isUp = !isUp;
    }
  }

  masked(mask) {
    const copy = Object.assign(Object.create(Grid.prototype), this);
    copy.dark = this.dark.map((row, y) => row.map((isDark, x) => this.fixed[y][x] ? isDark : isDark !== masks[mask](x, y)));
    copy.fixed = this.fixed.map((row) => [...row]);
    copy.drawFormat(mask);
    return copy;
  }

  /// How hard it is to read (section 7.8.3): less is better.
  get penalty() {
    const columns = this.dark[0].map((_, x) => this.dark.map((row) => row[x]));
    let points = 0;
    for (const line of [...this.dark, ...columns]) points += linePenalty(line);
    let darks = 0;
    for (let y = 0; y < this.size; y += 1) {
      for (let x = 0; x < this.size; x += 1) {
        if (this.dark[y][x]) darks += 1;
        if (x > 0 && y > 0 && this.dark[y][x] === this.dark[y][x - 1] && this.dark[y][x] === this.dark[y - 1][x]
          && this.dark[y][x] === this.dark[y - 1][x - 1]) points += 3;
      }
    }
    return points + 10 * Math.floor(Math.abs(darks / this.size ** 2 - 0.5) * 20);
  }
}

/// Long runs, and what looks like a finder, in a row or a column.
function linePenalty(line) {
  const text = line.map((isDark) => isDark ? "1" : "0").join("");
  let points = 0;
  for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
  for (const pattern of ["10111010000", "00001011101"]) {
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) points += 40;
  }
  return points;
}

/// The code of a text as rows of booleans, dark is true; null where the text is too long.
export function qr(text) {
  const bytes = new TextEncoder().encode(text);
  const version = CHECKS.findIndex((_, i) => bytes.length + (i + 1 < 10 ? 2 : 3) <= dataCodewords(i + 1)) + 1;
  if (version === 0) return null;
  const grid = new Grid(version);
  grid.drawData(dealt(framed(bytes, version), version));
  let best = null;
  for (let mask = 0; mask < 8; mask += 1) {
    const tried = grid.masked(mask);
    const { penalty } = tried;
    if (!best || penalty < best.penalty) best = { penalty, dark: tried.dark };
  }
  return best.dark;
}
