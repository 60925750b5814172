import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { mergeObjects } from "./merge-objects.ts";
import { partStart } from "./part-start.ts";

const duty = {
  flags: () => ({ mode: "a", level: 1, list: "x,y" }),
  files: () => [{ path: "/c/config/part.json", text: "own" }],
  documents: [
    {
      apiGroup: "g",
      kind: "Policy",
      file: "policy.json",
      flag: "policy",
      needs: () => ({ log: "l" }),
    },
    { apiGroup: "g", kind: "Mode", file: "mode.json", flag: "config", replaces: ["mode"] },
    { apiGroup: "g", kind: "Part", file: "part.json", complete: () => ({ whole: true }) },
  ],
};

const cases: readonly {
  name: string;
  settings: Partial<ClusterSettings>;
  args: readonly string[];
  files: Readonly<Record<string, string>>;
}[] = [
  {
    name: "nothing of the user",
    settings: {},
    args: ["--mode=a", "--level=1", "--list=x,y"],
    files: { "/c/config/part.json": "own" },
  },
  {
    name: "flags, which replace those of the cluster",
    settings: { partArgs: { part: ["list=z", "list=w", "new=1=2"], other: ["level=9"] } },
    args: ["--mode=a", "--level=1", "--list=z", "--list=w", "--new=1=2"],
    files: { "/c/config/part.json": "own" },
  },
  {
    name: "a document with a flag that it needs",
    settings: { documents: { Policy: { a: 1 } } },
    args: ["--mode=a", "--level=1", "--list=x,y", "--log=l", "--policy=/c/config/policy.json"],
    files: { "/c/config/part.json": "own", "/c/config/policy.json": '{\n  "a": 1\n}\n' },
  },
  {
    name: "a document that replaces a flag, and one that replaces a file",
    settings: { documents: { Mode: {}, Part: {} } },
    args: ["--level=1", "--list=x,y", "--config=/c/config/mode.json"],
    files: {
      "/c/config/part.json": '{\n  "whole": true\n}\n',
      "/c/config/mode.json": "{}\n",
    },
  },
];

for (const { name, settings, args, files } of cases) {
  test(`partStart() with ${name}`, () => {
    const start = partStart("part", duty, {
      paths: clusterPaths("/c"),
      settings: settings as ClusterSettings,
      resolvConf: "",
    });
    assert.deepEqual(start.args, args);
    assert.deepEqual(Object.fromEntries(start.files.map(({ path, text }) => [path, text])), files);
  });
}

test("mergeObjects() merges objects, and replaces lists and values", () => {
  assert.deepEqual(
    mergeObjects({ a: { b: 1, c: [1] }, d: 1, e: 2 }, { a: { c: [2] }, d: { x: 1 }, f: null }),
    { a: { b: 1, c: [2] }, d: { x: 1 }, e: 2, f: null },
  );
});
