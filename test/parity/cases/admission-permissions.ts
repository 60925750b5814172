import type { Area, Case, Step } from "../case.ts";
import { authority, leaf, request } from "./certificates.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { configMaps, create, deployments, merge } from "./steps.ts";

/**
 * Plugins that check other permissions of a user: each case has a user of its own, with the permissions of its rules.
 */

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "certificates.k8s.io";
const requests = `/apis/${group}/v1/certificatesigningrequests`;
const bundles = `/apis/${group}/v1/clustertrustbundles`;

const allow = (apiGroup: string, resources: string[], verbs: string[], names: string[] = []) => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
  ...(names.length > 0 ? { resourceNames: names } : {}),
});

/** The user {ns}-u, and its permissions. */
const user = (...rules: object[]): Step[] => [
  create(`${rbac}/clusterroles`, { metadata: { name: "{ns}" }, rules }),
  create(`${rbac}/clusterrolebindings`, {
    metadata: { name: "{ns}" },
    subjects: [{ kind: "User", name: "{ns}-u" }],
    roleRef: { kind: "ClusterRole", name: "{ns}" },
  }),
];
const asUser = (step: Step): Step => ({
  ...step,
  headers: { ...step.headers, "impersonate-user": "{ns}-u" },
});
const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });

const csr = (name: string, signerName: string): Step =>
  create(requests, {
    ...objectOf(`${group}/v1`, "CertificateSigningRequest", {}, { name: `{ns}-${name}` }),
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName,
      usages: ["client auth"],
    },
  });
const condition = (type: string) => ({
  type,
  status: "True",
  reason: "Because",
  message: "it is so",
  lastUpdateTime: "2001-01-01T00:00:00Z",
  lastTransitionTime: "2001-01-01T00:00:00Z",
});
const approve = (name: string): Step =>
  merge(`${requests}/{ns}-${name}/approval`, { status: { conditions: [condition("Approved")] } });
const sign = (name: string): Step =>
  merge(`${requests}/{ns}-${name}/status`, {
    status: { certificate: Buffer.from(leaf).toString("base64") },
  });
const bundle = (name: string, signerName: string): Step =>
  create(
    bundles,
    objectOf(
      `${group}/v1`,
      "ClusterTrustBundle",
      { spec: { signerName, trustBundle: authority } },
      { name },
    ),
  );

const signerCases: Case[] = [
  sequence(
    "CertificateApproval: one signer, a domain of signers, and another",
    ...user(
      allow(group, ["certificatesigningrequests/approval"], ["update", "patch"]),
      allow(group, ["signers"], ["approve"], ["example.com/a", "example.org/*"]),
    ),
    csr("one", "example.com/a"),
    csr("domain", "example.org/x"),
    csr("other", "example.com/b"),
    later(asUser(approve("one"))),
    asUser(approve("domain")),
    asUser(approve("other")),
  ),
  sequence(
    "CertificateSigning: one signer, and another",
    ...user(
      allow(group, ["certificatesigningrequests/status"], ["update", "patch"]),
      allow(group, ["signers"], ["sign"], ["example.com/a"]),
    ),
    csr("one", "example.com/a"),
    csr("other", "example.com/b"),
    approve("one"),
    approve("other"),
    later(asUser(sign("one"))),
    asUser(sign("other")),
    asUser(
      merge(`${requests}/{ns}-other/status`, { status: { conditions: [condition("Failed")] } }),
    ),
  ),
  sequence(
    "ClusterTrustBundleAttest: one signer, and another",
    ...user(
      allow(group, ["clustertrustbundles"], ["create", "update", "patch", "delete"]),
      allow(group, ["signers"], ["attest"], ["example.com/*"]),
    ),
    later(asUser(bundle("example.com:a:{ns}", "example.com/a"))),
    asUser(bundle("example.org:a:{ns}", "example.org/a")),
    asUser(
      create(
        bundles,
        objectOf(
          `${group}/v1`,
          "ClusterTrustBundle",
          { spec: { trustBundle: authority } },
          { name: "{ns}" },
        ),
      ),
    ),
  ),
];

const owner = (name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid: "11111111-1111-4111-8111-111111111111",
  ...more,
});
const map = (name: string, ownerReferences: object[] = []): object =>
  objectOf("v1", "ConfigMap", {}, { name, ownerReferences });

const ownerCases: Case[] = [
  sequence(
    "OwnerReferencesPermissionEnforcement: who may delete",
    ...user(allow("", ["configmaps"], ["create", "update", "patch", "delete"])),
    later(asUser(create(configMaps, map("a")))),
    asUser(merge(`${configMaps}/a`, { metadata: { ownerReferences: [owner("o")] } })),
    asUser(create(configMaps, map("b", [owner("o", { blockOwnerDeletion: true })]))),
    asUser(
      create(configMaps, map("c", [owner("o", { kind: "Nothing", blockOwnerDeletion: true })])),
    ),
  ),
  sequence(
    "OwnerReferencesPermissionEnforcement: who may not",
    ...user(allow("", ["configmaps"], ["create", "update", "patch"])),
    later(asUser(create(configMaps, map("a")))),
    asUser(merge(`${configMaps}/a`, { metadata: { ownerReferences: [owner("o")] } })),
    asUser(merge(`${configMaps}/a`, { metadata: { labels: { a: "b" } } })),
  ),
  sequence(
    "OwnerReferencesPermissionEnforcement: who may finalize",
    ...user(
      allow("", ["configmaps"], ["create", "update", "patch", "delete"]),
      allow("", ["configmaps/finalizers"], ["update"], ["o"]),
    ),
    later(asUser(create(configMaps, map("a", [owner("o", { blockOwnerDeletion: true })])))),
    asUser(create(configMaps, map("b", [owner("p", { blockOwnerDeletion: true })]))),
  ),
];

const scaleCases: Case[] = [
  sequence(
    "RBAC: subresources are rights of their own",
    ...user(allow("apps", ["deployments/scale"], ["get", "update", "patch"])),
    create(deployments, {
      metadata: { name: "d" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: { containers: [{ name: "c", image: "i" }] },
        },
      },
    }),
    later(asUser(merge(`${deployments}/d/scale`, { spec: { replicas: 2 } }))),
    asUser(merge(`${deployments}/d`, { spec: { replicas: 3 } })),
  ),
];

/** Plugins that call the authorizer. */
export const admissionPermissionsArea: Area = {
  name: "admission-permissions",
  flags: ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"],
  cases: [...signerCases, ...ownerCases, ...scaleCases],
};
