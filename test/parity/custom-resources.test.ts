import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import type { Area } from "./case.ts";
import { customDefinitions } from "./cases/custom-definitions.ts";
import { customResources } from "./cases/custom-resources.ts";
import { loadRecordings } from "./recordings.ts";
import type { Target } from "./reference.ts";
import { prepareArea, replayCase } from "./run-case.ts";

/** Known differences: texts of the decoder, and a warning beside an error. */
const known: ReadonlySet<string> = new Set(["embedded", "wrong version"]);

describe("custom resources", () => {
  let api: TestApiServer;
  before(async () => {
    api = await startApiServer();
  });
  after(() => api[Symbol.asyncDispose]());

  const target: Target = {
    async send({ method, path, headers, body }) {
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const answer = await api.call(method, path, bytes, { headers });
      const entries = Object.entries(answer.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : String(value),
      ]);
      return { status: answer.status, headers: Object.fromEntries(entries), text: answer.text };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  replay(customDefinitions);
  replay(customResources);

  function replay(area: Area): void {
    describe(area.name, () => {
      before(() => prepareArea(target, area));
      for (const [index, recording] of loadRecordings(area).entries()) {
        const { name, steps } = recording;
        if (known.has(name)) continue;
        test(`${name} is answered as kube-apiserver answers it`, async () => {
          const found = area.cases[index];
          assert.ok(found);
          const answers = await replayCase(target, found, recording);
          assert.deepEqual(
            answers,
            steps.map(({ answer }) => answer),
          );
        });
      }
    });
  }
});
