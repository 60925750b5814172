/**
 * Load balancers of Pods on answers of moto, which are replayed. They are recorded again with
 * `K8TS_RECORD_MOTO=http://127.0.0.1:PORT node src/cloud/aws/load-balancers/pod-targets.test.ts`.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { LoadBalancers } from "#/cloud/base/provider.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type RecordedExchange, type ReplayedHttp, replayHttp } from "#/testing/replayed-http.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { openAws } from "../aws-provider.ts";
import { createAwsClient } from "../client/aws-client.ts";
import { createTags, describeSubnets } from "../client/ec2-operations.ts";
import { sendOverNetwork } from "../client/send.ts";
import { awsFlags } from "../tagging/flags.ts";

const recordFrom = process.env["K8TS_RECORD_MOTO"];
const recordedFile = new URL("../recorded/pod-targets.json", import.meta.url);
const recorded: readonly RecordedExchange[] =
  recordFrom === undefined ? JSON.parse(readFileSync(recordedFile, "utf8")) : [];

const stop = new AbortController();
const { signal } = stop;
let service: ReplayedHttp;
let api: TestApiServer;
let client: Client;
let informers: Informers;
let config: string;
let loadBalancers: LoadBalancers;

/** Tags the subnets, and resolves with the configuration of the cloud. */
async function seed(url: string): Promise<string> {
  const aws = createAwsClient({
    keys: async () => ({ accessKeyId: "id", secretAccessKey: "secret" }),
    endpoint: () => ({ url: new URL(url), signingName: "ec2", signingRegion: "us-west-2" }),
    send: sendOverNetwork,
    clock: systemClock,
    log: logger("test"),
  });
  const { subnetSet } = await aws.call(describeSubnets, {}, signal);
  const ids = subnetSet.map(({ subnetId = "" }) => subnetId).toSorted();
  const tag = { Key: "kubernetes.io/cluster/demo", Value: "owned" };
  await aws.call(createTags, { ResourceId: ids, Tag: [tag] }, signal);
  const override = (name: string, number: number) => `[ServiceOverride "${number}"]
Service = ${name}
Region = us-west-2
URL = ${url}
SigningRegion = us-west-2
SigningName = ${name === "EC2" ? "ec2" : "elasticloadbalancing"}
`;
  return `[Global]
Region = us-west-2
VPC = ${subnetSet[0]?.vpcId}
SubnetID = ${ids[0]}
KubernetesClusterID = demo
DisableSecurityGroupIngress = true
${["EC2", "Elastic Load Balancing", "Elastic Load Balancing v2"].map(override).join("")}`;
}

/** Opens the provider, as a program that starts does. */
async function open(): Promise<LoadBalancers> {
  const provider = await openAws(config, {
    client,
    informers,
    clusterName: "demo",
    flags: parseFlags(awsFlags, []).values,
    clock: systemClock,
    signal,
    metrics: new Registry(),
    log: logger("test"),
    recorderFor: () => ({ event: () => undefined }),
  });
  return provider.loadBalancers ?? assert.fail();
}

before(async () => {
  process.env["AWS_ACCESS_KEY_ID"] = "id";
  process.env["AWS_SECRET_ACCESS_KEY"] = "secret";
  service = await replayHttp(recorded, {
    origin: recordFrom,
    // moto has a TLS policy for each listener; AWS for those with TLS.
    correct: (body) => body.replaceAll(/<SslPolicy>[^<]*<\/SslPolicy>/g, ""),
  });
  api = await startApiServer();
  client = api.client();
  informers = new Informers(client, signal, { strict: true });
  config = await seed(service.url);
  await informers.informer(endpointSlices).synced;
  loadBalancers = await open();
});

