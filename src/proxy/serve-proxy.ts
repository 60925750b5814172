import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { Informers } from "#/client/informers/informers.ts";
import { noSteps, type StepSink } from "#/client/journey/recorder.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ProxyMetrics, ProxyMode } from "./base/metrics.ts";
import { detectNodeIps, nodeFacts, waitForNode } from "./base/node-facts.ts";
import { ProxySteps } from "./base/proxy-steps.ts";
import type { KubeProxyConfiguration } from "./config/kube-proxy-configuration.ts";
import { applyConntrackSettings } from "./conntrack/conntrack-settings.ts";
import { ProxyHealth } from "./health/proxy-health.ts";
import { ensureCounters, PacketCounters } from "./iptables/packet-counters.ts";
import { allowLocalhost } from "./open-backend.ts";
import { openProxiers } from "./open-proxiers.ts";
import { applyIpvsSettings, requireIpvs } from "./prepare-ipvs.ts";
import type { Proxier } from "./proxier.ts";
import { serveStatus } from "./serve-status.ts";
import { supportedFamilies } from "./supported-families.ts";

export interface ProxyOptions {
  readonly config: KubeProxyConfiguration;
  /** The content of /flagz. */
  readonly flagTexts: Readonly<Record<string, string>>;
  readonly nodeName: string;
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly registry: Registry;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly run: RunProgram;
  readonly followRemovals: FollowRemovals;
  /** Where it is reported that rules are written; default nowhere. */
  readonly steps?: StepSink;
}

/** Proxies until the signal aborts; restarts when the node's addresses change. */
export async function serveProxy(options: ProxyOptions, signal: AbortSignal): Promise<void> {
  await prepareProcess(options);
  const node = { apiVersion: "v1", kind: "Node", name: options.nodeName };
  options.recorder.event(node, "Normal", "Starting", "", { action: "StartKubeProxy" });
  while (!signal.aborted) {
    const changed = new AbortController();
    const either = AbortSignal.any([signal, changed.signal]);
    try {
      await serveOnNode(options, either, () => changed.abort(new Error("the node changed")));
    } catch (error) {
      if (!either.aborted) throw error;
    } finally {
      changed.abort();
    }
  }
}

/** Does what a proxy needs all of root's privileges for, and writes no rules. */
export async function initializeNode(options: ProxyOptions, signal: AbortSignal): Promise<void> {
  await prepareKernel(options);
  const ended = new AbortController();
  const informers = new Informers(options.client, AbortSignal.any([signal, ended.signal]), options);
  try {
    const setup = await setUp(options, nodeInformerOf(informers, options), signal);
    await allowLocalhost(setup);
  } finally {
    ended.abort();
  }
  options.log.info("system initialized and --init-only specified");
}

async function prepareKernel({ config, log }: ProxyOptions): Promise<void> {
  const { conntrack } = config;
  await applyConntrackSettings(
    {
      maxPerCore: conntrack.maxPerCore,
      min: conntrack.min,
      tcpEstablishedTimeoutMs: parseDuration(conntrack.tcpEstablishedTimeout),
      tcpCloseWaitTimeoutMs: parseDuration(conntrack.tcpCloseWaitTimeout),
      tcpBeLiberal: conntrack.tcpBeLiberal,
      udpTimeoutMs: parseDuration(conntrack.udpTimeout),
      udpStreamTimeoutMs: parseDuration(conntrack.udpStreamTimeout),
    },
    log,
  );
}

async function prepareProcess(options: ProxyOptions): Promise<void> {
  await prepareKernel(options);
  const { config, log } = options;
  const failed = (error: unknown): void => log.v(2, "failed to apply OOM score", { error });
  await writeFile("/proc/self/oom_score_adj", String(config.oomScoreAdj)).catch(failed);
}

