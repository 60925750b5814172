import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ClusterState } from "#/dns/cluster-zone.ts";
import { ClusterZone } from "#/dns/cluster-zone.ts";
import { makeQuery } from "#/dns/wire/make-query.ts";
import { decodeQuery } from "#/dns/wire/query.ts";
import { recordTypes } from "#/dns/wire/record.ts";
import { encodeReply } from "#/dns/wire/reply.ts";
import { type DecodedReply, decodeReply } from "./decode-message.ts";
import { namespaces, questions, services, slices } from "./objects.ts";

const file = new URL("recorded/coredns.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, DecodedReply>;

const state: ClusterState = {
  synced: true,
  hasNamespace: (name) => namespaces.some(({ metadata }) => metadata.name === name),
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slicesOf: (namespace, name) =>
    slices.filter(
      ({ metadata }) =>
        metadata.namespace === namespace &&
        metadata.labels?.["kubernetes.io/service-name"] === name,
    ),
  servicesWithIp: (ip) =>
    services.filter(({ spec }) => (spec?.clusterIPs ?? [spec?.clusterIP]).includes(ip)),
  slicesWithIp: (ip) =>
    slices.filter(({ endpoints }) => endpoints?.some(({ addresses }) => addresses[0] === ip)),
};

// The API server sets clusterIPs where only clusterIP is given.
for (const { spec } of services) {
  if (spec?.clusterIP && spec.clusterIP !== "None") spec.clusterIPs ??= [spec.clusterIP];
}

const zone = new ClusterZone("cluster.local", state, { ttl: 30, serial: 1 });

/** Known differences, with the reason. */
const deviations: Readonly<Record<string, Partial<DecodedReply>>> = {
  // A name with other names below it exists: RFC 8020. CoreDNS denies it, but only for TXT.
  "cluster.local TXT": { rcode: 0 },
  "svc.cluster.local TXT": { rcode: 0 },
  "pod.cluster.local TXT": { rcode: 0 },
  "default.svc.cluster.local TXT": { rcode: 0 },
  "default.pod.cluster.local TXT": { rcode: 0 },
  // An alias is an answer even if its target has no such record: RFC 1034.
  "inside.default.svc.cluster.local AAAA": {
    answers: ["inside.default.svc.cluster.local 30 CNAME web.other.svc.cluster.local"],
    authority: [],
  },
  // A pod has no port.
  "10-244-1-9.default.pod.cluster.local SRV": noData(),
  "fd00--9.default.pod.cluster.local SRV": noData(),
};

function noData(): Partial<DecodedReply> {
  const soa = "ns.dns.cluster.local hostmaster.cluster.local 7200 1800 86400 30";
  return { answers: [], additional: [], authority: [`cluster.local 30 SOA ${soa}`] };
}

for (const { name, type } of questions) {
  test(`ClusterZone answers ${name} ${type} as CoreDNS does`, () => {
    const number = recordTypes[type as keyof typeof recordTypes];
    const request = makeQuery(name, number);
    const answer = zone.answer(name, number);
    assert(answer);
    const reply = encodeReply(request, decodeQuery(request), answer, 65_535);
    const key = `${name} ${type}`;
    assert.deepEqual(decodeReply(reply), { ...recorded[key], ...deviations[key] });
  });
}
