import { type Random, randomInt } from "#/std/base/random.ts";

/** Limit of an input (bytes): enough for nesting that overflows a stack, small enough for thousands of inputs. */
export const maxInputBytes = 32 * 1024;

/** Texts that often break parsers: names of JavaScript, numbers at limits, invalid UTF-8. */
const commonTokens: readonly Buffer[] = [
  ..."__proto__ constructor toString hasOwnProperty null true NaN Infinity -0 1e999 -1e-999 0x10 1_0".split(
    " ",
  ),
  "9".repeat(400),
  "18446744073709551616",
  "-9223372036854775809",
  "2147483648",
  "\u0000",
  "\ufeff",
  "\u2028",
  "\r\n",
  "\n\n",
  "\ud83d\ude00",
  "e\u0301",
  "",
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.of(0xff),
    Buffer.of(0xc0, 0x80),
    Buffer.of(0xed, 0xa0, 0x80),
    Buffer.of(0xf4, 0x90, 0x80, 0x80),
    Buffer.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
  ]);

/** Wrong lengths: zero, off by one, and the limits of signed and unsigned ranges. */
const lies = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0xffffff, 0x7fffffff, 0xffffffff];

interface Material {
  readonly random: Random;
  readonly corpus: readonly Buffer[];
  readonly tokens: readonly Buffer[];
}

type Mutation = (input: Buffer, material: Material) => Buffer;

const mutations: readonly Mutation[] = [
  flipBits,
  flipBits,
  truncate,
  deleteRange,
  repeatRange,
  insertToken,
  insertToken,
  insertBytes,
  lieAboutLength,
  replaceNumber,
  splice,
  nest,
];

/** One input: an item of the corpus with up to six changes. The same seed makes the same input. */
export function hostileInput(
  random: Random,
  corpus: readonly Buffer[],
  tokens: readonly Buffer[],
): Buffer {
  const material = { random, corpus, tokens: [...commonTokens, ...tokens] };
  let input = pick(random, corpus);
  for (let left = randomInt(random, 6) + 1; left > 0; left--) {
    input = pick(random, mutations)(input, material).subarray(0, maxInputBytes);
  }
  // A buffer of exactly this size: reading past its end must not find other bytes.
  return Buffer.from(input);
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[randomInt(random, items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** An offset and a short length within the input. */
function someRange(random: Random, input: Buffer): readonly [start: number, end: number] {
  const start = randomInt(random, input.length + 1);
  const most = random() < 0.2 ? input.length : 16;
  return [start, Math.min(input.length, start + 1 + randomInt(random, most))];
}

function replaced(input: Buffer, start: number, end: number, ...by: readonly Uint8Array[]): Buffer {
  return Buffer.concat([input.subarray(0, start), ...by, input.subarray(end)]);
}

function flipBits(input: Buffer, { random }: Material): Buffer {
  const changed = Buffer.from(input);
  for (let left = randomInt(random, 3) + 1; left > 0 && changed.length > 0; left--) {
    const at = randomInt(random, changed.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << randomInt(random, 8));
  }
  return changed;
}

function truncate(input: Buffer, { random }: Material): Buffer {
  return input.subarray(0, randomInt(random, input.length + 1));
}

function deleteRange(input: Buffer, { random }: Material): Buffer {
  return replaced(input, ...someRange(random, input));
}

function repeatRange(input: Buffer, { random }: Material): Buffer {
  const [start, end] = someRange(random, input);
  const part = input.subarray(start, end);
  const times = 2 ** randomInt(random, 13);
  const most = Math.max(1, Math.floor(maxInputBytes / Math.max(1, part.length)));
  return replaced(input, start, end, ...Array(Math.min(times, most)).fill(part));
}

function insertToken(input: Buffer, { random, tokens }: Material): Buffer {
  const [start, end] = someRange(random, input);
  return replaced(input, start, random() < 0.5 ? start : end, pick(random, tokens));
}

function insertBytes(input: Buffer, { random }: Material): Buffer {
  const bytes = Buffer.from(
    Array.from({ length: randomInt(random, 12) + 1 }, () => randomInt(random, 256)),
  );
  const [start, end] = someRange(random, input);
  return replaced(input, start, random() < 0.5 ? start : end, bytes);
}

function lieAboutLength(input: Buffer, { random }: Material): Buffer {
  const width = pick(random, [1, 2, 3, 4]);
  if (input.length < width) return input;
  const changed = Buffer.from(input);
  const at = randomInt(random, changed.length - width + 1);
  const limit = 2 ** (8 * width);
  const near = changed.readUIntBE(at, width) + pick(random, [-1, 1]);
  const value = (((random() < 0.3 ? near : pick(random, lies)) % limit) + limit) % limit;
  if (random() < 0.5) changed.writeUIntBE(value, at, width);
  else changed.writeUIntLE(value, at, width);
  return changed;
}

/** Replaces digits by another number. */
function replaceNumber(input: Buffer, material: Material): Buffer {
  const text = input.toString("latin1");
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return insertToken(input, material);
  const { random } = material;
  const { 0: digits, index } = pick(random, numbers);
  const by = [
    String(pick(random, lies)),
    "9".repeat(30),
    `-${digits}`,
    `${digits}.5`,
    `0${digits}`,
  ];
  return replaced(input, index, index + digits.length, Buffer.from(pick(random, by)));
}

function splice(input: Buffer, { random, corpus }: Material): Buffer {
  const other = pick(random, corpus);
  const [start, end] = someRange(random, input);
  const from = randomInt(random, other.length + 1);
  return replaced(input, start, end, other.subarray(from, from + 1 + randomInt(random, 64)));
}

/** Opens brackets, or nests the part after an offset in repetitions of the part before it. */
function nest(input: Buffer, { random }: Material): Buffer {
  const opener = pick(random, ["[", "{", "(", '{"a":', "- ", "{{", "[?(", "not(", "((", "!", "-"]);
  const [start, end] = someRange(random, input);
  const unit = random() < 0.5 ? Buffer.from(opener) : input.subarray(start, end);
  const times = Math.floor((maxInputBytes / 2 / Math.max(1, unit.length)) * random());
  return replaced(input, start, start, ...Array(times).fill(unit));
}
