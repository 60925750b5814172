import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { computeMapSize } from "./compute-map-size.ts";

const GiB = 2 ** 30;
const limits = (space: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax address space         ${space.padEnd(20)} unlimited            bytes\n`;
const maps = (stack: string): string =>
  `00400000-00401000 r--p 00000000 fe:00 1 /bin/node\n${stack} rw-p 00000000 00:00 0                          [stack]\n`;
const x64 = maps("7ffd1b2e4000-7ffd1b305000");

const cases = [
  { name: "on x86_64", limits: limits("unlimited"), maps: x64, gib: 256 },
  {
    name: "on arm64 with 48 bits",
    limits: limits("unlimited"),
    maps: maps("ffffd1b2e000-ffffd1b4f000"),
    gib: 256,
  },
  {
    name: "on arm64 with 39 bits",
    limits: limits("unlimited"),
    maps: maps("7fd1b2e000-7fd1b4f000"),
    gib: 127,
  },
  { name: "with a limit of 64 GiB", limits: limits(`${64 * GiB}`), maps: x64, gib: 16 },
  { name: "with a limit of 2 GiB", limits: limits(`${2 * GiB}`), maps: x64, gib: 0.5 },
  { name: "if nothing is known", limits: "", maps: "", gib: 256 },
];

for (const { name, limits: limitText, maps: mapText, gib } of cases) {
  test(`computeMapSize() is ${gib} GiB ${name}`, () => {
    assert.equal(computeMapSize(limitText, mapText) / GiB, gib);
  });
}

test("Tree opens in a process with 64 GiB of address space", () => {
  const directory = mkdtempSync(join(tmpdir(), "k8ts-space-"));
  const script = `
    const { Tree } = await import(${JSON.stringify(import.meta.resolve("./tree.ts"))});
    await using tree = await Tree.open(${JSON.stringify(directory)});
    process.stdout.write(String(tree.state.records));
  `;
  try {
    const limited = `ulimit -v ${64 * 2 ** 20}; exec "$0" --input-type=module -e "$1"`;
    const output = execFileSync("sh", ["-c", limited, process.execPath, script]);
    assert.equal(output.toString(), "0");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
