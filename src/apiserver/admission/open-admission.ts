import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { OpeningServices } from "../model/opening-services.ts";
import type { Admission } from "../registry/admission.ts";
import type { Registry } from "../registry/registry.ts";
import { AdmissionChain, type OpenPlugin } from "./admission-chain.ts";
import { readAdmissionConfiguration } from "./base/admission-configuration.ts";
import { AdmissionMetrics } from "./base/admission-metrics.ts";
import type { PluginServices } from "./base/admission-plugin.ts";
import { choosePlugins } from "./choose-plugins.ts";
import { admissionPlugins } from "./index.ts";

/** The admission chain of the flags. Rejects if a plugin's configuration is invalid. */
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
    metricsRegistry: metrics,
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
