import type { Area, Case, Step } from "../case.ts";

/** Permissions: roles, bindings, impersonation, reviews and tokens. */

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const reviews = "/apis/authorization.k8s.io/v1";
const identity = "/apis/authentication.k8s.io/v1";
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const group = "rbac.authorization.k8s.io";

type Headers = Readonly<Record<string, string>>;

const as = (user: string, more: Headers = {}): Headers => ({ "impersonate-user": user, ...more });
const post = (path: string, body: unknown, headers: Headers = {}): Step => ({
  method: "POST",
  path,
  body,
  headers,
});
const put = (path: string, body: unknown, headers: Headers = {}): Step => ({
  ...post(path, body, headers),
  method: "PUT",
});
const get = (path: string, headers: Headers = {}): Step => ({ method: "GET", path, headers });
const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });
const one = (name: string, ...steps: Step[]): Case => ({ name, steps });

const role = (name: string, rules?: unknown[]) => ({
  metadata: { name },
  ...(rules ? { rules } : {}),
});
const bind = (name: string, kind: string, to: string, user: string) => ({
  metadata: { name },
  subjects: [{ kind: "User", name: user }],
  roleRef: { kind, name: to },
});
const allow = (verbs: string[], resources: string[], apiGroups = [""]) => ({
  verbs,
  apiGroups,
  resources,
});
const ofRoles = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
const writer = [allow(["create", "update", "get", "patch"], ofRoles, [group])];

/** A user of the case's own with permission to write roles and bindings, and nothing else. */
const makeWriter: Step[] = [
  post(`${rbac}/clusterroles`, role("{ns}-writer", writer)),
  post(`${rbac}/clusterrolebindings`, bind("{ns}-writer", "ClusterRole", "{ns}-writer", "{ns}-w")),
];
const w = as("{ns}-w");

const escalations: Case[] = [
  one(
    "a role may grant what its author may do, and no more",
    ...makeWriter,
    later(
      post(`${rbac}/namespaces/{ns}/roles`, role("own", [allow(["get"], ["roles"], [group])]), w),
    ),
    post(
      `${rbac}/namespaces/{ns}/roles`,
      role("more", [allow(["get", "list"], ["secrets", "pods"])]),
      w,
    ),
    post(
      `${rbac}/clusterroles`,
      role("{ns}-paths", [{ verbs: ["get"], nonResourceURLs: ["/x", "/y/*"] }]),
      w,
    ),
    post(
      `${rbac}/clusterroles`,
      role("{ns}-named", [{ ...allow(["get"], ["secrets"]), resourceNames: ["a", "b"] }]),
      w,
    ),
    put(`${rbac}/namespaces/{ns}/roles/own`, role("own", [allow(["*"], ["*"], ["*"])]), w),
    put(`${rbac}/namespaces/{ns}/roles/new`, role("new", [allow(["*"], ["*"], ["*"])]), w),
    post(
      `${rbac}/clusterroles`,
      { ...role("{ns}-all"), aggregationRule: { clusterRoleSelectors: [{}] } },
      w,
    ),
  ),
  one(
    "a binding needs all that it grants, or the verb bind",
    ...makeWriter,
    later(
      post(
        `${rbac}/clusterrolebindings`,
        bind("{ns}-x", "ClusterRole", "system:node-proxier", "u"),
        w,
      ),
    ),
    post(`${rbac}/namespaces/{ns}/rolebindings`, bind("x", "ClusterRole", "{ns}-writer", "u"), w),
    post(`${rbac}/namespaces/{ns}/rolebindings`, bind("y", "ClusterRole", "cluster-admin", "u"), w),
    post(`${rbac}/namespaces/{ns}/rolebindings`, bind("z", "Role", "nosuch", "u"), w),
    post(`${rbac}/namespaces/{ns}/rolebindings`, bind("q", "Widget", "x", "u"), w),
    post(
      `${rbac}/clusterroles`,
      role("{ns}-binder", [
        { ...allow(["bind"], ["clusterroles"], [group]), resourceNames: ["view"] },
      ]),
    ),
    post(`${rbac}/clusterrolebindings`, bind("{ns}-b", "ClusterRole", "{ns}-binder", "{ns}-w")),
    later(post(`${rbac}/namespaces/{ns}/rolebindings`, bind("v", "ClusterRole", "view", "u"), w)),
  ),
  one(
    "a role that isn't there is noted",
    ...makeWriter,
    post(`${rbac}/clusterrolebindings`, bind("{ns}-gone", "ClusterRole", "{ns}-gone", "{ns}-w")),
    later(get("/api/v1/namespaces/{ns}/pods", w)),
    post(`${rbac}/namespaces/{ns}/roles`, role("more", [allow(["get"], ["pods"])]), w),
  ),
];

