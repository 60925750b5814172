import assert from "node:assert/strict";
import { test } from "node:test";
import type { Gateway, GatewayListener, ListenerSet, Route } from "../api/gateway-objects.ts";
import { attach, parentsOf } from "./attachments.ts";
import { planListeners, setsByGateway } from "./listener-sets.ts";
import type { ListenerFacts } from "./listeners.ts";

const facts: ListenerFacts = {
  mayRefer: (from, to) => from.kind === "ListenerSet" || from.namespace === to.namespace,
  certificateProblem: () => undefined,
  namespaceLabels: (name) => ({ team: name }),
};

const http = (name: string, hostname?: string): GatewayListener => ({
  ...{ name, port: 80, protocol: "HTTP" },
  ...(hostname ? { hostname } : {}),
});
const tcp = (name: string): GatewayListener => ({ name, port: 80, protocol: "TCP" });

const gateway = (allowedListeners: Gateway["spec"]["allowedListeners"] | undefined): Gateway => ({
  metadata: { name: "gw", namespace: "infra" },
  spec: {
    gatewayClassName: "k8ts",
    listeners: [http("own", "own.example")],
    ...(allowedListeners ? { allowedListeners } : {}),
  },
});
const all = { namespaces: { from: "All" } } as const;

const set = (name: string, listeners: GatewayListener[], second = 0): ListenerSet => ({
  metadata: {
    ...{ name, namespace: "team" },
    creationTimestamp: `2026-01-01T00:00:0${second}Z`,
  },
  spec: { parentRef: { name: "gw", namespace: "infra" }, listeners },
});

/** The sets of a gateway as "reason: listener=reason", "!" before what is refused. */
function planned(sets: ListenerSet[], allowed: Gateway["spec"]["allowedListeners"] = all) {
  const own = setsByGateway(sets).get("infra/gw") ?? [];
  return planListeners(gateway(allowed), own, facts).sets.map(({ accepted, listeners }) => {
    const mark = accepted.status === "True" ? "" : "!";
    const each = listeners.map((one) => {
      const reason = one.isProgrammed ? "ok" : `!${one.accepted.reason}`;
      return `${one.spec.name}=${reason}`;
    });
    return `${mark}${accepted.reason}: ${each.join(" ")}`;
  });
}

const a = http("a", "a.example");
for (const { name, sets, allowed, expected } of [
  { name: "a set that is allowed", sets: [set("x", [a])], expected: ["Accepted: a=ok"] },
  {
    name: "a set of a namespace that is not allowed",
    sets: [set("x", [a])],
    allowed: { namespaces: { from: "Same" as const } },
    expected: ["!NotAllowed: "],
  },
  {
    name: "a set of a gateway that says nothing",
    sets: [set("x", [a])],
    allowed: {},
    expected: ["!NotAllowed: "],
  },
  {
    name: "a set of a selected namespace",
    sets: [set("x", [a])],
    allowed: {
      namespaces: { from: "Selector" as const, selector: { matchLabels: { team: "team" } } },
    },
    expected: ["Accepted: a=ok"],
  },
  {
    name: "a hostname of the gateway",
    sets: [set("x", [http("b", "own.example"), a])],
    expected: ["ListenersNotValid: b=!HostnameConflict a=ok"],
  },
  {
    name: "a hostname of an older set",
    sets: [set("young", [a], 2), set("old", [a], 1)],
    expected: ["Accepted: a=ok", "!ListenersNotValid: a=!HostnameConflict"],
  },
  {
    name: "another protocol than the gateway's, which other sets ignore",
    sets: [set("x", [tcp("t")], 1), set("y", [tcp("t"), a], 2)],
    expected: [
      "!ListenersNotValid: t=!ProtocolConflict",
      "ListenersNotValid: t=!ProtocolConflict a=ok",
    ],
  },
]) {
  test(`planListeners(): ${name}`, () => {
    assert.deepEqual(planned(sets, allowed), expected);
  });
}

test("planListeners() takes grants for sets, not those for the gateway", () => {
  const tls = { certificateRefs: [{ name: "cert", namespace: "other" }] };
  const secure = { ...http("s", "s.example"), port: 443, protocol: "HTTPS", tls };
  assert.deepEqual(planned([set("x", [secure])]), ["Accepted: s=ok"]);
});

for (const { parentRef, expected } of [
  { parentRef: { name: "gw", namespace: "infra" }, expected: "!NotAllowedByListeners" },
  {
    parentRef: { name: "gw", namespace: "infra", sectionName: "a" },
    expected: "!NoMatchingParent",
  },
  { parentRef: { kind: "ListenerSet", name: "x" }, expected: "Accepted a" },
  {
    parentRef: { kind: "ListenerSet", name: "x", sectionName: "own" },
    expected: "!NoMatchingParent",
  },
  { parentRef: { kind: "ListenerSet", name: "y" }, expected: "none" },
]) {
  test(`attach() to ${JSON.stringify(parentRef)}`, () => {
    const route: Route = {
      metadata: { name: "web", namespace: "team" },
      spec: { parentRefs: [parentRef] },
    };
    const known = parentsOf([planListeners(gateway(all), [set("x", [a])], facts)]);
    const [parent] = attach("HTTPRoute", route, known, facts);
    const names = parent?.attachments.map(({ listener }) => ` ${listener.spec.name}`).join("");
    const mark = parent?.accepted.status === "False" ? "!" : "";
    assert.equal(parent ? `${mark}${parent.accepted.reason}${names}` : "none", expected);
  });
}
