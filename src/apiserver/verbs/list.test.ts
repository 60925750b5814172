import assert from "node:assert/strict";
import { test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

interface Secret {
  readonly type: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

interface SecretList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Secret[];
}

/** The selected objects, page by page, as namespace/name. */
async function namesIn(api: TestApiServer, path: string, query: string): Promise<string[]> {
  const names: string[] = [];
  let token: string | undefined = "";
  while (token !== undefined) {
    const more = token === "" ? "" : `&continue=${token}`;
    const { status, json } = await api.call("GET", `${path}?${query}&limit=4${more}`);
    assert.equal(status, 200);
    const page = json as SecretList;
    names.push(...page.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    token = page.metadata.continue;
  }
  return names;
}

const selections: readonly { query: string; selects: (secret: Secret) => boolean }[] = [
  { query: "labelSelector=app%3Da", selects: ({ metadata }) => metadata.labels?.["app"] === "a" },
  {
    query: "labelSelector=app+in+(b),tier%3Dx",
    selects: ({ metadata: { labels } }) => labels?.["app"] === "b" && labels["tier"] === "x",
  },
  { query: "labelSelector=app!%3Da", selects: ({ metadata }) => metadata.labels?.["app"] !== "a" },
  { query: "fieldSelector=type%3Dx", selects: ({ type }) => type === "x" },
  { query: "fieldSelector=type!%3Dx", selects: ({ type }) => type !== "x" },
  {
    query: "fieldSelector=type%3Dx&labelSelector=app%3Da",
    selects: ({ type, metadata }) => type === "x" && metadata.labels?.["app"] === "a",
  },
];

test("list selects the same objects however often it was called and after any changes", async () => {
  await using api = await startApiServer();
  const random = seededRandom(1);
  const present = new Map<string, Secret>();
  const one = <T>(...values: readonly T[]): T => values[randomInt(random, values.length)] as T;
  for (let round = 0; round < 60; round++) {
    const namespace = one("default", "kube-system");
    const metadata = { name: `s-${randomInt(random, 30)}`, namespace };
    const labels = { app: one("a", "b", "c"), ...one({}, { tier: "x" }) };
    const secret = { type: one("x", "y"), metadata: { ...metadata, labels } };
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await api.call("DELETE", `${path}/${metadata.name}`);
    present.delete(`${namespace}/${metadata.name}`);
    if (round % 4 !== 3) {
      assert.equal((await api.call("POST", path, secret)).status, 201);
      present.set(`${namespace}/${metadata.name}`, secret);
    }
    const { query, selects } = one(...selections);
    const expected = [...present].filter(([, one]) => selects(one)).map(([key]) => key);
    assert.deepEqual(await namesIn(api, "/api/v1/secrets", query), expected.sort());
    const inOne = expected.filter((key) => key.startsWith("default/"));
    assert.deepEqual(await namesIn(api, "/api/v1/namespaces/default/secrets", query), inOne);
  }
});

test("a continue token has the key without the prefix of the list, and is valid in any namespace", async () => {
  await using api = await startApiServer();
  const path = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
  for (const namespace of ["default", "kube-system"]) {
    for (const name of ["a", "b", "c"]) {
      await api.call("POST", path(namespace), { metadata: { name } });
    }
  }
  const tokenOf = async (list: string): Promise<string> =>
    (await api.call("GET", `${list}?limit=2`)).json.metadata.continue;
  const startOf = (token: string) => JSON.parse(Buffer.from(token, "base64url").toString()).start;
  const token = await tokenOf(path("kube-system"));
  assert.equal(startOf(token), "/b\0");
  assert.equal(startOf(await tokenOf("/api/v1/secrets")), "/default/b\0");
  const { items } = (await api.call("GET", `${path("default")}?continue=${token}`)).json;
  assert.deepEqual(
    items.map(({ metadata }: Secret) => [metadata.namespace, metadata.name]),
    [["default", "c"]],
  );
  const encoded = (start: string) =>
    Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: -1, start })).toString("base64url");
  for (const start of ["a/", "a//b", "../a", "a/.."]) {
    const refused = await api.call("GET", `${path("default")}?continue=${encoded(start)}`);
    const message = `invalid continue token: continue key is not valid: ${start}`;
    assert.deepEqual([refused.status, refused.json.message], [400, message]);
  }
  const named = await api.call("GET", `${path("default")}?continue=${encoded("b")}`);
  assert.deepEqual(
    named.json.items.map(({ metadata }: Secret) => metadata.name),
    ["b", "c"],
  );
});