const invalid: Case[] = [
  one(
    "roles and bindings that can't be",
    post(`${rbac}/clusterroles`, {
      ...role("{ns}-bad", [
        {},
        { verbs: ["get"], nonResourceURLs: ["/a"], apiGroups: [""] },
        { verbs: ["get"] },
      ]),
      aggregationRule: {},
    }),
    post(`${rbac}/clusterroles`, {
      ...role("{ns}-bad"),
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { "a b": "c d" }, matchExpressions: [{ key: "x", operator: "Foo" }] },
        ],
      },
    }),
    post(`${rbac}/namespaces/{ns}/roles`, role("bad", [{ nonResourceURLs: ["/x"] }])),
    post(`${rbac}/namespaces/{ns}/roles`, role("a/b", [])),
    post(`${rbac}/namespaces/{ns}/rolebindings`, {
      metadata: { name: "bad" },
      subjects: [
        { kind: "User" },
        { kind: "Foo", name: "x" },
        { kind: "ServiceAccount", name: "A_b", apiGroup: "x" },
        { kind: "Group", name: "g", apiGroup: "x" },
      ],
      roleRef: { kind: "Foo", apiGroup: "x" },
    }),
    post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "{ns}-bad" },
      subjects: [{ kind: "ServiceAccount", name: "a" }],
      roleRef: { kind: "Role", name: "a/b" },
    }),
  ),
  one(
    "a binding stays with its role",
    post(`${rbac}/namespaces/{ns}/rolebindings`, bind("b", "ClusterRole", "edit", "u")),
    put(`${rbac}/namespaces/{ns}/rolebindings/b`, bind("b", "ClusterRole", "view", "u")),
    put(`${rbac}/namespaces/{ns}/rolebindings/b`, bind("b", "ClusterRole", "", "u")),
    put(`${rbac}/namespaces/{ns}/rolebindings/b`, bind("b", "ClusterRole", "edit", "v")),
  ),
];

const forbidden: Case[] = [
  one(
    "what somebody without rights is told",
    get("/api/v1/pods", as("nobody")),
    get("/api/v1/namespaces/{ns}/pods/x/log", as("nobody")),
    get("/apis/apps/v1/namespaces/{ns}/deployments?labelSelector=a", as("nobody")),
    post("/api/v1/namespaces/{ns}/pods", {}, as("nobody")),
    get("/metrics", as("nobody")),
    get("/a<b>", as("nobody")),
    { method: "DELETE", path: "/api/v1/namespaces/{ns}/secrets", headers: as("nobody") },
    get("/api/v1/namespaces/{ns}/secrets?watch=1", as('"><script>')),
  ),
  one(
    "impersonation without a user",
    get("/api", { "impersonate-group": "x" }),
    get("/api", { "impersonate-uid": "x" }),
    get("/api", { "impersonate-extra-a": "x" }),
  ),
  one(
    "who somebody is when impersonated",
    post(`${identity}/selfsubjectreviews`, {}, as("alice")),
    post(`${identity}/selfsubjectreviews`, {}, as("alice", { "impersonate-group": "g, h" })),
    post(`${identity}/selfsubjectreviews`, {}, as("system:anonymous")),
    post(`${identity}/selfsubjectreviews`, {}, as("system:node:n")),
    post(`${identity}/selfsubjectreviews`, {}, as("system:node:N_")),
    post(`${identity}/selfsubjectreviews`, {}, as("system:serviceaccount:a:b")),
    post(`${identity}/selfsubjectreviews`, {}, as("system:serviceaccount:a:b:c")),
    post(
      `${identity}/selfsubjectreviews`,
      {},
      as("system:serviceaccount:a:b", {
        "impersonate-uid": "5",
        "impersonate-extra-foo%2fbar": "X",
      }),
    ),
    post(
      `${identity}/selfsubjectreviews`,
      {},
      as("x", { "impersonate-group": "system:unauthenticated" }),
    ),
  ),
];

