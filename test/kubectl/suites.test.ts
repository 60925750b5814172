import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSuites } from "./suites.ts";

/** Folders with the same content on every Linux machine. */
const kernelFolders = /^\/(?:proc|dev)\//;

test("no command of a suite reads a folder of this machine", async () => {
  const found: string[] = [];
  for (const { name, cases } of await loadSuites()) {
    for (const each of cases) {
      if (typeof each === "string") continue;
      const paths = Object.values(each.env ?? {}).flatMap((value) => value.split(":"));
      const outside = paths.filter((path) => path.startsWith("/") && !kernelFolders.test(path));
      found.push(...outside.map((path) => `${name}: ${each.command}: ${path}`));
    }
  }
  assert.deepEqual(found, [], "name a folder relative to that of the suite's files");
});
