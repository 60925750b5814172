import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type ClusterState, ClusterZone } from "./cluster-zone.ts";
import { isInZone } from "./corefile/directive-words.ts";
import type { BlockConfig, DnsConfig, ForwardConfig, Upstream } from "./corefile/dns-config.ts";
import type { ExchangeOptions } from "./forward/exchange.ts";
import { Forwarder } from "./forward/forwarder.ts";
import { ReplyCache } from "./forward/reply-cache.ts";
import { hostsAnswer } from "./hosts-zone.ts";
import { addressOfReverseName } from "./reverse-name.ts";
import { type DnsAnswer, rcodes, recordTypes } from "./wire/record.ts";
import { errorAnswer } from "./wire/reply.ts";

interface RunningOptions {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly random: Random;
  /** The serial of the cluster's zones. */
  readonly serial: number;
  /** The servers of the node's resolv.conf. */
  resolvConf(): readonly Upstream[];
  /** Whether a server is this one, or leads to it. */
  isSelf(upstream: Upstream): boolean;
  readonly exchange: (
    upstream: Upstream,
    message: Buffer,
    options: ExchangeOptions,
  ) => Promise<Buffer>;
  onAttempt?(upstream: Upstream, seconds: number, error: unknown): void;
}

/** Where questions of a zone are forwarded. */
export interface RunningForward {
  readonly config: ForwardConfig;
  readonly forwarder: Forwarder;
  /** Queries that wait for it. */
  waiting: number;
}

/** A block of the configuration, ready to answer. */
export interface RunningBlock {
  readonly config: BlockConfig;
  readonly cache: ReplyCache | undefined;
  readonly forwards: readonly RunningForward[];
  /** The answer of the tables and the cluster's zones; undefined if they have none. */
  local(name: string, type: number): LocalAnswer | undefined;
}

interface LocalAnswer {
  readonly answer: DnsAnswer;
  readonly plugin: "hosts" | "kubernetes";
}

/** The blocks of a configuration. */
export class RunningConfig {
  readonly #blocks: readonly RunningBlock[];

  /** Caches and waiting queries are those of an earlier configuration where its blocks are the same. */
  constructor(config: DnsConfig, options: RunningOptions, earlier?: RunningConfig) {
    const known = new Map(earlier?.blocks.map((block) => [keyOf(block.config), block]));
    this.#blocks = config.blocks.map((block) => openBlock(block, options, known.get(keyOf(block))));
  }

  get blocks(): readonly RunningBlock[] {
    return this.#blocks;
  }

  /** The block with the longest zone of a name. */
  blockFor(name: string): RunningBlock | undefined {
    const lower = name.toLowerCase();
    let best: { readonly block: RunningBlock; readonly length: number } | undefined;
    for (const block of this.#blocks) {
      for (const zone of block.config.zones) {
        if (!isInZone(lower, zone) || zone.length <= (best?.length ?? -1)) continue;
        best = { block, length: zone.length };
      }
    }
    return best?.block;
  }
}

/** Blocks with the same forwards and cache may share their replies. */
const keyOf = ({ zones, forwards, cache }: BlockConfig): string =>
  JSON.stringify([zones, forwards, cache]);

function openBlock(
  config: BlockConfig,
  options: RunningOptions,
  same: RunningBlock | undefined,
): RunningBlock {
  const cache = same?.cache ?? (config.cache && new ReplyCache(options.clock, config.cache));
  const forwards = same?.forwards ?? config.forwards.map((one) => openForward(one, options));
  const zones = clusterZones(config, options);
  return {
    config,
    cache,
    forwards,
    local(name, type) {
      const fromHosts = config.hosts && hostsAnswer(config.hosts, name, type);
      if (fromHosts) return { answer: fromHosts, plugin: "hosts" };
      const answer = clusterAnswer(config, zones, name, type);
      return answer && { answer, plugin: "kubernetes" };
    },
  };
}

/** The forward for a name: the one with the longest zone. */
export function forwardFor({ forwards }: RunningBlock, name: string): RunningForward | undefined {
  const lower = name.toLowerCase();
  return forwards
    .filter(({ config, forwarder }) => {
      const isExcepted = config.except.some((zone) => isInZone(lower, zone));
      return isInZone(lower, config.from) && !isExcepted && forwarder.available;
    })
    .sort((a, b) => b.config.from.length - a.config.from.length)[0];
}

function openForward(config: ForwardConfig, options: RunningOptions): RunningForward {
  const { clock, random, exchange, onAttempt, resolvConf, isSelf } = options;
  const upstreams = (): readonly Upstream[] => {
    const found = config.usesResolvConf ? resolvConf() : [];
    return [...config.upstreams, ...found].filter((one) => !isSelf(one));
  };
  const observed = onAttempt === undefined ? {} : { onAttempt };
  const forwarder = new Forwarder({ clock, random, config, upstreams, exchange, ...observed });
  return { config, forwarder, waiting: 0 };
}

const isReverse = (zone: string): boolean =>
  isInZone(zone, "in-addr.arpa") || isInZone(zone, "ip6.arpa");

function clusterZones(
  { kubernetes }: BlockConfig,
  { state, serial }: RunningOptions,
): ClusterZone[] {
  if (!kubernetes) return [];
  const { ttl, pods, zones } = kubernetes;
  return zones
    .filter((zone) => !isReverse(zone))
    .map((zone) => new ClusterZone(zone, state, { ttl, pods, serial }));
}

function clusterAnswer(
  { kubernetes }: BlockConfig,
  zones: readonly ClusterZone[],
  name: string,
  type: number,
): DnsAnswer | undefined {
  if (!kubernetes) return undefined;
  const lower = name.toLowerCase();
  const fallsThrough = kubernetes.fallthrough.some((zone) => isInZone(lower, zone));
  const reverse = kubernetes.zones.some((zone) => isReverse(zone) && isInZone(lower, zone));
  if (reverse) {
    const isAddress = type === recordTypes.PTR && addressOfReverseName(lower) !== undefined;
    const found = isAddress ? zones[0]?.answer(name, type) : undefined;
    return found ?? (fallsThrough ? undefined : errorAnswer(rcodes.NXDomain));
  }
  const zone = zones.find(({ domain }) => isInZone(lower, domain));
  const answer = zone?.answer(name, type);
  return answer?.rcode === rcodes.NXDomain && fallsThrough ? undefined : answer;
}
