import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { namespaces } from "#/api/core/v1.ts";
import {
  bootstrapFlowSchemas,
  bootstrapPriorityLevels,
} from "#/apiserver/bootstrap/flow-control.ts";
import { serve } from "#/apiserver/registry/strategy.ts";
import { certificatesResources } from "#/apiserver/resources/certificates/index.ts";
import { flowcontrolResources } from "#/apiserver/resources/flowcontrol/index.ts";
import { resourceResources } from "#/apiserver/resources/resource/index.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import type { Answer, Area } from "./case.ts";
import { certificatesArea } from "./cases/certificates.ts";
import { deviceRulesArea } from "./cases/device-rules.ts";
import { devicesArea } from "./cases/devices.ts";
import { flowControlArea } from "./cases/flow-control.ts";
import { loadRecordings } from "./recordings.ts";
import type { Target } from "./reference.ts";
import { replayCase } from "./run-case.ts";

let server: TestApiServer;
before(async () => {
  server = await startApiServer({
    resources: [
      serve(namespaces),
      ...certificatesResources,
      ...flowcontrolResources,
      ...resourceResources,
    ],
    // The certificates of the cases contain their creation time.
    clock: { ...systemClock, now: () => Date.UTC(2026, 10, 15, 23) },
  });
  const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
  for (const object of bootstrapPriorityLevels()) {
    await server.call("POST", `${group}/prioritylevelconfigurations`, object);
  }
  for (const object of bootstrapFlowSchemas()) {
    await server.call("POST", `${group}/flowschemas`, object);
  }
});
after(() => server[Symbol.asyncDispose]());

const user = { name: "parity", uid: "parity", groups: ["system:masters", "system:authenticated"] };

const target: Target = {
  async send({ method, path, headers, body }) {
    const answer = await server.call(method, path, Buffer.from(body ?? ""), { headers, user });
    const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { status: answer.status, headers: Object.fromEntries(named), text: answer.text };
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Other tests check descriptions of columns, ages, and field managers. */
const isOther = (name: string, value: unknown): boolean =>
  name === "managedFields" || name === "description" || /^\d+[smhdy]\w*$/.test(String(value));

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => (isOther("", item) ? "" : comparable(item)));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => !isOther(name, part))
      .map(([name, part]) => [name, comparable(part)]),
  );
}

function replay(area: Area): void {
  describe(`${area.name} as kube-apiserver`, () => {
    for (const [index, recording] of loadRecordings(area).entries()) {
      const { name, steps } = recording;
      test(name, async () => {
        const found = area.cases[index];
        assert.ok(found);
        const answers: readonly Answer[] = await replayCase(target, found, recording);
        assert.deepEqual(
          answers.map(comparable),
          steps.map(({ answer }) => comparable(answer)),
        );
      });
    }
  });
}

for (const area of [certificatesArea, flowControlArea, devicesArea, deviceRulesArea]) replay(area);
