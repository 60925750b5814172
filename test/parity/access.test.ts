import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { type SecuredServer, startSecuredServer } from "#/testing/start-secured-server.ts";
import { access } from "./cases/access.ts";
import { loadRecordings } from "./recordings.ts";
import type { Target } from "./reference.ts";
import { replayCase } from "./run-case.ts";

let server: SecuredServer;
before(async () => {
  server = await startSecuredServer({ tokens: ['t,parity,parity,"system:masters"'] });
});
after(() => server[Symbol.asyncDispose]());

const target: Target = {
  async send({ method, path, headers, body }) {
    const reply = await callInProcess(server.handler, {
      method,
      url: path,
      headers: { ...headers, authorization: "Bearer t" },
      body: Buffer.from(body ?? ""),
    });
    const text = (await collectBody(reply)).toString();
    const named = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
    return { status: reply.status, headers: Object.fromEntries(named), text };
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

describe("access as kube-apiserver", () => {
  for (const [index, recording] of loadRecordings(access).entries()) {
    const { name, steps } = recording;
    test(name, async () => {
      const found = access.cases[index];
      assert.ok(found);
      const answers = await replayCase(target, found, recording);
      assert.deepEqual(
        answers,
        steps.map(({ answer }) => answer),
      );
    });
  }
});