after(async () => {
  stop.abort();
  delete process.env["AWS_ACCESS_KEY_ID"];
  delete process.env["AWS_SECRET_ACCESS_KEY"];
  await service[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  if (recordFrom === undefined) return;
  writeFileSync(recordedFile, `${JSON.stringify(service.exchanges, null, 1)}\n`);
});

const prefix = "service.beta.kubernetes.io/aws-load-balancer-";
/** A Service with Pods as targets; its load balancer is named after its uid. */
const web = (name: string, spec: Service["spec"]): Service => ({
  metadata: {
    name,
    namespace: "default",
    uid: `${name}-0000-0000-0000-000000000000`,
    annotations: {
      [`${prefix}type`]: "nlb",
      [`${prefix}nlb-target-type`]: "ip",
      [`${prefix}internal`]: "true",
    },
  },
  spec: {
    type: "LoadBalancer",
    ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
});
const goalOf = (of: Service) => ({ clusterName: "demo", service: of, nodes: [] });

/** Writes the slice of a Service, and waits until the provider can see it. */
async function write(of: string, addresses: readonly string[]): Promise<void> {
  const ref = { name: of, namespace: "default" };
  const slice: EndpointSlice = {
    metadata: { ...ref, labels: { "kubernetes.io/service-name": of } },
    addressType: addresses.some((address) => address.includes(":")) ? "IPv6" : "IPv4",
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  };
  const exists = await client.get(endpointSlices, ref).then(
    () => true,
    () => false,
  );
  const { metadata } = exists
    ? await client.update(endpointSlices, slice)
    : await client.create(endpointSlices, slice);
  await until("the slice is in the store", () => {
    const found = informers.informer(endpointSlices).store.get("default", of);
    return found?.metadata.resourceVersion === metadata.resourceVersion;
  });
}

/** The calls of some work that change AWS, with the targets and the families of those that have any. */
async function changesOf(work: () => Promise<unknown>): Promise<string[]> {
  const from = service.requests.length;
  await work();
  const forms = service.requests.slice(from).map((form) => new URLSearchParams(form));
  return forms.flatMap((form) => {
    const action = form.get("Action") ?? "";
    if (action.startsWith("Describe")) return [];
    const shown = [...form].flatMap(([key, value]) =>
      /^Targets\.member\.\d+\.Id$|^IpAddressType$/.test(key) ? [value] : [],
    );
    return [[action, ...shown].join(" ")];
  });
}

test("AwsLoadBalancers follows the endpoints of network load balancers of Pods only", () => {
  const pods = web("a", {});
  const { annotations = {} } = pods.metadata;
  const annotated = (more: Record<string, string>): Service => ({
    ...pods,
    metadata: { ...pods.metadata, annotations: { ...annotations, ...more } },
  });
  const follows = (of: Service) => loadBalancers.endpoints?.follows(of);
  assert.equal(follows(pods), true);
  assert.equal(follows(annotated({ [`${prefix}nlb-target-type`]: "instance" })), false);
  assert.equal(follows(annotated({ [`${prefix}type`]: "" })), false);
  assert.equal(follows(annotated({ [`${prefix}type`]: "external" })), false);
});

test("AwsLoadBalancers changes the targets of Pods, in one call for all, and nothing twice", async () => {
  const goal = goalOf(web("00000001", {}));
  const name = goal.service.metadata.name ?? "";
  await write(name, ["10.0.0.1", "10.0.0.2"]);
  assert.deepEqual(await changesOf(() => loadBalancers.ensure(goal, signal)), [
    "CreateLoadBalancer",
    "CreateTargetGroup",
    "RegisterTargets 10.0.0.1 10.0.0.2",
    "CreateListener",
    "ModifyLoadBalancerAttributes",
  ]);
  const update = () => changesOf(async () => await loadBalancers.endpoints?.update(goal, signal));
  assert.deepEqual(await update(), []);
  await write(name, ["10.0.0.2", "10.0.0.3", "10.0.0.4"]);
  assert.deepEqual(await update(), [
    "DeregisterTargets 10.0.0.1",
    "RegisterTargets 10.0.0.3 10.0.0.4",
  ]);
  assert.deepEqual(await update(), []);
});

test("AwsLoadBalancers gives targets that changed while no program ran", async () => {
  const goal = goalOf(web("00000001", {}));
  await write(goal.service.metadata.name ?? "", ["10.0.0.4"]);
  const restarted = await open();
  assert.deepEqual(await changesOf(() => restarted.ensure(goal, signal)), [
    "DeregisterTargets 10.0.0.2 10.0.0.3",
  ]);
});

test("AwsLoadBalancers makes a whole load balancer if there is none to update", async () => {
  const goal = goalOf(web("00000002", {}));
  await write(goal.service.metadata.name ?? "", ["10.0.0.1"]);
  const work = async () => await loadBalancers.endpoints?.update(goal, signal);
  assert.ok((await changesOf(work)).includes("RegisterTargets 10.0.0.1"));
});

test("AwsLoadBalancers has a dual-stack load balancer and IPv6 target groups for Pods of IPv6", async () => {
  const goal = goalOf(web("00000003", { ipFamilies: ["IPv6"] }));
  await write(goal.service.metadata.name ?? "", ["2001:db8::1", "2001:db8::2"]);
  assert.deepEqual(await changesOf(() => loadBalancers.ensure(goal, signal)), [
    "CreateLoadBalancer dualstack",
    "CreateTargetGroup ipv6",
    "RegisterTargets 2001:db8::1 2001:db8::2",
    "CreateListener",
    "ModifyLoadBalancerAttributes",
  ]);
  assert.deepEqual(await changesOf(() => loadBalancers.ensure(goal, signal)), []);
});
