import assert from "node:assert/strict";
import type { Answer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";

/** Sends one request as the administrator, or as the owner of a token. */
export type Send = (
  method: string,
  path: string,
  body?: object,
  options?: { readonly token?: string; readonly signal?: AbortSignal },
) => Promise<Pick<Answer, "status" | "text">>;

const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const extensions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Parts of the work of users and components. Caches by name, of fixed sizes, are filled with few names. */
export const apiServerCycles: Readonly<Record<string, (send: Send, n: number) => Promise<void>>> = {
  "objects and watches": objects,
  roles: role,
  "service accounts and tokens": account,
  "custom resources": customResource,
  "admission webhooks": webhook,
};

/** Number of names of kinds and webhooks. */
const names = 8;

/** Requests whose outcome is known. */
class Steps {
  readonly send: Send;

  constructor(send: Send) {
    this.send = send;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reaches into answers of every shape.
  async create(path: string, content: object): Promise<any> {
    const { status, text } = await this.send("POST", path, content);
    assert.equal(status, 201, text);
    return JSON.parse(text);
  }

  async remove(path: string): Promise<void> {
    const { status, text } = await this.send("DELETE", `${path}?gracePeriodSeconds=0`);
    assert.ok(status === 200 || status === 202, text);
  }
}

async function objects(send: Send, n: number): Promise<void> {
  const name = `cycle-${n}`;
  const steps = new Steps(send);
  const stop = new AbortController();
  const selected = `labelSelector=a=${name}&fieldSelector=metadata.name=${name}`;
  const watches = [`${core}/pods?watch=true`, `${core}/configmaps?watch=true&${selected}`].map(
    (path) => send("GET", path, undefined, { signal: stop.signal }),
  );
  const metadata = { name, labels: { a: name } };
  const contents: readonly (readonly [path: string, content: object])[] = [
    [`${core}/pods`, { spec: { containers: [{ name: "main", image: `image-${name.length}` }] } }],
    [`${core}/configmaps`, { data: { key: name } }],
    [`${core}/secrets`, { stringData: { key: name } }],
    [
      `${core}/services`,
      { spec: { clusterIP: "None", ports: [{ port: 80 }], selector: { a: name } } },
    ],
    ["/apis/coordination.k8s.io/v1/namespaces/default/leases", { spec: { holderIdentity: name } }],
  ];
  for (const [path, content] of contents) {
    const made = await steps.create(path, { metadata, ...content });
    const changed = { ...made, metadata: { ...made.metadata, annotations: { key: name } } };
    const { status, text } = await steps.send("PUT", `${path}/${name}`, changed);
    assert.equal(status, 200, text);
    await steps.send("GET", `${path}?${selected}`);
  }
  for (const [path] of contents) await steps.remove(`${path}/${name}`);
  // Expires by itself.
  await steps.create(`${core}/events`, {
    metadata: { name },
    involvedObject: { kind: "Pod", namespace: "default", name },
    reason: name,
  });
  stop.abort();
  await Promise.allSettled(watches);
}

/** A role that a user has for a time. */
async function role(send: Send, n: number): Promise<void> {
  const name = `role-${n}`;
  const steps = new Steps(send);
  const roles = `${rbac}/namespaces/default/roles`;
  const bindings = `${rbac}/namespaces/default/rolebindings`;
  await steps.create(roles, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: [name] }],
  });
  await steps.create(bindings, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
  });
  const status = async (object: string): Promise<number> => {
    const path = `${core}/configmaps/${object}`;
    return (await send("GET", path, undefined, { token: "alicetoken" })).status;
  };
  await until("the role is effective", async () => (await status(name)) === 404);
  assert.equal(await status("other"), 403);
  for (const list of [bindings, roles]) await steps.remove(`${list}/${name}`);
}

/** A service account with a token that is used. */
async function account(send: Send, n: number): Promise<void> {
  const name = `account-${n}`;
  const steps = new Steps(send);
  const accounts = `${core}/serviceaccounts`;
  await steps.create(accounts, { metadata: { name } });
  const issued = await steps.create(`${accounts}/${name}/token`, { spec: {} });
  const { token } = issued.status;
  const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  const review = await steps.create(reviews, { spec: { token } });
  assert.equal(review.status.authenticated, true);
  const path = `${core}/configmaps/${name}`;
  assert.equal((await send("GET", path, undefined, { token })).status, 403);
  assert.equal((await send("GET", path, undefined, { token: name })).status, 401);
  await steps.remove(`${accounts}/${name}`);
}

/** A kind that is served, used and removed. */
async function customResource(send: Send, n: number): Promise<void> {
  const steps = new Steps(send);
  const kind = `Thing${n % names}`;
  const plural = `${kind.toLowerCase()}s`;
  const group = "leaks.example.com";
  const spec = { type: "object", properties: { size: { type: "integer" } } };
  const rules = [{ rule: `self.size >= ${n}` }];
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: { ...spec, "x-kubernetes-validations": rules } },
  };
  await steps.create(extensions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  const content = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: "one" },
    spec: { size: n },
  };
  await until("the kind is served", async () => (await steps.send("GET", path)).status === 200);
  await until("the kind accepts objects", async () => {
    return [201, 409].includes((await steps.send("POST", path, content)).status);
  });
  await steps.remove(`${path}/one`);
  await steps.remove(`${extensions}/${plural}.${group}`);
  await until("the kind is gone", async () => (await steps.send("GET", path)).status === 404);
}

/** A webhook that can't be reached and need not be. */
async function webhook(send: Send, n: number): Promise<void> {
  const steps = new Steps(send);
  const name = `hook-${n % names}`;
  await steps.create(webhooks, {
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: { url: `https://127.0.0.1:1/${n}` },
        matchConditions: [{ name, expression: `object.metadata.name == '${name}' && ${n} > 0` }],
        rules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["configmaps"],
            operations: ["CREATE"],
          },
        ],
      },
    ],
  });
  await steps.create(`${core}/configmaps`, { metadata: { name } });
  await steps.remove(`${core}/configmaps/${name}`);
  await steps.remove(`${webhooks}/${name}`);
}