function nodeInformerOf(informers: Informers, { nodeName }: ProxyOptions): Informer<Node> {
  return informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` });
}

const needsPodCIDRs = ({ detectLocalMode }: KubeProxyConfiguration): boolean =>
  detectLocalMode === "NodeCIDR";

/** Finds out what the node has, and sets what the mode needs of its kernel. */
async function setUp(options: ProxyOptions, nodeInformer: Informer<Node>, signal: AbortSignal) {
  const { config, nodeName, clock, log, run } = options;
  const facts = await waitForNode(nodeInformer, nodeName, {
    needsPodCIDRs: needsPodCIDRs(config),
    clock,
    signal,
  });
  const { primary, ips } = detectNodeIps(facts.ips, config.bindAddress);
  const mode = config.mode as ProxyMode;
  const families = await supportedFamilies({ mode, primary, run, log });
  if (mode === "ipvs") await prepareIpvs(options);
  return { ...options, mode, families, ips, facts };
}

async function serveOnNode(
  options: ProxyOptions,
  signal: AbortSignal,
  onChange: () => void,
): Promise<void> {
  const { config, nodeName, client, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const nodeInformer = nodeInformerOf(informers, options);
  const prepared = await setUp(options, nodeInformer, signal);
  const { mode, families, facts } = prepared;
  log.info("started proxy", { mode, families: families.join(","), nodeIPs: facts.ips.join(",") });
  const health = new ProxyHealth(clock, 2 * parseDuration(config[mode].syncPeriod));
  const steps = new ProxySteps(options.steps ?? noSteps, nodeName, clock);
  await using proxiers = await openProxiers({ ...prepared, health, steps });
  const fatal = Promise.withResolvers<never>();
  await using _status = serveStatus({
    ...options,
    health,
    onFatal: fatal.reject,
    node: () => nodeInformer.store.get("", nodeName),
    signal,
  });
  follow(informers, proxiers.list, { ...options, steps });
  using _node = followNode(nodeInformer, proxiers.list, (node) => {
    if (isDeepStrictEqual(nodeFacts(node, needsPodCIDRs(config)), facts)) return;
    log.info("restarting proxy, the node's addresses changed", { node: nodeName });
    onChange();
  });
  using _counters = followCounters(mode, options);
  const loops = proxiers.list.map((proxier) => proxier.run(signal));
  await Promise.race([informers.synced(), fatal.promise]);
  for (const proxier of proxiers.list) proxier.start();
  steps.start();
  await Promise.race([Promise.all(loops), fatal.promise]);
}

const ipvsDeprecation =
  "The ipvs proxier has been deprecated and will be disabled by default in Kubernetes 1.40 and removed in Kubernetes 1.43. Migrate to the 'nftables' proxier instead.";

async function prepareIpvs(options: ProxyOptions): Promise<void> {
  const { nodeName, recorder, log } = options;
  await requireIpvs(options);
  log.warning(ipvsDeprecation);
  const node = { apiVersion: "v1", kind: "Node", name: nodeName };
  const details = { action: "StartKubeProxy" };
  recorder.event(node, "Warning", "IPVSDeprecation", ipvsDeprecation, details);
  await applyIpvsSettings(options);
}

/** Keeps the metrics of the kernel's packet counters; only rules of iptables have some. */
function followCounters(
  mode: ProxyMode,
  { config, clock, run, metrics }: ProxyOptions,
): Disposable | undefined {
  if (mode !== "iptables") return undefined;
  const counters = new PacketCounters(run, metrics);
  // So that metrics have them from the start.
  void ensureCounters(run).then(() => counters.update());
  return clock.every(parseDuration(config.iptables.syncPeriod), () => void counters.update());
}

/** Passes every Service, EndpointSlice and ServiceCIDR to the proxiers. */
function follow(
  informers: Informers,
  proxiers: readonly Proxier[],
  { config, steps }: Pick<ProxyOptions, "config"> & { readonly steps: ProxySteps },
): void {
  const externalIps = config.featureGates["AllowServiceExternalIPs"] ?? true;
  const setService = (service: Service, gone: boolean): void => {
    const { namespace, name } = service.metadata;
    const seen = externalIps ? service : withoutExternalIps(service);
    for (const proxier of proxiers) {
      proxier.setService(`${namespace}/${name}`, gone ? undefined : seen);
    }
  };
  const setSlice = (slice: EndpointSlice, gone: boolean): void => {
    for (const proxier of proxiers) proxier.setSlice(slice, gone);
  };
  informers
    .informer(services, {
      labelSelector: "!service.kubernetes.io/service-proxy-name",
      fieldSelector: "spec.clusterIP!=None",
      transform: trimmed,
    })
    .subscribe({
      added: (service) => setService(service, false),
      updated: (_, service) => setService(service, false),
      deleted: (service) => setService(service, true),
    });
  informers
    .informer(endpointSlices, {
      labelSelector: "!service.kubernetes.io/headless",
      transform: trimmed,
    })
    .subscribe({
      added(slice) {
        steps.changed(undefined, slice);
        setSlice(slice, false);
      },
      updated(old, slice) {
        steps.changed(old, slice);
        setSlice(slice, false);
      },
      deleted: (slice) => setSlice(slice, true),
    });
  const networks = informers.informer(serviceCIDRs);
  const changed = (): void => {
    const cidrs = networks.store.list().flatMap(({ spec }) => spec?.cidrs ?? []);
    for (const proxier of proxiers) proxier.setServiceCidrs(cidrs.toSorted());
  };
  networks.subscribe({ added: changed, updated: changed, deleted: changed });
}

function followNode(
  informer: Informer<Node>,
  proxiers: readonly Proxier[],
  check: (node: Node | undefined) => void,
): Disposable {
  const seen = (node: Node): void => {
    const zone = node.metadata.labels?.["topology.kubernetes.io/zone"];
    for (const proxier of proxiers) proxier.setZone(zone);
    check(node);
  };
  return informer.subscribe({
    added: seen,
    updated: (_, node) => seen(node),
    deleted: () => check(undefined),
  });
}

function withoutExternalIps(service: Service): Service {
  if (!service.spec?.externalIPs) return service;
  return { ...service, spec: { ...service.spec, externalIPs: [] } };
}

/** An object without fields that are not used here. */
function trimmed<T extends { metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}
