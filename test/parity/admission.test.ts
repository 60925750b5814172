import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Replayed, replayAdmission, startAdmissionTarget } from "./admission-server.ts";
import { admissionArea } from "./cases/admission.ts";
import { admissionExtrasArea } from "./cases/admission-extras.ts";
import { admissionObjectsArea } from "./cases/admission-objects.ts";
import { admissionPoliciesArea } from "./cases/admission-policies.ts";
import { registrationsArea } from "./cases/registrations.ts";
import type { Target } from "./reference.ts";

for (const area of [
  registrationsArea,
  admissionArea,
  admissionExtrasArea,
  admissionObjectsArea,
  admissionPoliciesArea,
]) {
  describe(`${area.name} as kube-apiserver`, () => {
    let target: Target;
    let replayed: readonly Replayed[];
    before(async () => {
      target = await startAdmissionTarget(area.flags);
      replayed = await replayAdmission(target, area);
    });
    after(() => target[Symbol.asyncDispose]());
    for (const { name } of area.cases) {
      test(name, () => {
        const found = replayed.find((one) => one.name === name);
        assert.deepEqual(found?.answered, found?.recorded);
      });
    }
  });
}
