import type { Area, Case, Step } from "../case.ts";

/** Requests of third-party programs that once failed: old watches, headers, words, PUT of parts of a Pod. */

const json = { "content-type": "application/json", accept: "application/json" };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const oldWatch = "/api/v1/watch/namespaces/{ns}/configmaps";
const pods = "/api/v1/namespaces/{ns}/pods";
const container = { name: "c", image: "i" };

const get = (path: string, headers: Record<string, string> = json): Step => ({
  method: "GET",
  path,
  headers,
});
const post = (path: string, body: unknown): Step => ({ method: "POST", path, headers: json, body });
const made = [post(maps, { metadata: { name: "a" } }), post(maps, { metadata: { name: "b" } })];
const pod = post(pods, { metadata: { name: "p" }, spec: { containers: [container] } });

const watches: readonly Case[] = [
  "",
  "resourceVersion=0",
  "resourceVersionMatch=NotOlderThan",
  "sendInitialEvents=true",
  "fieldSelector=metadata.name%3Db",
].map((query) => ({
  name: `old watch ${query}`,
  steps: [...made, get(`${oldWatch}?${query}&timeoutSeconds=1`)],
}));

const patches: readonly Case[] = [
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: a, k: b}\n",
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"a","k":"b"}}',
  "a: [\n",
  "a: [b",
  "a: b: c\n",
  '{"a": ',
  "just text",
  "\ta: b",
  "[]",
].flatMap((body) =>
  ["Warn", "Strict"].map((validation) => ({
    name: `apply ${JSON.stringify(body)} ${validation}`,
    steps: [
      {
        method: "PATCH",
        path: `${maps}/a?fieldManager=f&fieldValidation=${validation}`,
        headers: { "content-type": "application/apply-patch+yaml", accept: "application/json" },
        body,
      } as const,
    ],
  })),
);

const parts: readonly Case[] = [
  ["ephemeralcontainers", { ephemeralContainers: [{ name: "e", image: "debug" }] }] as const,
  ["ephemeralcontainers", {}] as const,
  ["resize", { containers: [container] }] as const,
  ["status", {}] as const,
].map(([part, spec], index) => ({
  name: `put ${part} ${index}`,
  steps: [
    pod,
    {
      method: "PUT",
      path: `${pods}/p/${part}`,
      headers: json,
      body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec },
    } as const,
  ],
}));

const gizmos = "/apis/compatibility.example.com/v1/namespaces/{ns}/gizmos";

export const compatibilityArea: Area = {
  name: "compatibility",
  fixtures: [
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "gizmos.compatibility.example.com" },
      spec: {
        group: "compatibility.example.com",
        scope: "Namespaced",
        names: { plural: "gizmos", singular: "gizmo", kind: "Gizmo" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
      },
    }),
  ],
  ready: ["/apis/compatibility.example.com/v1"],
  cases: [
    ...watches,
    ...patches,
    ...parts,
    ...["application/cbor", "text/html", "application/json;as=Nothing"].map((accept) => ({
      name: `custom as ${accept}`,
      steps: [get(gizmos, { accept })],
    })),
    ...["limit=3&", ""].map((limit) => ({
      name: `exact version of a young server ${limit}`,
      steps: [get(`${maps}?${limit}resourceVersion=1&resourceVersionMatch=Exact`)],
    })),
  ],
};
