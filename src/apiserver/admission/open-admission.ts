import { enabledFeatures } from "#/machinery/feature-gates.ts";
import { Registry as Metrics } from "#/std/metrics.ts";
import type { Authorizer } from "../auth/authorizer.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { AdmissionMetrics } from "../metrics/admission-metrics.ts";
import { PodSecurityMetrics } from "../metrics/pod-security-metrics.ts";
import { PolicyMetrics } from "../metrics/policy-metrics.ts";
import type { OpeningServices } from "../opening-services.ts";
import type { Registry } from "../registry/registry.ts";
import type { Admission } from "./admission.ts";
import { AdmissionChain, type OpenPlugin } from "./admission-chain.ts";
import { readAdmissionConfiguration } from "./admission-configuration.ts";
import type { PluginServices } from "./admission-plugin.ts";
import { choosePlugins } from "./choose-plugins.ts";
import { admissionPlugins } from "./index.ts";

/** The admission chain that the flags ask for. Rejects when a plugin's configuration is wrong. */
export async function openAdmission(
  flags: ApiServerFlags,
  registry: Registry,
  authorizer: Authorizer,
  { metrics = new Metrics(), egress = {} }: OpeningServices = {},
): Promise<Admission> {
  const configurations = await readAdmissionConfiguration(flags["admission-control-config-file"]);
  const services: PluginServices = {
    registry,
    authorizer,
    clock: registry.clock,
    flags,
    egress,
    metrics: new AdmissionMetrics(metrics, registry.clock),
    policyMetrics: new PolicyMetrics(metrics, registry.clock),
    securityMetrics: new PodSecurityMetrics(metrics),
    enabled: enabledFeatures(flags["feature-gates"]),
  };
  const plugins: OpenPlugin[] = [];
  for (const plugin of choosePlugins(admissionPlugins, flags)) {
    try {
      const hooks = await plugin.open(services, configurations.get(plugin.name));
      plugins.push({ name: plugin.name, scope: plugin, hooks });
    } catch (error) {
      const reason = (error as Error).message;
      throw new Error(`couldn't init admission plugin "${plugin.name}": ${reason}`, {
        cause: error,
      });
    }
  }
  return new AdmissionChain(plugins, services);
}
