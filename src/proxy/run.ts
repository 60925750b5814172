import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { seriesRecorder } from "#/client/events/event-series.ts";
import { StepRecorder } from "#/client/journey/recorder.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { openSteps } from "#/component/traced-steps.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, flagTexts, type ParsedFlags, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { followRemovals } from "#/std/netfilter/removals.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { yaml } from "#/std/text/yaml.ts";
import { systemClock } from "#/std/time/clock.ts";
import { ipFamilies, networksOf } from "./base/ip-family.ts";
import { type ProxyMode, proxyMetrics } from "./base/metrics.ts";
import { flagSectionList, proxyFlags } from "./config/flags.ts";
import type { KubeProxyConfiguration } from "./config/kube-proxy-configuration.ts";
import { loadConfiguration } from "./config/load-configuration.ts";
import { validateConfiguration } from "./config/validate-configuration.ts";
import { removeRules } from "./iptables/remove-rules.ts";
import { removeIpvs } from "./ipvs/remove-ipvs.ts";
import { removeTables } from "./nftables/backend.ts";
import { initializeNode, serveProxy } from "./serve-proxy.ts";

const log = logger("kube-proxy");

type Parsed = ParsedFlags<typeof proxyFlags>;

/**
 * The command `kube-proxy`, as a process or beside other components. Upstream: cmd/kube-proxy/app/server.go.
 */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(proxyFlags, args),
  usage: () => flagSections(flagSectionList),
  validate: async (parsed) => void (await validConfiguration(parsed)),
  run,
});

/** The configuration of flags and file; rejects if it is invalid. */
async function validConfiguration(parsed: Parsed): Promise<KubeProxyConfiguration> {
  const config = await loadConfiguration(parsed);
  const errors = validateConfiguration(config);
  if (errors.length > 0) throw new FlagError(`failed validate: ${formatFieldErrors(errors)}`);
  return config;
}

/** Runs the action of the flags: usually, proxies until the signal aborts. */
export async function run(
  parsed: Parsed,
  signal: AbortSignal,
  inProcess: InProcessAccess = {},
): Promise<void> {
  const { values } = parsed;
  const config = await validConfiguration(parsed);
  if (values["write-config-to"] !== "") {
    await writeFile(values["write-config-to"], yaml().stringify(config));
    return;
  }
  const modeIsOpen = config.mode === "";
  config.mode ||= "iptables";
  if (values.cleanup) return removeOtherRules(config, true);
  const nodeName = config.hostnameOverride || hostname().toLowerCase();
  if (inProcess.awaitsKubeconfig) {
    await waitForKubeconfig(config.clientConnection.kubeconfig, signal);
  }
  await using transport = await transportOf(config, values.master, inProcess);
  await removeOtherRules(config, false);
  const registry = new Registry();
  using _process = processMetrics(registry);
  const { qps, burst } = config.clientConnection;
  const client = new Client(transport, {
    userAgent: userAgent("kube-proxy"),
    qps,
    burst,
    metrics: clientMetrics(registry),
  });
  const tracing = tracingOfFlags(values);
  await using steps = openSteps(new StepRecorder(client), tracing, { service: "kube-proxy", log });
  const recorder = seriesRecorder(client, { component: "kube-proxy", signal });
  if (modeIsOpen) warnOfDefault(recorder, nodeName);
  const options = {
    config,
    flagTexts: flagTexts(proxyFlags, values),
    nodeName,
    client,
    steps,
    recorder,
    registry,
    metrics: proxyMetrics(registry, config.mode as ProxyMode),
    clock: systemClock,
    log,
    run: runProgram,
    followRemovals,
  };
  await (values["init-only"] ? initializeNode : serveProxy)(options, signal);
}

const defaultModeWarning =
  "No kube-proxy mode specified: defaulting to 'iptables'. Note that in Kubernetes 1.40 the default mode will switch to 'nftables'. If you wish to continue using 'iptables' mode, you must explicitly specify 'mode: iptables' in the kube-proxy config file, or '--proxy-mode iptables' on the kube-proxy command line.";

function warnOfDefault(recorder: EventRecorder, nodeName: string): void {
  log.warning(defaultModeWarning);
  const node = { apiVersion: "v1", kind: "Node", name: nodeName };
  const details = { action: "StartKubeProxy" };
  recorder.event(node, "Warning", "KubeProxyDefaultMode", defaultModeWarning, details);
}

async function transportOf(
  { clientConnection: { kubeconfig } }: KubeProxyConfiguration,
  master: string,
  { connect }: InProcessAccess,
): Promise<Transport> {
  if (connect) return connect({ name: "system:kube-proxy", groups: ["system:authenticated"] });
  return openTransport({ kubeconfig, master }, { userAgent: userAgent("kube-proxy") });
}

/** Removes the rules of other modes, or all rules. */
async function removeOtherRules(
  { mode, ipvs }: KubeProxyConfiguration,
  all: boolean,
): Promise<void> {
  let clean = true;
  // First, as its rules refer to chains of the same names as those of iptables.
  if (all || mode !== "ipvs") {
    const excluded = ipFamilies.flatMap((family) => networksOf(family, ipvs.excludeCIDRs));
    clean = (await removeIpvs({ run: runProgram, log, excluded })) && clean;
  }
  if (all || mode !== "iptables") {
    const keepsIpvs = !all && mode === "ipvs";
    clean = (await removeRules(runProgram, log, { keepsIpvs })) && clean;
  }
  if (all || mode !== "nftables") clean = (await removeTables(runProgram, log)) && clean;
  if (all) await removeEmptyTables(runProgram);
  if (all && !clean) throw new Error("encountered an error while tearing down rules");
}
