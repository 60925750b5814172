import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ourKubectl } from "../kubectl/our-kubectl.ts";
import { loadCases } from "./load-cases.ts";
import { runCase } from "./run-case.ts";
import type { TreeAnswer } from "./tree-case.ts";

for (const { name, cases, recorded } of await loadCases()) {
  test(`kubectl kustomize builds as upstream's does: ${name}`, async (context) => {
    const answers = JSON.parse(await readFile(recorded, "utf8")) as TreeAnswer[];
    assert.deepEqual(
      answers.map((answer) => answer.name),
      cases.map((each) => each.name),
    );
    for (const [index, each] of cases.entries()) {
      await context.test(each.name, async () => {
        assert.deepEqual(await runCase(each, ourKubectl), answers[index]);
      });
    }
  });
}
