import { parseDuration } from "#/std/go/duration.ts";
import { machineIps } from "./base/machine-ips.ts";
import { servingIps } from "./base/node-port-addresses.ts";
import type { ProxySteps } from "./base/proxy-steps.ts";
import type { RuleOptions } from "./base/rule-options.ts";
import type { ProxyHealth } from "./health/proxy-health.ts";
import { ServiceHealth } from "./health/service-health.ts";
import { allowLocalhost, type NodeSetup, openBackend, ruleOptions } from "./open-backend.ts";
import { Proxier } from "./proxier.ts";
import type { ProxyOptions } from "./serve-proxy.ts";

interface ProxierSetup extends NodeSetup, Omit<ProxyOptions, "steps"> {
  readonly steps: ProxySteps;
  readonly health: ProxyHealth;
}

/** A proxier for each family, and their health checks. */
interface Proxiers extends AsyncDisposable {
  readonly list: readonly Proxier[];
}

/** Opens the proxiers of a configuration. */
export async function openProxiers(setup: ProxierSetup): Promise<Proxiers> {
  await allowLocalhost(setup);
  const list: Proxier[] = [];
  const checks: ServiceHealth[] = [];
  for (const family of setup.families) {
    const rules = await ruleOptions(setup, family);
    const serviceHealth = openServiceHealth(setup, rules);
    checks.push(serviceHealth);
    const { syncPeriod, minSyncPeriod } = setup.config[setup.mode];
    list.push(
      new Proxier({
        ...setup,
        family,
        backend: await openBackend(setup, rules),
        serviceHealth,
        syncMs: parseDuration(syncPeriod),
        minSyncMs: parseDuration(minSyncPeriod),
      }),
    );
  }
  const close = async (): Promise<void> => {
    for (const check of checks) await check[Symbol.asyncDispose]();
  };
  return { list, [Symbol.asyncDispose]: close };
}

function openServiceHealth(setup: ProxierSetup, { family, nodePorts }: RuleOptions): ServiceHealth {
  const { health, log, nodeName, recorder } = setup;
  const everywhere = family === "IPv4" ? "0.0.0.0" : "::";
  return new ServiceHealth({
    hosts: nodePorts.all ? [everywhere] : servingIps(family, nodePorts, machineIps()),
    proxyHealth: health,
    onFailure(service, port, error) {
      log.error(error, "failed to start healthcheck", { node: nodeName, service, port });
      const [namespace = "", name = ""] = service.split("/");
      const reason = error instanceof Error ? error.message : String(error);
      const message = `node ${nodeName} failed to start healthcheck "${service}" on port ${port}: ${reason}`;
      const about = { apiVersion: "v1", kind: "Service", namespace, name };
      const details = { action: "Listen" };
      recorder.event(about, "Warning", "FailedToStartServiceHealthcheck", message, details);
    },
  });
}
