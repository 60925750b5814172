import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { SourcePack } from "./source-pack.ts";

let folder = "";
let file = "";
let one = "";

beforeEach((context) => {
  folder = mkdtempSync(join(tmpdir(), "source-pack-"));
  file = join(folder, "pack");
  one = join(folder, "one.ts");
  writeFileSync(one, "export const one: number = 1;\n");
  if ("after" in context) context.after(() => rmSync(folder, { recursive: true }));
});

const stripped = "export const one         = 1;\n";

test("SourcePack.source() strips types and keeps line numbers", () => {
  assert.equal(new SourcePack(file).source(one), stripped);
});

test("SourcePack.source() leaves out comments and the ends of lines that types leave", () => {
  const source = `/** One. */
interface Wide {
  readonly width: number; // metres
}
  /*
   * Two.
   */
  // Three.
export const area = ({ width }: Wide): number => width * 2; // four
`;
  writeFileSync(one, source);
  assert.equal(
    new SourcePack(file).source(one),
    `${"\n".repeat(8)}export const area = ({ width }      )         => width * 2; // four\n`,
  );
});

test("SourcePack.source() prints no warning of Node", () => {
  const module = join(import.meta.dirname, "source-pack.ts");
  const script = `new (await import(${JSON.stringify(module)})).SourcePack(${JSON.stringify(file)}).source(${JSON.stringify(one)})`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal(stderr.toString(), "");
});

test("SourcePack.save() stores added sources for other processes", () => {
  const two = join(folder, "two.ts");
  writeFileSync(two, "export const two = '…' as string;\n");
  const three = join(folder, "three.ts");
  writeFileSync(three, "export const three = 3;\n");
  const first = new SourcePack(file);
  first.source(one);
  first.save();
  const threeStripped = first.source(three);
  first.save();
  const second = new SourcePack(file);
  const twoStripped = second.source(two);
  second.save();
  const third = new SourcePack(file);
  assert.deepEqual(
    [third.source(one), third.source(two), third.source(three)],
    [stripped, twoStripped, threeStripped],
  );
  // All sources exist: nothing is written again.
  const { ino } = statSync(file);
  third.save();
  assert.equal(statSync(file).ino, ino);
  assert.deepEqual(readdirSync(folder).sort(), ["one.ts", "pack", "three.ts", "two.ts"]);
});

test("SourcePack.source() follows a file that has changed, even if its size hasn't", () => {
  const pack = new SourcePack(file);
  pack.source(one);
  pack.save();
  writeFileSync(one, "export const one: number = 2;\n");
  utimesSync(one, 1, 1);
  assert.equal(new SourcePack(file).source(one), stripped.replace("1;", "2;"));
});

test("SourcePack finds each of many sources, however long, in any order", () => {
  const paths = Array.from({ length: 40 }, (_, i) => join(folder, `${i}.ts`));
  const text = (i: number): string => `export const x = "${`${i}é`.repeat(i * 700)}";\n`;
  for (const [i, path] of paths.entries()) writeFileSync(path, text(i));
  const first = new SourcePack(file);
  for (const path of paths) first.source(path);
  first.save();
  const second = new SourcePack(file);
  for (const i of [39, 0, 17, 16, 18, 5, 38, ...paths.keys()]) {
    assert.equal(second.source(paths[i] ?? ""), text(i));
  }
});

test("SourcePack.save() drops deleted files", () => {
  const two = join(folder, "two.ts");
  writeFileSync(two, "export const two = 2;\n");
  const first = new SourcePack(file);
  first.source(one);
  first.save();
  rmSync(one);
  const second = new SourcePack(file);
  second.source(two);
  second.save();
  assert.equal(readFileSync(file, "utf8").includes(one), false);
});

for (const { name, text } of [
  { name: "is empty", text: "" },
  { name: "has no end of its head", text: '[["x"' },
  { name: "has another format", text: "hello\nworld\n" },
  {
    name: "is truncated",
    text: '44\n[["x",{"state":"0 0 0","start":0,"end":9}]]  \n12345678',
  },
]) {
  test(`SourcePack rebuilds all when its file ${name}`, () => {
    writeFileSync(file, text);
    assert.equal(new SourcePack(file).source(one), stripped);
  });
}

test("SourcePack.release() keeps what was saved, and what is added later", () => {
  const two = join(folder, "two.ts");
  writeFileSync(two, "export const two: number = 2;\n");
  const first = new SourcePack(file);
  first.source(one);
  first.save();
  const second = new SourcePack(file);
  second.release();
  assert.equal(second.source(one), stripped);
  second.source(two);
  second.save();
  const saved = readFileSync(file, "utf8");
  assert.ok(saved.includes(stripped) && saved.includes("const two"));
  second.release();
  second.save();
  assert.equal(readFileSync(file, "utf8"), saved);
});
