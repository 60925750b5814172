/**
 * The provider on answers of moto, which are replayed. They are recorded again with
 * `K8TS_RECORD_MOTO=http://127.0.0.1:PORT node src/cloud/aws/aws-provider.test.ts`.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { CloudProvider } from "#/cloud/base/provider.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type RecordedExchange, type ReplayedHttp, replayHttp } from "#/testing/replayed-http.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { openAws } from "./aws-provider.ts";
import { createAwsClient } from "./client/aws-client.ts";
import { createTags, describeSubnets } from "./client/ec2-operations.ts";
import { ec2, operationsOf } from "./client/operation.ts";
import { sendOverNetwork } from "./client/send.ts";
import { list, struct, text } from "./client/shape.ts";
import { awsFlags } from "./tagging/flags.ts";

const recordFrom = process.env["K8TS_RECORD_MOTO"];
const recordedFile = new URL("recorded/moto.json", import.meta.url);
const recorded: readonly RecordedExchange[] =
  recordFrom === undefined ? JSON.parse(readFileSync(recordedFile, "utf8")) : [];

/** moto has no topologies. */
const topology = (id: string): string =>
  `<DescribeInstanceTopologyResponse><instanceSet><item><instanceId>${id}</instanceId><networkNodeSet><item>nn-1</item><item>nn-2</item></networkNodeSet></item></instanceSet></DescribeInstanceTopologyResponse>`;

const declare = operationsOf(ec2);
const runInstances = declare<object>()(
  "RunInstances",
  struct({ instancesSet: list(struct({ instanceId: text, privateDnsName: text })) }),
);
const stopInstances = declare<object>()("StopInstances", struct({}));
const terminateInstances = declare<object>()("TerminateInstances", struct({}));
const createRouteTable = declare<object>()(
  "CreateRouteTable",
  struct({ routeTable: struct({ routeTableId: text }) }),
);

const clusterTag = { Key: "kubernetes.io/cluster/demo", Value: "owned" };
const flags = parseFlags(awsFlags, ["--tags=team=a,stage=b", "--resources=instance"]).values;
const signal = new AbortController().signal;

/** What the test's account has. */
interface Seeded {
  readonly subnetId: string;
  readonly vpcId: string;
  /** A running machine, a stopped and a terminated one. */
  readonly machines: readonly {
    readonly id: string;
    readonly name: string;
    readonly zone: string;
  }[];
  readonly routeTableId: string;
}

async function seed(url: string): Promise<Seeded> {
  const client = createAwsClient({
    keys: async () => ({ accessKeyId: "id", secretAccessKey: "secret" }),
    endpoint: () => ({ url: new URL(url), signingName: "ec2", signingRegion: "us-west-2" }),
    send: sendOverNetwork,
    clock: systemClock,
    log: logger("test"),
  });
  const { subnetSet } = await client.call(describeSubnets, {}, signal);
  const subnets = subnetSet.toSorted((a, b) =>
    (a.availabilityZone ?? "") < (b.availabilityZone ?? "") ? -1 : 1,
  );
  const machines: Seeded["machines"][number][] = [];
  for (const { subnetId = "", availabilityZone: zone = "" } of subnets.slice(0, 3)) {
    const { instancesSet } = await client.call(
      runInstances,
      {
        ImageId: "ami-12c6146b",
        MinCount: 1,
        MaxCount: 1,
        InstanceType: "t3.medium",
        SubnetId: subnetId,
        TagSpecification: [{ ResourceType: "instance", Tag: [clusterTag] }],
      },
      signal,
    );
    const { instanceId: id = "", privateDnsName: name = "" } = instancesSet[0] ?? {};
    machines.push({ id, name, zone });
  }
  await client.call(stopInstances, { InstanceId: [machines[1]?.id] }, signal);
  await client.call(terminateInstances, { InstanceId: [machines[2]?.id] }, signal);
  const vpcId = subnets[0]?.vpcId ?? "";
  const { routeTable } = await client.call(createRouteTable, { VpcId: vpcId }, signal);
  const routeTableId = routeTable?.routeTableId ?? "";
  await client.call(createTags, { ResourceId: [routeTableId], Tag: [clusterTag] }, signal);
  return { subnetId: subnets[0]?.subnetId ?? "", vpcId, machines, routeTableId };
}

