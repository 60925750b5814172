import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Descriptor } from "./descriptor.ts";
import { openWithin } from "./open-within.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-within-"));
const volume = join(folder, "volume");
after(() => rmSync(folder, { recursive: true }));

mkdirSync(join(volume, "a/b"), { recursive: true });
writeFileSync(join(volume, "a/b/file"), "");
writeFileSync(join(folder, "secret"), "");
for (const [link, target] of [
  ["inside", "a/b"],
  ["a/up", "../a/b"],
  ["absolute", join(volume, "a")],
  ["out", "../secret"],
  ["absolute-out", "/etc"],
  ["a/far", "../../../../etc"],
  ["loop", "loop"],
  ["dangling", "nothing"],
] as const) {
  symlinkSync(target, join(volume, link));
}

const cases: { readonly path: string; readonly found: string | RegExp }[] = [
  { path: "a/b/file", found: "a/b/file" },
  { path: "./a//b", found: "a/b" },
  { path: "", found: "" },
  { path: "inside/file", found: "a/b/file" },
  { path: "a/up/file", found: "a/b/file" },
  { path: "absolute/b", found: "a/b" },
  { path: "out", found: /leads out of the volume/ },
  { path: "absolute-out/passwd", found: /leads out of the volume/ },
  { path: "a/far/passwd", found: /leads out of the volume/ },
  { path: "..", found: /leads out of the volume/ },
  { path: "loop", found: /too many links/ },
  { path: "dangling", found: /no such file/ },
  { path: "a/nothing", found: /no such file/ },
  { path: "a/b/file/x", found: /ENOTDIR/ },
];
for (const { path, found } of cases) {
  test(`openWithin() of "${path}" ${typeof found === "string" ? "finds it" : "throws"}`, () => {
    using root = Descriptor.open(volume);
    const open = () => {
      using file = openWithin(root, path);
      return file.realPath;
    };
    if (typeof found === "string") assert.equal(open(), join(volume, found));
    else assert.throws(open, found);
  });
}

test("openWithin() creates missing parts, but not the targets of links", () => {
  using root = Descriptor.open(volume);
  const create = (parent: Descriptor, name: string) => parent.makeDirectory(name, 0o2770);
  using made = openWithin(root, "inside/x/y", create);
  assert.equal(made.realPath, join(volume, "a/b/x/y"));
  assert.equal(made.stat().mode & 0o7777, 0o2770);
  assert.throws(() => openWithin(root, "dangling/x", create), /no such file/);
});
