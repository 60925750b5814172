import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import type { StepReport } from "#/client/journey/recorder.ts";
import { PodSteps } from "./pod-steps.ts";

const pod = {
  metadata: { name: "web", namespace: "shop", uid: "u" },
  spec: { containers: [] },
} satisfies Pod;

test("PodSteps has no value of a variable in a message, but the reference to it", async () => {
  const reported: StepReport[] = [];
  const steps = new PodSteps({ isOn: true, now: () => 0, add: (step) => reported.push(step) });
  const variables = [
    { name: "KEY", value: "hunter2$&" },
    { name: "MODE", value: "on" },
    { name: "OTHER", value: "container" },
  ];
  steps.hideValues(pod, { command: ["/bin/$(KEY)", "$(MODE)"] }, variables);
  const start = async () => {
    throw new Error('container not started: exec: "/bin/hunter2$&": no such file or directory');
  };
  await assert.rejects(steps.run(pod, "start container", start));
  assert.deepEqual(
    reported.map(({ message }) => message),
    ['container not started: exec: "/bin/$(KEY)": no such file or directory'],
  );
});
