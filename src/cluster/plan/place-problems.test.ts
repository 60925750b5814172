import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { folderProblem, kubeconfigProblem, runtimeProblem } from "./place-problems.ts";

const folder = mkdtempSync(join(tmpdir(), "place-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "file");
const link = join(folder, "link");
writeFileSync(file, "");
symlinkSync(file, link);

const cases: readonly (readonly [
  name: string,
  found: () => string | undefined,
  expected?: RegExp,
])[] = [
  ["folderProblem() of a folder", () => folderProblem(folder, 0)],
  ["folderProblem() of a folder to be made", () => folderProblem(join(folder, "a/b"), 0)],
  [
    "folderProblem() of a file",
    () => folderProblem(file, 0),
    /file can't be made: .*file is no folder$/,
  ],
  [
    "folderProblem() below a file",
    () => folderProblem(join(file, "a/b"), 0),
    /b can't be made: .*file is no folder$/,
  ],
  [
    "folderProblem() below /proc",
    () => folderProblem("/proc/none/a", 0),
    /^\/proc\/none\/a can't be made: \/proc holds no files$/,
  ],
  [
    "folderProblem() of a full disk",
    () => folderProblem(folder, 2 ** 60),
    / has \d+ MiB free, but a cluster needs at least \d+ MiB: make room, or choose another folder with --data-dir$/,
  ],
  ["kubeconfigProblem() of a file", () => kubeconfigProblem(file)],
  ["kubeconfigProblem() of a link", () => kubeconfigProblem(link)],
  ["kubeconfigProblem() of a file to be made", () => kubeconfigProblem(join(folder, "a/config"))],
  [
    "kubeconfigProblem() of a folder",
    () => kubeconfigProblem(folder),
    / is no file; choose another with --kubeconfig$/,
  ],
  [
    "kubeconfigProblem() below a file",
    () => kubeconfigProblem(join(file, "config")),
    /file is no folder; choose another file with --kubeconfig$/,
  ],
  [
    "kubeconfigProblem() below /proc",
    () => kubeconfigProblem("/proc/none/config"),
    /\/proc holds no files; choose/,
  ],
  [
    "runtimeProblem() of a word",
    () => runtimeProblem("foo"),
    /^--container-runtime-endpoint=foo is no socket such as unix:/,
  ],
  [
    "runtimeProblem() of nothing",
    () => runtimeProblem("unix:///none"),
    /there is no \/none; is the container runtime running\?$/,
  ],
  ["runtimeProblem() of a file", () => runtimeProblem(`unix://${file}`), /file is no socket$/],
];
for (const [name, found, expected] of cases) {
  test(name, () => {
    if (expected) assert.match(found() ?? "", expected);
    else assert.equal(found(), undefined);
  });
}
