import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { storageVersion } from "./storage-version.ts";

const path = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";
const merge = { headers: { "content-type": "application/merge-patch+json" } };
const server = { apiServerID: "a", encodingVersion: "apps/v1", decodableVersions: ["apps/v1"] };

test("storageVersion validates its name and the versions of servers", async () => {
  await using api = await startApiServer({ resources: [storageVersion] });
  const create = (name: string) =>
    api.call("POST", path, { metadata: { name }, spec: {}, status: {} });
  assert.match((await create("apps")).json.message, /must be in the form of <group>\.<resource>/);
  assert.equal((await create("apps.deployments")).status, 201);
  const report = async (status: object) => {
    const url = `${path}/apps.deployments/status`;
    const answer = await api.call("PATCH", url, { status }, merge);
    return answer.status === 200 ? "ok" : (answer.json.message as string);
  };
  const storageVersions = [server];
  assert.match(
    await report({ storageVersions }),
    /commonEncodingVersion: .*: the common encoding version is apps\/v1/,
  );
  assert.equal(await report({ storageVersions, commonEncodingVersion: "apps/v1" }), "ok");
  const invalid = [{ ...server, encodingVersion: "a/b/c" }];
  assert.match(await report({ storageVersions: invalid }), /an apiVersion is a DNS-1035 label/);
});
