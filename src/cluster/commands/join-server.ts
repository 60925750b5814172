import type { FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type BootstrapToken, parseToken } from "../access/bootstrap-token.ts";
import {
  checkClock,
  checkSignature,
  checkToken,
  discoverAuthority,
} from "../access/cluster-info.ts";
import { findUserFile } from "../access/user-access.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { defaultNodeName } from "../base/default-node-name.ts";
import { findOperation, finishOperation, runOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings, serverPort, serverUrl } from "../base/settings.ts";
import { checkMachine } from "../machine/check-machine.ts";
import { PreflightError } from "../machine/preflight.ts";
import { checkSettings } from "../plan/check-settings.ts";
import { sharedPartArgs } from "../plan/part-args.ts";
import { etcdOf } from "../plan/store-flags.ts";
import type { upFlags } from "../plan/up-flags.ts";
import { networksOf, placeOf, runtimeSettings, withAddress } from "../plan/up-settings.ts";
import { showFacts } from "../reports/show-facts.ts";
import { withUserRuntime } from "../runtimes/user-runtime.ts";
import { joinOperation } from "../servers/join-operation.ts";
import { fetchKeys } from "../servers/keys-secret.ts";
import { isServerKey, openKeys, type SharedKeys } from "../servers/server-keys.ts";
import { runtimeProblemsHere } from "./runtime-problems-here.ts";
import { startCluster } from "./start-cluster.ts";

/** The flags of `join` that a server needs. */
type ServerFlags = Pick<
  FlagValues<typeof upFlags>,
  | "name"
  | "node-name"
  | "node-ip"
  | "runtime"
  | "runtime-dir"
  | "container-runtime-endpoint"
  | "no-install"
  | "timeout"
  | "etcd-binary"
  | "kubeconfig"
  | "tls-san"
> & { readonly token: string; readonly "ca-hash": string; readonly "certificate-key": string };

interface ServerRequest {
  readonly server: string;
  readonly flags: ServerFlags;
}

/** Makes this machine a server of an existing cluster, or goes on with what was interrupted. */
export async function joinServer(
  progress: Progress,
  paths: ClusterPaths,
  request: ServerRequest,
): Promise<void> {
  const { flags } = request;
  const user = await findUserFile(flags.kubeconfig);
  const isBegun = (await findOperation(paths))?.name === joinOperation().name;
  if (isBegun) {
    await finishOperation(paths, [joinOperation()], "before start", progress);
  } else {
    const keys = await progress.step(`checking ${request.server} and the token`, () =>
      keysOf(request),
    );
    const settings = await serverSettings(keys, flags, user.path);
    const { files } = keys;
    const { "no-install": noInstall, timeout: timeoutMs } = flags;
    await runOperation(paths, joinOperation(), { settings, files, noInstall, timeoutMs }, progress);
  }
  const settings = getSettings(paths);
  await startCluster(progress, paths, settings, { user, timeoutMs: flags.timeout });
  await showFacts(progress, paths, settings);
}

/** What the servers of the cluster share, from the one that is named. */
async function keysOf({ server, flags }: ServerRequest): Promise<SharedKeys> {
  const { token: text, "ca-hash": hash, "certificate-key": key } = flags;
  const token = checkFlags(text, hash, key);
  const authority = await discoverAuthority(server, hash);
  await checkToken(server, authority, text);
  await checkSignature(server, authority, token);
  await checkClock(server, authority, systemClock.now());
  return openKeys(await fetchKeys(server, authority, token), key, token.id);
}

function checkFlags(text: string, hash: string, key: string): BootstrapToken {
  const token = parseToken(text);
  const whole = `as \`${ownCommand("token create --server")}\` printed it`;
  if (!token) throw new CommandFailure(`--token must be ${whole}`);
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) throw new CommandFailure(`--ca-hash must be ${whole}`);
  if (!isServerKey(key)) throw new CommandFailure(`--certificate-key must be ${whole}`);
  return token;
}

/** The settings of a new server: those of the cluster, with the place, name and runtime of this machine. */
async function serverSettings(
  { settings: shared, members }: SharedKeys,
  flags: ServerFlags,
  kubeconfig: string,
): Promise<ClusterSettings> {
  const { networkNamespace: _, otherNodeIp: __, snapshots: ___, ...cluster } = shared;
  // Folders of manifests are on the machine on which they were named: another one would prune their objects.
  const { runtimeCgroupDriver: ____, manifests: _____, ...common } = cluster;
  const place = placeOf({ ...flags, "pod-network-cidr": shared.podCidr });
  const wanted: ClusterSettings = {
    ...common,
    ...place,
    ...runtimeSettings(flags),
    name: flags.name,
    nodeName: flags["node-name"] || defaultNodeName(flags.name),
    server: serverUrl(place.nodeIp, serverPort(shared.server)),
    serverNames: [...new Set([...shared.serverNames, ...flags["tls-san"]])],
    kubeconfigs: [kubeconfig],
    partArgs: sharedPartArgs(shared.partArgs),
    etcd: { ...etcdOf({ ...noStore, ...flags }), joined: members, isJoining: true },
  };
  checkSettings(wanted, networksOf(wanted));
  const problems = await runtimeProblemsHere(wanted);
  if (problems.length > 0) throw new PreflightError(problems);
  const settings = await withAddress(await withUserRuntime(wanted));
  await checkMachine(settings);
  return settings;
}

const noStore = {
  etcd: true,
  "etcd-servers": [],
  "etcd-cafile": "",
  "etcd-certfile": "",
  "etcd-keyfile": "",
};
