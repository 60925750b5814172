import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "#/api/admissionregistration/v1.ts";
import { validatingAdmissionPolicyStatusController } from "#/controllers/validating-admission-policy-status/validating-admission-policy-status.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { definitions } from "./policy-types/definitions.ts";
import { policies, settled } from "./policy-types.ts";

const file = join(import.meta.dirname, "recorded/policy-types.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;

test("policies with expressions of wrong types get the real controller manager's warnings", async (t) => {
  await using api = await startApiServer();
  const post = async (path: string, body: object) => {
    const { status, text } = await api.call("POST", path, body);
    assert.equal(status, 201, text);
  };
  for (const definition of definitions) {
    await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  await using run = runControllersOn(api, [validatingAdmissionPolicyStatusController]);
  for (const { name, spec } of policies) {
    const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    await post(path, { metadata: { name }, spec });
  }
  for (const { name } of policies) {
    await t.test(name, async () => {
      let policy: ValidatingAdmissionPolicy | undefined;
      await run.until(`${name} is checked`, async () => {
        policy = await run.client.get(validatingAdmissionPolicies, { name });
        return policy.status?.observedGeneration === 1;
      });
      assert.deepEqual(settled(policy?.status), recorded[name]);
    });
  }
});
