import { logger } from "#/std/log/log.ts";
import type { Dial } from "../egress/egress.ts";
import { CertificateFiles } from "../outgoing/certificate-files.ts";
import type { Registry } from "../registry/registry.ts";
import { Aggregator } from "./aggregator.ts";

/** The flags of aggregation. */
interface AggregatorFlags {
  readonly "aggregator-reject-forwarding-redirect": boolean;
  readonly "enable-aggregator-routing": boolean;
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
}

/** Opens the aggregator with the flags' settings. */
export function openAggregator(
  flags: AggregatorFlags,
  registry: Registry,
  dial?: Dial,
): Aggregator {
  const files = new CertificateFiles(
    { cert: flags["proxy-client-cert-file"], key: flags["proxy-client-key-file"] },
    registry.clock,
  );
  return new Aggregator({
    registry,
    log: logger("aggregator"),
    routeToEndpoints: flags["enable-aggregator-routing"],
    rejectRedirects: flags["aggregator-reject-forwarding-redirect"],
    identity: () => files.current,
    dial,
  });
}
