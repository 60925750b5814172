import { type Random, randomInt } from "#/std/base/random.ts";

/** Values of all types, at limits, and names of JavaScript. */
const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e300,
  "",
  "a",
  "__proto__",
  "constructor",
  "1000000000000000000000Ei",
  "2026-02-30T25:00:00Z",
  "::ffff:127.0.0.1",
  "*",
  "a/b/c",
  "\u0000",
  "x".repeat(300),
  "é\ud83d\ude00",
  [],
  [null],
  [[]],
  {},
  { "": "" },
  { constructor: { prototype: "a" } },
  { $patch: "replace" },
];

/** The same JSON with up to four of its values replaced, removed or doubled: its syntax stays valid. */
export function changeValues(random: Random, json: string): Buffer {
  const root = { value: JSON.parse(json) as unknown };
  for (let left = randomInt(random, 4) + 1; left > 0; left--) changeOne(random, root);
  return Buffer.from(JSON.stringify(root.value) ?? "null");
}

function changeOne(random: Random, root: { value: unknown }): void {
  let parent: object = root;
  let key = "value";
  for (;;) {
    const value = (parent as Record<string, unknown>)[key];
    if (typeof value !== "object" || value === null || random() < 0.15) break;
    const keys = Object.keys(value);
    if (keys.length === 0) break;
    parent = value;
    key = keys[randomInt(random, keys.length)] ?? "";
  }
  const holder = parent as Record<string, unknown>;
  const drawn = random();
  if (drawn < 0.1) delete holder[key];
  else if (drawn < 0.2) Object.assign(holder, { [`${key}x`]: holder[key] });
  else if (drawn < 0.25 && Array.isArray(parent)) parent.push(holder[key]);
  else holder[key] = structuredClone(values[randomInt(random, values.length)]);
}
