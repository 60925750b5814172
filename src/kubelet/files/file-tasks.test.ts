import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileTasks } from "./file-tasks.ts";
import { runFileTask } from "./run-file-task.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-files-"));
after(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);
const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test("makeSubPath() gives new directories the volume's rwx and setgid bits only", () => {
  const volume = place("modes");
  mkdirSync(volume);
  chmodSync(volume, 0o7775);
  fileTasks.makeSubPath({ volume, subPath: "a/b" });
  assert.deepEqual([modeOf(join(volume, "a")), modeOf(join(volume, "a/b"))], [0o2775, 0o2775]);
});

test("makeSubPath() refuses a link out of the volume and leaves its target as it is", () => {
  const volume = place("linked");
  const outside = place("outside");
  mkdirSync(volume);
  mkdirSync(outside, { mode: 0o700 });
  symlinkSync(outside, join(volume, "x"));
  assert.throws(() => fileTasks.makeSubPath({ volume, subPath: "x/y" }), /leads out/);
  assert.equal(modeOf(outside), 0o700);
});

test("readFile() reads the start or the end of a regular file, and refuses pipes and links", () => {
  const root = place("read");
  mkdirSync(root);
  writeFileSync(join(root, "file"), "0123456789");
  execFileSync("mkfifo", [join(root, "pipe")]);
  symlinkSync("/etc/passwd", join(root, "link"));
  const read = (path: string, isEnd = false) =>
    fileTasks.readFile({ root, path, maxBytes: 4, isEnd });
  assert.equal(read("file"), "0123");
  assert.equal(read("file", true), "6789");
  assert.throws(() => read("pipe"), /not a regular file/);
  assert.throws(() => read("link"), /leads out/);
  assert.throws(() => read("nothing"), { code: "ENOENT" });
  const itself = (name: string) =>
    fileTasks.readFile({ root: join(root, name), path: "", maxBytes: 4 });
  assert.equal(itself("file"), "0123");
  assert.throws(() => itself("link"), /is a link/);
  assert.throws(() => itself("pipe"), /not a regular file/);
});

test("changeOwnership() changes files of any name, not the targets of links", (context) => {
  if (process.getuid?.() !== 0) return context.skip("needs root");
  const directory = place("owned");
  mkdirSync(join(directory, "sub"), { recursive: true, mode: 0o700 });
  const odd = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe])]);
  writeFileSync(odd, "", { mode: 0o600 });
  writeFileSync(join(directory, "sub/file"), "", { mode: 0o600 });
  const outside = place("not-owned");
  writeFileSync(outside, "", { mode: 0o600 });
  symlinkSync(outside, join(directory, "link"));
  const request = { directory, fsGroup: 1234, readOnly: false };
  assert.deepEqual(
    fileTasks.changeOwnership(request, () => undefined),
    [],
  );
  const facts = (path: string | Buffer) => {
    const { gid, mode } = lstatSync(path);
    return [gid, mode & 0o7777];
  };
  assert.deepEqual(facts(odd), [1234, 0o660]);
  assert.deepEqual(facts(join(directory, "sub/file")), [1234, 0o660]);
  assert.deepEqual(facts(join(directory, "sub")), [1234, 0o2770]);
  assert.equal(facts(join(directory, "link"))[0], 1234);
  assert.deepEqual(facts(outside), [0, 0o600]);
});

const kinds: [string, string, RegExp | undefined][] = [
  ["Directory", "dir", undefined],
  ["Directory", "file", /is not a directory, it's a File/],
  ["File", "file", undefined],
  ["Socket", "file", /is not a socket file/],
  ["File", "nothing", /does not exist/],
  ["DirectoryOrCreate", "new/dir", undefined],
  ["FileOrCreate", "new-file", undefined],
  ["FileOrCreate", "file", undefined],
  ["Odd", "file", /Odd is an invalid volume type/],
];
test("ensureHostPath() checks the type, and creates without truncating", () => {
  mkdirSync(place("host/dir"), { recursive: true });
  writeFileSync(place("host/file"), "kept");
  for (const [type, name, problem] of kinds) {
    const ensure = () => fileTasks.ensureHostPath({ path: place(`host/${name}`), type });
    if (problem) assert.throws(ensure, problem, `${type} ${name}`);
    else ensure();
  }
  assert.equal(readFileSync(place("host/file"), "utf8"), "kept");
  assert.equal(modeOf(place("host/new/dir")), 0o755);
});

test("runFileTask() returns results and errors with their codes from another process", async () => {
  const root = place("remote");
  mkdirSync(root);
  writeFileSync(join(root, "file"), "text");
  const read = (path: string) => runFileTask("readFile", { root, path, maxBytes: 9 }, root);
  assert.deepEqual(await Promise.all([read("file"), read("file")]), ["text", "text"]);
  await assert.rejects(read("nothing"), { code: "ENOENT" });
});
