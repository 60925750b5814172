import assert from "node:assert/strict";
import { test } from "node:test";
import { unchangedRegions } from "./unchanged-regions.ts";

const file = "/opt/node (1)/bin/node";

const region = (header: string, anonymous: number): string =>
  `${header}\nSize:                100 kB\nAnonymous: ${String(anonymous).padStart(13)} kB\nVmFlags: rd\n`;

const smaps = [
  region(`00400000-00401000 r--p 00000000 fe:00 10215449                   ${file}`, 0),
  region(`00401000-00500000 r-xp 0042e000 fe:00 10215449                   ${file}`, 0),
  // What the linker has written, and then protected; and data.
  region(`00500000-00600000 r--p 0052e000 fe:00 10215449                   ${file}`, 24),
  region(`00600000-00700000 rw-p 0062e000 fe:00 10215449                   ${file}`, 0),
  region(`00700000-00800000 r-xp 0072e000 fe:00 10215450                   ${file}.old`, 0),
  region("7fbc00000000-7fbc00001000 rw-p 00000000 00:00 0 ", 0),
  region("7fbc10000000-7fbc10001000 r--p 00000000 fe:00 326269             /lib/libc.so.6", 0),
].join("");

test("unchangedRegions() finds what is as in the file", () => {
  assert.deepEqual(unchangedRegions(smaps, file), [
    { start: 0x400000n, size: 0x1000n },
    { start: 0x401000n, size: 0xff000n },
  ]);
});

test("unchangedRegions() finds nothing in what is cut off", () => {
  assert.deepEqual(unchangedRegions(smaps.slice(0, 100), file), []);
});
