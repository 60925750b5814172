import { type Direction, directions, type Protocol, protocols } from "../model/policy.ts";
import { chainNames, deniedSet, knownSet, podMap, selfSet } from "./names.ts";
import {
  clientAddress,
  isIcmpError,
  protocolMatch,
  serverAddress,
  serverPort,
} from "./policy-rules.ts";
import type { PlannedChain, PlannedSet } from "./table-plan.ts";

/**
 * Before the rules of a proxy, which reject packets to Services without endpoints: who is forbidden to connect learns
 * nothing. After DNAT, which is in prerouting.
 */
const priority = -5;

/** Limit of the denied connections that are remembered (count), and of their age. */
const maxDenied = 4096;
const deniedAge = "10m";

const families = [4, 6] as const;
const words = { 4: "ip", 6: "ip6" } as const;
const addressTypes = { 4: "ipv4_addr", 6: "ipv6_addr" } as const;

/** Without these, a Pod finds no neighbour by IPv6. They don't leave the link. */
export const neighbourTypes =
  "{ nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-query, mld-listener-report, mld-listener-done, mld2-listener-report }";

const isUntracked = "ct state invalid,untracked";

/** The chain of the Pod that has this address. */
const decide = (direction: Direction, address: (family: 4 | 6) => string): string[] =>
  families.map((family) => `${address(family)} vmap @${podMap(direction, family)}`);

const source = (family: 4 | 6): string => `${words[family]} saddr`;
const destination = (family: 4 | 6): string => `${words[family]} daddr`;

/**
 * The chains that are the same for all policies. What the node itself sends to its Pods passes none of them: probes
 * always work.
 */
export function baseChains(podCidrs: readonly string[]): Map<string, PlannedChain> {
  const { forward, input, untracked, toPod, deny } = chainNames;
  const hook = (name: string) => `type filter hook ${name} priority ${priority}; policy accept;`;
  /** A Pod whose policies are not in force yet: it sends and receives nothing. */
  const unknown = (side: "saddr" | "daddr") =>
    podCidrs.map((cidr) => {
      const family = cidr.includes(":") ? 6 : 4;
      const address = `${words[family]} ${side}`;
      return `${address} ${cidr} ${address} != @${knownSet(family)} counter drop`;
    });
  const fromPod = [
    `${isUntracked} goto ${untracked}`,
    `${isIcmpError} accept`,
    ...decide("egress", clientAddress),
  ];
  return new Map<string, PlannedChain>([
    [
      forward,
      {
        hook: hook("forward"),
        rules: [...unknown("saddr"), ...unknown("daddr"), ...fromPod, `goto ${toPod}`],
      },
    ],
    [
      input,
      {
        hook: hook("input"),
        rules: ["ct direction reply accept", ...unknown("saddr"), ...fromPod],
      },
    ],
    [
      toPod,
      {
        rules: [
          ...decide("ingress", serverAddress),
          ...decide("ingress", destination).map((rule) => `${isUntracked} ${rule}`),
          "accept",
        ],
      },
    ],
    [
      untracked,
      {
        rules: [
          `icmpv6 type ${neighbourTypes} accept`,
          ...decide("egress", source),
          `goto ${toPod}`,
        ],
      },
    ],
    ...directions.map((direction): [string, PlannedChain] => [
      deny[direction],
      {
        rules: [
          ...families.flatMap((family) =>
            protocols.map((protocol) => noteDenied(direction, family, protocol)),
          ),
          "counter drop",
        ],
      },
    ]),
  ]);
}

/** If the set is full, the connection is denied all the same. Connections without ports are not noted. */
const noteDenied = (direction: Direction, family: 4 | 6, protocol: Protocol): string => {
  const key = `${clientAddress(family)} . ${serverAddress(family)} . meta l4proto . ${serverPort}`;
  const update = `update @${deniedSet(direction, family)} { ${key} timeout ${deniedAge} counter }`;
  return `${protocolMatch(protocol)} ${update}`;
};

/** The sets that are there whatever the policies are. */
export const baseSets: ReadonlyMap<string, PlannedSet> = new Map(
  families.flatMap((family): [string, PlannedSet][] => {
    const address = addressTypes[family];
    const plain = (type: string): PlannedSet => ({ kind: "set", type, elements: new Map() });
    return [
      [knownSet(family), plain(address)],
      [selfSet(family), plain(`${address} . ${address}`)],
      ...directions.flatMap((direction): [string, PlannedSet][] => [
        [
          podMap(direction, family),
          { kind: "map", type: `${address} : verdict`, elements: new Map() },
        ],
        [
          deniedSet(direction, family),
          {
            ...plain(`${address} . ${address} . inet_proto . inet_service`),
            options: `flags dynamic,timeout; size ${maxDenied}; timeout ${deniedAge};`,
          },
        ],
      ]),
    ];
  }),
);
