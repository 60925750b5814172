import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { aborted, orAborted } from "#/std/async/aborted.ts";
import { configureLogging, logger } from "#/std/log/log.ts";
import { runUntilSignal } from "#/std/process/shutdown.ts";
import { systemClock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import { certificateSpecs, reservedNames } from "../access/certificates.ts";
import { ensurePki } from "../access/pki.ts";
import { servingApprover } from "../access/server-roles.ts";
import { keepSnapshots } from "../backup/keep-snapshots.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { leaderSeconds } from "../parts/access-flags.ts";
import { type Connect, clusterIdentity, type ServerContext } from "../parts/part.ts";
import { type Component, runComponents } from "../parts/run-components.ts";
import { partComponents } from "../parts/run-parts.ts";
import { followKeys } from "../shared-keys/follow-keys.ts";
import { recordFailures } from "../supervision/failing-parts.ts";
import { keepPrograms } from "../supervision/keep-programs.ts";
import { sendHeartbeats } from "../supervision/send-heartbeats.ts";
import { recordStart } from "../supervision/started-with.ts";
import { followAddress, settleAddress } from "./follow-address.ts";
import { keepManifests } from "./keep-manifests.ts";
import { type Lead, Leadership } from "./leadership.ts";
import { publishRoles, publishServer } from "./publish-server.ts";

const log = logger("cluster");
const renewalCheckMs = 6 * 3600 * 1000;

/** The server process of a cluster: `k8ts server FOLDER`. */
export async function main([folder = ""]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  const settings = getSettings(paths);
  configureLogging({ verbosity: settings.verbosity, format: settings.logFormat });
  process.umask(0o022);
  return await runUntilSignal((signal) => runServer(paths, settings, signal));
}

async function runServer(paths: ClusterPaths, found: ClusterSettings, signal: AbortSignal) {
  const settings = await settleAddress(paths, found, "server", signal);
  await recordStart("server", paths, settings);
  await renew(paths, settings);
  const access = new ApiAccess();
  const leadership = settings.etcd ? new Leadership(leadBy(access)) : undefined;
  const api: ServerContext = { ...access, whileLeading: leadership?.whileLeading };
  const context = { paths, settings, resolvConf: findResolvConf() };
  const hasKeys = Promise.withResolvers<void>();
  const components: Component[] = [
    ...(await partComponents("server", context, api)),
    ...(settings.etcd
      ? [
          {
            name: "server keys",
            run: async (stop: AbortSignal) => {
              const connect = await api.connected(stop);
              await using transport = connect(clusterIdentity);
              await followKeys(paths, transport, stop, hasKeys.resolve);
            },
          },
        ]
      : []),
    {
      name: "server publisher",
      run: async (stop) => {
        const connect = await api.connected(stop);
        // Others may have gone on with a rotation of keys while this server did not run.
        if (settings.etcd) await orAborted(hasKeys.promise, stop);
        await using transport = connect(clusterIdentity);
        await publishServer(paths, settings, transport, stop);
      },
    },
    {
      name: "kubelet certificates",
      run: async (stop) => {
        const connect = await api.connected(stop);
        const { startServingApproval } = await import("#/controllers/run.ts");
        const reserved = reservedNames(settings, hostname());
        await startServingApproval(stop, { connect, user: servingApprover, reserved });
      },
    },
    ...(leadership ? [leadership.component] : []),
    { name: "address", run: (stop) => followAddress(settings, stop) },
    { name: "certificate renewal", run: (stop) => keepCertificates(paths, settings, stop) },
    { name: "supervision", run: (stop) => keepPrograms(paths, settings, stop) },
    {
      name: "manifests",
      run: async (stop) => {
        await api.connected(stop);
        await keepManifests(paths, stop);
      },
    },
    { name: "snapshots", run: (stop) => keepSnapshots(paths, stop) },
    { name: "heartbeat", run: sendHeartbeats },
  ];
  await runComponents(components, signal, { onFailure: recordFailures(paths, "server") });
}

/** The election of the server that leads, by a lease. */
const leadBy =
  ({ connected }: ServerContext): Lead =>
  async (task, signal) => {
    const connect = await connected(signal);
    const { runWhileLeading } = await import("#/controllers/run.ts");
    const options = {
      connect,
      user: clusterIdentity,
      lease: "k8ts-server",
      identity: `${hostname()}_${randomUUID()}`,
      leaseDurationMs: leaderSeconds.lease * 1000,
      renewDeadlineMs: leaderSeconds.renew * 1000,
      retryPeriodMs: leaderSeconds.retry * 1000,
    };
    await runWhileLeading(options, task, signal);
  };

/** Access to the API server for the other components of this process, which wait until it serves. */
class ApiAccess implements ServerContext {
  readonly #opened = Promise.withResolvers<Connect>();

  /** The roles of the other components are there before the components are. */
  readonly onReady = async (connect: Connect): Promise<void> => {
    await using transport = connect(clusterIdentity);
    await publishRoles(transport).catch((error: unknown) =>
      log.error(error, "failed to publish the roles of the server"),
    );
    this.#opened.resolve(connect);
  };

  readonly connected = async (signal: AbortSignal): Promise<Connect> => {
    await Promise.race([this.#opened.promise, aborted(signal)]);
    signal.throwIfAborted();
    return this.#opened.promise;
  };
}

async function keepCertificates(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  const again = () => renew(paths, settings);
  const failed = (error: unknown) => log.error(error, "failed to renew certificates");
  const times = { everyMs: renewalCheckMs, firstAfterMs: renewalCheckMs };
  await repeat(again, { clock: systemClock, ...times, failed }, signal);
}

async function renew(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const specs = certificateSpecs(settings, hostname());
  const renewed = await ensurePki(paths.pki, specs, systemClock.now());
  if (renewed.length > 0) log.info("renewed certificates", { files: renewed.join(" ") });
  if (renewed.includes("admin")) {
    const { renewUserAccess } = await import("../access/user-access.ts");
    await renewUserAccess(paths, settings);
  }
}
