import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { folderProblem, kubeconfigProblem, runtimePlaceProblems } from "./place-problems.ts";

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
];
for (const [name, found, expected] of cases) {
  test(name, () => {
    if (expected) assert.match(found() ?? "", expected);
    else assert.equal(found(), undefined);
  });
}

const program = join(folder, "programs");
const broken = join(folder, "broken");
const fails = "echo broken >&2; exit 3";
for (const [directory, name, text] of [
  [program, "crio", fails],
  [program, "pinns", ""],
  [program, "containerd", ""],
  [program, "ctr", ""],
  [program, "runc", ""],
  [broken, "containerd", ""],
  [broken, "ctr", ""],
  [broken, "runc", fails],
] as const) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

const runtimeCases: readonly (readonly [
  name: string,
  settings: Partial<ClusterSettings>,
  expected?: RegExp,
])[] = [
  [
    "a socket that is a word",
    { runtimeEndpoint: "foo" },
    /^--container-runtime-endpoint=foo is no socket such as unix:/,
  ],
  [
    "a socket that is not there",
    { runtimeEndpoint: "unix:///none" },
    /there is no \/none; is the container runtime running\?$/,
  ],
  ["a socket that is a file", { runtimeEndpoint: `unix://${file}` }, /file is no socket$/],
  ["a program that works", { runtime: "containerd", runtimeFolder: program }],
  [
    "a program that doesn't work",
    { runtime: "crio", runtimeFolder: program },
    /^--runtime=crio: .*crio doesn't work: .* exited with status 3: broken$/,
  ],
  [
    "a program beside the runtime that doesn't work",
    { runtime: "containerd", runtimeFolder: broken },
    /^--runtime=containerd: .*runc doesn't work: .* exited with status 3: broken$/,
  ],
  ["a name that is unknown", { runtime: "rkt" }, /^--runtime=rkt is unknown; it is one of: /],
  [
    "a folder that is not there",
    { runtime: "crio", runtimeFolder: "/none" },
    /^--runtime-dir=\/none is no folder$/,
  ],
];
for (const [name, settings, expected] of runtimeCases) {
  test(`runtimePlaceProblems() of ${name}`, async () => {
    const [found] = await runtimePlaceProblems({
      runtime: "containerd",
      ...settings,
    } as ClusterSettings);
    if (expected) assert.match(found ?? "", expected);
    else assert.equal(found, undefined);
  });
}

test("runtimePlaceProblems() names each program that no package has, and how to get it", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = program;
  rmSync(join(program, "crio"));
  rmSync(join(program, "pinns"));
  try {
    const found = await runtimePlaceProblems({ runtime: "crio" } as ClusterSettings);
    assert.deepEqual(
      found.map(
        (problem) =>
          /^--runtime=crio needs the program (\w+)\. .*--runtime-dir$/.exec(problem)?.[1],
      ),
      ["crio", "pinns"],
    );
  } finally {
    process.env["PATH"] = before;
  }
});
