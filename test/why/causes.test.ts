import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import type { Diagnosis } from "#/why/base/finding.ts";
import { causes } from "#/why/causes/index.ts";
import { why } from "#/why/why.ts";
import { containerCases } from "./cases/containers.ts";
import { controllerCases } from "./cases/controllers.ts";
import { imageCases } from "./cases/images.ts";
import { jobCases } from "./cases/jobs.ts";
import { nodeCases } from "./cases/nodes.ts";
import { pitfallCases } from "./cases/pitfalls.ts";
import { type Case, node, now } from "./cases/recorded.ts";
import { schedulingCases } from "./cases/scheduling.ts";
import { serviceCases } from "./cases/services.ts";
import { severalCases } from "./cases/several.ts";
import { storageCases } from "./cases/storage.ts";
import { recordedReader, recordedResources } from "./recorded-reader.ts";

const cases: readonly Case[] = [
  ...imageCases,
  ...containerCases,
  ...nodeCases,
  ...schedulingCases,
  ...storageCases,
  ...controllerCases,
  ...serviceCases,
  ...jobCases,
  ...severalCases,
  ...pitfallCases,
];

function diagnosed(given: Case): Promise<Diagnosis> {
  const [object] = given.objects;
  const resource = recordedResources.find(
    (one) => one.kind === object?.kind && apiVersionOf(one) === object.apiVersion,
  );
  if (!object || !resource) throw new Error("a case begins with an object of a known kind");
  const { name, namespace } = object.metadata;
  const hasNode = given.objects.some(({ kind }) => kind === "Node");
  const objects = hasNode ? given.objects : [...given.objects, node()];
  const reader = recordedReader({ ...given, objects });
  return why({ resource, name, namespace }, { reader, now: () => Date.parse(now) });
}

/** States that are no causes. */
const states = new Set(["healthy", "progressing", "unknown"]);

for (const [index, given] of cases.entries()) {
  test(`case ${index + 1}: why() finds ${given.cause}: ${given.says}`, async () => {
    const { state, sentence, findings, context } = await diagnosed(given);
    assert.match(sentence, given.says);
    if (states.has(given.cause)) return assert.equal(state, given.cause);
    const isNotice = context.some(({ cause }) => cause === given.cause);
    assert.equal(isNotice ? given.cause : findings[0]?.cause, given.cause, sentence);
    assert.equal(state, isNotice ? "healthy" : "stuck");
  });
}

test("every cause has a case, and a name of its own", () => {
  const shown = new Set(cases.map(({ cause }) => cause));
  const names = causes.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !shown.has(name)),
    [],
  );
  // Two resources may lack the same thing.
  const shared = new Set(["runtime-class-missing", "namespace-terminating", "node-not-ready"]);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at && !shared.has(name)),
    [],
  );
});

test("at least 100 causes are known", () => assert.ok(causes.length >= 100, String(causes.length)));
