import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readLogFile } from "./log-files.ts";

const outside = await mkdtemp(join(tmpdir(), "log-files-"));
after(() => rm(outside, { recursive: true }));
const logs = join(outside, "log");
await mkdir(join(logs, "pods"), { recursive: true });
await writeFile(join(logs, "a?b"), "first line\n");
await writeFile(join(logs, "empty"), "");
await writeFile(join(outside, "secret"), "not for all");
await symlink(join(outside, "secret"), join(logs, "leads-out"));
execFileSync("mkfifo", [join(logs, "pipe")]);

const page = (...links: readonly string[]): string =>
  `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join("")}</pre>\n`;

for (const [path, shown] of [
  ["a?b", "first line\n"],
  ["empty", ""],
  ["pods/", page()],
  [
    "",
    page(
      '<a href="a%3Fb">a?b</a>\n',
      '<a href="empty">empty</a>\n',
      '<a href="leads-out">leads-out</a>\n',
      '<a href="pipe">pipe</a>\n',
      '<a href="pods/">pods/</a>\n',
    ),
  ],
  ["pipe", undefined],
  ["leads-out", undefined],
  ["../secret", undefined],
  ["none", undefined],
  ["a\0b", undefined],
] as const) {
  test(`readLogFile() shows ${shown === undefined ? "nothing" : "what there is"} at ${JSON.stringify(path)}`, async () => {
    const file = await readLogFile(path, logs);
    const text = file && Buffer.concat(await Array.fromAsync(file.body)).toString();
    assert.equal(text, shown);
  });
}

test("readLogFile() reads in chunks, up to the initial size", async () => {
  const folder = join(outside, "other");
  const file = join(folder, "long");
  await mkdir(folder);
  await writeFile(file, "x".repeat(1 << 20));
  const found = await readLogFile("long", folder);
  await appendFile(file, "later");
  const pieces = await Array.fromAsync(found?.body ?? []);
  assert.equal(Buffer.concat(pieces).toString(), "x".repeat(1 << 20));
  assert.ok(pieces.length > 1);
});