const sar = (spec: unknown, more: object = {}): Step =>
  post(`${reviews}/subjectaccessreviews`, { spec, ...more });
const pods = { verb: "list", resource: "pods" };

const reviewCases: Case[] = [
  one(
    "reviews of access that can't be",
    sar({}),
    sar({ user: "x", resourceAttributes: {}, nonResourceAttributes: {} }),
    sar({ user: "x", resourceAttributes: { ...pods, fieldSelector: {}, labelSelector: {} } }),
    sar({
      user: "x",
      resourceAttributes: {
        ...pods,
        labelSelector: { rawSelector: "a", requirements: [{ key: "a b", operator: "In" }] },
        fieldSelector: { requirements: [{ key: "", operator: "Exists", values: ["x"] }] },
      },
    }),
    post(`${reviews}/namespaces/{ns}/localsubjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: { namespace: "other" }, nonResourceAttributes: {} },
    }),
    post(`${reviews}/selfsubjectaccessreviews`, { spec: {} }),
    post(`${reviews}/selfsubjectrulesreviews`, { spec: {} }),
    post(`${identity}/tokenreviews`, { spec: {} }),
  ),
  one(
    "reviews of access",
    sar({ user: "x", groups: ["system:masters"], resourceAttributes: pods }),
    sar({ user: "x", uid: "u", extra: { a: ["b"] }, resourceAttributes: pods }),
    sar({
      groups: ["system:authenticated"],
      nonResourceAttributes: { verb: "get", path: "/openapi/v2" },
    }),
    sar({ user: "x", nonResourceAttributes: { verb: "get", path: "/metrics" } }),
    sar({ user: "system:kube-scheduler", resourceAttributes: { ...pods, verb: "watch" } }),
    sar({
      user: "x",
      resourceAttributes: {
        ...pods,
        labelSelector: { requirements: [{ key: "a", operator: "Foo" }] },
        fieldSelector: { rawSelector: "x" },
      },
    }),
    sar({
      user: "x",
      resourceAttributes: {
        ...pods,
        labelSelector: {
          requirements: [
            { key: "a", operator: "Exists" },
            { key: "b", operator: "Foo" },
          ],
        },
      },
    }),
    post(`${reviews}/namespaces/{ns}/localsubjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: { ...pods, namespace: "{ns}" } },
    }),
    post(`${reviews}/selfsubjectaccessreviews`, { spec: { resourceAttributes: pods } }),
  ),
  one(
    "reviews of tokens",
    post(`${identity}/tokenreviews`, { spec: { token: "nope" } }),
    post(`${identity}/tokenreviews`, { spec: { token: "a.b.c" } }),
    post(`${identity}/tokenreviews`, { spec: { token: "nope", audiences: ["x"] } }),
  ),
];

const bound = (boundObjectRef: object) => ({ spec: { boundObjectRef } });

const tokens: Case[] = [
  one(
    "requests for tokens that are refused",
    post(accounts, { metadata: { name: "sa" } }),
    post(`${accounts}/sa/token`, { spec: { expirationSeconds: 5 } }),
    post(`${accounts}/sa/token`, { spec: { expirationSeconds: 4_294_967_297 } }),
    post(`${accounts}/sa/token`, { spec: { attestations: { a: ["b"] } } }),
    post(`${accounts}/sa/token`, bound({ kind: "Foo", apiVersion: "v1", name: "x" })),
    post(`${accounts}/sa/token`, bound({ kind: "Foo", apiVersion: "apps/v1", name: "x" })),
    post(`${accounts}/sa/token`, bound({ kind: "Pod", apiVersion: "v1", name: "x" })),
    post(`${accounts}/sa/token`, bound({ kind: "Secret", apiVersion: "v1", name: "x" })),
    post(`${accounts}/sa/token`, bound({ kind: "Node", apiVersion: "v1", name: "x" })),
    post(`${accounts}/sa/token`, { metadata: { name: "other" } }),
    post(`${accounts}/sa/token`, { metadata: { uid: "other" } }),
    post(`${accounts}/nosuch/token`, {}),
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" } }),
    post(
      `${accounts}/sa/token`,
      bound({ kind: "Secret", apiVersion: "v1", name: "s", uid: "wrong" }),
    ),
  ),
];

export const access: Area = {
  name: "access",
  cases: [...escalations, ...invalid, ...forbidden, ...reviewCases, ...tokens],
};