let service: ReplayedHttp;
let api: TestApiServer;
let seeded: Seeded;
let provider: CloudProvider;
let client: Client;
let informers: Informers;
const registry = new Registry();
const stop = new AbortController();

before(async () => {
  process.env["AWS_ACCESS_KEY_ID"] = "id";
  process.env["AWS_SECRET_ACCESS_KEY"] = "secret";
  service = await replayHttp(recorded, {
    origin: recordFrom,
    answer: (form) =>
      form.get("Action") === "DescribeInstanceTopology"
        ? topology(form.get("InstanceId.1") ?? "")
        : undefined,
  });
  api = await startApiServer();
  client = api.client();
  informers = new Informers(client, stop.signal, { strict: true });
  seeded = await seed(service.url);
  await informers.informer(nodes).synced;
  const config = `[Global]
Region = us-west-2
VPC = ${seeded.vpcId}
SubnetID = ${seeded.subnetId}
KubernetesClusterID = demo
[ServiceOverride "1"]
Service = EC2
Region = us-west-2
URL = ${service.url}
SigningRegion = us-west-2
`;
  provider = await openAws(config, {
    client,
    informers,
    clusterName: "demo",
    flags,
    clock: systemClock,
    signal: stop.signal,
    metrics: registry,
    log: logger("test"),
    recorderFor: () => ({ event: () => undefined }),
  });
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

const machine = (index: number) => seeded.machines[index] ?? { id: "", name: "", zone: "" };
const nodeOf = (name: string, providerID = ""): Node => ({
  metadata: { name },
  spec: providerID === "" ? {} : { providerID },
});

test("AwsInstances describes the machine of a Node by its private DNS name", async () => {
  const { id, name, zone } = machine(0);
  const found = await provider.instances?.metadata(nodeOf(name), signal);
  const address = name.slice("ip-".length).split(".", 1)[0]?.replaceAll("-", ".");
  const external = found?.addresses.find(({ type }) => type === "ExternalIP")?.address ?? "none";
  assert.deepEqual(found, {
    providerId: `aws:///${zone}/${id}`,
    instanceType: "t3.medium",
    addresses: [
      { type: "InternalIP", address },
      { type: "ExternalIP", address: external },
      { type: "InternalDNS", address: name },
      { type: "Hostname", address: name },
      {
        type: "ExternalDNS",
        address: `ec2-${external.replaceAll(".", "-")}.us-west-2.compute.amazonaws.com`,
      },
    ],
    zone,
    region: "us-west-2",
    additionalLabels: {
      "topology.k8s.aws/zone-id": "usw2-az2",
      "topology.k8s.aws/network-node-layer-1": "nn-1",
      "topology.k8s.aws/network-node-layer-2": "nn-2",
    },
  });
});

test("AwsInstances reads no label that the Node has, and no zone twice", async () => {
  const { id, name, zone } = machine(0);
  const labels = { "topology.k8s.aws/zone-id": "z", "topology.k8s.aws/network-node-layer-1": "n" };
  const node = { metadata: { name, labels }, spec: { providerID: `aws:///${zone}/${id}` } };
  const found = await provider.instances?.metadata(node, signal);
  assert.deepEqual(found?.additionalLabels, {});
  const calls = service.requests.filter((form) =>
    form.includes("Action=DescribeAvailabilityZones"),
  );
  assert.equal(calls.length, 1);
});

test("AwsInstances distinguishes running, stopped, terminated and unknown machines", async () => {
  const ids = [...[0, 1, 2].map((index) => machine(index).id), "i-0123456789abcdef0"];
  const state = async (id: string) => {
    const node = nodeOf("n", `aws:///us-west-2a/${id}`);
    const isShutDown = await provider.instances
      ?.isShutDown(node, signal)
      .catch((error) => error.message);
    return { exists: await provider.instances?.exists(node, signal), isShutDown };
  };
  const states = await Promise.all(ids.map(state));
  assert.deepEqual(states.slice(0, 3), [
    { exists: true, isShutDown: false },
    { exists: true, isShutDown: true },
    { exists: false, isShutDown: false },
  ]);
  assert.equal(states[3]?.exists, false);
  assert.match(
    states[3]?.isShutDown,
    /^error listing AWS instances: "operation error EC2: DescribeInstances, .*InvalidInstanceID\.NotFound/,
  );
});

test("AwsInstances batches lookups that come together", async () => {
  const from = service.requests.length;
  const nodesOf = [0, 1].map((index) => nodeOf("n", machine(index).id));
  await Promise.all(nodesOf.map((node) => provider.instances?.exists(node, signal)));
  assert.equal(service.requests.length - from, 1);
});

test("AwsInstances finds no machine for an unknown name", async () => {
  const node = nodeOf("ip-10-9-9-9.us-west-2.compute.internal");
  assert.equal(await provider.instances?.exists(node, signal), false);
  await assert.rejects(async () => await provider.instances?.metadata(node, signal), {
    message: "instance not found",
  });
});

test("AwsInstances refuses a provider id of another cloud", async () => {
  const node = nodeOf("n", "gce://p/z/n");
  await assert.rejects(async () => await provider.instances?.exists(node, signal), {
    message: "Invalid format for AWS instance (gce://p/z/n)",
  });
});

test("AwsRoutes creates a route, lists it and removes it", async () => {
  const { id, zone } = machine(0);
  await client.create(nodes, nodeOf("routed", `aws:///${zone}/${id}`));
  const route = {
    name: "",
    targetNode: "routed",
    destinationCidr: "10.244.1.0/24",
    isBlackhole: false,
  };
  const routes = provider.routes ?? assert.fail();
  await until("the Node in the store", () =>
    informers.informer(nodes).store.get(undefined, "routed"),
  );
  const planned = await routes.plan("demo", { create: [route], remove: [] }, signal);
  assert.deepEqual(
    planned.map(({ call }) => call),
    ["ec2:ModifyInstanceAttribute", "ec2:CreateRoute"],
  );
  await routes.create("demo", "hint", route, signal);
  const listed = await routes.list("demo", signal);
  assert.deepEqual(listed, [{ ...route, name: "demo-10.244.1.0/24" }]);
  await routes.remove("demo", route, signal);
  assert.deepEqual(await routes.list("demo", signal), []);
  const mutating = service.requests.filter((form) =>
    /Action=(Modify|CreateRoute&|DeleteRoute&)/.test(form),
  );
  assert.deepEqual(mutating, [
    `Action=ModifyInstanceAttribute&InstanceId=${id}&SourceDestCheck.Value=false&Version=2016-11-15`,
    `Action=CreateRoute&DestinationCidrBlock=10.244.1.0/24&InstanceId=${id}&RouteTableId=${seeded.routeTableId}&Version=2016-11-15`,
    `Action=DeleteRoute&DestinationCidrBlock=10.244.1.0/24&RouteTableId=${seeded.routeTableId}&Version=2016-11-15`,
  ]);
});

test("taggingController tags the machines of Nodes, labels Nodes, and untags after deletion", async () => {
  const { id, zone } = machine(1);
  await client.create(nodes, nodeOf("tagged", `aws:///${zone}/${id}`));
  const [tagging] = provider.controllers ?? [];
  assert.equal(tagging?.name, "tagging");
  await using _running = runControllersOn<unknown>(api, tagging ? [tagging] : [], { options: {} });
  const labelOf = async (): Promise<string | undefined> =>
    (await client.get(nodes, { name: "tagged" })).metadata.labels?.["k8s.io/cloud-provider-aws"];
  await until("label", labelOf);
  assert.equal(await labelOf(), "25986165544b052fc10e792e789890d1");
  await client.delete(nodes, { name: "tagged" });
  const form = (action: string): string =>
    `Action=${action}&ResourceId.1=${id}&Tag.1.Key=stage&Tag.1.Value=b&Tag.2.Key=team&Tag.2.Value=a&Version=2016-11-15`;
  await until("tags are removed", () => service.requests.includes(form("DeleteTags")));
  assert.equal(service.requests.filter((each) => each === form("CreateTags")).length, 1);
});

test("the provider counts its requests under upstream's names", () => {
  const exposed = [...registry.expose()].join("");
  assert.match(
    exposed,
    /cloudprovider_aws_api_request_duration_seconds_count\{request="describe_instance"\} \d/,
  );
  assert.match(exposed, /cloudprovider_aws_api_request_errors\{request="describe_instance"\} \d/);
  assert.match(
    exposed,
    /cloudprovider_aws_api_response_status_total\{operation="DescribeInstances",service="EC2",status_code="400"\} \d/,
  );
});
