/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { nodes } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { OpenProvider, ProviderContext } from "#/cloud/base/provider-context.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { AwsCloud } from "./base/aws-cloud.ts";
import { type AwsMetrics, registerAwsMetrics } from "./base/aws-metrics.ts";
import { InstanceDirectory } from "./base/instance-directory.ts";
import { parseProviderId } from "./base/instance-id.ts";
import { ZoneCache } from "./base/zone-cache.ts";
import { type AwsClient, createAwsClient } from "./client/aws-client.ts";
import { endpointOf } from "./client/endpoint.ts";
import { RequestDelay } from "./client/request-delay.ts";
import { sendOverNetwork } from "./client/send.ts";
import { type CloudConfig, parseCloudConfig } from "./config/cloud-config.ts";
import { InstanceMetadataService } from "./credentials/imds.ts";
import { findConfiguredRegion, openCredentials } from "./credentials/open-credentials.ts";
import { AwsInstances } from "./instances/instances.ts";
import { findSelf, tagsOf } from "./instances/self-instance.ts";
import { createLoadBalancers } from "./load-balancers/load-balancers.ts";
import { podAddresses, serviceOfSlice } from "./load-balancers/pod-addresses.ts";
import { AwsRoutes } from "./routes/routes.ts";
import { taggingController } from "./tagging/tagging-controller.ts";
import type { AwsFlags } from "./tagging/tagging-settings.ts";

/** Index of Nodes by the id of their machine. */
const instanceIdIndex = "instanceID";

export const openAws: OpenProvider = async (source, context) => {
  const config = parseCloudConfig(source);
  for (const warning of config.warnings) {
    context.log.warning("ignore entry of cloud-config file", { entry: warning });
  }
  const cloud = await openCloud(config, context);
  const flags = context.flags as AwsFlags;
  const informer = context.informers.informer(nodes, {
    indexes: { [instanceIdIndex]: (node) => instanceIdOf(node.spec?.providerID) },
  });
  const nodeOf = (instanceId: string): string => {
    const found = informer.store.byIndex(instanceIdIndex, instanceId);
    const names = [...found].map(({ metadata }) => metadata.name ?? "");
    if (names.length === 1) return names[0] ?? "";
    const quoted = goQuote(instanceId);
    throw new Error(
      names.length === 0
        ? `node with instanceID ${quoted} not found`
        : `multiple nodes with instanceID ${quoted} found: [${names.join(" ")}]`,
    );
  };
  return {
    name: "aws",
    hasClusterId: cloud.tags.clusterId !== "",
    instances: new AwsInstances(cloud),
    loadBalancers: createLoadBalancers(cloud, podAddresses(endpointSlicesIn(context))),
    routes: new AwsRoutes({ cloud, nodeOf }),
    controllers: [taggingController(cloud, flags)],
  };
};

/** Finds the EndpointSlices of a Service. They are watched from the first use on: few clusters balance to Pods. */
function endpointSlicesIn({ informers }: ProviderContext) {
  return (namespace: string, service: string): Iterable<EndpointSlice> => {
    const informer = informers.informer(endpointSlices, {
      indexes: { [serviceIndex]: (slice) => serviceOfSlice(slice) },
    });
    const found = informer.store.byIndex(serviceIndex, service);
    return [...found].filter(({ metadata }) => metadata?.namespace === namespace);
  };
}

/** Index of EndpointSlices by the name of their Service. */
const serviceIndex = "awsService";

function instanceIdOf(providerId: string | undefined): readonly string[] {
  try {
    return providerId ? [parseProviderId(providerId)] : [];
  } catch {
    return [];
  }
}

async function openCloud(config: CloudConfig, context: ProviderContext): Promise<AwsCloud> {
  const { clock, log, signal, informers } = context;
  const imds = new InstanceMetadataService({
    send: sendOverNetwork,
    clock,
    environment: process.env,
    endpoint: config.overrides.find(({ service }) => service === "ec2imds")?.url,
  });
  const region = await regionOf(config, imds, signal);
  const metrics = registerAwsMetrics(context.metrics, clock);
  const client = await openClient({ config, region, imds, metrics }, context);
  const instances = new InstanceDirectory({
    client,
    clock,
    metrics,
    signal,
    findNode: (name) => informers.informer(nodes).store.get(undefined, name),
  });
  const self = await findSelf(config.global, imds, instances, signal);
  const tags = await tagsOf(config.global, self, instances, signal);
  instances.restrictTo(tags);
  return {
    client,
    config: config.global,
    region,
    vpcId: self.vpcId,
    self,
    tags,
    instances,
    zones: new ZoneCache(client),
    clock,
    log,
    metrics,
    recorder: context.recorderFor("aws-cloud-provider"),
  };
}

async function openClient(
  {
    config,
    region,
    imds,
    metrics,
  }: {
    readonly config: CloudConfig;
    readonly region: string;
    readonly imds: InstanceMetadataService;
    readonly metrics: AwsMetrics;
  },
  { clock, log, signal }: ProviderContext,
): Promise<AwsClient> {
  const keys = await openCredentials({
    environment: process.env,
    imds,
    region,
    send: sendOverNetwork,
    clock,
    log,
    signal,
    metrics,
    roleArn: config.global.RoleARN,
    sourceArn: config.global.SourceARN,
  });
  return createAwsClient({
    keys,
    endpoint: (service) => endpointOf(service, region, config.overrides, process.env),
    send: sendOverNetwork,
    clock,
    log,
    delay: new RequestDelay(clock.now()),
    metrics,
  });
}

/** The region of Zone, of Region, of the machine, or, unlike upstream, where there is no metadata service, of the environment. */
async function regionOf(
  { global }: CloudConfig,
  imds: InstanceMetadataService,
  signal: AbortSignal,
): Promise<string> {
  if (global.Zone !== "") {
    const region = /^([a-zA-Z]+-)+\d+/.exec(global.Zone)?.[0];
    if (!region) throw new Error(`invalid AZ: ${global.Zone}`);
    return region;
  }
  if (global.Region !== "") return global.Region;
  return await imds.region(signal).catch(async (error: unknown) => {
    const configured = signal.aborted ? "" : await findConfiguredRegion(process.env);
    if (configured === "") throw error;
    return configured;
  });
}
