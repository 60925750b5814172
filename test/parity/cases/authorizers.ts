import type { Area, Case, Step } from "../case.ts";
import { SurroundingsBuilder } from "../surroundings.ts";
import { sequence } from "./sequence.ts";

/** Requests that each authorizer allows and denies, sent by bob, a user without other permissions. */

const sar = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";

const get = (path: string): Step => ({ method: "GET", path, as: "bob" });
const ask = (spec: object): Step => ({ method: "POST", path: sar, body: { spec } });
const may = (user: string, resourceAttributes: object): Step =>
  ask({ user, groups: ["g1"], resourceAttributes });
const mayPath = (user: string, path: string): Step =>
  ask({ user, nonResourceAttributes: { verb: "get", path } });
const create = (path: string): Step => ({
  method: "POST",
  path,
  body: { metadata: { name: "a" } },
  as: "bob",
});
const ownRules: Step = {
  method: "POST",
  path: rules,
  body: { spec: { namespace: "{ns}" } },
  as: "bob",
};
const bob = { bob: { headers: { authorization: "Bearer bobtoken" } } };
const pods = "/api/v1/namespaces/{ns}/pods";
const maps = "/api/v1/namespaces/{ns}/configmaps";

const questions: Step[] = [
  get(pods),
  get("/api/v1/namespaces/kube-system/pods"),
  create(maps),
  get("/api/v1/nodes"),
  get("/nothing"),
  may("bob", { verb: "list", resource: "pods", namespace: "kube-system" }),
  may("eve", { verb: "list", resource: "pods", namespace: "kube-system" }),
  mayPath("bob", "/nothing"),
];

const policies = [
  { user: "bob", namespace: "*", resource: "pods", apiGroup: "*", readonly: true },
  { group: "g1", namespace: "kube-system", resource: "pods", apiGroup: "*" },
  { user: "bob", nonResourcePath: "/nothing", readonly: true },
  { user: "bob", resource: "selfsubjectrulesreviews", apiGroup: "authorization.k8s.io" },
].map((spec) => ({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec }));

const one = (name: string, ...steps: Step[]): Case[] => [sequence(name, ...steps)];

/** Policies in a file. */
export const abacArea: Area = {
  name: "authorizers-abac",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    const lines = policies.map((policy) => JSON.stringify(policy)).join("\n");
    const file = await builder.file("policies.jsonl", `${lines}\n`);
    return builder.surround(
      ["--authorization-mode=ABAC", `--authorization-policy-file=${file}`],
      bob,
    );
  },
  cases: one("ABAC", ...questions, ownRules),
};

/** Answers of the webhooks: pods may be read, secrets are denied, and for the rest they have no opinion. */
const decide = ({
  resourceAttributes: wanted,
}: {
  readonly resourceAttributes?: { readonly resource?: string; readonly verb?: string };
}): object => {
  if (wanted?.resource === "secrets") {
    return { allowed: false, denied: true, reason: "secrets are secret" };
  }
  if (wanted?.resource !== "pods") return { allowed: false, reason: "no idea" };
  return { allowed: wanted.verb !== "create", reason: "pods are open" };
};

/** A webhook by flags, and roles after it. */
export const webhookAuthorizerArea: Area = {
  name: "authorizers-webhook",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    const kubeconfig = await builder.webhook({ SubjectAccessReview: decide });
    return builder.surround(
      [
        "--authorization-mode=Webhook,RBAC",
        `--authorization-webhook-config-file=${kubeconfig}`,
        "--authorization-webhook-version=v1",
      ],
      bob,
    );
  },
  cases: one("Webhook", ...questions, get("/api/v1/namespaces/{ns}/secrets"), create(pods)),
};

/** The chain of a file: a webhook with conditions that is down, one that isn't, and roles. */
export const configuredAuthorizersArea: Area = {
  name: "authorizers-configured",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    const kubeConfigFile = await builder.webhook({ SubjectAccessReview: decide });
    const webhook = (connection: string, failurePolicy: string, expression: string) => ({
      timeout: "1s",
      subjectAccessReviewVersion: "v1",
      matchConditionSubjectAccessReviewVersion: "v1",
      failurePolicy,
      connectionInfo: { type: "KubeConfigFile", kubeConfigFile: connection },
      matchConditions: [{ expression }],
    });
    const gone = await builder.file("gone.kubeconfig", {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1/" } }],
    });
    const onNodes =
      "has(request.resourceAttributes) && request.resourceAttributes.resource == 'nodes'";
    const onPods =
      "has(request.resourceAttributes) && request.resourceAttributes.resource in ['pods', 'secrets']";
    const file = await builder.file("authorization.yaml", {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [
        { type: "Webhook", name: "gone", webhook: webhook(gone, "Deny", onNodes) },
        { type: "Webhook", name: "here", webhook: webhook(kubeConfigFile, "NoOpinion", onPods) },
        { type: "RBAC", name: "rbac" },
      ],
    });
    return builder.surround([`--authorization-config=${file}`], bob);
  },
  cases: one("configured", ...questions, get("/api/v1/namespaces/{ns}/secrets"), create(pods)),
};

/** Only the administrator may do anything. */
export const alwaysDenyArea: Area = {
  name: "authorizers-deny",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    return builder.surround(["--authorization-mode=AlwaysDeny"], bob);
  },
  cases: one("AlwaysDeny", ...questions),
};

/** Everybody may do everything. */
export const alwaysAllowArea: Area = {
  name: "authorizers-allow",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    return builder.surround(["--authorization-mode=AlwaysAllow"], bob);
  },
  cases: one(
    "AlwaysAllow",
    get(pods),
    create(maps),
    may("eve", { verb: "list", resource: "pods" }),
    mayPath("eve", "/nothing"),
    ownRules,
  ),
};
