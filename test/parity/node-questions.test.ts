import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { fixtures, questions } from "./node-questions.ts";

const file = join(import.meta.dirname, "recorded/node-questions.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as object[];

test("a kubelet has the permissions of the real server, for the same reasons", async () => {
  await using server = await startSecuredServer({ flags: ["--authorization-mode=Node,RBAC"] });
  for (const { path, body } of fixtures) {
    const { status, text } = await server.as("admintoken", "POST", path, body);
    assert.equal(status, 201, text);
  }
  const answered = questions.map(async (spec) => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const { json } = await server.as("admintoken", "POST", path, { spec });
    return { spec, status: json.status as object };
  });
  const expected = questions.map((spec, index) => ({ spec, status: recorded[index] }));
  assert.deepEqual(await Promise.all(answered), expected);
});
