import { join } from "node:path";
import { familiesOf } from "../base/address-families.ts";
import { etcdClientPort, etcdPeerPort } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, serverUrl } from "../base/settings.ts";

/** The name of the program, its log and its unit. */
export const etcdProgram = "etcd";

/** Limit of the database (bytes): the largest that etcd's authors recommend. */
const quotaBytes = 8 * 2 ** 30;
/** The API server compacts every five minutes; this is for a time in which none runs. */
const retention = "30m";
/** Heartbeats and elections (ms): etcd's defaults, for members up to some 100 ms apart. */
const heartbeatMs = 100;
const electionMs = 1000;

/** The folder of a member's data. */
export const memberFolder = (paths: ClusterPaths): string => join(paths.folder, "etcd");

/** The script that becomes etcd; all that its start depends on is in its text. */
export const memberLaunchFile = (paths: ClusterPaths): string =>
  `${paths.config}/${etcdProgram}.start`;

/** The address of a member for other members. */
export const peerUrl = (address: string): string => serverUrl(address, etcdPeerPort);

/** The address of a member for clients. */
export const clientUrl = (address: string): string => serverUrl(address, etcdClientPort);

/** Flags of a start of a member, beside those of all its starts. */
export type MoreMemberFlags = Readonly<Record<string, string | number | boolean>>;

/** The script that starts the member of a server. Pure. */
export function memberLaunch(
  paths: ClusterPaths,
  settings: ClusterSettings,
  program: string,
  more: MoreMemberFlags = {},
): string {
  const words = Object.entries({ ...memberFlags(paths, settings), ...more }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  return [
    // The user's environment must not change the member. Version 3.4 asks for this on arm64.
    "for name in $(env | sed -n 's/^\\(ETCD_[A-Z0-9_]*\\)=.*/\\1/p'); do unset \"$name\"; done",
    '[ "$(uname -m)" != aarch64 ] || export ETCD_UNSUPPORTED_ARCH=arm64',
    `exec ${[program, ...words].map(quote).join(" ")}`,
    "",
  ].join("\n");
}

function memberFlags(
  paths: ClusterPaths,
  { nodeName, nodeIp, podCidr, etcd }: ClusterSettings,
): MoreMemberFlags {
  const pki = (name: string): string => join(paths.pki, "etcd", name);
  // It listens on all addresses, so that another address of the machine needs no restart; nothing is served without a certificate.
  const any = familiesOf(podCidr).includes(6) ? "::" : "0.0.0.0";
  const { joined } = etcd ?? {};
  return {
    name: nodeName,
    "data-dir": memberFolder(paths),
    "listen-client-urls": serverUrl(any, etcdClientPort),
    "advertise-client-urls": clientUrl(nodeIp),
    "listen-peer-urls": serverUrl(any, etcdPeerPort),
    "initial-advertise-peer-urls": peerUrl(nodeIp),
    "initial-cluster": [...(joined ?? []), `${nodeName}=${peerUrl(nodeIp)}`].join(","),
    "initial-cluster-state": joined ? "existing" : "new",
    "initial-cluster-token": "k8ts",
    "cert-file": pki("server.crt"),
    "key-file": pki("server.key"),
    "trusted-ca-file": pki("ca.crt"),
    "client-cert-auth": true,
    "peer-cert-file": pki("peer.crt"),
    "peer-key-file": pki("peer.key"),
    "peer-trusted-ca-file": pki("ca.crt"),
    "peer-client-cert-auth": true,
    "heartbeat-interval": heartbeatMs,
    "election-timeout": electionMs,
    "pre-vote": true,
    // Entries that are kept in memory (count), as kubeadm has it: older versions of etcd keep ten times as many.
    "snapshot-count": 10_000,
    "quota-backend-bytes": quotaBytes,
    "auto-compaction-mode": "periodic",
    "auto-compaction-retention": retention,
    logger: "zap",
    "log-level": "warn",
  };
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
