import type { Area, Case, Step } from "../case.ts";

/** Paths that are no resources: their methods, with or without a slash, and their content types. */

const documents = [
  ...["/api", "/api/", "/api/v1", "/api/v1/", "/apis/apps/v1", "/apis/apps/v1/"],
  ...["/version", "/version/", "/openid/v1/jwks", "/.well-known/openid-configuration"],
];
const handlers = ["/apis/apps", "/apis/apps/", "/healthz", "/livez", "/readyz", "/readyz/ping"];
const nowhere = [
  ...["/healthz/", "/healthz/nope", "/readyz/ping/", "/metrics/", "/openapi/v2/", "/openapi/v3/"],
  ...["/openapi/v3/nope", "/version/x", "/openid/v1/x", "/api/v2", "/apis/nope", "/apis/nope/v1"],
  ...["/apis/apps/v2", "/apis/example.com/v2", "/index.html/", "/nope"],
];
const methods = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const named = (name: string, steps: readonly Step[]): Case => ({ name, steps });

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.example.com" },
  spec: {
    group: "example.com",
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
};

const pages = ["/statusz", "/flagz"];
/** Content types that pages about the server itself do not have. */
const unknownForms = [
  ...["text/html", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
  ...["application/json;g=config.k8s.io;v=v1;as=Statusz", "application/yaml;v=v1beta1;as=Flagz"],
  "application/vnd.kubernetes.protobuf;g=config.k8s.io;v=v1beta1;as=Flagz",
];
const hooks = [
  ...["/readyz/etcd-readiness", "/readyz/informer-sync", "/livez/loopback-serving-certificate"],
  ...["/healthz/log", "/healthz/autoregister-completion", "/readyz/loopback-serving-certificate"],
  ...["/livez/poststarthook/rbac/bootstrap-roles", "/livez/etcd-readiness", "/healthz/shutdown"],
];

export const pathsArea: Area = {
  name: "paths",
  fixtures: [
    {
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body: definition,
    },
  ],
  ready: ["/apis/example.com/v1"],
  cases: [
    ...documents.map((path) =>
      named(
        `${path} can only be read`,
        methods.map((method) => ({ method, path })),
      ),
    ),
    ...handlers.map((path) =>
      named(
        `${path} is the same for every method`,
        (["GET", ...methods] as const).map((method) => ({ method, path })),
      ),
    ),
    named(
      "versions of custom resources are told to every method",
      (["GET", "PUT", "HEAD"] as const).map((method) => ({ method, path: "/apis/example.com/v1" })),
    ),
    ...nowhere.map((path) =>
      named(`${path} is nowhere`, [
        { method: "GET", path },
        { method: "PUT", path },
      ]),
    ),
    ...["text/html", "text/plain", "application/yaml", "*/*", "text/html, */*;q=0.1"].map(
      (accept) =>
        named(
          `paths for who accepts ${accept}`,
          ["/apis/apps", "/apis/apps/v1", "/apis/example.com/v1", "/healthz", "/nope"].map(
            (path) => ({
              method: "GET",
              path,
              headers: { accept },
            }),
          ),
        ),
    ),
    named("every path is in the index", [{ method: "GET", path: "/" }]),
    ...["/healthz", "/livez", "/readyz"].map((path) =>
      named(`${path} says what it looks at`, [
        { method: "GET", path: `${path}?verbose` },
        { method: "GET", path: `${path}?verbose&exclude=poststarthook/crd-informer-synced` },
      ]),
    ),
    named(
      "each check by itself",
      hooks.map((path) => ({ method: "GET", path })),
    ),
    ...pages.map((path) =>
      named(
        `${path} is not to be had in any form`,
        unknownForms.map((accept) => ({ method: "GET", path, headers: { accept } })),
      ),
    ),
    named(
      "/debug/pprof is elsewhere",
      (["GET", ...methods] as const).map((method) => ({ method, path: "/debug/pprof" })),
    ),
    named("/debug/flags/v takes a level", [
      ...["GET", "POST", "DELETE"].map((method) => ({ method, path: "/debug/flags/v" }) as Step),
      ...["abc", "", "-1", "4294967296", "1.5", "0"].map(
        (body): Step => ({ method: "PUT", path: "/debug/flags/v", body }),
      ),
      { method: "GET", path: "/debug/flags" },
      { method: "POST", path: "/debug/flags/" },
      { method: "GET", path: "/debug/flags/vmodule" },
    ]),
    named(
      "metrics begin anew",
      ["/metrics", "/metrics/slis"].map((path) => ({ method: "DELETE", path })),
    ),
    named("keys are not plain JSON", [
      { method: "GET", path: "/openid/v1/jwks", headers: { accept: "application/json" } },
    ]),
    named(
      "/version is JSON",
      ["text/html", "application/yaml", "application/vnd.kubernetes.protobuf"].flatMap((accept) => [
        { method: "GET", path: "/version", headers: { accept } },
        { method: "PUT", path: "/version", headers: { accept: "application/yaml" } },
        { method: "GET", path: "/openapi/v3/version", headers: { accept } },
      ]),
    ),
  ],
};
