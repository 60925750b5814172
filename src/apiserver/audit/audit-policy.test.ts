import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRequestInfo } from "../model/request-info.ts";
import { parseAuditPolicy } from "./audit-policy.ts";

const policy = parseAuditPolicy(
  `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [system:kube-proxy]
  verbs: [watch]
- level: None
  userGroups: [system:authenticated]
  nonResourceURLs: ["/api*", "/version"]
- level: Request
  resources: [{group: "", resources: [configmaps], resourceNames: [a]}]
  namespaces: [kube-system]
- level: RequestResponse
  resources: [{group: "", resources: ["pods/*", "*/status"]}]
- level: Metadata
  resources: [{group: apps}]
  omitStages: [ResponseStarted]
`,
  "policy.yaml",
);

const cases = [
  { user: "system:kube-proxy", path: "/api/v1/services?watch=1", level: "None" },
  { user: "a", path: "/version", level: "None" },
  { user: "a", path: "/apis", level: "None" },
  { user: "a", path: "/api/v1/namespaces/kube-system/configmaps/a", level: "Request" },
  { user: "a", path: "/api/v1/namespaces/kube-system/configmaps/b", level: "None" },
  { user: "a", path: "/api/v1/namespaces/b/configmaps/a", level: "None" },
  { user: "a", path: "/api/v1/namespaces/b/pods/a", level: "RequestResponse" },
  { user: "a", path: "/api/v1/namespaces/b/pods/a/log", level: "RequestResponse" },
  { user: "a", path: "/api/v1/nodes/a/status", level: "RequestResponse" },
  { user: "a", path: "/api/v1/nodes/a", level: "None" },
  { user: "a", path: "/apis/apps/v1/deployments", level: "Metadata" },
];
for (const { user, path: url, level } of cases) {
  test(`AuditPolicy.choose() returns ${level} for ${url}`, () => {
    const [path = "", search] = url.split("?");
    const query = new URLSearchParams(search);
    const info = parseRequestInfo({ method: "GET", path, query });
    assert.equal(
      policy.choose({ name: user, groups: ["system:authenticated"] }, info).level,
      level,
    );
  });
}

test("AuditPolicy.choose() joins the stages to omit", () => {
  const query = new URLSearchParams();
  const info = parseRequestInfo({ method: "GET", path: "/apis/apps/v1/deployments", query });
  assert.deepEqual(
    [...policy.choose(undefined, info).omitStages],
    ["RequestReceived", "ResponseStarted"],
  );
});

for (const text of [
  "",
  "kind: Policy\napiVersion: v1",
  "kind: Policy\napiVersion: audit.k8s.io/v1",
]) {
  test(`parseAuditPolicy() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseAuditPolicy(text, "f"), /from file f/);
  });
}
