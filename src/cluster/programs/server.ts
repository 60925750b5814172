import { hostname } from "node:os";
import { start as startApiServer } from "#/apiserver/run.ts";
import { aborted } from "#/std/async/aborted.ts";
import { configureLogging, logger } from "#/std/log/log.ts";
import { runUntilSignal } from "#/std/process/shutdown.ts";
import { systemClock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import { certificateWishes } from "../access/certificates.ts";
import { renewCertificates } from "../access/pki.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { componentFlags } from "../components/component-flags.ts";
import { type Component, runComponents } from "../components/run-components.ts";
import { keepPrograms } from "../supervision/keep-programs.ts";
import { recordStart } from "../supervision/started-with.ts";
import { followAddress, settleAddress } from "./follow-address.ts";
import { publishServer } from "./publish-server.ts";

const log = logger("cluster");
const renewalCheckMs = 6 * 3600 * 1000;
/** There is no role for it among upstream's: it acts for the cluster itself. */
const cluster = { name: "k8ts:cluster", groups: ["system:masters"] };

/** The server process of a cluster: `k8ts server FOLDER`. */
export async function main([folder = ""]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  const settings = getSettings(paths);
  configureLogging({ verbosity: settings.verbosity, format: settings.logFormat });
  return await runUntilSignal((signal) => runServer(paths, settings, signal));
}

async function runServer(paths: ClusterPaths, found: ClusterSettings, signal: AbortSignal) {
  const settings = await settleAddress(paths, found, "server", signal);
  await recordStart("server", paths, settings);
  await renew(paths, settings);
  const flags = componentFlags(paths, settings);
  const opened = Promise.withResolvers<Connect>();
  /** The way into the API server, once it serves; fails if all is to end before. */
  const connected = async (stop: AbortSignal): Promise<Connect> => {
    await Promise.race([opened.promise, aborted(stop)]);
    stop.throwIfAborted();
    return opened.promise;
  };
  // What needs the API server is loaded once that serves: it is what everybody waits for.
  const components: Component[] = [
    {
      name: "kube-apiserver",
      run: (stop) => startApiServer(flags["kube-apiserver"], stop, { onReady: opened.resolve }),
    },
    {
      name: "kube-controller-manager",
      run: async (stop) => {
        const connect = await connected(stop);
        const { start } = await import("#/controllers/run.ts");
        await start(flags["kube-controller-manager"], stop, { connect });
      },
    },
    {
      name: "kube-scheduler",
      run: async (stop) => {
        const connect = await connected(stop);
        const { start } = await import("#/scheduler/run.ts");
        await start(flags["kube-scheduler"], stop, { connect });
      },
    },
    {
      name: "dns publisher",
      run: async (stop) => {
        const connect = await connected(stop);
        const { startPublisher } = await import("#/dns/run.ts");
        await startPublisher(flags["dns-publisher"], stop, { connect: () => connect(cluster) });
      },
    },
    {
      name: "server publisher",
      run: async (stop) => {
        const connect = await connected(stop);
        await using api = connect(cluster);
        await publishServer(paths, settings, api, stop);
      },
    },
    {
      name: "kubelet certificates",
      run: async (stop) => {
        const connect = await connected(stop);
        const { startServingApproval } = await import("#/controllers/run.ts");
        await startServingApproval(stop, { connect });
      },
    },
    { name: "address", run: (stop) => followAddress(settings, stop) },
    { name: "certificate renewal", run: (stop) => keepCertificates(paths, settings, stop) },
    { name: "supervision", run: (stop) => keepPrograms(paths, settings, stop) },
  ];
  await runComponents(components, signal);
}

/** How the API server lets others of its process in. */
type Connect = Parameters<
  NonNullable<NonNullable<Parameters<typeof startApiServer>[2]>["onReady"]>
>[0];

async function keepCertificates(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  const again = () => renew(paths, settings);
  const failed = (error: unknown) => log.error(error, "renewing certificates failed");
  const times = { everyMs: renewalCheckMs, firstAfterMs: renewalCheckMs };
  await repeat(again, { clock: systemClock, ...times, failed }, signal);
}

async function renew(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const wishes = certificateWishes(settings, hostname());
  const renewed = await renewCertificates(paths.pki, wishes, systemClock.now());
  if (renewed.length > 0) log.info("certificates renewed", { files: renewed.join(" ") });
  if (renewed.includes("admin")) {
    const { renewUserAccess } = await import("../access/user-access.ts");
    await renewUserAccess(paths, settings);
  }
}
