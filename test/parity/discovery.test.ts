import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addDiscovery } from "#/apiserver/discovery/discovery-paths.ts";
import { Paths } from "#/apiserver/http/paths.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

interface Fact {
  readonly path: string;
  readonly accept: string;
  readonly body: unknown;
}

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string }[];
}

const file = join(import.meta.dirname, "recorded", "discovery.json");
const facts = JSON.parse(readFileSync(file, "utf8")) as Fact[];
const isAggregated = ({ accept }: Fact) => accept.includes("as=");
/** One kind is stored in an older version by upstream. */
const hashes = (key: string, value: unknown) => (key === "storageVersionHash" ? "" : value);

describe("discovery", () => {
  let api: TestApiServer;
  before(async () => {
    const paths = new Paths();
    api = await startApiServer({ paths });
    addDiscovery(paths, api.registry.catalog, "127.0.0.1:6443");
  });
  after(() => api[Symbol.asyncDispose]());

  const ask = async ({ path, accept }: Fact): Promise<unknown> =>
    (await api.call("GET", path, undefined, { headers: { accept } })).json;

  for (const fact of facts.filter(({ path }) => path.split("/").length > 3 || path === "/api/v1")) {
    test(`${fact.path} lists the resources of kube-apiserver`, async () => {
      const answer = await ask(fact);
      assert.deepEqual(
        JSON.parse(JSON.stringify(answer, hashes)),
        JSON.parse(JSON.stringify(fact.body, hashes)),
      );
    });
  }

  for (const fact of facts.filter(isAggregated)) {
    test(`${fact.path} has kube-apiserver's aggregated discovery`, async () => {
      const answer = (await ask(fact)) as { items: Group[] };
      for (const { metadata, versions } of (fact.body as { items: Group[] }).items) {
        const group = answer.items.find((item) => item.metadata.name === metadata.name);
        for (const version of versions) {
          const found = group?.versions.find((item) => item.version === version.version);
          assert.deepEqual(found, version);
        }
      }
    });
  }
});
