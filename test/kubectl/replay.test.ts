import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Recorded } from "./golden-case.ts";
import { ourKubectl } from "./our-kubectl.ts";
import { playSuite } from "./play.ts";
import { loadSuites, recordedFile } from "./suites.ts";

for (const suite of await loadSuites(process.env["KUBECTL_SUITE"])) {
  test(`kubectl answers as upstream's does: ${suite.name}`, async (context) => {
    const recorded = JSON.parse(await readFile(recordedFile(suite), "utf8")) as Recorded[];
    await playSuite(suite, ourKubectl, async (answer, index) => {
      await context.test(answer.command, () => assert.deepEqual(answer, recorded[index]));
    });
  });
}
