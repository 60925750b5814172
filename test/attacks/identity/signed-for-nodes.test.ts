import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { authoritiesConfigMap, readAuthorities } from "#/cluster/access/node-authorities.ts";
import { ensurePki, makeAuthority } from "#/cluster/access/pki.ts";
import {
  type NodeRequest,
  parseRequest,
  requestData,
} from "#/cluster/node-upgrade/node-request.ts";
import { makeNext, signWithNext, trustNext } from "#/cluster/rotation/authority-files.ts";
import { systemClock } from "#/std/time/clock.ts";

/*
 * Who may write ConfigMaps everywhere, such as an operator that copies them, is no administrator: what nodes follow of
 * them is signed by the cluster's authority.
 */

const folder = await mkdtemp(join(tmpdir(), "signed-for-nodes-"));
after(() => rm(folder, { recursive: true, force: true }));

const now = systemClock.now();
const pki = join(folder, "pki");
const other = join(folder, "other");
await ensurePki(pki, [], now);
await ensurePki(other, [], now);
const read = (place: string, file: string) => readFile(join(place, file), "utf8");
const ca = await read(pki, "ca.crt");
const kubeletCa = await read(pki, "kubelet-ca.crt");

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}

const published = async (place: string, authorities = { ca, kubeletCa }) =>
  (await authoritiesConfigMap(place, authorities)) as ConfigMap;

test("authorities that the cluster's authority has signed are followed, also while it is replaced", async () => {
  const place = join(folder, "rotated");
  await ensurePki(place, [], now);
  const texts = async () => ({
    ca: await read(place, "ca.crt"),
    kubeletCa: await read(place, "kubelet-ca.crt"),
  });
  let trusted = (await texts()).ca;
  await makeNext(place, "ca", now);
  for (const step of [trustNext, signWithNext]) {
    await step(place, "ca");
    const wanted = await texts();
    assert.notEqual(wanted.ca, trusted);
    const found = readAuthorities(await published(place, wanted), trusted);
    assert.deepEqual(found, wanted);
    trusted = wanted.ca;
  }
});

for (const { name, change } of [
  { name: "of another authority", change: async () => (await published(other)).data },
  {
    name: "to which one was added",
    change: async ({ data }: ConfigMap) => ({
      ...data,
      "ca.crt": `${ca}${await read(other, "ca.crt")}`,
    }),
  },
  {
    name: "that another authority has signed with the cluster's beside it",
    change: async () => {
      const both = `${await read(other, "ca.crt")}${ca}`;
      return (await published(other, { ca: both, kubeletCa })).data;
    },
  },
  {
    name: "without a signature",
    change: async ({ data: { signature: _, ...rest } }: ConfigMap) => rest,
  },
  {
    name: "whose parts are divided otherwise",
    change: async ({ data }: ConfigMap) => ({
      ...data,
      "ca.crt": `${ca}${kubeletCa}`,
      "kubelet-ca.crt": kubeletCa,
    }),
  },
]) {
  test(`authorities ${name} are refused`, async () => {
    const data = await change(await published(pki));
    assert.throws(() => readAuthorities({ data }, ca), /no authority that this node trusts/);
  });
}

const request: NodeRequest = {
  id: "roll.1",
  node: "node-1",
  signedMs: now,
  version: "0.2.0",
  folder: "0.2.0",
  digest: "abc",
  runtimes: {},
};
const expected = { authorities: ca, node: "node-1", nowMs: now, lastMs: 0 };
const day = 24 * 3600 * 1000;

test("a request for an upgrade that the cluster's authority has signed is followed, also again", async () => {
  const object = { data: await requestData(pki, request) };
  assert.deepEqual(parseRequest(object, expected), request);
  assert.deepEqual(parseRequest(object, { ...expected, lastMs: now }), request);
  assert.equal(parseRequest({ data: {} }, expected), undefined);
});

for (const { name, data, at = expected } of [
  { name: "without a signature", data: { "request.json": JSON.stringify(request) } },
  { name: "of another cluster", data: await requestData(other, request) },
  { name: "for another node", data: await requestData(pki, { ...request, node: "node-2" }) },
  {
    name: "that was changed",
    data: {
      ...(await requestData(pki, request)),
      "request.json": JSON.stringify({ ...request, digest: "evil" }),
    },
  },
  {
    name: "that is older than the last one",
    data: await requestData(pki, request),
    at: { ...expected, lastMs: now + 1 },
  },
  {
    name: "of the day before yesterday",
    data: await requestData(pki, request),
    at: { ...expected, nowMs: now + 2 * day },
  },
  {
    name: "with a folder elsewhere",
    data: await requestData(pki, { ...request, folder: "../../etc" }),
  },
  {
    name: "with the signature of authorities",
    data: {
      ...(await requestData(pki, request)),
      signature: (await published(pki)).data["signature"] ?? "",
    },
  },
]) {
  test(`a request for an upgrade ${name} is refused`, () => {
    assert.throws(() => parseRequest({ data }, at));
  });
}

test("the key of kubelets' certificates signs nothing for nodes", async () => {
  const place = join(folder, "kubelets");
  await ensurePki(place, [], now);
  await makeAuthority(place, "ca", now, "renewed");
  const data = await requestData(place, request);
  const authorities = await read(place, "kubelet-ca.crt");
  assert.throws(() => parseRequest({ data }, { ...expected, authorities }), /not signed/);
});
