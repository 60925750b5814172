import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { customDefinitions } from "./cases/custom-definitions.ts";
import { normaliseAnswers } from "./normalise.ts";
import { loadRecordings } from "./recordings.ts";
import type { Target } from "./reference.ts";
import { runCase } from "./run-case.ts";

describe("custom resource definitions", () => {
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
    async [Symbol.asyncDispose]() {},
  };

  for (const [index, { name, steps }] of loadRecordings(customDefinitions).entries()) {
    test(`${name} is answered as kube-apiserver answers it`, async () => {
      const found = customDefinitions.cases[index];
      assert.ok(found);
      const answers = normaliseAnswers(await runCase(target, found));
      assert.deepEqual(
        answers,
        steps.map(({ answer }) => answer),
      );
    });
  }
});
