import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { BackendTlsPolicy, Gateway } from "../api/gateway-objects.ts";
import { changedTls, findTls, planBackendTls, type TlsFacts } from "./backend-tls.ts";
import { policyAncestors } from "./policy-status.ts";

const web: Service = { metadata: {}, spec: { ports: [{ name: "https", port: 443 }] } };
const facts: TlsFacts = {
  service: (_namespace, name) => (name === "web" ? web : undefined),
  authorities: (_namespace, name) => (name === "ca" ? { pem: "PEM" } : { problem: "missing" }),
};
const ca = { group: "", kind: "ConfigMap", name: "ca" };

const policy = (
  name: string,
  validation: Partial<BackendTlsPolicy["spec"]["validation"]> = {},
  target: Partial<BackendTlsPolicy["spec"]["targetRefs"][number]> = {},
): BackendTlsPolicy => ({
  metadata: { name, namespace: "ns", generation: 4 },
  spec: {
    targetRefs: [{ group: "", kind: "Service", name: "web", ...target }],
    validation: { hostname: `${name}.example`, caCertificateRefs: [ca], ...validation },
  },
});

for (const { name, given, accepted, resolvedRefs = "ResolvedRefs", serves } of [
  { name: "an authority", given: policy("a"), accepted: "Accepted", serves: "a.example" },
  {
    name: "public authorities",
    given: policy("a", { caCertificateRefs: [], wellKnownCACertificates: "System" }),
    ...{ accepted: "Accepted", serves: "a.example" },
  },
  {
    name: "authorities that are not known",
    given: policy("a", { caCertificateRefs: [], wellKnownCACertificates: "x.example/y" }),
    ...{ accepted: "Invalid", serves: "nothing" },
  },
  {
    name: "a ConfigMap that is not there",
    given: policy("a", { caCertificateRefs: [{ ...ca, name: "none" }] }),
    ...{ accepted: "NoValidCACertificate", resolvedRefs: "InvalidCACertificateRef" },
    serves: "nothing",
  },
  {
    name: "one good authority of two",
    given: policy("a", { caCertificateRefs: [{ ...ca, name: "none" }, ca] }),
    ...{ accepted: "Accepted", resolvedRefs: "InvalidCACertificateRef", serves: "a.example" },
  },
  {
    name: "another kind",
    given: policy("a", { caCertificateRefs: [{ group: "x.example", kind: "Y", name: "z" }] }),
    ...{ accepted: "NoValidCACertificate", resolvedRefs: "InvalidKind", serves: "nothing" },
  },
  {
    name: "a Service that is not there",
    given: policy("a", {}, { name: "none" }),
    ...{ accepted: "TargetNotFound", serves: "no policy" },
  },
  {
    name: "a port that is not there",
    given: policy("a", {}, { sectionName: "other" }),
    ...{ accepted: "TargetNotFound", serves: "no policy" },
  },
]) {
  test(`planBackendTls(): ${name}`, () => {
    const plan = planBackendTls([given], facts);
    const [planned] = plan.policies;
    assert.deepEqual(
      [planned?.accepted.reason, planned?.resolvedRefs.reason],
      [accepted, resolvedRefs],
    );
    const found = findTls(plan, "ns/web", "https");
    assert.equal(found ? (found.tls?.serverName ?? "nothing") : "no policy", serves);
  });
}

test("planBackendTls(): the oldest policy of a port counts, and a port before its Service", () => {
  const dated = (one: BackendTlsPolicy, creationTimestamp: string): BackendTlsPolicy => ({
    ...one,
    metadata: { ...one.metadata, creationTimestamp },
  });
  const all = dated(policy("all"), "2026-01-01T00:00:00Z");
  const port = { sectionName: "https" };
  const young = dated(policy("young", {}, port), "2026-01-01T00:00:02Z");
  const old = dated(policy("z-old", {}, port), "2026-01-01T00:00:01Z");
  const plan = planBackendTls([young, old, all], facts);
  assert.deepEqual(
    plan.policies.map((one) => `${one.policy.metadata.name} ${one.accepted.reason}`),
    ["all Accepted", "z-old Accepted", "young Conflicted"],
  );
  assert.equal(findTls(plan, "ns/web", "https")?.tls?.serverName, "z-old.example");
  assert.equal(findTls(plan, "ns/web", "")?.tls?.serverName, "all.example");
  assert.equal(findTls(plan, "ns/other", "https"), undefined);
});

test("planBackendTls() takes the names of a certificate instead of its host", () => {
  const subjectAltNames = [{ type: "URI", uri: "spiffe://x/y" }];
  const plan = planBackendTls([policy("a", { subjectAltNames })], facts);
  assert.deepEqual(findTls(plan, "ns/web", "")?.tls?.names, [{ kind: "uri", uri: "spiffe://x/y" }]);
});

test("changedTls() names Services whose connections are made in another way", () => {
  const planOf = (...all: BackendTlsPolicy[]) => planBackendTls(all, facts);
  assert.deepEqual(changedTls(planOf(), planOf(policy("a"))), ["ns/web"]);
  assert.deepEqual(changedTls(planOf(policy("a")), planOf(policy("a"))), []);
  assert.deepEqual(changedTls(planOf(policy("a")), planOf(policy("b"))), ["ns/web"]);
  assert.deepEqual(changedTls(planOf(policy("a")), planOf()), ["ns/web"]);
});

test("policyAncestors() are the gateways that lead to the Service, or the missing Service", () => {
  const gateway: Gateway = {
    metadata: { name: "gw", namespace: "infra" },
    spec: { gatewayClassName: "k8ts" },
  };
  const other = { ancestorRef: { name: "x" }, controllerName: "other/c", conditions: [] };
  const given = { ...policy("a"), status: { ancestors: [other] } };
  const namesOf = (one: BackendTlsPolicy, used: boolean): string[] => {
    const [planned] = planBackendTls([one], facts).policies;
    assert.ok(planned);
    const usedBy = new Map(used ? [["ns/web", new Set([gateway])]] : []);
    const ancestors = policyAncestors(planned, usedBy, "k8ts.dev/gateway", 0);
    return ancestors.map(({ ancestorRef: { kind, name }, conditions }) =>
      [kind, name, ...conditions.map(({ observedGeneration }) => observedGeneration)].join(" "),
    );
  };
  assert.deepEqual(namesOf(given, true), [" x", "Gateway gw 4 4"]);
  assert.deepEqual(namesOf(given, false), [" x"]);
  assert.deepEqual(namesOf(policy("a", {}, { name: "none" }), false), ["Service none 4 4"]);
});
